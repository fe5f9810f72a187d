import { type Chunk, CUBE_CHUNKS, emptyChunk, GeneratorRegistry, type Position } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  generatorRef,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import {
  boxContains,
  boxContainsBox,
  positionsLexicographic,
  regionBox,
  regionOf,
} from "@orthant/core/lattice";
import { GeneratorMap, WorldState } from "@orthant/core/tree";
import { codeOf, codeOfRejection, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const terrain = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n);
const floor = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, top: 3 }, 0n);
const tower = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: 7, top: 90, thickness: 60 }, 0n);

const MAP = GeneratorMap.from(terrain, [
  { box: { min: [-2, -1, -2, 0], max: [-1, 1, 1, 1] }, generator: floor },
  { box: { min: [0, 0, 0, 0], max: [1, 2, 1, 1] }, generator: tower },
]);

function chunkOf(position: Position): Chunk {
  return DEFAULT_GENERATORS.open(MAP.ofRegion(regionOf(position)), CUBE_CHUNKS).realize(...position);
}

describe("the space of several generators", () => {
  test("has each chunk of the generator of its region, however it is queried", () => {
    const space = DEFAULT_GENERATORS.open(MAP, CUBE_CHUNKS);
    const prng = new Prng(3);
    const seen = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const min: Position = [prng.below(16) - 9, prng.below(8) - 4, prng.below(12) - 9, 0];
      const max: Position = [
        min[0] + 1 + prng.below(6),
        min[1] + 1 + prng.below(5),
        min[2] + 1 + prng.below(4),
        1,
      ];
      const tree = space.describe({ min, max });
      const bounds = space.contentBounds({ min, max });
      for (const position of positionsLexicographic({ min, max })) {
        const expected = chunkOf(position);
        seen.add(MAP.ofRegion(regionOf(position)).generatorId);
        const held = (tree.at(...position) as Chunk | undefined) ?? emptyChunk(CUBE_CHUNKS.volume);
        expect(held.equals(expected), `round ${round}: ${position}`).toBe(true);
        expect(space.realize(...position).equals(expected), `round ${round}: ${position}`).toBe(true);
        if (!expected.isEmpty) expect(bounds && boxContains(bounds, position), `round ${round}`).toBe(true);
      }
      if (bounds !== undefined) expect(boxContainsBox({ min, max }, bounds)).toBe(true);
    }
    expect([...seen].sort()).toEqual(["flat", "terrain"]);
  });

  test("a space that lacks one of its generators throws only where that one is needed, and says which it is", () => {
    const generators = new GeneratorRegistry([terrainGenerator]);
    expect(codeOf(() => generators.open(MAP, CUBE_CHUNKS))).toBe("ORT_GENERATOR_UNKNOWN");
    const space = generators.openIfKnown(MAP, CUBE_CHUNKS);
    expect(space.realize(4, 0, 0, 0).equals(chunkOf([4, 0, 0, 0]))).toBe(true);
    expect(() => space.realize(0, 0, 0, 0)).toThrow('no generator "flat"');
  });

  test("is the same in a world, off the main thread and at once", async () => {
    const state = WorldState.open({ generators: DEFAULT_GENERATORS, generator: MAP, shape: CUBE_CHUNKS });
    for (const region of [
      [-2, 0, 0, 0],
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ] as const) {
      const box = regionBox(region);
      const later = await state.generateBox(box).result;
      expect(later.equals(state.queryRegion(box, "concrete"))).toBe(true);
      expect([...state.queryRegion(box, "symbolic").pieces()]).toEqual([
        { box, content: MAP.ofRegion(region) },
      ]);
    }
    const across = { min: [-6, 0, -2, 0], max: [5, 2, 3, 1] } as const;
    expect((await state.generateBox(across).result).equals(state.queryRegion(across, "concrete"))).toBe(true);
  });

  test("keeps edits of a world whose generators change", () => {
    const state = WorldState.open({ generators: DEFAULT_GENERATORS, generator: terrain, shape: CUBE_CHUNKS });
    const edited = state.setVoxels([{ voxel: [5, 200, 5, 0], block: 9 }]).state;
    const changed = edited.withGenerators(DEFAULT_GENERATORS, MAP);
    expect(changed.voxelAt(5, 200, 5, 0)).toBe(9);
    expect(changed.voxelAt(5, 60, 5, 0)).toBe(7);
    expect(edited.voxelAt(5, 60, 5, 0)).toBe(state.voxelAt(5, 60, 5, 0));
  });

  test("lets chunks of an unknown generator be edited whole, and leaves the others to theirs", async () => {
    const generators = new GeneratorRegistry([terrainGenerator]);
    const options = { generators, generator: MAP, shape: CUBE_CHUNKS };
    const state = WorldState.open({ ...options, allowUnknownGenerator: true });
    const house = emptyChunk(CUBE_CHUNKS.volume).set(0, 5);
    const edited = state.setChunks([
      [[0, 0, 0, 0], house],
      [[4, 0, 0, 0], chunkOf([4, 0, 0, 0])],
    ]);
    expect(edited.chunks).toEqual([[0, 0, 0, 0]]);
    expect(edited.state.voxelAt(0, 0, 0, 0)).toBe(5);
    expect(await codeOfRejection(state.generateChunk([0, 1, 0, 0]))).toBe("ORT_GENERATOR_UNKNOWN");
  });
});
