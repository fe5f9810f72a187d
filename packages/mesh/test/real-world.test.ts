import type { ClientWorld } from "@orthant/client";
import { chunkBox, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { buildMesh, castRay, moveBox } from "@orthant/mesh";
import { createWorld } from "@orthant/world";
import { Vector3 } from "three";
import { expect, onTestFinished, test } from "vitest";

test("a ray, a falling box and a mesh agree on the ground of a world", async () => {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
  onTestFinished(() => world.close());
  const sky = { position: [-19.5, 40, 12.5], size: [0.6, 1.8, 0.6] } as const;
  expect(castRay(world, sky.position, [0, -1, 0], 100), "nothing is in memory").toBeUndefined();
  expect(moveBox(world, sky, [0, -100, 0]).position).toEqual(sky.position);
  expect(buildMesh(world, [-2, 0, 0])).toBeUndefined();

  await world.loadChunks(chunkBox([-4, -2, -2], [1, 3, 3]));
  const hit = castRay(world, new Vector3(...sky.position), new Vector3(0, -1, 0), 100);
  expect([hit?.block, hit?.face]).toEqual([world.blocks.id("grass"), "+y"]);
  const fallen = moveBox(world, sky, new Vector3(0, -100, 0));
  const ground = hit?.adjacent[1] ?? Number.NaN;
  expect([fallen.onGround, fallen.position[1]]).toEqual([true, ground]);
  const mesh = buildMesh(world, [-2, 0, 0]);
  const heights = mesh?.opaque.positions.filter((_, index) => index % 3 === 1) ?? [];
  expect(heights, "the chunk's mesh has vertices on the ground").toContain(ground);
});

/** Compiles: a client's world fits too, and a wrong number of coordinates does not. */
export function pointAt(client: ClientWorld<3>): unknown {
  // @ts-expect-error Two coordinates in a world of three dimensions.
  castRay(client, [0, 0], [1, 0, 0], 8);
  // @ts-expect-error The motion has four.
  moveBox(client, { position: [0, 0, 0], size: [1, 1, 1] }, [0, 0, 0, 1]);
  // @ts-expect-error Meshes have three dimensions at most.
  buildMesh(client as unknown as ClientWorld<4>, [0, 0, 0, 0]);
  return [buildMesh(client, [0, 0, 0]), castRay(client, new Vector3(), [1, 0, 0], 8)?.position[2]];
}
