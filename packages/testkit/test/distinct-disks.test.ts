import type { Disk, DiskImage } from "@orthant/disk";
import { CrashDisk, explorePowerCuts, WEAK } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const OPTIONS = { models: [WEAK], disksPerCut: 1_000, seed: 1 } as const;

async function recorded(): Promise<CrashDisk> {
  const recorder = new CrashDisk();
  await write(recorder, "a", "one");
  await write(recorder, "b", "two");
  return recorder;
}

async function write(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.open(path, "create");
  await file.append(new TextEncoder().encode(text));
  await file.sync();
  await disk.syncDirectory("");
}

function textOf({ directories, files }: DiskImage): string {
  return JSON.stringify([
    [...directories].sort(),
    [...files].map(([path, bytes]) => [path, [...bytes]]).sort(),
  ]);
}

/** Returns the cuts and contents that a check receives, in order. */
async function checkedBy(
  recorder: CrashDisk,
  options: Parameters<typeof explorePowerCuts>[1],
  expectedAt?: (cutAt: number) => string,
): Promise<{
  readonly checked: readonly string[];
  readonly cuts: readonly number[];
  readonly disks: number;
}> {
  const checked: string[] = [];
  const cuts: number[] = [];
  const report = await explorePowerCuts(
    recorder,
    options,
    async ({ disk, cutAt }) => {
      checked.push(textOf(disk.image()));
      cuts.push(cutAt);
    },
    expectedAt,
  );
  expect(report.distinct).toBe(checked.length);
  return { checked, cuts, disks: report.disks };
}

describe("explorePowerCuts", () => {
  test("checks every disk without expectedAt", async () => {
    const { checked, disks } = await checkedBy(await recorded(), OPTIONS);
    expect(checked.length).toBe(disks);
    expect(new Set(checked).size).toBeLessThan(disks);
  });

  test("checks each distinct content once if every cut has the same expectation", async () => {
    const recorder = await recorded();
    const all = await checkedBy(recorder, OPTIONS);
    const once = await checkedBy(recorder, OPTIONS, () => "");
    expect(once.disks).toBe(all.disks);
    expect(once.checked.length).toBe(new Set(all.checked).size);
    expect([...once.checked].sort()).toEqual([...new Set(all.checked)].sort());
  });

  test("checks a content again if more is expected of it", async () => {
    const recorder = await recorded();
    const { checked } = await checkedBy(recorder, OPTIONS, (cutAt) => (cutAt < 4 ? "nothing" : "a"));
    const withA = textOf({ directories: [], files: new Map([["a", new TextEncoder().encode("one")]]) });
    expect(checked.filter((content) => content === withA).length).toBe(2);
  });

  test("finds a lost acknowledgement on a disk that was valid before the acknowledgement", async () => {
    const recorder = new CrashDisk();
    const file = await recorder.open("a", "create");
    await recorder.syncDirectory("");
    await file.append(new TextEncoder().encode("one"));
    const acknowledgedAt = recorder.log.length;
    const check = explorePowerCuts(
      recorder,
      OPTIONS,
      async ({ disk, cutAt }) => {
        const isEmpty = disk.image().files.get("a")?.length === 0;
        if (cutAt >= acknowledgedAt && isEmpty) throw new Error("an acknowledged write is gone");
      },
      (cutAt) => String(cutAt >= acknowledgedAt),
    );
    await expect(check).rejects.toThrow("an acknowledged write is gone");
  });

  test("skips what an earlier exploration with the same set has checked", async () => {
    const recorder = await recorded();
    const seen = new Set<string>();
    const first = await checkedBy(recorder, { ...OPTIONS, seen }, () => "");
    const second = await checkedBy(recorder, { ...OPTIONS, seen, seed: 2 }, () => "");
    expect(first.checked.length).toBe(seen.size);
    expect(second).toEqual({ checked: [], cuts: [], disks: first.disks });
  });

  test("checks a disk again that has failed", async () => {
    const recorder = await recorded();
    const seen = new Set<string>();
    for (const seed of [1, 2]) {
      const failing = explorePowerCuts(
        recorder,
        { ...OPTIONS, seed, seen },
        async ({ disk }) => {
          if (disk.image().files.has("b")) throw new Error("no b may be there");
        },
        () => "",
      );
      await expect(failing).rejects.toThrow("no b may be there");
    }
  });

  test("explores the same cuts in parts as in one run", async () => {
    const recorder = await recorded();
    const whole = await checkedBy(recorder, OPTIONS);
    const parts = [];
    for (let first = 0; first < 3; first++)
      parts.push(await checkedBy(recorder, { ...OPTIONS, part: { first, step: 3 } }));
    expect(parts.flatMap(({ checked }) => checked).sort()).toEqual([...whole.checked].sort());
    expect(new Set(parts[1]?.cuts.map((cutAt) => cutAt % 3))).toEqual(new Set([1]));
  });
});
