import { basename } from "node:path";
import { CUBE_CHUNKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { ImportConversion, type ImportSource } from "@orthant/formats/internal";
import { openSave } from "@orthant/save";
import { describe, expect, test } from "vitest";
import { convertedWorld, expectedFiles, goldenDisk } from "./samples.ts";

const LAYER = 256;

/** Chunks of stone up to a height, each a piece by itself. */
function sourceOf(
  chunks: readonly (readonly [x: number, y: number, z: number, height: number])[],
): ImportSource {
  return {
    shape: CUBE_CHUNKS,
    pieces: chunks.map(() => 1),
    boxOf(piece) {
      const [x, y, z] = chunks[piece] ?? [0, 0, 0];
      return { min: [x, y, z], max: [x + 1, y + 1, z + 1] };
    },
    info: { facts: {}, rows: [] },
    losses: [],
    looksOf: () => ({ colour: 1, solid: true }),
    verify: async () => [],
    close: async () => undefined,
    async readPiece(piece) {
      const [x, y, z, height] = chunks[piece] ?? [0, 0, 0, 0];
      const indices = Uint16Array.from({ length: 4_096 }, (_, at) => (at < height * LAYER ? 1 : 0));
      const voxels = { palette: ["minecraft:air", "minecraft:stone"], indices };
      return { chunks: [{ position: [x, y, z], voxels, data: [] }], losses: [], savedAtMs: 0 };
    },
  };
}

async function spawnOf(source: ImportSource): Promise<readonly number[]> {
  const made = new MemoryDisk();
  await new ImportConversion(source).run(made, () => undefined);
  const save = await openSave(made);
  await save.close();
  return save.global.description.spawn;
}

describe("the place where players of an imported world begin", () => {
  test("[IM86] is on the ground of the middle column, even if some chunks are far away", async () => {
    const source = sourceOf([
      [0, 0, 0, 4],
      [4, 0, 0, 5],
      [8, 0, 0, 6],
      [4, 0, 4, 7],
      [1_000_000, 0, 0, 8],
    ]);
    expect(await spawnOf(source)).toEqual([4 * 16 + 8.5, 5, 8.5, 0]);
  });

  test("[IM86] is above the highest block, below pieces of air", async () => {
    const source = sourceOf([
      [0, 0, 0, 16],
      [0, 8, 0, 0],
      [0, 4, 0, 3],
    ]);
    expect(await spawnOf(source)).toEqual([8.5, 4 * 16 + 3, 8.5, 0]);
  });

  test("[IM86] is the nearest column with blocks, if the middle has none", async () => {
    const source = sourceOf([
      [-4, 0, 0, 0],
      [0, 0, 0, 0],
      [4, 0, 0, 0],
      [16, 0, 0, 2],
      [-8, 0, 0, 9],
    ]);
    expect(await spawnOf(source)).toEqual([-8 * 16 + 8.5, 9, 8.5, 0]);
  });

  test("[IM86] is the origin of a world of air", async () => {
    expect(await spawnOf(sourceOf([[7, 7, 7, 0]]))).toEqual([0, 0, 0, 0]);
  });

  test("[IM86] is what the source says, unless that is not a place", async () => {
    const source = sourceOf([[0, 0, 0, 4]]);
    expect(await spawnOf({ ...source, spawn: [5, 60, 5] })).toEqual([5, 60, 5, 0]);
    expect(await spawnOf({ ...source, spawn: [5, Number.NaN, 2 ** 40] })).toEqual([8.5, 4, 8.5, 0]);
  });
});

const files = ["minecraft/1.8.9", "minecraft/1.20.6", "schematics", "vox", "tiled", "luanti"]
  .flatMap((folder) => expectedFiles(folder))
  .filter((path) => !/leveldb|\.objects$/.test(path))
  .map((path) => path.replace(/(?<=\/map)$/, ".sqlite").replace(/(?<=\/r\.-?\d+\.-?\d+)$/, ".mca"));

describe("the spawn point of a file of another program", () => {
  test.each(files)("[IM86] is free and on a block in %s", async (path) => {
    const { spawn, voxels } = await convertedWorld(goldenDisk(path), basename(path));
    if (voxels.size === 0) return;
    const [x = 0, y = 0, z = 0] = spawn.map(Math.floor);
    expect(voxels.get(`${x},${y - 1},${z}`)).toBeDefined();
    expect(voxels.get(`${x},${y},${z}`)).toBeUndefined();
  });
});
