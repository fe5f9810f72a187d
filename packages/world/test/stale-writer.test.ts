import type { Position } from "@orthant/core";
import { type Disk, type DiskImage, MemoryDisk } from "@orthant/disk";
import { verifySave } from "@orthant/save";
import { codeOfRejection, Prng, SharedLocks, StoppableProcess } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { immediateTime } from "./immediate-time.ts";

type Durability = NonNullable<EngineOptions["durability"]>;

const RETENTION = { newest: 1, hours: 0, days: 0 };
const BLOCK = 7;
/** Each case tries one call in 8, each case others; all 1,340 take a minute or more. */
const STOPS_APART = 8;

/** Edits that a process knows to be durable. */
type Acknowledged = Position[];

async function startImage(durability: Durability): Promise<DiskImage> {
  const disk = new MemoryDisk();
  const options = { durability, autosave: false, time: immediateTime(), retention: RETENTION };
  const world = await createWorldEngine(disk, { name: "fenced" }, options);
  for (let round = 0; round < 3; round++) {
    await world.fill({ min: [0, 0, 0, 0], max: [40, 4, 4, 1] }, round + 1);
    await world.save();
  }
  await world.close();
  return disk.image();
}

/** Does everything that a writer does: edits, saves, a named generation, compaction, an orderly end. */
async function live(disk: Disk, line: number, durability: Durability, done: Acknowledged): Promise<void> {
  const options = { durability, autosave: false, time: immediateTime(), retention: RETENTION };
  const world = await openWorldEngine(disk, options);
  try {
    await editAndSave(world, durability, [line, 0], done);
    await world.history.tag(`line ${line}`);
    await editAndSave(world, durability, [line, 2], done);
    await world.compact();
    await editAndSave(world, durability, [line, 4], done);
  } finally {
    await world.close();
  }
}

async function editAndSave(
  world: WorldEngine,
  durability: Durability,
  [line, first]: readonly [line: number, first: number],
  done: Acknowledged,
): Promise<void> {
  const positions = [first, first + 1].map((x): Position => [x, line, 100, 0]);
  await Promise.all(positions.map((position) => world.set(position, BLOCK)));
  // Without a journal only a save makes an edit durable.
  if (durability === "journal") done.push(...positions);
  await world.save();
  done.push(...positions);
}

interface Story {
  readonly durability: readonly [stale: Durability, next: Durability];
  readonly staleStopsBefore: number;
  /** The call of the next holder before which the stale one resumes. */
  readonly goesOnBefore: number;
}

/** One process stops in an operation; another takes the lock and writes; the first one resumes. */
async function tell(image: DiskImage, { durability, ...story }: Story): Promise<void> {
  const shared = new MemoryDisk(image);
  const lock = new SharedLocks();
  const done: Acknowledged = [];
  const stale = new StoppableProcess(shared, lock);
  const stopped = stale.stopBefore(story.staleStopsBefore);
  // It fails somewhere, as it should: only what it leaves behind matters.
  const staleLife = live(stale.disk, 200, durability[0], done).catch(() => undefined);
  await Promise.race([stopped, staleLife]);

  const next = new StoppableProcess(shared, lock);
  const meanwhile = next.stopBefore(story.goesOnBefore);
  const nextLife = live(next.disk, 300, durability[1], done);
  await Promise.race([meanwhile, nextLife]);
  stale.goOn();
  await staleLife;
  next.goOn();
  await nextLife;
  await live(shared, 400, durability[1], done);

  const findings = await verifySave(shared);
  expect(findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  const world = await openWorldEngine(shared, { readOnly: true });
  for (const position of done) expect(await world.get(position), `the edit at ${position}`).toBe(BLOCK);
  await world.close();
}

/** Returns the number of calls that a life takes. */
async function callsOf(image: DiskImage, durability: Durability): Promise<number> {
  const process = new StoppableProcess(new MemoryDisk(image), new SharedLocks());
  await live(process.disk, 200, durability, []);
  return process.calls;
}

describe("a suspended writer whose lock another process took", () => {
  test.each<[stale: Durability, next: Durability, seed: number]>([
    ["journal", "journal", 1],
    ["snapshot", "snapshot", 2],
    ["journal", "snapshot", 3],
    ["snapshot", "journal", 4],
  ])(
    "[S97] [S98] does no harm whichever call it stopped before (%s, then %s; seed %i)",
    async (first, second, seed) => {
      const prng = new Prng(seed);
      const image = await startImage(first);
      const calls = await callsOf(image, first);
      const nextCalls = await callsOf(image, second);
      for (let stop = 1 + seed; stop <= calls; stop += STOPS_APART) {
        const goesOnBefore = prng.between(1, nextCalls);
        const story = { durability: [first, second] as const, staleStopsBefore: stop, goesOnBefore };
        await tell(image, story).catch((error: unknown) => {
          throw new Error(`stopped before call ${stop} of ${calls}, on before ${goesOnBefore}`, {
            cause: error,
          });
        });
      }
    },
    120_000,
  );

  test("[J1] the next holder opens the world even when the segment that it is about to create appears", async () => {
    const image = await startImage("journal");
    const durability = ["journal", "journal"] as const;
    // The stale writer wakes up before any of the calls that open the world.
    for (let goesOnBefore = 1; goesOnBefore <= 48; goesOnBefore++)
      await tell(image, { durability, staleStopsBefore: 2, goesOnBefore });
  });

  test("[S98] a world is not created in a folder from which a possibly running creator was ousted", async () => {
    const shared = new MemoryDisk();
    const lock = new SharedLocks();
    lock.take("world.lock");
    const { disk } = new StoppableProcess(shared, lock);
    expect(await codeOfRejection(() => createWorldEngine(disk))).toBe("ORT_LOCKED");
  });
});
