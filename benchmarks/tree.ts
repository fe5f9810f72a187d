import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Position, uniformChunk } from "@orthant/core";
import { boxBetween, WHOLE_LATTICE } from "@orthant/core/lattice";
import { OverrideTree, RegionTree } from "@orthant/core/tree";
import { Prng } from "@orthant/testkit";
import { compare } from "./compare.ts";
import { atMost, type Figure, median, time } from "./figure.ts";
import { sized } from "./size.ts";

const VOLUME = 4_096;
const CHUNKS = sized(1_000_000, 10_000);
/** Enough reads that no processor cache holds everything that either side reads. */
const READS = sized(250_000, 1_000);
const EDITS = 1_000;
const SETS = 1_000;
const ROUNDS = sized(9, 1);
/** The box in which the original set chunks, and a larger one that a million chunks fill to an eighth. */
const ORIGINAL_EXTENTS: Position = [64, 8, 64, 64];
const LARGE_EXTENTS: Position = [64, 32, 64, 64];

const blocks = [1, 2, 3, 4, 5].map((block) => uniformChunk(VOLUME, block));
const prng = new Prng(1);

/**
 * Question: does the tree of chunks carry a large world?
 * Budgets: the original took 8 to 136 seconds for 1,000 sets, so 50 ms; a read at a quarter of the speed of a
 * bare Map, which knows nothing of boxes, order or snapshots; an edit in 50 microseconds, so that a tick of
 * 50 ms holds a thousand; 200 bytes a chunk, so that ten million fit into two gigabytes.
 */
export function* treeSuite(): Generator<Figure> {
  yield setFigure();
  const positions = randomPositions();
  const heapBefore = heapBytes();
  const tree = treeOf(positions);
  const treeBytes = heapBytes() - heapBefore;
  yield atMost(
    "tree/heap",
    treeBytes / tree.leafCount,
    "bytes a uniform chunk",
    200,
    `${tree.leafCount} chunks`,
  );
  yield readFigure(tree, positions);
  yield editFigure(tree, positions);
  yield untouchedFigure();
}

/** The suite's figures next to the bare limit. */
export function* treeLimits(): Generator<Figure> {
  const positions = randomPositions();
  yield readFigure(treeOf(positions), positions);
}

function setFigure(): Figure {
  const positions = Array.from({ length: SETS }, () => randomPosition(ORIGINAL_EXTENTS));
  const build = (): number => treeOf(positions).leafCount;
  build(); // warms up
  const rounds = Array.from({ length: ROUNDS }, () => time(build, 1));
  const wallMs = median(rounds.map(({ wallNs }) => wallNs)) / 1e6;
  const cpuMs = median(rounds.map(({ cpuNs }) => cpuNs)) / 1e6;
  return atMost(
    "tree/1000-sets",
    cpuMs,
    "ms of cpu",
    50,
    `wall ${wallMs.toPrecision(3)} ms; the original 8,600 to 136,000 ms`,
  );
}

function readFigure(tree: OverrideTree, positions: readonly Position[]): Figure {
  const map = new Map(positions.map((position, index) => [keyOf(position), block(index)]));
  const asked = Array.from({ length: READS }, () => prng.pick(positions));
  return compare({
    name: "tree/voxel-reads",
    baseline: "a bare Map keyed by number, with its voxel",
    budget: 0.25,
    work: [READS, "reads"],
    ours: () =>
      asked.reduce((sum, [x, y, z, w], index) => sum + (tree.at(x, y, z, w)?.get(index % VOLUME) ?? 0), 0),
    bare: () =>
      asked.reduce((sum, position, index) => sum + (map.get(keyOf(position))?.get(index % VOLUME) ?? 0), 0),
  });
}

function editFigure(tree: OverrideTree, positions: readonly Position[]): Figure {
  const edited = Array.from({ length: EDITS }, () => prng.pick(positions));
  const edit = (): number => {
    let next = tree;
    for (const [index, position] of edited.entries()) {
      const chunk = next.at(...position) ?? block(0);
      next = next.set(position, chunk.set(index, 9));
    }
    return next === tree ? 1 : 0;
  };
  edit(); // warms up
  const rounds = Array.from({ length: ROUNDS }, () => time(edit, 1));
  const cpuUs = median(rounds.map(({ cpuNs }) => cpuNs)) / 1e3 / EDITS;
  const wallUs = median(rounds.map(({ wallNs }) => wallNs)) / 1e3 / EDITS;
  return atMost(
    "tree/one-voxel-edit",
    cpuUs,
    "us of cpu",
    50,
    `wall ${wallUs.toPrecision(3)} us, in ${CHUNKS} chunks`,
  );
}

/** The cost of reading untouched space; it must not grow with the size of the box. */
function untouchedFigure(): Figure {
  const small = leafCountUnder(boxBetween([0, 0, 0, 0], [4, 4, 4, 4]));
  const large = leafCountUnder(WHOLE_LATTICE);
  return atMost(
    "tree/untouched-space",
    large,
    "leaves for the whole lattice",
    small,
    `${small} for one region`,
  );
}

function leafCountUnder(box: typeof WHOLE_LATTICE): number {
  return RegionTree.EMPTY.fill(box, block(0)).under(OverrideTree.UNTOUCHED).leafCount;
}

function block(index: number): (typeof blocks)[number] {
  return blocks[index % blocks.length] ?? uniformChunk(VOLUME, 1);
}

function treeOf(positions: readonly Position[]): OverrideTree {
  return positions.reduce(
    (tree, position, index) => tree.set(position, block(index)),
    OverrideTree.UNTOUCHED,
  );
}

function randomPositions(): readonly Position[] {
  return Array.from({ length: CHUNKS }, () => randomPosition(LARGE_EXTENTS));
}

function randomPosition([x, y, z, w]: Position): Position {
  return [
    prng.below(x) - (x >> 1),
    prng.below(y) - (y >> 1),
    prng.below(z) - (z >> 1),
    prng.below(w) - (w >> 1),
  ];
}

function keyOf([x, y, z, w]: Position): number {
  return (((x + 64) * 128 + (y + 64)) * 128 + (z + 64)) * 128 + (w + 64);
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  return process.memoryUsage().heapUsed;
}
