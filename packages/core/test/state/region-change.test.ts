import {
  type ChunkShape,
  CUBE_CHUNKS,
  emptyChunk,
  GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
  uniformChunk,
  type WorldGenerator,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  DEFAULT_GENERATORS,
  type FlatParameters,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { ChunkArray, type RealizeChunk } from "@orthant/core/internal";
import { boxAt, positionFrom, positionsLexicographic, regionBox } from "@orthant/core/lattice";
import {
  clockFrom,
  GeneratorMap,
  type QueryDetail,
  RegionReplica,
  regionChange,
  regionPatchCodec,
  type VoxelPlacement,
  WorldState,
  wholeRegionChange,
} from "@orthant/core/tree";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { FLOOR, openState } from "./open-state.ts";

const BRICK = 11;
const GRASS = 3;
const BELOW: Position = [0, -1, 0, 0];
const STEP = { region: BELOW, before: clockFrom(1, 1), after: clockFrom(1, 2) };
const EDITS = {
  symbolic: { mode: "symbolic", detail: "edits" },
  concrete: { mode: "concrete", detail: "edits" },
} as const;

function withVoxel(state: WorldState, voxel: Position, block: number): WorldState {
  return state.setVoxels([{ voxel, block }]).state;
}

describe("the change of a region between two snapshots", () => {
  test.each<QueryDetail>(["symbolic", "concrete"])(
    "is one edit for one voxel in generated space, and for undoing it, when %s",
    (mode) => {
      const untouched = openState();
      const edited = withVoxel(untouched, [0, -1, 0, 0], BRICK);
      const edits = (block: number) => [{ chunk: BELOW, edits: [{ index: 7 * 8, block }] }];
      const parts = { region: BELOW, base: STEP.before, next: STEP.after, piece: 0, leaves: [], data: [] };
      expect(regionChange(untouched, edited, STEP, EDITS[mode])).toEqual({ ...parts, edits: edits(BRICK) });
      expect(regionChange(edited, untouched, STEP, EDITS[mode])).toEqual({ ...parts, edits: edits(GRASS) });
    },
  );

  test("is empty where the snapshots are the same, and does not mention other regions", () => {
    const state = openState();
    const elsewhere = withVoxel(state, [0, 0, 0, 0], BRICK);
    for (const mode of ["symbolic", "concrete"] as const) {
      expect(regionChange(state, elsewhere, STEP, EDITS[mode])).toMatchObject({ leaves: [], edits: [] });
    }
  });

  test("names the generator where edits were undone only for receivers that can generate", () => {
    const untouched = openState();
    const positions = [...positionsLexicographic({ min: [0, -2, 0, 0], max: [2, 0, 1, 1] })];
    const filled = untouched.setChunks(
      positions.map((position) => [position, uniformChunk(4096, BRICK)]),
    ).state;
    const symbolic = regionChange(filled, untouched, STEP, EDITS.symbolic);
    expect(symbolic.leaves).toEqual([{ box: { min: [0, -2, 0, 0], max: [2, 0, 1, 1] }, content: FLOOR }]);
    const concrete = regionChange(filled, untouched, STEP, { mode: "concrete", detail: "chunks" });
    const floor = untouched.realizeChunk(0, -1, 0, 0);
    const floorBox = { min: [0, -1, 0, 0], max: [2, 0, 1, 1] } as const;
    expect(concrete.leaves).toEqual([
      { box: { min: [0, -2, 0, 0], max: [2, -1, 1, 1] }, content: undefined },
      { box: floorBox, content: new ChunkArray(floorBox, [floor, floor]) },
    ]);
    const replica = new RegionReplica(4096);
    replica.apply({
      patchSeq: 1,
      changes: [wholeRegionChange(filled, { region: BELOW, clock: STEP.before }, EDITS.concrete)],
    });
    expect(replica.apply({ patchSeq: 2, changes: [concrete] })).toEqual([]);
    expect(replica.tree.equals(untouched.queryRegion(regionBox(BELOW), "concrete"))).toBe(true);
  });

  test("generates only chunks whose override was added or removed", () => {
    const { state: untouched, asked } = countedState();
    const first = withVoxel(untouched, [0, -1, 0, 0], BRICK);
    const second = withVoxel(first, [1, -1, 0, 0], BRICK);
    for (const mode of ["symbolic", "concrete"] as const) {
      asked.length = 0;
      regionChange(first, second, STEP, EDITS[mode]);
      expect(asked).toEqual([]);
      regionChange(untouched, second, STEP, EDITS[mode]);
      regionChange(second, untouched, STEP, EDITS[mode]);
      expect(asked.every((position) => String(position) === String(BELOW))).toBe(true);
    }
  });
});

describe("a whole region", () => {
  test("contains the edits on top of generated content, or everything on top of air", () => {
    const state = withVoxel(openState(), [0, -1, 0, 0], BRICK);
    const held = { region: BELOW, clock: STEP.before };
    const parts = { region: BELOW, next: STEP.before, piece: 0, data: [] };
    expect(wholeRegionChange(state, held, EDITS.symbolic)).toEqual({
      ...parts,
      base: "generated",
      leaves: [],
      edits: [{ chunk: BELOW, edits: [{ index: 7 * 8, block: BRICK }] }],
    });
    expect(wholeRegionChange(state, held, { mode: "symbolic", detail: "chunks" })).toEqual({
      ...parts,
      base: "generated",
      leaves: [{ box: boxAt(BELOW), content: state.realizeChunk(...BELOW) }],
      edits: [],
    });
    const concrete = wholeRegionChange(state, held, EDITS.concrete);
    expect(concrete).toMatchObject({ ...parts, base: "air", edits: [] });
    const replica = new RegionReplica(HYPERCUBE_CHUNKS.volume);
    replica.apply({ patchSeq: 1, changes: [concrete] });
    expect(replica.tree.equals(state.queryRegion(regionBox(BELOW), "concrete"))).toBe(true);
  });

  test("generates as many chunks as were edited, when symbolic", () => {
    const edited = countedState().state.setVoxels([
      { voxel: [0, -1, 0, 0], block: BRICK },
      { voxel: [8, -1, 0, 0], block: BRICK },
    ]).state;
    const { overrides } = edited.setChunks([[[2, -1, 0, 0], emptyChunk(HYPERCUBE_CHUNKS.volume)]]).state;
    // Another state with the same edits, so that no chunk is cached.
    const { state: untouched, asked } = countedState();
    const made = wholeRegionChange(
      untouched.withOverrides(overrides),
      { region: BELOW, clock: 0 },
      EDITS.symbolic,
    );
    expect(made.edits.map(({ chunk }) => chunk)).toEqual([BELOW, [1, -1, 0, 0]]);
    expect(made.leaves).toEqual([{ box: boxAt([2, -1, 0, 0]), content: undefined }]);
    expect(asked.length).toBe(2);
  });
});

describe("a replica that follows a world", () => {
  test.each<[shape: ChunkShape, name: string, generator: GeneratorRef]>([
    [TILE_CHUNKS, "a flat world in 2D", FLOOR],
    [TILE_CHUNKS, "terrain in 2D", generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 6n)],
    [CUBE_CHUNKS, "terrain in 3D", generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n)],
    [HYPERCUBE_CHUNKS, "platforms in 4D", generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 9n)],
    [HYPERCUBE_CHUNKS, "a flat world in 4D", FLOOR],
  ])("matches the world, voxel for voxel: $1", (shape, _name, generator) => {
    const space = DEFAULT_GENERATORS.open(generator, shape);
    const realize: RealizeChunk = (_generator, position) => space.realize(...position);
    const codec = regionPatchCodec(shape.volume);
    for (let seed = 0; seed < 6; seed++) {
      const prng = new Prng(seed);
      let state = openState(generator, shape);
      for (let edits = prng.below(4); edits > 0; edits--) state = randomEdit(prng, state);
      const replicas = (["symbolic", "concrete"] as const).flatMap((mode) =>
        (["edits", "chunks"] as const).map((detail) => {
          const generators = GeneratorMap.of(generator);
          const replica = new RegionReplica(shape.volume, mode === "symbolic" ? { generators, realize } : {});
          const replaced = wholeRegionChange(state, { region: BELOW, clock: 0 }, { mode, detail });
          replica.apply(decode(codec, encode(codec, { patchSeq: 1, changes: [replaced] })));
          return { replica, mode, detail, told: state, clock: 0 };
        }),
      );
      for (let round = 1; round <= 12; round++) {
        state = randomEdit(prng, state);
        const clock = clockFrom(1, round);
        for (const follower of replicas) {
          // Some rounds are skipped, so that one change covers several edits.
          if (round < 12 && prng.chance(0.5)) continue;
          const step = { region: BELOW, before: follower.clock, after: clock };
          const made = regionChange(follower.told, state, step, follower);
          const bytes = encode(codec, { patchSeq: round, changes: [made] });
          expect(follower.replica.apply(decode(codec, bytes)), `seed ${seed}, round ${round}`).toEqual([]);
          follower.told = state;
          follower.clock = clock;
          expectSame(follower.replica, state, `seed ${seed}, round ${round}, ${follower.mode}`);
          if (follower.mode === "concrete") {
            const names = [...follower.replica.tree.pieces()].filter(
              ({ content }) => content instanceof GeneratorRef,
            );
            expect(names).toEqual([]);
          }
        }
      }
    }
  });
});

/** Makes a random edit: some voxels, whole chunks, back to generated content, or a box of overrides. */
function randomEdit(prng: Prng, state: WorldState): WorldState {
  const { shape } = state;
  const chunk = positionFrom((axis) =>
    shape.extents[axis] === 1 ? 0 : (BELOW[axis] as number) * 4 + prng.below(4),
  );
  const corner = positionFrom((axis) => chunk[axis] * shape.extents[axis]);
  switch (prng.below(6)) {
    case 0:
      return state.setChunks([[chunk, uniformChunk(shape.volume, prng.pick([0, 0, BRICK]))]]).state;
    case 1:
      return state.setChunks([[chunk, state.generatedChunk(...chunk)]]).state;
    case 2: {
      const box = {
        min: chunk,
        max: positionFrom((axis) => chunk[axis] + (shape.extents[axis] === 1 ? 1 : prng.between(1, 3))),
      };
      return prng.chance(0.5)
        ? state.withOverrides(state.overrides.carve(box))
        : state.withOverrides(state.overrides.fill(box, uniformChunk(shape.volume, prng.pick([0, BRICK]))));
    }
    default: {
      const placements = Array.from(
        { length: prng.between(1, 6) },
        (): VoxelPlacement => ({
          voxel: positionFrom((axis) => corner[axis] + prng.below(Math.min(9, shape.extents[axis] * 2 - 1))),
          block: prng.pick([0, GRASS, BRICK, 300]),
          data: prng.pick([undefined, undefined, null, prng.bytes(prng.below(300))]),
        }),
      );
      return state.setVoxels(placements).state;
    }
  }
}

function expectSame(replica: RegionReplica, state: WorldState, where: string): void {
  const concrete = state.queryRegion(regionBox(BELOW), "concrete");
  const air = emptyChunk(state.shape.volume);
  for (const position of positionsLexicographic(regionBox(BELOW))) {
    const held = replica.tree.at(...position) ?? air;
    const voxels = held instanceof GeneratorRef ? state.generatedChunk(...position) : held;
    const expected = concrete.at(...position) ?? air;
    if (expected instanceof GeneratorRef || !voxels.equals(expected))
      expect.fail(`${where}: chunk [${position}]`);
  }
}

/** Returns a flat world that records which chunks it generates. */
function countedState(): { readonly state: WorldState; readonly asked: Position[] } {
  const asked: Position[] = [];
  const counted: WorldGenerator<FlatParameters> = {
    ...flatGenerator,
    open(parameters, seed, shape) {
      const source = flatGenerator.open(parameters, seed, shape);
      return {
        repeatedIn: (box) => source.repeatedIn(box),
        contentBounds: (box) => source.contentBounds(box),
        realize(x, y, z, w) {
          asked.push([x, y, z, w]);
          return source.realize(x, y, z, w);
        },
      };
    },
  };
  const generators = new GeneratorRegistry([counted]);
  const state = WorldState.open({ generators, generator: FLOOR, shape: HYPERCUBE_CHUNKS });
  return { state, asked };
}
