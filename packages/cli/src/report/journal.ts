import { isOrthantError } from "@orthant/core";
import type { SaveWithJournal } from "@orthant/world";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { formatAmount, formatBytes } from "./format.ts";

/** Changes in the journal since its generation. */
export interface JournalFacts {
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
