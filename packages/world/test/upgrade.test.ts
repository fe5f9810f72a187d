import type { Box } from "@orthant/core";
import { cubeAt } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { compareSaves, createSave, DEFAULT_LIMITS, openSave, resumeSave, verifySave } from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { CrashDisk, codeOfRejection, explorePowerCuts } from "@orthant/testkit";
import { entityAt, entryAt, flipByte, GLOBAL, playerOf } from "@orthant/testkit/saves";
import { createWorldEngine, openWorldEngine, upgradeWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const LEAVES = 24;
/** So small that the index has several pages. */
const LIMITS = { ...DEFAULT_LIMITS, indexSoftMaxBytes: 400 };
const OPTIONS = { allowUnknownGenerator: true } as const;

function cubeOf(number: number): Box {
  return cubeAt([(number % 5) * 65_536, Math.floor(number / 5) * 65_536, 0, 0], 65_536);
}

/** A world of an older version, with chunks, entities, players and, from version 2 on, clocks. */
async function oldWorld(indexVersion: 1 | 2): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const leaves = Array.from({ length: LEAVES }, (_, number) => {
    const cube = cubeOf(number);
    const [x, y] = cube.min;
    const region = [x / 4, y / 4, 0, 0] as const;
    return {
      cube,
      chunks: [entryAt([x, y, 0, 0], number + 2), entryAt([x + 1, y, 3, 1], number + 3)],
      entities: number % 3 === 0 ? [entityAt(BigInt(number + 1), [x * 2, y * 2, 0, 0])] : [],
      clocks: indexVersion === 1 ? [] : [{ region, clock: number + 1 }],
    };
  });
  const players = [playerOf(1n)];
  const writer = await createSave(disk, {
    nowMs: 1,
    global: GLOBAL,
    limits: LIMITS,
    indexVersion,
    players,
    leaves,
  });
  await writer.close();
  return disk;
}

async function differencesBetween(before: MemoryDisk, after: MemoryDisk): Promise<readonly unknown[]> {
  const [old, now] = [await openSave(before), await openSave(after)];
  const found: unknown[] = [];
  for await (const difference of compareSaves(old, now)) found.push(difference);
  // Pages may come in another order.
  const clocksOf = async (save: typeof old) =>
    (await allLeaves(save.index)).flatMap(({ clocks }) => clocks).sort((a, b) => a.clock - b.clock);
  expect(await clocksOf(now)).toEqual(await clocksOf(old));
  await old.close();
  await now.close();
  return found;
}

async function versionOf(disk: MemoryDisk): Promise<number> {
  const save = await openSave(disk);
  await save.close();
  return save.indexVersion;
}

describe("an upgrade", () => {
  test.each([1, 2] as const)(
    "[S119] rewrites a world of version %i and changes nothing in it",
    async (version) => {
      const before = await oldWorld(version);
      const disk = new MemoryDisk(before.image());
      let leaves = 0;
      let started = 0;
      const report = await upgradeWorldEngine(disk, {
        ...OPTIONS,
        onStart: (count) => {
          started = count;
        },
        onLeaf: () => leaves++,
      });
      expect(report).toMatchObject({ versionBefore: version === 1 ? 1 : 3, versionAfter: 4, leaves: LEAVES });
      expect([started, leaves]).toEqual([LEAVES, LEAVES]);
      expect(await differencesBetween(before, disk)).toEqual([]);
      expect(isWhole(await verifySave(disk))).toBe(true);
      const save = await openSave(disk);
      const refs = (await allLeaves(save.index)).flatMap(({ chunkRefs }) => chunkRefs);
      expect(new Set(refs.map(({ blobVersion }) => blobVersion))).toEqual(new Set([3]));
      expect((await save.index.pageFiles()).length).toBeGreaterThan(1);
      await save.close();
    },
  );

  test("[S119] does nothing to a world of the newest version", async () => {
    const disk = new MemoryDisk();
    await (await createWorldEngine(disk, {}, { autosave: false })).close();
    const before = disk.image();
    expect(await upgradeWorldEngine(disk)).toEqual({
      versionBefore: 4,
      versionAfter: 4,
      generation: 0,
      leaves: 0,
    });
    expect(disk.image()).toEqual(before);
  });

  test("[S84, S119] is what a world needs to leave its version: commits alone keep it", async () => {
    const disk = await oldWorld(2);
    const world = await openWorldEngine(disk, { ...OPTIONS, autosave: false });
    await world.close();
    const save = await openSave(disk);
    const writer = await resumeSave(disk, save);
    const leaves = [{ cube: cubeOf(0), changed: [entryAt([7, 7, 7, 7], 9)] }];
    await (await writer.commit({ nowMs: 2, leaves })).close();
    await writer.close();
    await save.close();
    expect(await versionOf(disk)).toBe(3);
  });

  test("[S119] an upgrade of a damaged world fails and leaves it as it was", async () => {
    const disk = await oldWorld(2);
    await flipByte(disk, "data/dt-000001.v4dt", 40);
    const manifest = disk.image().files.get("manifest.json");
    expect(await codeOfRejection(() => upgradeWorldEngine(disk, OPTIONS))).toBe("ORT_CHECKSUM");
    expect(disk.image().files.get("manifest.json")).toEqual(manifest);
    expect(await versionOf(disk)).toBe(3);
  });

  test.each([1, 2] as const)(
    "[S51, S119] can be cut off at any moment: a world of version %i is whole, as before or upgraded",
    async (version) => {
      const before = await oldWorld(version);
      const recorder = new CrashDisk(before.image());
      await upgradeWorldEngine(recorder, OPTIONS);
      const outcomes = new Set<number>();
      await explorePowerCuts(
        recorder,
        { disksPerCut: 4, seed: 3 },
        async ({ disk, cutAt }) => {
          const found = await versionOf(disk);
          outcomes.add(found);
          if (cutAt === recorder.log.length) expect(found).toBe(4);
          expect(await differencesBetween(before, disk)).toEqual([]);
          expect(isWhole(await verifySave(disk))).toBe(true);
          await upgradeWorldEngine(disk, OPTIONS);
          expect(await versionOf(disk)).toBe(4);
          expect(await differencesBetween(before, disk)).toEqual([]);
          expect(isWhole(await verifySave(disk))).toBe(true);
        },
        (cutAt) => String(cutAt === recorder.log.length),
      );
      expect([...outcomes].sort()).toEqual([version === 1 ? 1 : 3, 4]);
    },
    120_000,
  );
});
