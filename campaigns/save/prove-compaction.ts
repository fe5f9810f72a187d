import { deepEqual, equal, ok } from "node:assert/strict";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { listGenerations, openSave, verifySave } from "@orthant/save";
import {
  CrashDisk,
  explorePowerCuts,
  FaultDisk,
  type FaultyOperation,
  type PowerCutOptions,
  type Survivor,
} from "@orthant/testkit";
import { fingerprintOf, isCaughtBy, type Mutant, mutant } from "../proof/prove-history.ts";
import {
  type Acknowledgement,
  type CompactionHistory,
  CompactionPlayer,
  compactAll,
  openWriter,
  packIdOf,
  requiredGenerations,
} from "./compaction-history.ts";
import { digestOfSave } from "./model-world.ts";
import { FORGETFUL_WRITER, requireNamedPacks } from "./named-packs.ts";

/** Counts of a proof. */
interface CompactionProof {
  readonly disks: number;
  readonly distinct: number;
  readonly history: CompactionHistory;
  /** Generations on all distinct disks, each read in full. */
  readonly generationsRead: number;
}

/** Length of a history. */
interface HistoryLength {
  /** Durable commits before the first power cut. */
  readonly before: number;
  readonly commits: number;
}

/**
 * Plays commits and compactions, cuts the power at every operation, and throws unless each surviving disk has
 * every generation to be kept, each generation holds what was committed, the space that a compaction freed is
 * free, and further commits and compactions succeed.
 */
export async function proveCompaction(
  { before, commits }: HistoryLength,
  options: PowerCutOptions,
  mutant?: Mutant,
): Promise<CompactionProof> {
  const start = new MemoryDisk();
  const history = new CompactionPlayer();
  await history.play(start, before, () => undefined);
  const recorder = new CrashDisk(start.image());
  const returned: (Acknowledgement & { readonly logLength: number })[] = [];
  const spoiled = (disk: Disk): Disk => mutant?.spoil(disk) ?? disk;
  await history.play(spoiled(recorder), commits, (what) =>
    returned.push({ ...what, logLength: recorder.log.length }),
  );
  let generationsRead = 0;
  const doneBy = (cutAt: number): Done => {
    const done = returned.filter(({ logLength }) => logLength <= cutAt);
    const last = done.at(-1);
    return {
      commits: before + done.filter(({ kind }) => kind === "commit").length,
      packBytes: last?.kind === "compaction" && last.logLength === cutAt ? last.packBytes : undefined,
    };
  };
  const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
    const done = doneBy(cutAt);
    const found = await readGenerations(disk, history);
    if (found === undefined) return equal(done.commits, 0, "an acknowledged save is gone");
    generationsRead += found.length;
    for (const generation of requiredGenerations(history, done.commits)) {
      ok(found.includes(generation), `generation ${generation} should be kept, and is gone`);
    }
    if (done.packBytes !== undefined) await requireFreed(disk, done.packBytes);
    if (mutant?.isOnce !== true) await goOn(spoiled(disk), history);
  };
  const { digests } = history;
  const { disks, distinct } = await explorePowerCuts(recorder, options, check, (cutAt) => {
    const done = doneBy(cutAt);
    const packs = done.packBytes && [...done.packBytes];
    return fingerprintOf(done.commits, requiredGenerations(history, done.commits), digests, packs);
  });
  return { disks, distinct, history, generationsRead };
}

/** The operations that had returned before a power cut. */
interface Done {
  readonly commits: number;
  /** Sizes of the packs that a compaction left, when the cut comes right after it. */
  readonly packBytes: ReadonlyMap<string, number> | undefined;
}

/** Reads every generation and throws when one has changed. Returns `undefined` when there is no save. */
async function readGenerations(
  disk: Disk,
  { digests }: CompactionHistory,
): Promise<readonly number[] | undefined> {
  const names = (await disk.list("")).map(({ name }) => name);
  if (!names.includes("manifest.json")) return undefined;
  const findings = await verifySave(disk);
  await requireNamedPacks(disk);
  ok(isWhole(findings), `damage: ${JSON.stringify(findings.find(({ severity }) => severity === "damage"))}`);
  const generations = (await listGenerations(disk)).map(({ generation }) => generation);
  for (const generation of generations) {
    const save = await openSave(disk, { generation });
    equal(await digestOfSave(save), digests[generation], `generation ${generation} has changed`);
    await save.close();
  }
  return generations;
}

async function requireFreed(disk: Disk, packBytes: ReadonlyMap<string, number>): Promise<void> {
  for (const { name } of await disk.list("data")) {
    const file = await disk.open(`data/${name}`, "read");
    const size = await file.size();
    await file.close();
    const isNew = packIdOf(name) > Math.max(...[...packBytes.keys()].map(packIdOf));
    ok(isNew || size === packBytes.get(name), `${name} has ${size} bytes, not ${packBytes.get(name)}`);
  }
}

/** Compacts what the power cut left, makes a further commit, and compacts again. */
async function goOn(disk: Disk, history: CompactionHistory): Promise<void> {
  const writer = await openWriter(disk);
  try {
    deepEqual((await compactAll(writer)).findings, []);
    const { generation, global } = writer.state;
    await (await writer.commit({ nowMs: global.lastModifiedMs, global })).close();
    equal(writer.retirementFailure, undefined);
    deepEqual((await compactAll(writer)).findings, []);
    const after = await readGenerations(disk, {
      ...history,
      digests: [...history.digests.slice(0, generation + 1), history.digests[generation] ?? ""],
    });
    ok(after?.includes(generation + 1), "a further commit is not there");
  } finally {
    await writer.close();
  }
}

/** A compaction follows the last commit. */
const LENGTH: HistoryLength = { before: 8, commits: 1 };
/** Here the compaction also removes a pack. */
const REMOVING: HistoryLength = { before: 20, commits: 1 };
const DISKS_PER_CUT = 12;

/** Omit the steps before a pack is removed. The commit before that takes the same steps for its manifest. */
const REMOVAL_MUTANTS: readonly Mutant[] = [
  mutant("the manifest without a pack that it removes", {
    operation: "rename",
    path: /^manifest/,
    nth: 2,
    sticky: false,
  }),
  mutant("the sync of the manifest without a pack that it removes", {
    operation: "sync",
    path: /^manifest/,
    nth: 2,
    sticky: false,
  }),
  mutant("the sync of the folder between that manifest and the removal", {
    operation: "syncDirectory",
    path: /^$/,
    nth: 3,
    sticky: false,
  }),
];

/** Mutants that each omit one durability step of compaction. */
export const COMPACTION_MUTANTS: readonly Mutant[] = [
  mutant("the sync of the rewritten pack", {
    operation: "sync",
    path: /^data\/.*\.tmp$/,
    nth: 1,
    sticky: true,
  }),
  mutant("the removal of a stale temporary pack", {
    operation: "remove",
    path: /^data\/.*\.tmp$/,
    nth: 1,
    sticky: true,
  }),
  ...REMOVAL_MUTANTS,
  FORGETFUL_WRITER,
];

/** Creates a mutant for each single sync of the compaction in a short history, which it omits once. */
export async function singleCompactionMutants(): Promise<readonly Mutant[]> {
  const mutants: Mutant[] = [];
  const player = new CompactionPlayer();
  const start = new MemoryDisk();
  await player.play(start, LENGTH.before, () => undefined);
  const disk = new FaultDisk(start);
  let before = new Map<FaultyOperation, number>();
  await player.play(disk, LENGTH.commits, ({ kind }) => {
    for (const operation of ["sync", "syncDirectory"] as const) {
      const [from, to] = [before.get(operation) ?? 0, disk.calls.get(operation) ?? 0];
      for (let nth = from + 1; kind === "compaction" && nth <= to; nth++) {
        mutants.push(mutant(`${operation} number ${nth}`, { operation, nth, sticky: false }));
      }
    }
    before = new Map(disk.calls);
  });
  return mutants;
}

/** Returns whether the proof detects that a step is missing. */
export function isCaught(compaction: Mutant, seed: number): Promise<boolean> {
  const length = REMOVAL_MUTANTS.includes(compaction) ? REMOVING : LENGTH;
  return isCaughtBy(
    (options, writer) => proveCompaction(length, options, writer),
    compaction,
    seed,
    DISKS_PER_CUT,
  );
}
