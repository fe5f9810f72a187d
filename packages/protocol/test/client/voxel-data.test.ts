import type { Position } from "@orthant/core";
import { expect, test } from "vitest";
import { blank, GRASS, GROUND, SKY, TestClient } from "./sample-client.ts";

const VOXEL: Position = [0, -1, 0, 0];
const CHEST = 9;
const ITEMS = Uint8Array.of(1, 2, 3);

function grounded(): TestClient {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, GROUND));
  return client;
}

test("data shows at once, by the rules of the server", () => {
  const { sync } = grounded();
  sync.setVoxels([{ voxel: VOXEL, block: CHEST, data: ITEMS }]);
  expect([sync.replica?.voxelAt(VOXEL), sync.replica?.dataAt(VOXEL)]).toEqual([CHEST, ITEMS]);
  sync.setVoxels([{ voxel: VOXEL, data: Uint8Array.of(4) }]);
  expect([sync.replica?.voxelAt(VOXEL), sync.replica?.dataAt(VOXEL)]).toEqual([CHEST, Uint8Array.of(4)]);
  sync.setVoxels([{ voxel: VOXEL, block: GRASS }]);
  expect([sync.replica?.voxelAt(VOXEL), sync.replica?.dataAt(VOXEL)]).toEqual([GRASS, undefined]);
});

test("data goes with a rejected edit", () => {
  const client = grounded();
  const { sync } = client;
  sync.setVoxels([{ voxel: VOXEL, block: CHEST, data: ITEMS }]);
  sync.tick();
  const rejected = { editId: 1, status: "rejected", reason: "data", detail: "" } as const;
  client.receive({ kind: "editResults", results: [rejected] });
  expect([sync.replica?.voxelAt(VOXEL), sync.replica?.dataAt(VOXEL)]).toEqual([GRASS, undefined]);
});

test("a fill takes the data of other blocks away", () => {
  const { sync } = grounded();
  sync.setVoxels([{ voxel: VOXEL, block: CHEST, data: ITEMS }]);
  sync.edit({ kind: "fill", box: { min: VOXEL, max: [1, 0, 1, 1] }, block: CHEST });
  expect(sync.replica?.dataAt(VOXEL)).toEqual(ITEMS);
  sync.edit({ kind: "fill", box: { min: VOXEL, max: [1, 0, 1, 1] }, block: GRASS });
  expect(sync.replica?.dataAt(VOXEL)).toBeUndefined();
});

test("data that a chunk has no room for is not shown, but its block is", () => {
  const { sync } = grounded();
  const data = new Uint8Array(32_768);
  for (let x = 0; x < 8; x++) sync.setVoxels([{ voxel: [x, -1, 0, 0], block: CHEST, data }]);
  expect(sync.replica?.voxelAt([7, -1, 0, 0])).toBe(CHEST);
  expect(() => sync.replica?.dataAt([7, -1, 0, 0])).not.toThrow();
});

test("an edit does not keep the bytes of its caller", () => {
  const { sync } = grounded();
  const data = ITEMS.slice();
  sync.setVoxels([{ voxel: VOXEL, block: CHEST, data }]);
  data.fill(0);
  expect(sync.replica?.dataAt(VOXEL)).toEqual(ITEMS);
});

test("a fill that every server refuses for its size shows nothing and takes no time", () => {
  const { sync } = grounded();
  sync.edit({ kind: "fill", box: { min: VOXEL, max: [1, 2 ** 30, 1, 1] }, block: CHEST });
  expect(sync.replica?.voxelAt(VOXEL)).toBe(GRASS);
});
