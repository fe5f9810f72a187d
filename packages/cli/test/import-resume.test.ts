import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, watch, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./captured.ts";

// The folder that `npm run golden` uses; when it is missing, the tests are skipped with a message.
const GOLDEN = join(resolve(process.env["ORTHANT_GOLDEN"] ?? "../shared/golden"), "imports/minecraft");
const hasFiles = existsSync(GOLDEN);
if (!hasFiles)
  process.stderr.write("golden: SKIPPED, no golden saves here; set ORTHANT_GOLDEN to their folder\n");
/** ORTHANT_IMPORT_KILLS=20 kills as often as a release has to survive. */
const KILLS = Number(process.env["ORTHANT_IMPORT_KILLS"] ?? 3);
const SECTOR_BYTES = 4_096;
const PROGRAM = join(dirname(createRequire(import.meta.url).resolve("orthant/import-worker")), "../main.js");

/** Makes regions of 1,024 columns, which are copies of the finished ones of a golden region. */
async function makeWorld(regions: number): Promise<string> {
  const folder = join(await temporaryFolder(), "large");
  await mkdir(folder);
  const file = await readFile(join(GOLDEN, "1.17.1/r.0.0.mca"));
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

/** Converts in a process, which is killed once it has noted its progress some times. Returns whether it came to its end. */
async function convert(world: string, target: string, threads: number, notes?: number): Promise<boolean> {
  const ended = new AbortController();
  const noted = notes === undefined ? undefined : untilNoted(unfinished(target), notes, ended.signal);
  const child = spawn(
    process.execPath,
    [PROGRAM, "convert", world, target, "--accept-loss", "--quiet", "--threads", String(threads)],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const exit = once(child, "exit");
  void noted?.then((isTime) => isTime && child.kill("SIGKILL"));
  const [code] = (await exit) as [number | null];
  ended.abort();
  if (code !== null) expect(code, "a loss was accepted").toBe(3);
  return code !== null;
}

function unfinished(target: string): string {
  return join(dirname(target), `.${basename(target)}.unfinished`);
}

/** Returns true once the file of progress has changed some times; at once for 0, and false if the process ends before. */
async function untilNoted(folder: string, times: number, signal: AbortSignal): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  let left = times;
  try {
    if (left > 0)
      for await (const { filename } of watch(folder, { signal }))
        if (filename === "import.progress" && --left === 0) break;
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path.slice(folder.length), await readFile(path));
  }
  return files;
}

describe.runIf(hasFiles)("a conversion that is killed", () => {
  test("[IM84] [IM85] goes on where it was, and makes the same bytes with two threads as with one", async () => {
    const world = await makeWorld(4);
    const [whole, killed] = [`${world}-whole`, `${world}-killed`];
    expect(await convert(world, whole, 0)).toBe(true);
    let kills = 0;
    for (let attempt = 0; kills < KILLS; attempt++) {
      expect(attempt).toBeLessThan(KILLS * 3);
      // One in four is killed before it has done anything.
      if (!(await convert(world, killed, 2, [1, 3, 2, 0][attempt % 4]))) kills++;
      if (existsSync(killed)) break;
    }
    expect(kills).toBeGreaterThan(0);
    if (!existsSync(killed)) expect(await convert(world, killed, 2)).toBe(true);
    expect(existsSync(unfinished(killed))).toBe(false);
    expect(await filesIn(killed)).toEqual(await filesIn(whole));
  });
});
