import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import type { Disk } from "@orthant/disk";
import { formatBytes } from "@orthant/formats";
import { createWorldEngine } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { tableLines } from "../command/report.ts";
import { EXIT } from "../command/usage.ts";

const SYNCED_APPENDS = 64;
const APPEND_BYTES = 4096;
const STREAM_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const COMMITS = 8;
const CHUNKS_PER_COMMIT = 64;

/** `orthant bench`. */
export const benchCommand: Command = {
  name: "bench",
  summary: "Measure how fast this machine and its disk save worlds",
  details: `Writes some ${formatBytes(STREAM_BYTES)} into a folder of its own inside the given one, and removes it again.`,
  arguments: [{ name: "[folder]", description: "on the disk to measure, the current folder unless given" }],
  options: [],
  examples: ["orthant bench", "orthant bench /srv/worlds --json"],

  async run(args, context) {
    const folder = args.at(0) === "" ? "." : args.at(0);
    await context.openDisk(folder);
    const scratch = join(folder, `.orthant-bench-${randomBytes(4).toString("hex")}`);
    try {
      const measured = await context.makeFolder(scratch, async (disk) => ({
        appendAndSync: summaryOf(await measureAppends(disk)),
        ...(await measureStream(disk, context)),
      }));
      const commit = summaryOf(await measureCommits(join(scratch, "world"), context));
      context.printJson({ folder, ...measured, commit: { ...commit, chunks: CHUNKS_PER_COMMIT } });
      context.printAll(
        tableLines([
          ["what", "median", "slowest"],
          [`append ${formatBytes(APPEND_BYTES)} and sync`, ...spans(measured.appendAndSync)],
          [`commit ${CHUNKS_PER_COMMIT} edited chunks`, ...spans(commit)],
          [`write ${formatBytes(STREAM_BYTES)} and sync`, `${formatBytes(measured.writeBytesPerSecond)}/s`],
          ["read it again", `${formatBytes(measured.readBytesPerSecond)}/s`],
        ]),
      );
      return EXIT.ok;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
};

interface Summary {
  readonly medianMs: number;
  readonly slowestMs: number;
}

async function measureAppends(disk: Disk): Promise<readonly number[]> {
  const bytes = randomBytes(APPEND_BYTES);
  const file = await disk.open("appends", "create");
  const times: number[] = [];
  try {
    for (let count = 0; count < SYNCED_APPENDS; count++) {
      times.push(
        await timed(async () => {
          await file.append(bytes);
          await file.sync();
        }),
      );
    }
  } finally {
    await file.close();
  }
  return times;
}

async function measureStream(
  disk: Disk,
  context: Context,
): Promise<{ readonly writeBytesPerSecond: number; readonly readBytesPerSecond: number }> {
  const piece = randomBytes(PIECE_BYTES);
  const progress = context.progress("writing and reading", "bytes", 2 * STREAM_BYTES);
  const file = await disk.open("stream", "create");
  try {
    const writeMs = await timed(async () => {
      for (let offset = 0; offset < STREAM_BYTES; offset += PIECE_BYTES) {
        await file.append(piece);
        progress.advance(PIECE_BYTES);
      }
      await file.sync();
    });
    const readMs = await timed(async () => {
      for (let offset = 0; offset < STREAM_BYTES; offset += PIECE_BYTES) {
        await file.readAt(offset, PIECE_BYTES);
        progress.advance(PIECE_BYTES);
      }
    });
    return {
      writeBytesPerSecond: Math.round((STREAM_BYTES * 1000) / writeMs),
      readBytesPerSecond: Math.round((STREAM_BYTES * 1000) / readMs),
    };
  } finally {
    progress.end();
    await file.close();
  }
}

/** Every commit has the same number of chunks, none of them edited before. */
async function measureCommits(folder: string, context: Context): Promise<readonly number[]> {
  return context.makeFolder(folder, async (disk) => {
    const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n);
    const world = await createWorldEngine(disk, { generator }, { autosave: false, time: context.time });
    const times: number[] = [];
    try {
      for (let commit = 0; commit < COMMITS; commit++) {
        for (let chunk = 0; chunk < CHUNKS_PER_COMMIT; chunk++) {
          const [x, , z] = HYPERCUBE_CHUNKS.extents;
          const voxel: Position = [chunk * x, 0, commit * z, 0];
          await world.set(voxel, 1);
        }
        times.push(await timed(() => world.save()));
      }
    } finally {
      await world.close();
    }
    return times;
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function summaryOf(times: readonly number[]): Summary {
  const sorted = [...times].sort((a, b) => a - b);
  const rounded = (ms = 0): number => Math.round(ms * 1000) / 1000;
  return { medianMs: rounded(sorted[Math.floor(sorted.length / 2)]), slowestMs: rounded(sorted.at(-1)) };
}

function spans({ medianMs, slowestMs }: Summary): readonly string[] {
  return [`${medianMs.toFixed(2)} ms`, `${slowestMs.toFixed(2)} ms`];
}
