import { deepEqual, equal } from "node:assert/strict";
import { isOrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { JOURNAL_FOLDER } from "@orthant/save/internal";
import { CrashDisk, explorePowerCuts, FakeTime, type PowerCutOptions, type Survivor } from "@orthant/testkit";
import { type EngineOptions, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { fingerprintOf, isCaughtBy, type Mutant, mutant } from "../proof/prove-history.ts";
import {
  checkJournaled,
  type Expected,
  goOnJournaled,
  type JournalStep,
  type PlayedJournal,
  playJournal,
  requireJournaled,
  SHORT_JOURNAL,
} from "./journal-history.ts";

/** Counts of a proof. */
export interface JournalProof {
  readonly disks: number;
  readonly distinct: number;
  readonly cuts: number;
  /** Number of cuts that left exactly the acknowledged steps, and number that left more. */
  readonly exact: number;
  readonly more: number;
  readonly played: PlayedJournal;
}

/** Disks per cut when searching for one that exposes a mutant. */
const DISKS_PER_CUT = 40;
/** One in this many cuts is also checked through a read-only world. */
const READ_EVERY = 3;

/** Mutants that each omit one durability step of the journal everywhere. */
export const JOURNAL_MUTANTS: readonly Mutant[] = [
  mutant("the sync of a segment", { operation: "sync", path: /^journal\//, nth: 1, sticky: true }),
  mutant("the sync of journal/", { operation: "syncDirectory", path: /^journal$/, nth: 1, sticky: true }),
  mutant("the removal of a segment", { operation: "remove", path: /^journal\//, nth: 1, sticky: true }),
  mutant("the making of journal/", { operation: "makeDirectory", path: /^journal$/, nth: 1, sticky: true }),
];

/** Creates a mutant for each single journal sync of the short history, which it omits once. */
export async function journalSyncMutants(): Promise<readonly Mutant[]> {
  const disk = new CrashDisk();
  await playJournal(disk, SHORT_JOURNAL, () => 0);
  return (["sync", "syncDirectory"] as const).flatMap((operation) => {
    const path = operation === "sync" ? /^journal\// : /^journal$/;
    const logged = operation === "sync" ? "syncWrite" : operation;
    const count = disk.log.filter((done) => done.kind === logged && path.test(done.path)).length;
    return Array.from({ length: count }, (_, index) =>
      mutant(`${operation} number ${index + 1}`, { operation, path, nth: index + 1 }),
    );
  });
}

/** Returns whether the proof detects that a step is missing. */
export function isCaught(world: Mutant, seed: number): Promise<boolean> {
  return isCaughtBy(
    (options, writer) => proveJournal(SHORT_JOURNAL, options, writer),
    world,
    seed,
    DISKS_PER_CUT,
  );
}

/**
 * Plays a history in journal mode, cuts the power at every operation, and throws unless each surviving disk
 * opens, holds a prefix of the history that includes every acknowledged step, does not lose a segment
 * unnoticed, and remains usable: a further step survives a further crash, and no segment is left behind. With
 * `mutant`, that faulty writer does all of this.
 */
export async function proveJournal(
  steps: readonly JournalStep[],
  options: PowerCutOptions,
  mutant?: Mutant,
): Promise<JournalProof> {
  const wrap = (disk: Disk): Disk => mutant?.spoil(disk) ?? disk;
  const recorder = new CrashDisk();
  const played = await playJournal(wrap(recorder), steps, () => recorder.log.length);
  let exact = 0;
  let more = 0;
  const expectationAt = (cutAt: number): Expectation => {
    const promised = played.acknowledged.filter(({ at }) => at <= cutAt);
    return {
      atLeast: Math.max(0, ...promised.map(({ step }) => step)),
      // Some cuts are checked before the next write, and some worlds are next opened without a journal.
      isRead: cutAt % READ_EVERY === 0,
      isRobbed: cutAt % READ_EVERY === 1,
      opening: cutAt % 2 === 0 ? "journal" : "snapshot",
    };
  };
  const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
    const { atLeast, isRead, isRobbed, opening } = expectationAt(cutAt);
    const seen = isRead ? await seenByReader(disk, { ...played, atLeast }) : undefined;
    await requireLossNoticed(disk, { ...played, atLeast }, isRobbed ? 1 : 2);
    const world = await openOrNothing(wrap(disk), opening);
    if (world === undefined) {
      equal(atLeast, 0, "a world with acknowledged edits is gone");
      return;
    }
    const last = await checkJournaled(world, { ...played, atLeast });
    if (last === atLeast) exact++;
    else more++;
    await world.close();
    if (seen !== undefined) equal(seen, last, "who only reads has another state than who writes");
    await goOn(disk, wrap, { ...played, atLeast: last });
  };
  const { clocks, begun } = played;
  const report = await explorePowerCuts(recorder, options, check, (cutAt) =>
    fingerprintOf(expectationAt(cutAt), clocks, begun),
  );
  return { ...report, exact, more, played };
}

/** Expected state after a cut, and how to check the disk. */
interface Expectation {
  readonly atLeast: number;
  readonly isRead: boolean;
  /** True to test the loss of a segment even when it is the only one. */
  readonly isRobbed: boolean;
  readonly opening: Opening;
}

/** Checks a world opened read-only and returns its last step; `undefined` when there is no world. */
async function seenByReader(disk: Disk, expected: Expected): Promise<number | undefined> {
  const reader = await openOrNothing(disk, "readOnly");
  const seen = reader && (await checkJournaled(reader, expected));
  await reader?.close();
  return seen;
}

/**
 * Throws when a segment can be lost unnoticed: without it, opening must fail or find every acknowledged step.
 * Skips disks with fewer than `segmentsMin` segments.
 */
async function requireLossNoticed(disk: MemoryDisk, expected: Expected, segmentsMin: number): Promise<void> {
  const image = disk.image();
  const segments = [...image.files.keys()].filter((path) => path.startsWith(`${JOURNAL_FOLDER}/`));
  if (segments.length < segmentsMin) return;
  for (const lost of segments) {
    const files = new Map([...image.files].filter(([path]) => path !== lost));
    try {
      const world = await openOrNothing(new MemoryDisk({ ...image, files }), "refuse");
      if (world !== undefined) await checkJournaled(world, expected);
      await world?.close();
    } catch (error) {
      if (!isOrthantError(error, "ORT_JOURNAL")) throw error;
    }
  }
}

async function goOn(disk: MemoryDisk, wrap: (disk: Disk) => Disk, expected: Expected): Promise<void> {
  const world = await open(wrap(disk), "journal");
  const last = await checkJournaled(world, expected);
  await goOnJournaled(world, last);
  // Simulates a process that dies without closing the world.
  const left = new MemoryDisk(disk.image());
  await world.close();
  const next = await open(wrap(left), "snapshot");
  await requireJournaled(next, last + 1);
  await next.close();
  deepEqual(await left.list(JOURNAL_FOLDER), [], "segments were left behind");
  equal(isWhole(await verifySave(left)), true, "the save is not whole");
}

/** How to open a world. `readOnly` reads up to damage in the journal; `refuse` fails on such damage. */
type Opening = "snapshot" | "journal" | "readOnly" | "refuse";

const OPENINGS: Readonly<Record<Opening, EngineOptions>> = {
  snapshot: { durability: "snapshot" },
  journal: { durability: "journal" },
  readOnly: { readOnly: true },
  refuse: { readOnly: true, damagedJournal: "refuse" },
};

function open(disk: Disk, opening: Opening): Promise<WorldEngine> {
  return openWorldEngine(disk, { time: new FakeTime(), autosave: false, ...OPENINGS[opening] });
}

/** Returns `undefined` when the disk has no manifest, as before the first commit. */
async function openOrNothing(disk: Disk, opening: Opening): Promise<WorldEngine | undefined> {
  try {
    return await open(disk, opening);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND") && error.context.path === "manifest.json") return undefined;
    throw error;
  }
}
