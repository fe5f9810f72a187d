import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chunk, CUBE_CHUNKS, chunkFromVoxels } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { applyChunkChange, chunkCodec, diffChunks } from "@orthant/core/chunk";
import { encodeChunkChange } from "@orthant/core/internal";
import { voxelEditsCodec } from "@orthant/core/tree";
import {
  editsOfChange,
  generatedAt,
  recordBytes,
  type StoredDifference,
} from "./differences/stored-differences.ts";
import { type Figure, median, time, told } from "./figure.ts";
import { editedChunks, PASTIMES } from "./rest/edited-worlds.ts";
import { saveChunks } from "./rest/saved-chunks.ts";
import { sized } from "./size.ts";

const CHUNKS = sized(10_000, 100);
const TIMED_CHUNKS = sized(500, 20);
const ROUNDS = 7;
const { volume } = CUBE_CHUNKS;
const listCodec = voxelEditsCodec(volume);
const wholeCodec = chunkCodec(volume);

/**
 * Question: what would one encoding of differences cost, where a save has runs and patches and journals have lists?
 * No budgets: decision 34 quotes the figures. On the disk the records of real worlds are encoded again with lists. A patch
 * or journal is not compressed; there each chunk takes the shorter of its difference and the whole chunk.
 */
export async function* differencesSuite(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  const all = { disk: [0, 0], wire: [0, 0, 0] } as const;
  const samples: StoredDifference[] = [];
  yield oneVoxelFigure();
  try {
    for (const pastime of PASTIMES) {
      const chunks = editedChunks(pastime, CHUNKS);
      const root = join(folder, pastime);
      await saveChunks(root, chunks);
      const { asRuns, asLists, differences } = await recordBytes(root);
      samples.push(...differences.slice(0, TIMED_CHUNKS));
      add(all.disk, [asRuns, asLists]);
      yield diskFigure(pastime, [asRuns, asLists]);
      const wire = [0, 0, 0];
      for (const [position, chunk] of chunks) add(wire, sizesOf(generatedAt(position), chunk));
      add(all.wire, wire);
      yield wireFigure(pastime, wire);
    }
    yield diskFigure("all", all.disk);
    yield wireFigure("all", all.wire);
    yield* timeFigures(samples);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function add(sums: number[] | readonly number[], values: readonly number[]): void {
  for (const [index, value] of values.entries()) (sums as number[])[index] = (sums[index] ?? 0) + value;
}

function diskFigure(name: string, [runs = 0, lists = 0]: readonly number[]): Figure {
  return told(
    `differences/disk-${name}`,
    lists / runs,
    "of today",
    `${lists} bytes of records with lists, ${runs} with runs`,
  );
}

function wireFigure(name: string, [lists = 0, runs = 0, shortest = 0]: readonly number[]): Figure {
  const remark = `${runs} bytes with runs, ${lists} with lists, ${shortest} with the shorter one of each chunk`;
  return told(`differences/patch-${name}`, runs / lists, "of today", remark);
}

function oneVoxelFigure(): Figure {
  const land = generatedAt([0, 0, 0, 0]);
  const voxels = land.voxels();
  voxels[1_234] = 20;
  const edited = chunkFromVoxels(voxels);
  const list = encode(listCodec, diffChunks(land, edited)).length;
  const runs = encodeChunkChange(land, edited)?.length ?? Number.NaN;
  return told(
    "differences/one-voxel",
    runs - list,
    "bytes more with runs",
    `${runs} bytes, ${list} as a list`,
  );
}

/** Returns the bytes of a chunk outside of a save: with lists, with runs, and with both. */
function sizesOf(before: Chunk, after: Chunk): readonly number[] {
  const whole = encode(wholeCodec, after).length;
  const list = Math.min(whole, encode(listCodec, diffChunks(before, after)).length);
  const runs = Math.min(whole, encodeChunkChange(before, after)?.length ?? Number.NaN);
  return [list, runs, Math.min(list, runs)];
}

function* timeFigures(samples: readonly StoredDifference[]): Generator<Figure> {
  const bases = samples.map(({ position }) => generatedAt(position));
  const lists = samples.map(({ change }) => encode(listCodec, editsOfChange(change)));
  const each = (work: (sample: StoredDifference, index: number) => number): number =>
    medianUs(samples.length, () => samples.reduce((sum, sample, index) => sum + work(sample, index), 0));
  const base = (index: number): Chunk => bases[index] as Chunk;
  const runsUs = each(({ change }, index) => applyChunkChange(base(index), change).byteLength);
  const listUs = each(
    (_, index) => base(index).edit(decode(listCodec, lists[index] as Uint8Array)).byteLength,
  );
  yield told(
    "differences/apply",
    runsUs,
    "us with runs",
    `${listUs.toFixed(2)} us with a list, for each chunk`,
  );
  const compareUs = each(({ position, change }) => {
    const generated = generatedAt(position);
    return encode(listCodec, diffChunks(generated, applyChunkChange(generated, change))).length;
  });
  const rewriteUs = each(({ change }) => encode(listCodec, editsOfChange(change)).length);
  const remark = `${compareUs.toFixed(1)} us to generate the chunk, apply the runs and compare, for each chunk`;
  yield told("differences/rewrite", rewriteUs, "us from runs to a list", remark);
}

/** Returns the median processor time of a part of the work. */
function medianUs(parts: number, work: () => number): number {
  work();
  return median(Array.from({ length: ROUNDS }, () => time(work, 1).cpuNs)) / parts / 1_000;
}
