import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { DEFAULT_LAYERS, openPixelSave, PixelSaveWriter, VERSION1_LAYERS } from "@orthant/pixel-world";
import { encodePixelChunk, lz4Compress, lz4Decompress, PixelChunkIndex } from "@orthant/pixel-world/internal";
import { Prng } from "@orthant/testkit";
import { compare } from "./compare.ts";
import { atMost, type Bar, type Figure, median, type Plot, time, timeAsync, told } from "./figure.ts";
import { heldBytes } from "./held-bytes.ts";
import {
  CHUNK_BYTES,
  dug,
  EDGE,
  generated,
  patterns,
  scattered,
  terrain,
} from "./pixelworld/pixel-patterns.ts";
import { sized } from "./size.ts";

const LOOKUPS = 1_000;
const MILLION = sized(1_000_000, 10_000);
/** Chunks in a row, for the keys of the bare map. */
const ROW = 65_536;
const MEMORY_BUDGET_MB = 110;
const OPEN_ROUNDS = sized(5, 1);
const ROUNDS = sized(25, 2);
const TOOL_SECONDS = sized(2, 1);
const MEGABYTE = 1e6;

/**
 * Questions: how large are chunks, in the two tables of the original's own page, of which the one of changes
 * was measured on zeros; what does a lookup cost next to a bare Map; what does opening a million chunks cost;
 * how fast is LZ4 next to Debian's?
 * Budgets: changes are never longer than the whole chunk; a lookup is at least a quarter as fast as a Map
 * whose key and value are numbers, at any size; a million chunks take at most one and a half times the memory
 * that the original's page names.
 */
export async function* pxswSuite(): AsyncGenerator<Figure> {
  yield* sizeFigures();
  yield* deltaFigures();
  yield* pxswLimits();
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    yield* await openFigures(folder);
    yield* await lz4Figures(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The suite's figures next to the bare limit. */
export function* pxswLimits(): Generator<Figure> {
  for (const entries of [1_000, 10_000, 100_000, MILLION]) yield lookupFigure(entries);
}

/** The size table of the original's page: version 1 stores whole pixels, version 2 planes without flags. */
function* sizeFigures(): Generator<Figure> {
  for (const [name, originalBytes, pixels] of patterns()) {
    const version1 = 4 + lz4Compress(pixels).length;
    const version2 = wholeBytes(pixels);
    const ratio = (CHUNK_BYTES / version2).toFixed(1);
    const remark = `${ratio} x, version 1 ${version1}, the original's page says ${originalBytes}`;
    const plot = bytesPlot("A chunk of 512 x 512 pixels", name, [
      { label: "Orthant, version 2", role: "ours", value: version2 },
      { label: "version 1", role: "peer", value: version1 },
    ]);
    yield told(`pxsw/size: ${name}`, version2, "bytes", remark, plot);
  }
}

/** The table of changes of the original's page, and digging. */
function* deltaFigures(): Generator<Figure> {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ["1 % scattered", scattered(0.01), "87"],
    ["5 % scattered", scattered(0.05), "366"],
    ["10 % scattered", scattered(0.1), "699"],
    ["25 % scattered", scattered(0.25), "1,600"],
    ["50 % scattered", scattered(0.5), "2,800"],
    ["64 x 16 dug", dug(64, 16), "nothing"],
    ["256 x 64 dug", dug(256, 64), "nothing"],
    ["512 x 200 dug", dug(512, 200), "nothing"],
  ];
  for (const [name, pixels, originalSays] of cases) {
    const whole = wholeBytes(pixels);
    const changes = deltaBytes(pixels);
    const version1 = deltaBytesVersion1(pixels);
    const form = changes < whole ? "changes" : "whole";
    const remark = `stored as ${form}; changes ${changes}, version 1 ${version1}; the original's page says ${originalSays}`;
    const plot = bytesPlot("A chunk that was changed", name, [
      { label: "Orthant, version 2", role: "ours", value: Math.min(whole, changes) },
      { label: "version 1, as changes", role: "peer", value: version1 },
    ]);
    yield atMost(`pxsw/delta: ${name}`, Math.min(whole, changes), "bytes", whole, remark, plot);
  }
}

function bytesPlot(title: string, group: string, bars: readonly Bar[]): Plot {
  return { title, unit: "bytes", better: "less", group, bars };
}

function wholeBytes(pixels: Uint8Array): number {
  return encodePixelChunk(
    { storage: "full", pixels: kept(pixels) },
    { chunkEdge: EDGE, layers: DEFAULT_LAYERS },
  ).payload.length;
}

function deltaBytes(pixels: Uint8Array): number {
  const delta = deltaOf(kept(generated()), kept(pixels));
  return encodePixelChunk({ storage: "delta", delta }, { chunkEdge: EDGE, layers: DEFAULT_LAYERS }).payload
    .length;
}

/** Returns the size in version 1: three bytes of position and four of the pixel, one after the other. */
function deltaBytesVersion1(pixels: Uint8Array): number {
  const { positions, pixels: changed } = deltaOf(generated(), pixels);
  const raw = new Uint8Array(4 + positions.length * 7);
  positions.forEach((position, index) => {
    raw.set(
      [position & 255, (position >> 8) & 255, position >> 16, ...changed.subarray(index * 4, index * 4 + 4)],
      4 + index * 7,
    );
  });
  return 4 + lz4Compress(raw).length;
}

function deltaOf(
  before: Uint8Array,
  after: Uint8Array,
): { readonly positions: Uint32Array; readonly pixels: Uint8Array } {
  const positions: number[] = [];
  for (let position = 0; position < EDGE * EDGE; position++) {
    const at = position * 4;
    if ([0, 1, 2, 3].some((byte) => before[at + byte] !== after[at + byte])) positions.push(position);
  }
  const pixels = new Uint8Array(positions.length * 4);
  for (const [index, position] of positions.entries()) {
    pixels.set(after.subarray(position * 4, position * 4 + 4), index * 4);
  }
  return { positions: Uint32Array.from(positions), pixels };
}

function kept(pixels: Uint8Array): Uint8Array {
  return pixels.map((byte, at) => (at % 4 === 3 ? byte & 0x20 : byte));
}

/** A thousand lookups, half of them of existing chunks, as on the original's page. */
function lookupFigure(entries: number): Figure {
  const side = Math.ceil(Math.sqrt(entries));
  const index = new PixelChunkIndex();
  const map = new Map<number, number>();
  for (let entry = 0; entry < entries; entry++) {
    const [x, y] = [entry % side, Math.floor(entry / side)];
    index.set(x, y, 2, 16_384 + entry * 100, 100);
    map.set(y * ROW + x, entry);
  }
  const prng = new Prng(3);
  const asked = Array.from({ length: LOOKUPS }, (_, at) => {
    const offset = at % 2 === 0 ? 0 : side + 1;
    return [prng.below(side) + offset, prng.below(Math.max(1, Math.floor(entries / side)))] as const;
  });
  return compare({
    name: `pxsw/lookup of ${entries}`,
    baseline: "a bare Map keyed by a number",
    budget: 0.25,
    work: [LOOKUPS, "lookups"],
    ours: () => asked.reduce((sum, [x, y]) => sum + (index.get(x, y)?.bytes ?? 0), 0),
    bare: () => asked.reduce((sum, [x, y]) => sum + (map.get(y * ROW + x) ?? 0), 0),
  });
}

/** Opens a file with a million chunks. */
async function openFigures(folder: string): Promise<readonly Figure[]> {
  const disk = new NodeDisk(folder);
  const facts = {
    worldSeed: 1n,
    createdMs: 0,
    chunkEdge: EDGE,
    tileEdge: 32,
    layers: VERSION1_LAYERS,
    generator: terrain.ref,
  };
  const writer = await PixelSaveWriter.create(disk, "million.pxsw", facts);
  const made = await timeAsync(async () => {
    for (let entry = 0; entry < MILLION; entry++) {
      await writer.addEncoded(entry % 1_000, Math.floor(entry / 1_000), {
        storage: "empty",
        payload: new Uint8Array(0),
      });
    }
    await writer.finish(1);
    await writer.close();
  });
  const wallMs: number[] = [];
  const cpuMs: number[] = [];
  let heldMb = 0;
  for (let round = 0; round < OPEN_ROUNDS; round++) {
    const before = heldBytes();
    let save: Awaited<ReturnType<typeof openPixelSave>> | undefined;
    const { wallNs, cpuNs } = await timeAsync(async () => {
      save = await openPixelSave(disk, "million.pxsw");
    });
    wallMs.push(wallNs / 1e6);
    cpuMs.push(cpuNs / 1e6);
    heldMb = Math.max(heldMb, (heldBytes() - before) / MEGABYTE);
    await save?.close();
  }
  const remark = `opened in ${median(wallMs).toFixed(0)} ms, cpu ${median(cpuMs).toFixed(0)} ms; written in ${(made.wallNs / 1e9).toFixed(1)} s; the original's page says 74 MB`;
  return [atMost("pxsw/open of a million chunks", heldMb, "MB held", MEMORY_BUDGET_MB, remark)];
}

/** Our LZ4 in JavaScript next to Debian's tool in C, on the same chunk of terrain. */
async function lz4Figures(folder: string): Promise<readonly Figure[]> {
  const pixels = generated();
  const block = lz4Compress(pixels);
  // The tool reports its fastest round, so ours is the fastest too.
  const packing = Math.min(
    ...Array.from({ length: ROUNDS }, () => time(() => lz4Compress(pixels).length, 4).wallNs),
  );
  const unpacking = Math.min(
    ...Array.from({ length: ROUNDS }, () => time(() => lz4Decompress(block, CHUNK_BYTES).length, 8).wallNs),
  );
  const ours = [(CHUNK_BYTES * 1e3) / packing, (CHUNK_BYTES * 1e3) / unpacking] as const;
  const tool = await debianLz4(folder, pixels);
  return ["in", "out"].map((way, index) => {
    const [mine = Number.NaN, theirs] = [ours[index], tool?.[index]];
    const beside =
      theirs === undefined
        ? "no lz4 here"
        : `${(mine / theirs).toFixed(2)} of lz4 -b1 with ${theirs.toFixed(0)} MB/s, ${tool?.[2]} bytes`;
    const bars: Bar[] = [{ label: "Orthant, in JavaScript", role: "ours", value: mine }];
    if (theirs !== undefined) bars.push({ label: "lz4 -b1, in C", role: "limit", value: theirs });
    const plot: Plot = { title: "LZ4 of terrain", unit: "MB/s", better: "more", group: way, bars };
    const remark = `${block.length} bytes of terrain; ${beside}`;
    return told(`pxsw/lz4-${way}`, mine, "MB/s", remark, plot);
  });
}

async function debianLz4(
  folder: string,
  pixels: Uint8Array,
): Promise<readonly [number, number, number] | undefined> {
  const path = join(folder, "terrain");
  await writeFile(path, pixels);
  try {
    const shown = execFileSync("sh", ["-c", `lz4 -b1 -i${TOOL_SECONDS} "${path}" 2>&1`]).toString();
    const found = [...shown.matchAll(/-> +(\d+) \([^)]*\), *([\d.]+) MB\/s *, *([\d.]+) MB\/s/g)].at(-1);
    return found && [Number(found[2]), Number(found[3]), Number(found[1])];
  } catch {
    // Most machines do not have the tool.
    return undefined;
  }
}
