import {
  type Dimensions,
  dimensionsOf,
  type GeneratorRegistry,
  isOrthantError,
  OrthantError,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { formatAmount, formatBytes } from "@orthant/formats";
import { openSave, type Retention, surveySave } from "@orthant/save";
import { openSaveWithJournal, type SaveWithJournal } from "@orthant/world/engine";
import type { Context } from "../command/context.ts";
import { EXIT, type ExitCode } from "../command/usage.ts";

/** For commands that use an older generation, which saving the opened world must not retire. */
export const KEEP_EVERY_GENERATION: Retention = { newest: 100_000, hours: 0, days: 0 };

/** A writer commits far less often than this while a reader opens three files. */
const ATTEMPTS_MAX = 5;

/** Returns the live generation of the world on a disk; `undefined` when its manifest cannot be read. */
export async function liveGeneration(disk: Disk): Promise<number | undefined> {
  return (await surveySave(disk)).manifest?.manifest.currentGeneration;
}

/**
 * Runs `work`, which needs all files of the live generation. A writer may commit and retire them meanwhile: a
 * failure, or an unwanted result, counts only if the live generation is still the same. Otherwise `work` runs
 * again.
 */
export async function retryWhileWritten<Value>(
  disk: Disk,
  work: () => Promise<Value>,
  isWanted: (value: Value) => boolean = () => true,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    const before = await liveGeneration(disk);
    const isFinal = async (): Promise<boolean> =>
      attempt === ATTEMPTS_MAX || (await liveGeneration(disk)) === before;
    try {
      const value = await work();
      if (isWanted(value) || (await isFinal())) return value;
    } catch (error) {
      if (!isOrthantError(error) || (await isFinal())) throw error;
    }
  }
}

/** Returns the dimensions of a world, which may be damaged; `undefined` if no file says them any more. */
export async function dimensionsOfDamaged(disk: Disk): Promise<Dimensions | undefined> {
  try {
    const save = await openSave(disk);
    await save.close();
    return dimensionsOf(save.global.description.chunkShape);
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Opens a world's current state, even beside a writer: the live generation with its journal. */
export function openLiveSave(disk: Disk, generators?: GeneratorRegistry): Promise<SaveWithJournal> {
  return retryWhileWritten(disk, () => openSaveWithJournal(disk, generators && { generators }));
}

/** Opens the requested generation, or the current state. Throws `ORT_NOT_FOUND` for a missing generation. */
export async function openAskedSave(
  disk: Disk,
  generation: number | undefined,
  generators?: GeneratorRegistry,
): Promise<SaveWithJournal> {
  if (generation === undefined) return openLiveSave(disk, generators);
  await requireKept(disk, generation);
  const journal = { changes: 0, replayed: 0, bytes: 0, loss: undefined };
  return {
    save: await openSave(disk, { generation, ...(generators && { generators }) }),
    disk,
    generation,
    journal,
  };
}

/** Throws `ORT_NOT_FOUND` for a generation of a native world that is no longer there, or not yet. */
export async function requireKept(disk: Disk, generation: number): Promise<void> {
  const { generations } = await surveySave(disk);
  if (generations.includes(generation)) return;
  const [oldest, newest] = [generations.at(-1), generations[0]];
  const kept = oldest === newest ? `there is only ${newest}` : `there are some from ${oldest} to ${newest}`;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `generation ${generation} is not there; ${kept}, and orthant log lists them`,
  );
}

/** Changes in the journal since its generation. */
interface JournalFacts {
  readonly changes: number;
  readonly bytes: number;
  /** Why some or all of it cannot be replayed. */
  readonly damage: string | null;
}

/** Returns the facts of a journal, for JSON. */
export function journalFacts({ journal: { changes, bytes, loss } }: SaveWithJournal): JournalFacts {
  return { changes, bytes, damage: loss?.detail ?? null };
}

/** Describes a journal in a line; `undefined` when it is empty. */
export function describeJournal({ journal: { changes, bytes, loss } }: SaveWithJournal): string | undefined {
  if (changes === 0 && loss === undefined) return undefined;
  const waiting = `${formatAmount(changes, "change")} since the generation, ${formatBytes(bytes)}`;
  if (loss === undefined) return waiting;
  const isForeign = isOrthantError(loss, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION");
  return `${waiting}, ${isForeign ? "not replayed" : "then damaged"}: ${loss.detail}`;
}

/** Returns why a command does not see all acknowledged changes; `undefined` when it does. */
export function journalLoss({
  generation,
  journal: { replayed, loss },
}: SaveWithJournal): string | undefined {
  if (loss === undefined) return undefined;
  const beginning = replayed === 0 ? "" : `all but the first ${formatAmount(replayed, "change")} of `;
  return `${beginning}what happened after generation ${generation} cannot be replayed: ${loss.detail}`;
}

/** Notes the losses of journals. Returns the exit code, which is `otherwise` when there are none. */
export function exitWithJournals(
  opened: readonly SaveWithJournal[],
  context: Context,
  otherwise: ExitCode = EXIT.ok,
): ExitCode {
  const losses = opened.map(journalLoss).filter((loss) => loss !== undefined);
  for (const loss of losses) context.note(`loss: journal: ${loss}`);
  return losses.length === 0 ? otherwise : EXIT.loss;
}
