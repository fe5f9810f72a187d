import {
  type Axis,
  type Box,
  type ChunkShape,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import {
  AXES,
  comparePositions,
  intersectBoxes,
  PositionSet,
  positionFrom,
  REGION_EDGE_CHUNKS,
  regionOf,
  regionsTouching,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import {
  GeneratorMap,
  type KeptRegions,
  MAP_BOXES_MAX,
  MAP_GENERATORS_MAX,
  RegionTree,
} from "@orthant/core/tree";
import type { GeneratorChange, Pacer, SaveChange } from "../change/save-change.ts";
import { generatorMapOf, storedGenerators } from "../codec/global-record.ts";
import type { StoredChunk } from "../codec/stored-chunk.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { SaveState } from "../read/save.ts";

/** Regions that are remembered one by one. Above it, larger cubes are. */
const STORED_MAX = 131_072;
/** Edge of the largest cubes is 2 to the power of this, in regions. */
const LEVEL_MAX = 29;
const ALL_REGIONS = regionsTouching(WHOLE_LATTICE);

/** How stored leaves are read. */
interface LeafSource {
  readonly readStored: (leaf: LeafEntry) => Promise<readonly StoredChunk[]>;
  readonly pacer: Pacer;
}

/** What the kept area follows from. */
interface KeptSource extends LeafSource {
  readonly now: GeneratorMap;
  readonly shape: ChunkShape;
  readonly leaves: AsyncIterable<LeafEntry>;
}

/** Returns a change with the generators that its `generatorChange` leads to. Throws `ORT_ARGUMENT` if it changes chunks. */
export async function withNextGenerator(
  change: SaveChange,
  { global: before, index }: SaveState,
  source: LeafSource,
): Promise<SaveChange> {
  const { generatorChange, leaves = [], global = before } = change;
  if (generatorChange === undefined) return change;
  if (leaves.some(({ chunks, changed = [] }) => chunks !== undefined || changed.length > 0))
    throw new OrthantError("ORT_ARGUMENT", "a commit that changes the generator changes no chunks");
  const map = await changedGenerators(generatorChange, {
    ...source,
    now: generatorMapOf(before),
    shape: before.description.chunkShape,
    leaves: index.all(),
  });
  return { ...change, global: { ...global, ...storedGenerators(map) } };
}

/**
 * Returns the generators of a world after a change. Every region in which something is stored keeps its generator,
 * because chunks are stored as changes to its output; so does everything within the margin, and the boxes. If that takes
 * more boxes than a map may have, it keeps larger cubes. Rule S142.
 */
async function changedGenerators(change: GeneratorChange, source: KeptSource): Promise<GeneratorMap> {
  const stored = new StoredCubes(source.shape);
  for await (const leaf of source.leaves) {
    for (const region of await storedRegions(leaf, source.readStored)) stored.add(region);
    await source.pacer.copied(1);
  }
  for (; ; stored.coarsen()) {
    const kept = await keptRegions(change, source, stored);
    if (kept === undefined || kept.length > MAP_BOXES_MAX) continue;
    const map = GeneratorMap.from(change.next, kept);
    if (map.refs.length <= MAP_GENERATORS_MAX) return map;
    const detail = `the world would have ${map.refs.length} generators, at most ${MAP_GENERATORS_MAX} are possible`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
}

/** Returns the regions of a leaf that have a chunk or a clock. Entities keep no generator. */
async function storedRegions(
  leaf: LeafEntry,
  readStored: KeptSource["readStored"],
): Promise<readonly Position[]> {
  const { cube, chunkRefs, clocks } = leaf;
  const clocked = clocks.map(({ region }) => region);
  if (chunkRefs.length === 0) return clocked;
  // A leaf of one region needs not be read.
  if (cube.max[0] - cube.min[0] <= REGION_EDGE_CHUNKS) return [...clocked, regionOf(cube.min)];
  const positions = (await readStored(leaf)).map(({ position }) => regionOf(position));
  return [...clocked, ...positions];
}

/** The regions in which something is stored, or cubes around them if there are too many. */
class StoredCubes {
  readonly #axes: readonly Axis[];
  #level = 0;
  #cubes = new PositionSet();

  constructor({ extents }: ChunkShape) {
    // An axis that the world does not have stays one region wide.
    this.#axes = AXES.filter((axis) => extents[axis] > 1);
  }

  add(region: Position): void {
    this.#cubes.add(...this.#cubeOf(region, this.#level));
    if (this.#cubes.size > STORED_MAX) this.coarsen();
  }

  /** Doubles the edge of all cubes. */
  coarsen(): void {
    if (this.#level === LEVEL_MAX) throw new OrthantError("ORT_LIMIT", "the boxes to keep are too many");
    this.#level++;
    const cubes = new PositionSet();
    for (const cube of this.#cubes) cubes.add(...this.#cubeOf(cube, 1));
    this.#cubes = cubes;
  }

  /** Yields the cubes as boxes of regions, each with at least `margin` regions around it, in whole cubes. */
  *boxes(margin: number): Generator<Box> {
    const edge = 2 ** this.#level;
    const cubes = Math.ceil(margin / edge);
    for (const cube of this.#cubes) {
      const min = this.#onAxes(cube, (low) => (low - cubes) * edge);
      yield { min, max: this.#onAxes(cube, (low) => (low + 1 + cubes) * edge, 1) };
    }
  }

  /** Returns the smallest box of whole cubes around a box of regions. */
  around({ min, max }: Box): Box {
    const edge = 2 ** this.#level;
    return {
      min: this.#onAxes(min, (low) => Math.floor(low / edge) * edge),
      max: this.#onAxes(max, (high) => Math.ceil(high / edge) * edge),
    };
  }

  #cubeOf(position: Position, levels: number): Position {
    return this.#onAxes(position, (coordinate) => Math.floor(coordinate / 2 ** levels));
  }

  #onAxes(position: Position, change: (coordinate: number) => number, otherwise = 0): Position {
    return positionFrom((axis) =>
      this.#axes.includes(axis) ? change(position[axis]) : position[axis] + otherwise,
    );
  }
}

/** Returns the boxes that keep another generator than the next one; `undefined` if they are far too many. */
async function keptRegions(
  { next, marginChunks, boxes }: GeneratorChange,
  { now, shape, pacer }: KeptSource,
  stored: StoredCubes,
): Promise<readonly KeptRegions[] | undefined> {
  const margin = Math.ceil(marginChunks / REGION_EDGE_CHUNKS);
  try {
    let area = RegionTree.EMPTY;
    const add = (box: Box): void => {
      const part = intersectBoxes(box, ALL_REGIONS);
      if (part !== undefined) area = area.fill(part, now.current);
    };
    for (const box of stored.boxes(margin)) {
      add(box);
      await pacer.copied(1);
    }
    for (const box of boxes) add(stored.around(regionsTouching(box)));
    let kept = area;
    for (const { box, generator } of now.kept)
      for (const piece of area.pieces(box)) kept = kept.fill(piece.box, generator);
    const found: KeptRegions[] = [];
    for (const { box, content } of kept.pieces()) {
      const generator = content as GeneratorRef;
      if (!generator.equals(next)) found.push({ box, generator });
    }
    return joined(found, shape);
  } catch (error) {
    // Some boxes cut each other into too many pieces.
    if (isOrthantError(error, "ORT_LIMIT")) return undefined;
    throw error;
  }
}

/** Joins boxes of one generator that touch with a whole side, and orders them. */
function joined(boxes: readonly KeptRegions[], { extents }: ChunkShape): readonly KeptRegions[] {
  let all = [...boxes];
  for (let before = Number.POSITIVE_INFINITY; all.length < before; ) {
    before = all.length;
    for (const axis of AXES) if (extents[axis] > 1) all = joinedAlong(all, axis);
  }
  return all.sort((a, b) => comparePositions(a.box.min, b.box.min));
}

function joinedAlong(boxes: readonly KeptRegions[], axis: Axis): KeptRegions[] {
  const others = AXES.filter((other) => other !== axis);
  const order = (a: KeptRegions, b: KeptRegions): number => {
    for (const other of others) {
      const difference = a.box.min[other] - b.box.min[other] || a.box.max[other] - b.box.max[other];
      if (difference !== 0) return difference;
    }
    return a.box.min[axis] - b.box.min[axis];
  };
  const result: KeptRegions[] = [];
  for (const next of [...boxes].sort(order)) {
    const last = result.at(-1);
    const isAdjacent =
      last !== undefined &&
      last.generator === next.generator &&
      last.box.max[axis] === next.box.min[axis] &&
      others.every(
        (other) => last.box.min[other] === next.box.min[other] && last.box.max[other] === next.box.max[other],
      );
    if (isAdjacent) result[result.length - 1] = { ...last, box: { min: last.box.min, max: next.box.max } };
    else result.push(next);
  }
  return result;
}
