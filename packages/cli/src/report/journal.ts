import { isOrthantError } from "@orthant/core";
import type { SaveWithJournal } from "@orthant/world";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { formatAmount, formatBytes } from "./format.ts";

/** What the journal beside a generation has that the generation does not. */
export interface JournalFacts {
  readonly changes: number;
  readonly bytes: number;
  /** Why the rest of it, or all of it, cannot be replayed. */
  readonly damage: string | null;
}

/** What a journal holds, in JSON. */
export function journalFacts({ journal: { changes, bytes, loss } }: SaveWithJournal): JournalFacts {
  return { changes, bytes, damage: loss?.detail ?? null };
}

/** The same in a line; `undefined` when the journal is empty. */
export function describeJournal({ journal: { changes, bytes, loss } }: SaveWithJournal): string | undefined {
  if (changes === 0 && loss === undefined) return undefined;
  const waiting = `${formatAmount(changes, "change")} since the generation, ${formatBytes(bytes)}`;
  if (loss === undefined) return waiting;
  const isForeign = isOrthantError(loss, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION");
  return `${waiting}, ${isForeign ? "not replayed" : "then damaged"}: ${loss.detail}`;
}

/** Why a command does not see all that was acknowledged; `undefined` when it does. */
export function journalLoss({
  generation,
  journal: { replayed, loss },
}: SaveWithJournal): string | undefined {
  if (loss === undefined) return undefined;
  const beginning = replayed === 0 ? "" : `all but the first ${formatAmount(replayed, "change")} of `;
  return `${beginning}what happened after generation ${generation} cannot be replayed: ${loss.detail}`;
}

/** Notes what journals lost, and gives the exit code for a command that would else end with `otherwise`. */
export function exitWithJournals(
  opened: readonly SaveWithJournal[],
  context: Context,
  otherwise: ExitCode = EXIT.ok,
): ExitCode {
  const losses = opened.map(journalLoss).filter((loss) => loss !== undefined);
  for (const loss of losses) context.note(`loss: journal: ${loss}`);
  return losses.length === 0 ? otherwise : EXIT.loss;
}
