import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HYPERCUBE_CHUNKS } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import {
  BulkSaveWriter,
  DEFAULT_LIMITS,
  type GlobalState,
  plainDescription,
  type VerifyOptions,
  verifySave,
} from "@orthant/save";
import { openBlob, scanPack } from "@orthant/save/internal";
import { builtLeaves } from "./cli/built-leaves.ts";
import { type MeasuredRun, runBare, runMeasured } from "./cli/measured-run.ts";
import { atMost, type Figure, median, ofLimit, timeAsync } from "./figure.ts";
import { sized } from "./size.ts";

const CHUNKS = sized(200_000, 2_000);
const START_RUNS = sized(7, 1);
const INFO_RUNS = sized(5, 1);
const VERIFY_ROUNDS = sized(7, 1);
const VERIFY_RATIO = 0.3;
const CHECKSUMS_RATIO = 0.3;
const PIECE_BYTES = 1024 * 1024;
const MEGABYTES_MAX = 300;
const INFO_SECONDS_MAX = 0.5;
/** Budget for the start of the program, in starts of Node. */
const START_RATIO_MAX = 4;

/**
 * Question: what do the commands cost on a world of 200,000 edited chunks?
 * Budgets: the program starts in four times the processor time of Node alone; `info` takes less than half a second including the start of the program; `verify` and `convert` in
 * both directions never use more than 300 MB. The baseline of `verify` reads the same files with one checksum
 * over each and inflates the compressed ones, alternating in the same run, at the speed of memory. `verify`
 * checks every voxel against the rules and so cannot reach half of that; the share it does reach, with the
 * contents and with the checksums alone, must not fall.
 */
export async function* cliSuite(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const world = join(folder, "world");
    await makeWorld(world);
    yield await startFigure();
    yield await infoFigure(world);
    yield await verifyFigure("cli/verify", world, {}, readAndInflate, VERIFY_RATIO);
    const checksumsOnly = { checksumsOnly: true };
    yield await verifyFigure("cli/verify-checksums", world, checksumsOnly, readAndChecksum, CHECKSUMS_RATIO);
    yield memoryFigure("cli/verify-memory", await runMeasured(["verify", world]));
    const flat = join(folder, "flat");
    yield memoryFigure(
      "cli/convert-to-flat",
      await runMeasured(["convert", world, flat, "--to", "flat", "--accept-loss"], [0, 3]),
    );
    yield memoryFigure("cli/convert-to-tree", await runMeasured(["convert", flat, join(folder, "tree")]));
    yield memoryFigure("cli/backup", await runMeasured(["backup", world, join(folder, "backup")]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function makeWorld(folder: string): Promise<void> {
  const description = { ...plainDescription(HYPERCUBE_CHUNKS), clockEpoch: 1 };
  const state = { worldSeed: 0n, generators: [], nextEntityId: 1n, playerEntityHints: [] };
  const global: GlobalState = { base: { kind: "empty" }, ...state, description };
  const writer = await BulkSaveWriter.create(await NodeDisk.create(folder), HYPERCUBE_CHUNKS);
  for (const leaf of builtLeaves(CHUNKS, 1)) await writer.add([leaf]);
  await writer.finish({ nowMs: 1, global, players: [] });
  await writer.close();
}

async function startFigure(): Promise<Figure> {
  const pairs: { readonly ours: MeasuredRun; readonly bare: MeasuredRun }[] = [];
  for (let run = 0; run < START_RUNS; run++)
    pairs.push({ ours: await runMeasured(["--version"]), bare: await runBare() });
  const ratio = median(pairs.map(({ ours, bare }) => ours.cpuMs / bare.cpuMs));
  const oursMs = median(pairs.map(({ ours }) => ours.wallMs)).toFixed(0);
  const bareMs = median(pairs.map(({ bare }) => bare.wallMs)).toFixed(0);
  const remark = `orthant --version by cpu time; ${oursMs} ms, an empty program ${bareMs} ms`;
  return atMost("cli/start", ratio, "starts of Node", START_RATIO_MAX, remark);
}

async function infoFigure(world: string): Promise<Figure> {
  const runs: MeasuredRun[] = [];
  for (let run = 0; run < INFO_RUNS; run++) runs.push(await runMeasured(["info", world]));
  const wallMs = median(runs.map((run) => run.wallMs));
  const cpuMs = median(runs.map((run) => run.cpuMs));
  const remark = `cpu ${cpuMs.toFixed(0)} ms, with the start of the program, ${CHUNKS} chunks`;
  return atMost("cli/info", wallMs / 1e3, "s", INFO_SECONDS_MAX, remark);
}

async function verifyFigure(
  name: string,
  world: string,
  options: VerifyOptions,
  readBare: (world: string) => Promise<number>,
  budget: number,
): Promise<Figure> {
  const disk = new NodeDisk(world);
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  let bytes = 0;
  let wallNs = 0;
  for (let round = -1; round < VERIFY_ROUNDS; round++) {
    const bare = await timeAsync(async () => {
      bytes = await readBare(world);
    });
    const ours = await timeAsync(async () => {
      if (!isWhole(await verifySave(disk, options))) throw new Error("the world is not whole");
    });
    if (round < 0) continue;
    ratios.push(bare.wallNs / ours.wallNs);
    cpuRatios.push(bare.cpuNs / ours.cpuNs);
    wallNs = ours.wallNs;
  }
  const rate = `${(bytes / 1e6 / (wallNs / 1e9)).toFixed(0)} MB/s of ${(bytes / 1e6).toFixed(0)} MB`;
  const cpu = `by cpu time ${median(cpuRatios).toFixed(2)}`;
  return ofLimit(name, median(ratios), "bare reads", budget, `${rate}, ${cpu}`);
}

/** Reads every file of a folder with one checksum over each. Returns the number of bytes. */
async function readAndChecksum(folder: string): Promise<number> {
  const piece = new Uint8Array(PIECE_BYTES);
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), "r");
    let checksum = 0;
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      checksum = crc32(piece.subarray(0, read), checksum);
      bytes += read;
    }
    closeSync(file);
  }
  return bytes;
}

/** Does the same, and inflates compressed content with a checksum. Returns the number of inflated bytes. */
async function readAndInflate(folder: string): Promise<number> {
  await readAndChecksum(folder);
  let bytes = 0;
  for (const name of readdirSync(join(folder, "data"))) {
    for (const piece of scanPack(readFileSync(join(folder, "data", name)), 1)) {
      if (piece.kind === "gap") continue;
      const inner = await openBlob(piece.payload, DEFAULT_LIMITS.chunkBlobHardMaxBytes);
      crc32(inner);
      bytes += inner.length;
    }
  }
  return bytes;
}

function memoryFigure(name: string, { peakMegabytes, wallMs, cpuMs }: MeasuredRun): Figure {
  const remark = `${(wallMs / 1e3).toFixed(1)} s, cpu ${(cpuMs / 1e3).toFixed(1)} s, ${CHUNKS} chunks`;
  return atMost(name, peakMegabytes, "MB at most", MEGABYTES_MAX, remark);
}
