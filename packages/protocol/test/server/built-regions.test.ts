import type { Position } from "@orthant/core";
import { positionsLexicographic, regionBox } from "@orthant/core/lattice";
import { expect, test } from "vitest";
import { Stage } from "./sample-session.ts";

/** A region of `TILE_CHUNKS` has 256 chunks of 32 by 32 tiles. */
const TILES = 32;

test("regions with edits in every chunk are sent a few per tick, however many are wanted", async () => {
  const stage = new Stage();
  const regions = Array.from({ length: 12 }, (_, x): Position => [x, 0, 0, 0]);
  for (const region of regions) {
    const chunks = [...positionsLexicographic(regionBox(region))];
    stage.world.change(chunks.map(([x, y, z, w]) => ({ voxel: [x * TILES, y * TILES, z, w], block: 7 })));
  }
  const client = await stage.join();
  client.want([{ min: [0, 0, 0, 0], max: [48, 4, 4, 4] }]);
  await stage.tick();
  expect(client.replica.held().length).toBe(8);
  await stage.ticks(2);
  for (const region of regions) expect(client.agrees(region)).toBe(true);
});
