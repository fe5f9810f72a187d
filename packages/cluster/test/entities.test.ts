import { clusterStatus } from "@orthant/cluster";
import { ownerAddress, ownerAnswerCodec, ownerRequestCodec } from "@orthant/cluster/internal";
import type { Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { boxAt, boxBetween, positionFrom, regionBox } from "@orthant/core/lattice";
import type { WorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";
import { SmallServer } from "./small-server.ts";

/** Two sectors. A sector is 64 voxels wide, a region 16. */
const TWO_SECTORS = boxBetween([0, 0, 0, 0], [32, 4, 4, 4]);

async function town(
  furnish: (world: WorldEngine) => void,
): Promise<{ readonly small: SmallCluster; readonly nodes: readonly SmallNode[] }> {
  const small = new SmallCluster();
  await small.create(0, furnish);
  const nodes = [await small.node("a"), await small.node("b")];
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  return { small, nodes };
}

function herd(world: WorldEngine): void {
  for (const x of [3, 20, 70, 500])
    world.entities.spawn({ kind: 2, position: [x, 1, 1, 0], displayName: `at ${x}` });
}

test("[K34] a gateway shows the saved entities that lie within a player's interest", async () => {
  const { small } = await town(herd);
  const server = await SmallServer.open(small);
  const ada = await server.join(1n, "Ada", TWO_SECTORS);
  await small.until(() => ada.sight.length === 3);
  expect(new Map(ada.sight)).toEqual(
    new Map([
      ["at 3", 3],
      ["at 20", 20],
      ["at 70", 70],
    ]),
  );
  expect(ada.sync.entities[0]).toMatchObject({ isPlayer: false, kind: 2, scale: 1 });
});

test("[K62] a gateway shows the velocity and the exact place of an entity that it asked its owner for", async () => {
  const { small } = await town((world) => {
    world.entities.spawn({ kind: 2, position: [3 + 1 / 1_024, 1, 1, 0], velocity: [1.5, 0, -2, 0] });
    world.entities.spawn({ kind: 2, position: [4, 1, 1, 0] });
  });
  const server = await SmallServer.open(small);
  const ada = await server.join(1n, "Ada", TWO_SECTORS);
  await small.until(() => ada.sight.length === 2);
  const velocities = ada.sync.entities.map(({ velocity }) => velocity);
  expect(velocities).toContainEqual([1.5, 0, -2, 0]);
  expect(velocities).toContain(undefined);
  const found = await small.settled(server.gateway.world.entitiesIn(TWO_SECTORS));
  expect(found.map(({ position }) => position[0]).sort()).toEqual([3 + 1 / 1_024, 4]);
});

test("[K34] a player with an interest in a shard without an owner sees its entities once it has one", async () => {
  const { small, nodes } = await town(herd);
  const server = await SmallServer.open(small);
  const dead = nodes.find(({ node }) => node.owns("0"));
  dead?.node.kill(new Error("killed"));
  dead?.backbone.kill();
  const ada = await server.join(1n, "Ada", regionBox([0, 0, 0, 0]));
  await small.until(() => ada.sight.length === 1);
});

test("[K34] after a split each entity appears once, from the shard it is in", async () => {
  const { small, nodes } = await town(herd);
  const server = await SmallServer.open(small);
  const owner = nodes.find(({ node }) => node.owns("0"))?.node;
  await small.settled(owner?.split("0", boxAt([1, 0, 0, 0]), "east") ?? Promise.resolve());
  const found = await small.settled(server.gateway.world.entitiesIn(TWO_SECTORS));
  expect(found.map(({ name }) => name).sort()).toEqual(["at 20", "at 3", "at 70"]);
  // The wrong owner declines, although its copy has the entities too.
  expect(await ask(small, "0", [[4, 0, 0, 0]])).toEqual([{ kind: "elsewhere" }]);
  expect(await ask(small, "east", [[4, 0, 0, 0]])).toMatchObject([
    { kind: "here", entities: [{ name: "at 70" }] },
  ]);
});

test("[K34] entities that exceed one answer arrive in several", async () => {
  const each = 2_000;
  const { small } = await town((world) => {
    for (let index = 0; index < 4 * each; index++) {
      const position = positionFrom((axis) => (axis === 0 ? (index % 4) * 16 + 1 : 1));
      world.entities.spawn({ kind: 1, position, displayName: `${index}`.padStart(64, "-") });
    }
  });
  const { gateway } = await small.gateway();
  const found = await small.settled(gateway.world.entitiesIn(boxBetween([0, 0, 0, 0], [16, 4, 4, 4])));
  expect(new Set(found.map(({ id }) => id)).size).toBe(4 * each);
  const answers = await ask(
    small,
    "0",
    [0, 1, 2, 3].map((x) => [x, 0, 0, 0] as const),
  );
  expect(answers.map(({ kind }) => kind)).toEqual(["here", "here", "here", "later"]);
});

/** Asks the owner of a shard about the entities of regions. */
async function ask(
  small: SmallCluster,
  shard: string,
  regions: readonly Position[],
): Promise<readonly { readonly kind: string }[]> {
  const backbone = small.hub.connect();
  const status = await small.settled(clusterStatus(backbone, "town"));
  const term = status?.shards.find((each) => each.shard === shard)?.lease?.term ?? 0;
  const asked = regions.map((region) => ({ region, held: 0 }));
  const request = encode(ownerRequestCodec, { kind: "entities", regions: asked });
  const bytes = await small.settled(backbone.request(ownerAddress("town", shard, term), request, 1_000));
  const answer = decode(ownerAnswerCodec(64), bytes);
  return answer.kind === "entities" ? answer.answers : [];
}
