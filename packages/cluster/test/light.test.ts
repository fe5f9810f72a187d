import { box, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import type { Step } from "@orthant/world";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

/** Everything from the border at x = 0 on to the east. */
const EAST = boxBetween([0, -99, -99, -9], [99, 99, 99, 9]);
const LAMP = DEFAULT_BLOCKS.id("lamp");
const STEP_MS = 200;
const FAR_WEST: Position<3> = [-40, 6, 5];
const AT_BORDER: Position<3> = [-5, 6, 5];
const FAR_EAST: Position<3> = [40, 6, 5];

test("[L10] steps of a shard see the light of its own part, also those of its next owner, and none beside another shard", async () => {
  const small = new SmallCluster();
  await small.create(0, (world) =>
    world.edit(
      [FAR_WEST, AT_BORDER, FAR_EAST].map(([x, y, z]) => ({ voxel: [x, y + 4, z, 0], block: LAMP })),
    ),
  );
  /** The light of blocks that each node's last step saw, by place. */
  const seen = new Map<string, Map<number, number | undefined>>();
  const nodes = await Promise.all(
    ["a", "b"].map(async (name) => {
      const made = await small.node(name);
      const look = ({ world }: Step<3>): void => {
        const lights = new Map<number, number | undefined>();
        for (const place of [FAR_WEST, AT_BORDER, FAR_EAST])
          if (world.voxelAt(place) !== undefined) lights.set(place[0], world.lightAt(place)?.block);
        seen.set(name, new Map([...(seen.get(name) ?? []), ...lights]));
      };
      const simulation = made.node.simulate<3>({ systems: { look }, stepMs: STEP_MS });
      simulation.keepActive(box([-64, 0, 0], [64, 16, 16]));
      return { ...made, name };
    }),
  );
  const ownerOf = (shard: string): (typeof nodes)[number] => {
    const owner = nodes.find(({ node }) => node.owns(shard));
    if (owner === undefined) throw new Error(`shard ${shard} has no owner`);
    return owner;
  };
  const look = async (): Promise<ReadonlyMap<string, ReadonlyMap<number, number | undefined>>> => {
    seen.clear();
    await small.pass(10 * STEP_MS);
    return seen;
  };
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  const whole = (await look()).get(ownerOf("0").name);
  expect(whole).toEqual(
    new Map([
      [-40, 11],
      [-5, 11],
      [40, 11],
    ]),
  );

  await small.settled(ownerOf("0").node.split("0", EAST, "east"));
  await small.settled(ownerOf("0").node.move("east"));
  await small.until(() => nodes.some(({ node }) => node.owns("east")));
  const split = await look();
  expect(split.get(ownerOf("0").name)).toEqual(
    new Map([
      [-40, 11],
      [-5, undefined],
    ]),
  );
  expect(split.get(ownerOf("east").name)).toEqual(new Map([[40, 11]]));

  const killed = ownerOf("east");
  killed.node.kill(new Error("killed"));
  killed.backbone.kill();
  nodes.splice(nodes.indexOf(killed), 1);
  await small.until(() => nodes.some(({ node }) => node.owns("east")));
  expect((await look()).get(ownerOf("east").name)?.get(40)).toBe(11);
});
