import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { type MeasuredRun, runMeasured } from "./cli/measured-run.ts";
import { atMost, type Figure, median, timeAsync, told } from "./figure.ts";
import { bytesIn } from "./folder-bytes.ts";
import { LargeWorldPlan, makeLargeWorld } from "./scale/large-world.ts";
import { sized } from "./size.ts";

const LARGE_CHUNKS = sized(10_000_000, 20_000);
const SMALL_CHUNKS = sized(10_000, 2_000);
const OPENINGS = sized(21, 1);
const READS = sized(400, 20);
/** Reads of a process whose code is not compiled yet: each takes several times as long as later ones. */
const EARLY_READS = 50;
const COMMITS = sized(41, 1);
const WARM_UP_COMMITS = sized(5, 0);
const INFO_RUNS = sized(5, 1);
const OPEN_MS_MAX = 100;
const OPEN_MEGABYTES_MAX = 150;
const READ_MS_MAX = 1;
const COMMIT_RATIO_MAX = 2;
const COMMIT_BYTES_RATIO_MAX = 1.5;
const INFO_SECONDS_MAX = 1;

const OPENER = fileURLToPath(new URL("./scale/opener.js", import.meta.url));
const run = promisify(execFile);

/**
 * Question: what does a world of ten million edited chunks cost that one of ten thousand does not?
 * Budgets: it opens within 100 ms and 150 MB, the first read of a chunk takes at most 1 ms, a commit of one
 * edit at most twice the time and 1.5 times the bytes that it takes in the small one, alternating in the same run, and
 * `info` less than a second. ORTHANT_SCALE_CHUNKS sets another number of chunks.
 */
export async function* scaleSuite(): AsyncGenerator<Figure> {
  const chunks = Number(process.env["ORTHANT_SCALE_CHUNKS"] ?? LARGE_CHUNKS);
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const large = { folder: join(folder, "large"), plan: new LargeWorldPlan(chunks) };
    const small = { folder: join(folder, "small"), plan: new LargeWorldPlan(SMALL_CHUNKS) };
    const making = await timeAsync(() => makeLargeWorld(large.folder, large.plan, 1));
    await makeLargeWorld(small.folder, small.plan, 1);
    yield await makingFigure(large.folder, chunks, making.wallNs / 1e9);
    yield* await openingFigures(large);
    yield* await commitFigures(large, small);
    yield await infoFigure(large.folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface PlannedWorld {
  readonly folder: string;
  readonly plan: LargeWorldPlan;
}

async function makingFigure(folder: string, chunks: number, seconds: number): Promise<Figure> {
  const [data, index] = [await bytesIn(join(folder, "data")), await bytesIn(join(folder, "index"))];
  const sizes = `${(data / 1e6).toFixed(0)} MB of packs and ${(index / 1e6).toFixed(1)} MB of index`;
  return told("scale/make", seconds, "s", `${chunks} chunks, ${sizes}`);
}

/** Each opening is a separate process; the page cache is warm, as when a server restarts. */
async function openingFigures({ folder, plan }: PlannedWorld): Promise<readonly Figure[]> {
  const prng = new Prng(2);
  const opens: number[] = [];
  const reads: number[] = [];
  const firstReads: number[] = [];
  const earlyReads: number[] = [];
  const megabytes: number[] = [];
  for (let opening = 0; opening < OPENINGS; opening++) {
    const voxels = Array.from({ length: READS }, () => voxelIn(plan, prng)).flat();
    const { stdout } = await run(process.execPath, [OPENER, folder, ...voxels.map(String)]);
    const taken = JSON.parse(stdout) as { openMs: number; readMs: number[]; openMegabytes: number };
    opens.push(taken.openMs);
    const [first = Number.NaN, ...others] = taken.readMs;
    firstReads.push(first);
    earlyReads.push(...others.slice(0, EARLY_READS));
    reads.push(...others);
    megabytes.push(taken.openMegabytes);
  }
  const worst = (values: readonly number[]): string => `at most ${Math.max(...values).toFixed(1)}`;
  return [
    atMost("scale/open", median(opens), "ms", OPEN_MS_MAX, `${worst(opens)} in ${OPENINGS} processes`),
    atMost("scale/open-memory", median(megabytes), "MB", OPEN_MEGABYTES_MAX, "the whole process, Node too"),
    atMost(
      "scale/first-read",
      median(reads),
      "ms",
      READ_MS_MAX,
      `of places not read before, ${READS} in a process, ${worst(reads)}; ${median(earlyReads).toFixed(1)} for the first ${EARLY_READS}, while code is compiled, and ${median(firstReads).toFixed(0)} for the very first`,
    ),
  ];
}

/** One edit and its commit, alternating between the large world and the small one. */
async function commitFigures(large: PlannedWorld, small: PlannedWorld): Promise<readonly Figure[]> {
  const largeCommits = await Committer.open(large);
  const smallCommits = await Committer.open(small);
  const times: number[] = [];
  const sizes: number[] = [];
  const largeMs: number[] = [];
  const cpuRatios: number[] = [];
  for (let round = -WARM_UP_COMMITS; round < COMMITS; round++) {
    const first = await smallCommits.commit();
    const mine = await largeCommits.commit();
    const second = await smallCommits.commit();
    if (round < 0) continue;
    times.push(mine.wallNs / ((first.wallNs + second.wallNs) / 2));
    cpuRatios.push(mine.cpuNs / ((first.cpuNs + second.cpuNs) / 2));
    sizes.push(mine.bytes / ((first.bytes + second.bytes) / 2));
    largeMs.push(mine.wallNs / 1e6);
  }
  await largeCommits.close();
  await smallCommits.close();
  const unit = "times the small world's";
  const remark = `${median(largeMs).toFixed(1)} ms, cpu ${median(cpuRatios).toFixed(2)} times`;
  return [
    atMost("scale/commit-time", median(times), unit, COMMIT_RATIO_MAX, remark),
    atMost(
      "scale/commit-bytes",
      median(sizes),
      unit,
      COMMIT_BYTES_RATIO_MAX,
      `${largeCommits.lastBytes} bytes`,
    ),
  ];
}

/** Repeatedly edits a random voxel of a world and commits. */
class Committer {
  readonly #world: WorldEngine;
  readonly #disk: CountingDisk;
  readonly #plan: LargeWorldPlan;
  readonly #prng = new Prng(3);
  #block = 0;
  lastBytes = 0;

  private constructor(world: WorldEngine, disk: CountingDisk, plan: LargeWorldPlan) {
    this.#world = world;
    this.#disk = disk;
    this.#plan = plan;
  }

  static async open({ folder, plan }: PlannedWorld): Promise<Committer> {
    const disk = new CountingDisk(new NodeDisk(folder));
    return new Committer(await openWorldEngine(disk, { autosave: false }), disk, plan);
  }

  async commit(): Promise<{ readonly wallNs: number; readonly cpuNs: number; readonly bytes: number }> {
    this.#block = (this.#block % 200) + 1;
    await this.#world.set(voxelIn(this.#plan, this.#prng), this.#block);
    const before = this.#disk.bytesWritten;
    const time = await timeAsync(() => this.#world.save());
    this.lastBytes = this.#disk.bytesWritten - before;
    return { ...time, bytes: this.lastBytes };
  }

  close(): Promise<void> {
    return this.#world.close();
  }
}

async function infoFigure(folder: string): Promise<Figure> {
  const runs: MeasuredRun[] = [];
  for (let count = 0; count < INFO_RUNS; count++) runs.push(await runMeasured(["info", folder]));
  const seconds = median(runs.map(({ wallMs }) => wallMs)) / 1e3;
  const cpuMs = median(runs.map((taken) => taken.cpuMs));
  const remark = `cpu ${cpuMs.toFixed(0)} ms, with the start of the program`;
  return atMost("scale/info", seconds, "s", INFO_SECONDS_MAX, remark);
}

function voxelIn(plan: LargeWorldPlan, prng: Prng): Position {
  const [x, y, z, w] = plan.randomChunk(prng);
  const { extents } = HYPERCUBE_CHUNKS;
  const within = (chunk: number, axis: 0 | 1 | 2 | 3): number =>
    chunk * extents[axis] + prng.below(extents[axis]);
  return [within(x, 0), within(y, 1), within(z, 2), within(w, 3)];
}

const WRITES: ReadonlySet<DiskCall["operation"]> = new Set(["append", "writeAt", "writeDurably"]);

/** A disk that counts the bytes written to its files. */
class CountingDisk extends GatedDisk {
  bytesWritten = 0;

  constructor(disk: Disk) {
    super(disk, ({ operation, bytes }, happen) => {
      if (WRITES.has(operation)) this.bytesWritten += bytes;
      return happen();
    });
  }
}
