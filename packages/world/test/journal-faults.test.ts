import { isOrthantError, type Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { JOURNAL_FOLDER } from "@orthant/save/internal";
import { codeOfRejection, type DiskFault, FakeTime, FaultDisk, type FaultyOperation } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const COUNTER: Position = [0, 0, 0, 0];
const STEPS = 6;
const OPERATIONS: readonly FaultyOperation[] = [
  ...(["open", "size", "readAt", "append", "writeAt", "truncate", "sync"] as const),
  ...(["rename", "remove", "list", "makeDirectory", "syncDirectory"] as const),
];

/** Counts in a voxel, an entity and a layer, saves and reopens. Returns the last durable count. */
async function count(
  disk: Disk,
  make: () => Promise<WorldEngine>,
): Promise<{ kept: number; errors: readonly unknown[] }> {
  const errors: unknown[] = [];
  let kept = 0;
  let world: WorldEngine | undefined;
  try {
    world = await make();
    for (let value = 1; value <= STEPS; value++) {
      world.entities.spawn({ kind: value, position: [value, 0, 0, 0] });
      await world.fill(boxBetween([0, 8 * value, 0, 0], [40, 8 * value + 8, 8, 8]), value);
      await world.set(COUNTER, value);
      kept = value;
      if (value === 2) await world.save();
      if (value !== 4) continue;
      await world.close();
      world = await openWorldEngine(disk, journaled);
    }
  } catch (error) {
    errors.push(error);
  }
  await world?.close().catch((error: unknown) => errors.push(error));
  return { kept, errors };
}

/** Returns what a program finds that opens the disk afterwards, checking everything that belongs to it. */
async function found(disk: MemoryDisk): Promise<number> {
  const world = await openWorldEngine(disk, quiet);
  const value = await world.get(COUNTER);
  for (let layer = 1; layer <= value; layer++) expect(await world.get([39, 8 * layer, 7, 7])).toBe(layer);
  const kinds = (await world.entities.in(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]))).map(({ kind }) => kind);
  expect(kinds.slice(0, value)).toEqual(Array.from({ length: value }, (_, index) => index + 1));
  await world.set(COUNTER, 99);
  await world.close();
  return value;
}

/** Returns the length of a segment without the zeros after its groups. */
function usedBytes(segment: Uint8Array): number {
  let end = segment.length;
  while (segment[end - 1] === 0) end--;
  return end;
}

describe("with a journal, when the n-th call of an operation fails", () => {
  test.each(
    OPERATIONS.flatMap((operation) => (["full", "io"] as const).map((kind) => [kind, operation] as const)),
  )(
    "[J13] a world with %s loses no edit whose promise resolved when the n-th call at %s fails, whatever n is",
    async (kind, operation) => {
      let strikes = 0;
      for (let nth = 1; ; nth++) {
        const fault: DiskFault = { operation, kind, nth };
        const behind = new MemoryDisk();
        const disk = new FaultDisk(behind, fault);
        const { kept, errors } = await count(disk, () => createWorldEngine(disk, {}, journaled));
        if (!disk.struck) {
          expect([kept, errors]).toEqual([STEPS, []]);
          break;
        }
        strikes++;
        for (const error of errors) expect(isOrthantError(error), `n=${nth}: ${String(error)}`).toBe(true);
        const left = new MemoryDisk(behind.image());
        const value = await found(left).catch((error: unknown) => {
          // The world was never created, so nothing was acknowledged.
          if (kept === 0 && isOrthantError(error, "ORT_NOT_FOUND")) return 0;
          throw error;
        });
        expect([kept, kept + 1], `n=${nth}`).toContain(value);
      }
      expect(strikes).toBeGreaterThan(0);
    },
  );
});

describe("a journal with a flipped bit", () => {
  test("[J5] [J6] is rejected or loses only its last group, whichever byte it is", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    for (let value = 1; value <= 3; value++) await world.set(COUNTER, value);
    const image = disk.image();
    await world.close();
    const [path = "", bytes = new Uint8Array(0)] =
      [...image.files].find(([name]) => name.startsWith(`${JOURNAL_FOLDER}/`)) ?? [];
    const outcomes = new Map<string, number>();
    const end = usedBytes(bytes);
    expect(bytes.length).toBeGreaterThan(end);
    for (let at = 0; at < end; at++) {
      const rotten = bytes.slice();
      rotten[at] = (rotten[at] ?? 0) ^ (1 << (at % 8));
      const files = new Map(image.files).set(path, rotten);
      const survivor = new MemoryDisk({ directories: image.directories, files });
      const whole = isWhole(await verifySave(survivor));
      const outcome = await openWorldEngine(survivor, quiet).then(
        async (open) => {
          const value = await open.get(COUNTER);
          await open.close();
          return `ends at ${value}`;
        },
        (error: unknown) => (isOrthantError(error) ? error.code : "other"),
      );
      expect(whole, `byte ${at}`).toBe(outcome === "ends at 2");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(["ORT_JOURNAL", "ends at 2"]);
    expect(outcomes.get("ORT_JOURNAL")).toBeGreaterThan(outcomes.get("ends at 2") ?? 0);
  });

  test("[J18] is still whole when the bit is in the zeros after the last group", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    await world.set(COUNTER, 1);
    const { directories, files } = disk.image();
    await world.close();
    for (const [path, bytes] of files) if (path.startsWith(`${JOURNAL_FOLDER}/`)) bytes[bytes.length - 1] = 1;
    const survivor = new MemoryDisk({ directories, files });
    const findings = await verifySave(survivor);
    expect(isWhole(findings)).toBe(true);
    expect(findings.map(({ message }) => message).join()).toContain("bytes of a write that was cut off");
    const open = await openWorldEngine(survivor, quiet);
    expect(await open.get(COUNTER)).toBe(1);
    await open.close();
  });

  test("[J6] is rejected with advice and left unchanged, and is cut on request", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    for (let value = 1; value <= 3; value++) await world.set(COUNTER, value);
    const image = disk.image();
    await world.close();
    const files = new Map(image.files);
    for (const [path, bytes] of files) {
      if (!path.startsWith(`${JOURNAL_FOLDER}/`)) continue;
      const rotten = bytes.slice();
      // In the middle of the second group.
      rotten[Math.floor(usedBytes(bytes) / 2) + 10] = 0xff;
      files.set(path, rotten);
    }
    const survivor = new MemoryDisk({ directories: image.directories, files });
    await expect(openWorldEngine(survivor, journaled)).rejects.toThrow(
      /ORT_JOURNAL: group 1 .* damaged.*copy the folder.*damagedJournal: 'cut'.*keeps the 1 groups/,
    );
    expect(await codeOfRejection(openWorldEngine(survivor, quiet))).toBe("ORT_JOURNAL");
    expect([...survivor.image().files.keys()]).toEqual([...files.keys()]);
    const cut = await openWorldEngine(survivor, { ...journaled, damagedJournal: "cut" });
    expect(await cut.get(COUNTER)).toBe(1);
    await cut.set(COUNTER, 7);
    await cut.close();
    expect(await survivor.list(JOURNAL_FOLDER)).toEqual([]);
  });
});
