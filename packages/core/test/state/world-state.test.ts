import {
  type Box,
  CUBE_CHUNKS,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  type Position,
  uniformChunk,
} from "@orthant/core";
import {
  GeneratorRef,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import {
  boxBetween,
  boxContains,
  chunkOfVoxel,
  positionFrom,
  positionsMinorToMajor,
  regionOf,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { OverrideTree, type VoxelPlacement } from "@orthant/core/tree";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { FLOOR, openState } from "./open-state.ts";

const GRASS = 3;
const BRICK = 11;
const position = (voxel: Position, block: number): VoxelPlacement => ({ voxel, block });

describe("an unedited world", () => {
  test("is a single reference to its generator in a symbolic query", () => {
    const state = openState();
    const tree = state.queryRegion(WHOLE_LATTICE, "symbolic");
    expect([...tree.pieces()]).toEqual([{ box: WHOLE_LATTICE, content: FLOOR }]);
  });

  test("is what the generator produces in a concrete query", () => {
    const state = openState();
    const box = boxBetween([-2, -2, -2, -2], [2, 2, 2, 2]);
    const tree = state.queryRegion(box, "concrete");
    for (const [x, y, z, w] of positionsMinorToMajor(box)) {
      expect(tree.at(x, y, z, w) !== undefined).toBe(y === -1);
      expect(state.realizeChunk(x, y, z, w).isEmpty).toBe(y !== -1);
    }
    expect([
      state.voxelAt(5, -1, -9, 70),
      state.voxelAt(5, -2, -9, 70),
      state.voxelAt(5, -3, -9, 70),
    ]).toEqual([GRASS, GRASS, 0]);
  });

  test("reports where content may be without examining all of it", () => {
    const box = boxBetween([-1000, -1000, 0, 0], [1000, 1000, 5, 5]);
    expect(openState().queryContentBounds(box)).toEqual(boxBetween([-1000, -1, 0, 0], [1000, 0, 5, 5]));
    expect(openState().queryContentBounds(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]))).toBeUndefined();
  });
});

describe("an edit", () => {
  test("returns a new state and leaves the old one unchanged", () => {
    const before = openState();
    const { state, chunks, regions } = before.setVoxels([position([0, 0, 0, 0], BRICK)]);
    expect([before.voxelAt(0, 0, 0, 0), state.voxelAt(0, 0, 0, 0)]).toEqual([0, BRICK]);
    expect(chunks).toEqual([[0, 0, 0, 0]]);
    expect(regions).toEqual([[0, 0, 0, 0]]);
    expect(before.overrides).toBe(OverrideTree.UNTOUCHED);
  });

  test("reports the changed chunks and regions, each once and in order, and no others", () => {
    const state = openState();
    const edit = state.setVoxels([
      position([40, 0, 0, 0], BRICK),
      position([-1, -1, 0, 0], BRICK),
      position([0, -1, 0, 0], GRASS), // unchanged
      position([8, 3, 0, 0], BRICK),
      position([8, 3, 0, 0], 0), // and back
      position([-1, -2, 0, 0], BRICK),
      position([41, 0, 0, 0], BRICK),
    ]);
    expect(edit.chunks).toEqual([
      [-1, -1, 0, 0],
      [5, 0, 0, 0],
    ]);
    expect(edit.regions).toEqual([
      [-1, -1, 0, 0],
      [1, 0, 0, 0],
    ]);
    expect(edit.state.overrides.leafCount).toBe(2);
  });

  test("lies above what the generator makes in every way to read it", () => {
    const { volume } = HYPERCUBE_CHUNKS;
    const brick = uniformChunk(volume, BRICK);
    const { state } = openState().setChunks([
      [[0, -1, 0, 0], brick],
      [[1, -1, 0, 0], emptyChunk(volume)],
    ]);
    // The floor has grass in voxels -1 and -2 of chunk -1.
    expect([state.voxelAt(0, -1, 0, 0), state.voxelAt(8, -1, 0, 0), state.voxelAt(16, -1, 0, 0)]).toEqual([
      BRICK,
      0,
      GRASS,
    ]);
    expect(state.realizeChunk(0, -1, 0, 0)).toBe(brick);
    expect(state.realizeChunk(1, -1, 0, 0).isEmpty).toBe(true);
    expect(state.findChunk(0, -1, 0, 0)).toBe(brick);
    expect(state.findChunk(1, -1, 0, 0)?.isEmpty).toBe(true);
    const box = boxBetween([0, -1, 0, 0], [3, 0, 1, 1]);
    const [symbolic, concrete] = [state.queryRegion(box, "symbolic"), state.queryRegion(box, "concrete")];
    for (const tree of [symbolic, concrete]) {
      expect(tree.at(0, -1, 0, 0)).toEqual(brick);
      expect(tree.at(1, -1, 0, 0)).toBeUndefined();
    }
    expect(symbolic.at(2, -1, 0, 0)).toEqual(FLOOR);
    expect(concrete.at(2, -1, 0, 0)).toEqual(state.generatedChunk(2, -1, 0, 0));
  });

  test("an edit that changes nothing returns the same state", () => {
    const state = openState();
    const edit = state.setVoxels([position([0, -1, 0, 0], GRASS), position([3, 9, 3, 3], 0)]);
    expect(edit).toEqual({ state, chunks: [], regions: [] });
    expect(edit.state).toBe(state);
  });

  test("an edit that restores a chunk to its generated content removes its override", () => {
    const ref = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 6n);
    const untouched = openState(ref, CUBE_CHUNKS);
    const before = untouched.voxelAt(3, -5, 4, 0);
    const dug = untouched.setVoxels([position([3, -5, 4, 0], BRICK)]).state;
    expect(dug.overrides.at(0, -1, 0, 0)).toBeDefined();
    const { state, chunks } = dug.setVoxels([position([3, -5, 4, 0], before)]);
    expect(chunks).toEqual([[0, -1, 0, 0]]);
    expect(state.overrides.equals(OverrideTree.UNTOUCHED)).toBe(true);
    expect(state.overrides.at(0, -1, 0, 0)).toBeUndefined();
  });

  test("an edit that digs everything away leaves air, not an unedited chunk", () => {
    const { state, chunks } = openState().setChunks([[[7, -1, 0, 0], emptyChunk(HYPERCUBE_CHUNKS.volume)]]);
    expect(chunks).toEqual([[7, -1, 0, 0]]);
    expect(state.overrides.at(7, -1, 0, 0)?.isEmpty).toBe(true);
    const box = boxBetween([6, -1, 0, 0], [9, 0, 1, 1]);
    for (const detail of ["symbolic", "concrete"] as const) {
      const tree = state.queryRegion(box, detail);
      expect(tree.at(7, -1, 0, 0)).toBeUndefined();
      expect(tree.at(6, -1, 0, 0)).toBeDefined();
    }
    expect(state.queryRegion(box, "symbolic").at(8, -1, 0, 0)).toBe(FLOOR);
  });

  test("an edit that sets a chunk to an equal one drops a needless override without a visible change", () => {
    const state = openState();
    const floor = state.realizeChunk(0, -1, 0, 0);
    const needless = state.withOverrides(OverrideTree.UNTOUCHED.set([0, -1, 0, 0], floor));
    const edit = needless.setChunks([[[0, -1, 0, 0], floor]]);
    expect(edit.chunks).toEqual([]);
    expect(edit.state.overrides.at(0, -1, 0, 0)).toBeUndefined();
  });

  test("uses the last chunk given for a position", () => {
    const { volume } = HYPERCUBE_CHUNKS;
    const { state, chunks } = openState().setChunks([
      [[1, 1, 1, 1], uniformChunk(volume, 5)],
      [[1, 1, 1, 1], emptyChunk(volume)],
      [[2, 1, 1, 1], emptyChunk(volume)],
      [[2, 1, 1, 1], uniformChunk(volume, 6)],
    ]);
    expect(chunks).toEqual([[2, 1, 1, 1]]);
    expect(state.overrides.leafCount).toBe(1);
  });

  test("an edit of a chunk with another number of voxels is refused", () => {
    expect(codeOf(() => openState().setChunks([[[0, 0, 0, 0], uniformChunk(64, 1)]]))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => openState().setVoxels([position([2 ** 40, 0, 0, 0], 1)]))).toBe("ORT_POSITION_RANGE");
  });

  test("an edit of an old snapshot creates a branch beside the others", () => {
    const first = openState();
    const brick = first.setVoxels([position([0, 0, 0, 0], BRICK)]).state;
    const sand = first.setVoxels([position([9, 0, 0, 0], 4)]).state;
    expect([first, brick, sand].map((state) => state.voxelAt(0, 0, 0, 0))).toEqual([0, BRICK, 0]);
    expect([first, brick, sand].map((state) => state.voxelAt(9, 0, 0, 0))).toEqual([0, 0, 4]);
  });
});

test("a world with many random edits matches a plain map of voxels", () => {
  const ref = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 9n);
  const untouched = openState(ref, HYPERCUBE_CHUNKS);
  const prng = new Prng(31);
  const model = new Map<string, VoxelPlacement>();
  let state = untouched;
  for (let round = 0; round < 60; round++) {
    const placements = Array.from({ length: prng.between(1, 20) }, () =>
      position(
        positionFrom((axis) => prng.between(axis === 1 ? -20 : -12, 12)),
        prng.pick([0, 3, BRICK]),
      ),
    );
    const edit = state.setVoxels(placements);
    for (const chunk of edit.chunks) expect(edit.regions).toContainEqual(regionOf(chunk));
    for (const placement of placements) model.set(String(placement.voxel), placement);
    state = edit.state;
  }
  const box = boxBetween([-2, -3, -2, -2], [2, 2, 2, 2]);
  const concrete = state.queryRegion(box, "concrete");
  const symbolic = state.queryRegion(box, "symbolic");
  for (const { voxel, block } of model.values())
    expect(state.voxelAt(...voxel), `voxel ${voxel}`).toBe(block);
  for (const chunkPosition of positionsMinorToMajor(box)) {
    const chunk = state.realizeChunk(...chunkPosition);
    const held = concrete.at(...chunkPosition);
    expect(held instanceof GeneratorRef).toBe(false);
    expect(held === undefined || held instanceof GeneratorRef ? chunk.isEmpty : held.equals(chunk)).toBe(
      true,
    );
    const isUntouched = state.overrides.at(...chunkPosition) === undefined;
    expect(symbolic.at(...chunkPosition) instanceof GeneratorRef).toBe(isUntouched);
    if (isUntouched) expect(chunk.equals(untouched.realizeChunk(...chunkPosition))).toBe(true);
  }
  expect(symbolic.slice(chunkBox(model)).equals(state.queryRegion(chunkBox(model), "symbolic"))).toBe(true);
  const bounds = state.queryContentBounds(box);
  for (const { voxel, block } of model.values()) {
    const chunk = chunkOfVoxel(HYPERCUBE_CHUNKS, voxel);
    if (block !== 0) expect(bounds !== undefined && boxContains(bounds, chunk)).toBe(true);
  }
});

function chunkBox(model: ReadonlyMap<string, VoxelPlacement>): Box {
  const [first] = model.values();
  const chunk = chunkOfVoxel(HYPERCUBE_CHUNKS, first?.voxel ?? [0, 0, 0, 0]);
  return boxBetween(
    chunk,
    positionFrom((axis) => Math.min(2, chunk[axis] + 2)),
  );
}
