import type { Position } from "@orthant/core";
import { cubeAt } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  createSave,
  listGenerations,
  openSave,
  type Retention,
  resumeSave,
  type SaveWriter,
  verifySave,
} from "@orthant/save";
import { generationFiles } from "@orthant/save/files";
import { FaultDisk, Prng } from "@orthant/testkit";
import { chunksOf, entryAt, flipByte, GLOBAL, TIGHT_LIMITS } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

/** A few leaves are enough to need pages. */
const LIMITS = { ...TIGHT_LIMITS, dataFileMaxBytes: 1_000_000, indexSoftMaxBytes: 300 };
const RETENTION: Retention = { newest: 2, hours: 3, days: 2 };
const MINUTE = 60_000;
const LEAVES = 40;

/** Returns the cube of one of many leaves that are never merged. */
function cubeOf(number: number): { readonly min: Position; readonly max: Position } {
  return cubeAt([number * 65_536, 0, 0, 0], 65_536);
}

async function pagedWorld(): Promise<{ disk: MemoryDisk; writer: SaveWriter }> {
  const disk = new MemoryDisk();
  const leaves = Array.from({ length: LEAVES }, (_, number) => ({
    cube: cubeOf(number),
    chunks: [entryAt(cubeOf(number).min, number + 2)],
  }));
  const writer = await createSave(disk, {
    nowMs: 0,
    global: GLOBAL,
    limits: LIMITS,
    retention: RETENTION,
    leaves,
  });
  return { disk, writer };
}

async function build(writer: SaveWriter, number: number, block: number, nowMs: number): Promise<void> {
  const cube = cubeOf(number);
  await (await writer.commit({ nowMs, leaves: [{ cube, chunks: [entryAt(cube.min, block)] }] })).close();
}

/**
 * Builds in some cubes. At times empties them instead, so that pages are removed, merged and created again.
 */
async function buildMany(writer: SaveWriter, prng: Prng, step: number): Promise<void> {
  const cubes = new Set(Array.from({ length: prng.between(1, 8) }, () => prng.below(LEAVES)));
  const isEmptying = step % 60 > 35;
  const leaves = [...cubes].map(cubeOf).map((cube) => ({
    cube,
    chunks: isEmptying && prng.below(5) > 0 ? [] : [entryAt(cube.min, 100 + step)],
  }));
  await (await writer.commit({ nowMs: step * 13 * MINUTE, leaves })).close();
}

async function resume(disk: MemoryDisk): Promise<SaveWriter> {
  const save = await openSave(disk);
  const writer = await resumeSave(disk, save, { retention: RETENTION });
  await save.close();
  return writer;
}

async function pagesNeeded(disk: MemoryDisk): Promise<ReadonlySet<string>> {
  const pages = new Set<string>();
  for (const { generation } of await listGenerations(disk)) {
    const save = await openSave(disk, { generation });
    for (const page of await save.index.pageFiles()) pages.add(page);
    await save.close();
  }
  return pages;
}

function pagesThere(disk: MemoryDisk): readonly string[] {
  return [...disk.image().files.keys()].filter((path) => /^index\/ix-\d/.test(path));
}

describe("the files of generations", () => {
  test("[S98] do not include unfinished manifests of killed writers after the next commit, but those of others", async () => {
    const { disk, writer } = await pagedWorld();
    await writer.close();
    const lock = await disk.lock("world.lock");
    const [killed, own] = ["manifest.json.00000000000000aa.tmp", `manifest.json.${lock.token}.tmp`];
    const strangers = ["manifest.json.tmp.tmp", "other.json.00000000000000aa.tmp"];
    for (const path of [killed, "manifest.json.tmp", ...strangers])
      await (await disk.open(path, "create")).close();
    const save = await openSave(disk);
    const next = await resumeSave(disk, save, { retention: RETENTION, lock });
    await save.close();
    const renamed = disk.rename.bind(disk);
    // A compaction of this writer begins another manifest as soon as the commit has ended.
    disk.rename = async (from, to) => {
      await renamed(from, to);
      if (to === "manifest.json") await (await disk.open(own, "create")).close();
    };
    await build(next, 1, 7, MINUTE);
    const left = [...disk.image().files.keys()].filter((path) => path.endsWith(".tmp"));
    expect(left.sort()).toEqual([own, ...strangers].sort());
  });

  test("[S46, S92] are those of the kept generations, and pages needed only by the last retired one", async () => {
    const { disk, writer: first } = await pagedWorld();
    let writer = first;
    const prng = new Prng(7);
    let [pagesMin, pagesMax] = [Infinity, 0];
    let needed = await pagesNeeded(disk);
    for (let step = 1; step <= 120; step++) {
      // The leftovers of the previous commit are removed with this one.
      const owed = pagesThere(disk).filter((path) => !needed.has(path));
      await buildMany(writer, prng, step);
      needed = await pagesNeeded(disk);
      const there = new Set(pagesThere(disk));
      expect(
        [...needed].filter((path) => !there.has(path)),
        `step ${step}`,
      ).toEqual([]);
      expect(
        owed.filter((path) => there.has(path)),
        `step ${step}`,
      ).toEqual([]);
      expect((await listGenerations(disk)).length).toBeLessThanOrEqual(7);
      const pages = (await writer.state.index.pageFiles()).length;
      pagesMax = Math.max(pagesMax, pages);
      pagesMin = Math.min(pagesMin, pages);
      if (step % 30 === 0) {
        await writer.close();
        writer = await resume(disk);
      }
    }
    expect(pagesMax).toBeGreaterThan(4);
    expect(pagesMin).toBeLessThan(3);
    expect(isWhole(await verifySave(disk))).toBe(true);
    const listed = await listGenerations(disk);
    expect(listed.length).toBeGreaterThan(3);
    for (const { generation } of listed) {
      const save = await openSave(disk, { generation });
      expect(Object.keys(await chunksOf(save)).length).toBe(save.index.totals.leaves);
      await save.close();
    }
  });

  test("[S46] left by a crash and not needed are removed with the next commit, and not before", async () => {
    const { disk, writer } = await pagedWorld();
    await writer.close();
    const strays = [
      "index/ix-000077.g0000000000000001.v4ix",
      "index/ix-000078.g0000000000000000.v4ix",
      "index/ix-000001.g0000000000000001.v4ix.tmp",
      "index/ix-main.g0000000000000001.v4ix.tmp",
      "global.g0000000000000009.v4g",
    ];
    for (const path of strays) await (await disk.open(path, "create")).close();
    const next = await resume(disk);
    expect([...disk.image().files.keys()]).toEqual(expect.arrayContaining(strays));
    await build(next, 1, 9, MINUTE);
    const files = [...disk.image().files.keys()];
    expect(strays.filter((path) => files.includes(path))).toEqual([]);
    expect(isWhole(await verifySave(disk))).toBe(true);
  });

  test("[S46] are not touched when a folder or a file is unreadable", async () => {
    const { disk: memory, writer } = await pagedWorld();
    for (let step = 1; step <= 12; step++) await build(writer, step, step, step * 30 * MINUTE);
    await writer.close();
    const before = (await listGenerations(memory)).map(({ generation }) => generation);
    for (const operation of ["list", "open", "readAt"] as const) {
      for (let nth = 1; nth <= 24; nth++) {
        const disk = new MemoryDisk(memory.image());
        const faulty = new FaultDisk(disk, { operation, kind: "io", nth, path: /^$|^index|^global/ });
        const save = await openSave(faulty).catch(() => undefined);
        const next =
          save && (await resumeSave(faulty, save, { retention: RETENTION }).catch(() => undefined));
        await save?.close();
        if (next === undefined) continue;
        const made = await next.commit({ nowMs: 361 * MINUTE }).catch(() => undefined);
        await made?.close();
        await next.close();
        // One may have been retired normally, but none because it was unreadable.
        const after = new Set((await listGenerations(disk)).map(({ generation }) => generation));
        const gone = before.filter((generation) => !after.has(generation));
        expect(gone.length, `${operation} number ${nth}: ${gone}`).toBeLessThanOrEqual(1);
        expect(isWhole(await verifySave(disk)), `${operation} number ${nth}`).toBe(true);
      }
    }
  });

  test("[S92] include all pages while a generation with a damaged index is kept, because its pages are unknown", async () => {
    const { disk, writer } = await pagedWorld();
    await build(writer, 1, 9, 60 * MINUTE);
    await build(writer, 2, 9, 120 * MINUTE);
    await build(writer, 3, 9, 180 * MINUTE);
    await writer.close();
    await flipByte(disk, generationFiles(1).indexFile, 60);
    const pages = pagesThere(disk);
    const next = await resume(disk);
    await build(next, 4, 9, 181 * MINUTE);
    const there = new Set(pagesThere(disk));
    const mine = pages.filter((path) => /g0{15}[01]\./.test(path));
    expect(mine.length).toBeGreaterThan(0);
    expect(mine.filter((path) => !there.has(path))).toEqual([]);
  });
});
