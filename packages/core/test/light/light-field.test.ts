import {
  BlockCatalog,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkShape,
  defineGenerator,
  flat,
  GeneratorRegistry,
  type Position,
  TILE_CHUNKS,
} from "@orthant/core";
import {
  boxAt,
  boxBetween,
  PositionSet,
  positionsLexicographic,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { type Light, LightField, LitState, type LitWorld } from "@orthant/core/light";
import { WorldState } from "@orthant/core/tree";
import { describe, expect, test } from "vitest";

const [AIR, STONE, PANE, LEAF, LAMP, TORCH] = [0, 1, 2, 3, 4, 5];
const BLOCKS = new BlockCatalog(
  [
    { name: "air", opacity: 0, light: 0 },
    { name: "stone", opacity: 15, light: 0 },
    { name: "pane", opacity: 1, light: 0 },
    { name: "leaf", opacity: 4, light: 0 },
    { name: "lamp", opacity: 15, light: 15 },
    { name: "torch", opacity: 0, light: 9 },
  ].map((type, id) => ({ ...type, id, colour: 0, solid: false })),
);

/** A world over a floor of stone whose top is at height 0, with its light. */
class LitFloor {
  readonly field: LightField;
  #state: WorldState;

  constructor(shape: ChunkShape, source = flat({ block: STONE, top: 0, thickness: 8 })) {
    const generators = new GeneratorRegistry([source.generator]);
    this.#state = WorldState.open({ generators, generator: source.ref, shape });
    this.field = new LightField(new LitState(() => this.#state), BLOCKS);
  }

  /** Fills a box of voxels. */
  fill(block: number, from: Position, to: Position = from): this {
    const [x, y, z, w] = to;
    const voxels = [...positionsLexicographic(boxBetween(from, [x + 1, y + 1, z + 1, w + 1]))];
    const { state, chunks } = this.#state.setVoxels(voxels.map((voxel) => ({ voxel, block })));
    this.#state = state;
    for (const chunk of chunks) this.field.changed(chunk);
    return this;
  }

  get state(): WorldState {
    return this.#state;
  }

  light(...voxel: Position): Light | undefined {
    return this.field.at(voxel);
  }

  sky(...voxel: Position): number | undefined {
    return this.field.at(voxel)?.sky;
  }

  block(...voxel: Position): number | undefined {
    return this.field.at(voxel)?.block;
  }
}

describe("the light of a world", () => {
  test("[L5] the sky ends with the last chunk that begins within 4,096 voxels below it, also for edits far above", () => {
    const air = defineGenerator({
      id: "air",
      version: 1,
      dimensions: 3,
      open: () => ({ blockAt: () => AIR, skyAbove: 0 }),
    });
    const world = new LitFloor(CUBE_CHUNKS, air({ seed: 0n }));
    expect([-4_096, -4_097, -4_110, -4_111, -900_000].map((y) => world.sky(0, y, 0, 0))).toEqual([
      15, 14, 1, 0, 0,
    ]);
    expect(world.fill(STONE, [0, 1_000_000, 0, 0]).sky(0, -4_096, 0, 0)).toBe(14);
    expect(world.sky(0, 999_999, 0, 0)).toBe(14);
    expect(world.fill(AIR, [0, 1_000_000, 0, 0]).sky(0, -4_096, 0, 0)).toBe(15);
    expect([-4_097, 999_999].map((y) => world.sky(0, y, 0, 0))).toEqual([14, 15]);
  });

  test("[L1] [L4] the light of a lamp falls by one with each step along an axis of the world", () => {
    const cube = new LitFloor(CUBE_CHUNKS).fill(LAMP, [0, 40, 0, 0]);
    const lights = [0, 1, 2, 14, 15].map((x) => cube.block(x, 40, 0, 0));
    expect(lights).toEqual([15, 14, 13, 1, 0]);
    expect(cube.block(-3, 42, 5, 0)).toBe(5);
    const tiles = new LitFloor(TILE_CHUNKS).fill(LAMP, [0, 40, 0, 0]);
    expect(tiles.block(-3, 42, 0, 0)).toBe(10);
    const four = new LitFloor(chunkShape([4, 4, 4, 4])).fill(LAMP, [0, 40, 0, 0]);
    expect(four.block(1, 41, -1, 2)).toBe(10);
  });

  test("[L2] [L3] light gets weaker by the opacity of blocks, and at least by one", () => {
    const world = new LitFloor(CUBE_CHUNKS);
    world.fill(STONE, [0, 40, 0, 0], [9, 42, 2, 0]).fill(LAMP, [0, 41, 1, 0]);
    world.fill(PANE, [1, 41, 1, 0]).fill(LEAF, [2, 41, 1, 0]).fill(AIR, [3, 41, 1, 0]);
    expect([1, 2, 3, 4].map((x) => world.block(x, 41, 1, 0))).toEqual([14, 10, 9, 0]);
    // A block that the catalog does not have.
    world.fill(900, [3, 41, 1, 0]);
    expect(world.block(3, 41, 1, 0)).toBe(0);
  });

  test("[L5] [L6] the light of the sky comes down undimmed through what has no opacity, and weaker around corners", () => {
    const world = new LitFloor(CUBE_CHUNKS);
    expect(world.light(5, 0, 5, 0)).toEqual({ sky: 15, block: 0 });
    expect(world.sky(5, -1, 5, 0)).toBe(0);
    world.fill(STONE, [0, 100, 0, 0], [9, 100, 9, 0]);
    expect([-1, 0, 4, 5, 9].map((x) => world.sky(x, 0, 5, 0))).toEqual([15, 14, 10, 10, 14]);
    world.fill(TORCH, [5, 100, 5, 0]);
    expect([99, 50, 0].map((y) => world.sky(5, y, 5, 0))).toEqual([15, 15, 15]);
    expect(world.sky(4, 50, 5, 0)).toBe(14);
    world.fill(PANE, [5, 100, 5, 0]);
    expect([100, 99].map((y) => world.sky(5, y, 5, 0))).toEqual([14, 13]);
  });

  test("[L5] a roof far above what the generator makes keeps the sky off, until it goes", () => {
    const world = new LitFloor(CUBE_CHUNKS);
    expect(world.sky(8, 0, 8, 0)).toBe(15);
    world.fill(STONE, [-20, 5_000, -20, 0], [40, 5_000, 40, 0]);
    expect(world.sky(8, 0, 8, 0)).toBe(0);
    world.fill(AIR, [8, 5_000, 8, 0]);
    expect([8, 9, 10].map((x) => world.sky(x, 0, 8, 0))).toEqual([15, 14, 13]);
  });

  test("[L7] a world has no sky if its generator does not say where it begins", () => {
    const endless = defineGenerator({ id: "lit:endless", version: 1, dimensions: 3, open: () => () => AIR });
    const world = new LitFloor(CUBE_CHUNKS, endless({ seed: 1n })).fill(LAMP, [0, 0, 0, 0]);
    expect(world.light(0, 1, 0, 0)).toEqual({ sky: 0, block: 14 });
  });

  test("[L8] light is known when all chunks within its reach are, and [L9] takes what the generator makes above them", () => {
    const world = new LitFloor(CUBE_CHUNKS).fill(STONE, [0, 60, 0, 0], [15, 60, 15, 0]);
    const all = new LitState(() => world.state);
    const held = new PositionSet();
    const part: LitWorld = {
      shape: CUBE_CHUNKS,
      skyAbove: all.skyAbove,
      chunkAt: (x, y, z, w) => (held.has(x, y, z, w) ? all.chunkAt(x, y, z, w) : undefined),
      chunkAbove: (x, y, z, w) =>
        held.has(x, y, z, w) ? all.chunkAt(x, y, z, w) : world.state.generatedChunk(x, y, z, w),
      editedAbove: (x, y, z, w) => (held.has(x, 3, z, w) ? all.editedAbove(x, y, z, w) : []),
    };
    const field = new LightField(part, BLOCKS);
    for (const position of positionsLexicographic(boxBetween([-1, -1, -1, 0], [2, 2, 2, 1]))) {
      expect(field.at([8, 0, 8, 0])).toBeUndefined();
      held.add(...position);
      field.changed(position);
    }
    expect(field.at([8, 0, 8, 0])).toEqual({ sky: 15, block: 0 });
    expect(world.sky(8, 0, 8, 0)).toBe(7);
    held.add(0, 3, 0, 0);
    field.changed([0, 3, 0, 0]);
    expect(field.at([8, 0, 8, 0])).toEqual({ sky: 7, block: 0 });
  });

  test("a lamp takes its light with it, and changes only the chunks that it lit", () => {
    const world = new LitFloor(CUBE_CHUNKS);
    const chunks = [...positionsLexicographic(boxBetween([-3, -1, -3, 0], [4, 3, 4, 1]))];
    const lights = (): (string | undefined)[] => chunks.map((chunk) => world.field.chunk(chunk)?.join());
    const before = lights();
    world.fill(LAMP, [8, 4, 8, 0]);
    const lit = lights();
    const differing = chunks.filter((_, index) => lit[index] !== before[index]);
    // The lamp's chunk, and those beside it but the one of the ground below.
    expect(differing.map(([x, y, z]) => Math.abs(x) + Math.abs(y) + Math.abs(z))).toEqual([1, 1, 0, 1, 1, 1]);
    expect(differing).not.toContainEqual([0, -1, 0, 0]);
    world.fill(AIR, [8, 4, 8, 0]);
    expect(lights()).toEqual(before);
  });

  test("the light of a box is that of its chunks", () => {
    const world = new LitFloor(CUBE_CHUNKS)
      .fill(LAMP, [3, 3, 3, 0])
      .fill(STONE, [0, 9, 0, 0], [30, 9, 30, 0]);
    const box = voxelsOfChunks(CUBE_CHUNKS, boxAt([0, 0, 0, 0]));
    expect(world.field.in(box)).toEqual(world.field.chunk([0, 0, 0, 0]));
    expect(world.field.in(boxBetween([3, 5, 3, 0], [5, 6, 4, 1]))).toEqual(
      Uint8Array.of(16 * (world.sky(3, 5, 3, 0) ?? 0) + 13, 16 * (world.sky(4, 5, 3, 0) ?? 0) + 12),
    );
  });

  test("light follows the catalog", () => {
    const world = new LitFloor(CUBE_CHUNKS).fill(PANE, [0, 40, 0, 0]);
    expect(world.light(0, 40, 0, 0)).toEqual({ sky: 14, block: 0 });
    const types = BLOCKS.types.map((type) =>
      type.name === "pane" ? { ...type, light: 7, opacity: 0 } : type,
    );
    world.field.changeCatalog(new BlockCatalog(types));
    expect(world.light(0, 40, 0, 0)).toEqual({ sky: 15, block: 7 });
  });

  test("light is right at the edge of the lattice, where there is only air beyond", () => {
    const edge = 2 ** 31 * 16;
    const world = new LitFloor(CUBE_CHUNKS).fill(LAMP, [edge - 1, 40, -edge, 0]);
    expect(world.block(edge - 3, 40, -edge, 0)).toBe(13);
    expect(world.sky(edge - 3, edge - 1, -edge, 0)).toBe(15);
  });
});
