import { CUBE_CHUNKS, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import {
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { ImportConversion, type ImportSource } from "@orthant/formats/internal";
import { catalogOf, openSave, verifySave } from "@orthant/save";
import { generatedChunks, generatorMapOf } from "@orthant/save/content";
import { describe, expect, test } from "vitest";

const SOIL = 2;
const flat = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: SOIL }, 0n);

/** A world of one voxel in each cube. */
function sourceOf(cubes: readonly (readonly [x: number, z: number])[], name = "game:gold"): ImportSource {
  return {
    shape: CUBE_CHUNKS,
    pieces: cubes.map(() => 256),
    fingerprint: "a",
    boxOf(piece) {
      const [x = 0, z = 0] = cubes[piece] ?? [];
      return { min: [x * 4, -4, z * 4], max: [x * 4 + 4, 4, z * 4 + 4] };
    },
    info: { facts: {}, rows: [] },
    losses: [],
    looksOf: () => ({ colour: 1, solid: true }),
    verify: async () => [],
    close: async () => undefined,
    async readPiece(piece) {
      const [x = 0, z = 0] = cubes[piece] ?? [];
      const indices = Uint16Array.from({ length: 4_096 }, (_, at) => (at === 0 ? 1 : 0));
      const chunk = {
        position: [x * 4, 0, z * 4] as const,
        voxels: { palette: ["air", name], indices },
        data: [],
      };
      return { chunks: [chunk], losses: [], savedAtMs: 0 };
    },
  };
}

async function converted(source: ImportSource, generator?: GeneratorRef, made = new MemoryDisk()) {
  const conversion = new ImportConversion(source, undefined, generator);
  await conversion.resume(made);
  await conversion.run(made, () => undefined);
  expect(isWhole(await verifySave(made))).toBe(true);
  const save = await openSave(made);
  await save.close();
  return save.global;
}

describe("the space around an imported world", () => {
  test("[IM87] is air without a generator", async () => {
    const global = await converted(sourceOf([[0, 0]]));
    expect(generatedChunks(global)([9, -1, 0, 0]).isEmpty).toBe(true);
  });

  test("[IM87] is what a generator makes, and the air of imported columns stays air", async () => {
    const global = await converted(
      sourceOf([
        [0, 0],
        [1, 0],
        [-1, 0],
        [5, 5],
      ]),
      flat,
    );
    const chunkAt = generatedChunks(global);
    const blockAt = (position: Position): number => chunkAt(position).get(4_095);
    expect(blockAt([3, -1, 3, 0]), "below what is imported, in its column").toBe(0);
    expect(blockAt([-4, -1, 0, 0])).toBe(0);
    expect(blockAt([20, -1, 23, 0])).toBe(0);
    expect(blockAt([8, -1, 0, 0]), "beside it").toBe(SOIL);
    expect(blockAt([0, -1, 4, 0])).toBe(SOIL);
    expect(generatorMapOf(global).kept, "cubes side by side share a box").toHaveLength(2);
  });

  test("[IM87] blocks of the generator keep their numbers, and imported ones come behind", async () => {
    const global = await converted(sourceOf([[0, 0]], "soil"), flat);
    const catalog = catalogOf(global.description);
    expect(catalog.byId(SOIL)?.name).toBe("soil");
    expect(catalog.id("imported:soil")).toBe(DEFAULT_BLOCKS.endId);
  });

  test("[IM87] surroundings of more separate boxes than a world can have are refused before anything is read", () => {
    const scattered = sourceOf(Array.from({ length: 4_097 }, (_, at) => [at * 2, 0] as const));
    expect(() => new ImportConversion(scattered, undefined, flat)).toThrow(
      /at most 4096; convert it without one/,
    );
  });

  test("[IM84] [IM87] an interrupted conversion with another generator begins again", async () => {
    const made = new MemoryDisk();
    const whole = new MemoryDisk();
    const terrain = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n);
    const cut = {
      ...sourceOf([
        [0, 0],
        [1, 0],
      ]),
      looksOf: () => ({ colour: 1, solid: true }),
    };
    let reads = 0;
    const failing: ImportSource = {
      ...cut,
      readPiece: async (piece) => {
        // The first pass reads two pieces, the second one its first.
        if (++reads > 3) throw new Error("the power is cut");
        return cut.readPiece(piece);
      },
    };
    await expect(converted(failing, flat, made)).rejects.toThrow("the power is cut");
    await converted(cut, terrain, made);
    await converted(cut, terrain, whole);
    expect(made.image().files).toEqual(whole.image().files);
  });
});
