import { isOrthantError } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import { type Disk, type DiskImage, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  createPixelWorld,
  openPixelSave,
  openPixelWorld,
  type PixelWorld,
  type PixelWorldOptions,
  pixelsOf,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { codeOfRejection, FakeTime, Prng, SharedLocks, StoppableProcess } from "@orthant/testkit";
import { bytesOf, diskWith, EDGE, FILE, filled, patched } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const COPY = "copy.pxsw";
const SLOT = 8_192;
/** Disk call that takes the lock when a world is opened. */
const LOCKING_CALL = 4;
const NOTHING: DiskImage = { directories: [], files: new Map() };

/** Saves and copies that were acknowledged as durable. */
interface Acknowledged {
  readonly chunks: [line: number, y: number][];
  /** Chunks of each copy. */
  readonly copies: [line: number, y: number][][];
}

type Begin = (disk: Disk) => Promise<PixelWorld>;

function options(): PixelWorldOptions {
  return { time: new FakeTime(), autosave: false, compactFromBytes: 0, compactAtDeadShare: 0 };
}

const open: Begin = (disk) => openPixelWorld(disk, FILE, options());
const create: Begin = (disk) => createPixelWorld(disk, FILE, { chunkEdge: EDGE }, options());

/** Opens the world, or creates it unless another process has just done so. */
async function openOrCreate(disk: Disk): Promise<PixelWorld> {
  const first = await open(disk).catch((error: unknown) => unless(error, "ORT_NOT_FOUND"));
  const made = first ?? (await create(disk).catch((error: unknown) => unless(error, "ORT_EXISTS")));
  return made ?? open(disk);
}

function unless(error: unknown, code: "ORT_EXISTS" | "ORT_NOT_FOUND"): undefined {
  if (!isOrthantError(error, code)) throw error;
}

/**
 * Runs a writer's whole life with its own pixels: changes, saves, compaction, a copy and an orderly close.
 */
async function live(begin: Begin, disk: Disk, line: number, done: Acknowledged): Promise<void> {
  const world = await begin(disk);
  try {
    for (let y = 0; y < 3; y++) {
      await world.store(line, y, filled(line));
      // Replace the same chunk each time, so that there are dead bytes.
      await world.store(line, 99, filled(10 * line + y));
      await world.save().done;
      done.chunks.push([line, y]);
      await world.idle();
      if (world.deadBytes > 0) throw new Error("the file was not compacted");
    }
    const chunks = [0, 1, 2].map((y): [number, number] => [line, y]);
    const isCopied = await world.saveTo(COPY).then(
      () => true,
      (error: unknown) => unless(error, "ORT_EXISTS"),
    );
    if (isCopied) done.copies.push(chunks);
  } finally {
    await world.close();
  }
}

/** Returns images of a world with several saves, in the states in which a writer may find it. */
async function images(): Promise<Record<"clean" | "uncommitted" | "torn", DiskImage>> {
  const disk = new MemoryDisk();
  const world = await createPixelWorld(
    disk,
    FILE,
    { chunkEdge: EDGE },
    { ...options(), compactAtDeadShare: 1 },
  );
  for (let round = 0; round < 2; round++) {
    await world.store(round, round, filled(9));
    await world.save().done;
  }
  const { generation } = world;
  await world.close();
  const bytes = bytesOf(disk);
  const longer = new Uint8Array(bytes.length + 5_000);
  longer.set(bytes);
  return {
    clean: disk.image(),
    uncommitted: diskWith(longer).image(),
    torn: diskWith(patched(bytes, (generation % 2) * SLOT + 20, [1, 2, 3])).image(),
  };
}

interface Story {
  readonly image: DiskImage;
  readonly stale: Begin;
  readonly next: Begin;
  readonly staleStopsBefore: number;
  /** Call of the next holder before which the stale writer resumes. */
  readonly goesOnBefore: number;
}

/**
 * Stops one process in the middle of its work, lets another take the lock and write, then resumes the first.
 */
async function tell({ image, stale, next, staleStopsBefore, goesOnBefore }: Story): Promise<void> {
  const shared = new MemoryDisk(image);
  const locks = new SharedLocks();
  const done: Acknowledged = { chunks: [], copies: [] };
  const first = new StoppableProcess(shared, locks);
  const stopped = first.stopBefore(staleStopsBefore);
  // It fails somewhere, as it should; only what it leaves behind matters.
  const firstLife = live(stale, first.disk, 2, done).catch(() => undefined);
  await Promise.race([stopped, firstLife]);

  const second = new StoppableProcess(shared, locks);
  const meanwhile = second.stopBefore(goesOnBefore);
  const secondLife = live(next, second.disk, 3, done);
  await Promise.race([meanwhile, secondLife]);
  first.goOn();
  await firstLife;
  second.goOn();
  await secondLife;
  await live(open, shared, 4, done);

  await expectChunks(shared, FILE, done.chunks);
  expect(done.copies).toHaveLength(1);
  await expectChunks(shared, COPY, done.copies[0] ?? []);
  expect([...shared.image().files.keys()].sort()).toEqual([COPY, FILE]);
}

async function expectChunks(
  disk: Disk,
  path: string,
  positions: readonly [x: number, y: number][],
): Promise<void> {
  expect(isWhole(await verifyPixelWorld(disk, path)), `${path} is whole`).toBe(true);
  const save = await openPixelSave(disk, path);
  const stored = new Map(Array.from(save.chunks(), (ref) => [`${ref.x},${ref.y}`, ref]));
  for (const [x, y] of positions) {
    const ref = stored.get(`${x},${y}`);
    if (ref === undefined) throw new Error(`${path} has no chunk ${x},${y}`);
    const pixels = pixelsOf(await save.readChunk(ref), save.facts, undefined, x, y);
    expect(bytesEqual(pixels, filled(x)), `chunk ${x},${y}`).toBe(true);
  }
  await save.close();
}

/** Returns the number of disk calls that `work` makes. */
async function callsOf(
  image: DiskImage,
  work: (disk: Disk) => Promise<unknown>,
  locks = new SharedLocks(),
): Promise<number> {
  const process = new StoppableProcess(new MemoryDisk(image), locks);
  await work(process.disk);
  return process.calls;
}

/** Returns the number of disk calls to open a world under a contested lock and save once. */
function callsToFirstSave(image: DiskImage): Promise<number> {
  const locks = new SharedLocks();
  locks.take(`${FILE}.lock`);
  const openAndSave = async (disk: Disk): Promise<void> => {
    const world = await open(disk);
    await world.store(3, 0, filled(3));
    await world.save().done;
  };
  return callsOf(image, openAndSave, locks);
}

/** Runs a story, and names it in the error if it fails. */
async function tellNumbered(story: Story): Promise<void> {
  await tell(story).catch((error: unknown) => {
    const when = `stopped before call ${story.staleStopsBefore}, on before ${story.goesOnBefore}`;
    throw new Error(when, { cause: error });
  });
}

/** Runs the story with a stop before each call of the stale writer. */
async function tellAll(image: DiskImage, stale: Begin, next: Begin, prng: Prng): Promise<void> {
  const lifeOf = (begin: Begin) => (disk: Disk) => live(begin, disk, 2, { chunks: [], copies: [] });
  const calls = await callsOf(image, lifeOf(stale));
  const nextCalls = await callsOf(image, lifeOf(next));
  for (let staleStopsBefore = 0; staleStopsBefore <= calls; staleStopsBefore++)
    for (const goesOnBefore of [prng.between(1, nextCalls), Infinity])
      await tellNumbered({ image, stale, next, staleStopsBefore, goesOnBefore });
}

describe("a stopped writer of a pixel world that resumes after another process took its lock", () => {
  test("[X45] [X46] a stale writer does no harm, whichever call it stopped before", async () => {
    await tellAll((await images()).clean, open, open, new Prng(1));
  }, 120_000);

  test("[X45] [X46] a stale writer that was creating the world does no harm", async () => {
    await tellAll(NOTHING, create, openOrCreate, new Prng(2));
  }, 120_000);

  test.each(["uncommitted", "torn"] as const)(
    "[X45] [X46] a stale writer that was repairing a file (%s) does no harm",
    async (state) => {
      const image = (await images())[state];
      const [calls, nextCalls] = [await callsOf(image, open), await callsToFirstSave(image)];
      for (let staleStopsBefore = LOCKING_CALL; staleStopsBefore <= calls; staleStopsBefore++)
        for (let goesOnBefore = LOCKING_CALL; goesOnBefore <= nextCalls; goesOnBefore++)
          await tellNumbered({ image, stale: open, next: open, staleStopsBefore, goesOnBefore });
    },
    120_000,
  );
});

test("[X46] a lock stays contested until a world opens successfully under it", async () => {
  const shared = new MemoryDisk((await images()).clean);
  const locks = new SharedLocks();
  const isContested = async (): Promise<boolean> => {
    const lock = locks.take(`${FILE}.lock`);
    await lock.release();
    return lock.isContested;
  };
  locks.take(`${FILE}.lock`);
  const { disk } = new StoppableProcess(shared, locks);
  const wrong = { ...options(), expect: { chunkEdge: EDGE * 2 } };
  expect(await codeOfRejection(() => openPixelWorld(disk, FILE, wrong))).toBe("ORT_VERSION");
  expect(await isContested()).toBe(true);
  await (await open(disk)).close();
  expect(await isContested()).toBe(false);
});
