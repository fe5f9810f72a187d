import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, watch, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Prng } from "@orthant/testkit";
import { goldenPath, hasGolden } from "@orthant/testkit/golden";
import { orthantCommand } from "@orthant/testkit/process";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./captured.ts";

const REGION = "imports/minecraft/1.17.1/r.0.0.mca";
/** ORTHANT_IMPORT_KILLS=20 kills as often as a release has to survive. */
const KILLS = Number(process.env["ORTHANT_IMPORT_KILLS"] ?? 3);
const SECTOR_BYTES = 4_096;
const ORTHANT = orthantCommand();

/** Makes regions of 1,024 columns, which are copies of the finished ones of a golden region. */
async function makeWorld(regions: number): Promise<string> {
  const folder = join(await temporaryFolder(), "large");
  await mkdir(folder);
  const file = await readFile(goldenPath(REGION));
  const columns: Buffer[] = [];
  for (let slot = 0; slot < 1_024; slot++) {
    const location = file.readUInt32BE(slot * 4);
    const start = (location >>> 8) * SECTOR_BYTES;
    if (location !== 0) columns.push(file.subarray(start, start + (location & 0xff) * SECTOR_BYTES));
  }
  const header = Buffer.alloc(2 * SECTOR_BYTES);
  const parts: Buffer[] = [header];
  let sector = 2;
  for (let slot = 0; slot < 1_024; slot++) {
    const column = columns[slot % columns.length] as Buffer;
    const sectors = Math.ceil(column.length / SECTOR_BYTES);
    header.writeUInt32BE(sector * 256 + sectors, slot * 4);
    parts.push(column, Buffer.alloc(sectors * SECTOR_BYTES - column.length));
    sector += sectors;
  }
  for (let region = 0; region < regions; region++)
    await writeFile(join(folder, `r.${region}.0.mca`), Buffer.concat(parts));
  return folder;
}

/** When a conversion is killed: some changes of its files after its progress has this number of checkpoints. */
interface KillMoment {
  readonly checkpoints: number;
  readonly changes: number;
}

/** Converts in a process, which is killed at some moment. Returns whether it came to its end. */
async function convert(
  world: string,
  target: string,
  threads: number,
  moment?: KillMoment,
): Promise<boolean> {
  const ended = new AbortController();
  const reached = moment === undefined ? undefined : untilMoment(unfinished(target), moment, ended.signal);
  const child = spawn(
    process.execPath,
    [ORTHANT, "convert", world, target, "--accept-loss", "--quiet", "--threads", String(threads)],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const exit = once(child, "exit");
  void reached?.then((isTime) => isTime && child.kill("SIGKILL"));
  const [code] = (await exit) as [number | null];
  ended.abort();
  if (code !== null) expect(code, "a loss was accepted").toBe(3);
  return code !== null;
}

function unfinished(target: string): string {
  return join(dirname(target), `.${basename(target)}.unfinished`);
}

/** Returns true at the moment, and false if the process ends before. */
async function untilMoment(
  folder: string,
  { checkpoints, changes }: KillMoment,
  signal: AbortSignal,
): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  let left = changes;
  try {
    for await (const _change of watch(folder, { signal, recursive: true })) {
      if ((await checkpointsIn(folder)) < checkpoints) continue;
      if (left-- === 0) break;
    }
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Counts the checkpoints in the file of progress: every whole record but the first. */
async function checkpointsIn(folder: string): Promise<number> {
  const path = join(folder, "import.progress");
  const file = existsSync(path) ? await readFile(path) : Buffer.alloc(0);
  let records = 0;
  for (let offset = 0; offset + 8 <= file.length; records++) {
    offset += 8 + file.readUInt32LE(offset);
    if (offset > file.length) break;
  }
  return Math.max(0, records - 1);
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path.slice(folder.length), await readFile(path));
  }
  return files;
}

describe.runIf(hasGolden(REGION))("a conversion that is killed", () => {
  test("[IM84] [IM85] goes on where it was, and makes the same bytes with two threads as with one", async () => {
    const world = await makeWorld(4);
    const [whole, killed] = [`${world}-whole`, `${world}-killed`];
    expect(await convert(world, whole, 1)).toBe(true);
    const expected = await filesIn(whole);
    const prng = new Prng(KILLS);
    /** Number of checkpoints on the disk after each kill. */
    const kept: number[] = [];
    for (let attempt = 0; kept.length < KILLS; attempt++) {
      expect(attempt).toBeLessThan(KILLS * 3);
      const before = await checkpointsIn(unfinished(killed));
      const moment = { checkpoints: before + ([0, 1, 0, 2][attempt % 4] as number), changes: prng.below(6) };
      if (await convert(world, killed, 2, moment)) {
        // It ended before its moment, and the next one begins again.
        expect(await filesIn(killed)).toEqual(expected);
        await rm(killed, { recursive: true });
      } else {
        kept.push(await checkpointsIn(unfinished(killed)));
        expect(kept.at(-1), "a kill loses no checkpoint").toBeGreaterThanOrEqual(before);
      }
    }
    process.stderr.write(`checkpoints on the disk after each kill: ${kept.join(" ")}\n`);
    expect(kept.filter((checkpoints) => checkpoints > 0).length).toBeGreaterThanOrEqual(KILLS / 2);
    expect(await convert(world, killed, 2)).toBe(true);
    expect(existsSync(unfinished(killed))).toBe(false);
    expect(await filesIn(killed)).toEqual(expected);
  }, 1_500_000);
});
