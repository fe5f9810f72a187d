import type { Box, Position } from "@orthant/core";
import { bool, type Codec, list, perAxis, record, string, u64, varInt, varUint } from "@orthant/core/bytes";

/** Maximum number of operations of an owner that can be undone or done again. */
export const HISTORY_ENTRIES_MAX = 256;
/** Letters of an operation's text that a history keeps. */
export const HISTORY_TEXT_LENGTH_MAX = 200;
/** Maximum number of owners that have a history. */
export const HISTORY_OWNERS_MAX = 4_096;
/** Maximum number of answers that are remembered of each owner: far more than its clients wait for at once. */
const ANSWERS_MAX = 128;
/** Maximum number of clients of which a history knows the last answer that it has forgotten. */
const FORGOTTEN_CLIENTS_MAX = 16;
const OWNER_LENGTH_MAX = 32;
const TEXT_BYTES_MAX = 4 * HISTORY_TEXT_LENGTH_MAX;

/** An operation that can be undone, or done again. */
export interface HistoryEntry {
  /** Counts the operations of an owner, from 1. */
  readonly id: number;
  readonly text: string;
  /** The number of voxels that it changed last: when it was done, undone or done again. */
  readonly count: number;
  readonly box: Box;
  /** When it was done, in milliseconds since 1970. */
  readonly timeMs: number;
  /** Bytes of its changes, and the number of parts that they are in. */
  readonly bytes: number;
  readonly parts: number;
  /** 0 as long as it is done. Of undone ones, the last one has the greatest number. */
  readonly undone: number;
}

/** Identifies a request of a client, over all of its connections. */
export interface RequestId {
  readonly clientId: bigint;
  readonly requestId: number;
}

/** What a request changed. */
export interface RememberedAnswer extends RequestId {
  readonly count: number;
  readonly kept: number;
  readonly box: Box;
  /** The operation in the history; 0 if it cannot be undone later. */
  readonly entryId: number;
}

/** The operations of an owner, oldest first. */
export interface OperationHistory {
  readonly nextId: number;
  readonly entries: readonly HistoryEntry[];
  readonly answers: readonly RememberedAnswer[];
  /** Of clients whose answers are forgotten, the latest of these. */
  readonly forgotten: readonly RequestId[];
  /** Whether there were more such clients. */
  readonly hasForgottenClients: boolean;
}

/** The owners of histories. */
export interface HistoryOwners {
  /** In the order in which they used them, with the bytes of each. */
  readonly owners: readonly { readonly owner: string; readonly bytes: number }[];
  /** Whether an owner's history, with its answers, was dropped to make room. */
  readonly hasForgotten: boolean;
}

/** Of a world in which no player has done an operation. */
export const NO_OWNERS: HistoryOwners = { owners: [], hasForgotten: false };

/** Of an owner without operations. */
export const EMPTY_HISTORY: OperationHistory = {
  nextId: 1,
  entries: [],
  answers: [],
  forgotten: [],
  hasForgottenClients: false,
};

const voxelCodec: Codec<Position> = perAxis(varInt);
const voxelBoxCodec: Codec<Box> = record<Box>({ min: voxelCodec, max: voxelCodec });
const requestFields = { clientId: u64, requestId: varUint };

/** The history of an owner, as the store has it. */
export const historyCodec: Codec<OperationHistory> = record<OperationHistory>({
  nextId: varUint,
  entries: list(
    record<HistoryEntry>({
      id: varUint,
      text: string(TEXT_BYTES_MAX),
      count: varUint,
      box: voxelBoxCodec,
      timeMs: varUint,
      bytes: varUint,
      parts: varUint,
      undone: varUint,
    }),
    HISTORY_ENTRIES_MAX,
  ),
  answers: list(
    record<RememberedAnswer>({
      ...requestFields,
      count: varUint,
      kept: varUint,
      box: voxelBoxCodec,
      entryId: varUint,
    }),
    ANSWERS_MAX,
  ),
  forgotten: list(record<RequestId>(requestFields), FORGOTTEN_CLIENTS_MAX),
  hasForgottenClients: bool,
});

/** The owners of histories, as the store has them. */
export const ownersCodec: Codec<HistoryOwners> = record<HistoryOwners>({
  owners: list(record({ owner: string(OWNER_LENGTH_MAX), bytes: varUint }), HISTORY_OWNERS_MAX),
  hasForgotten: bool,
});

/** Returns a history that also remembers an answer, and forgets the oldest beyond the limit. */
export function remembering(history: OperationHistory, answer: RememberedAnswer): OperationHistory {
  const answers = [...history.answers, answer];
  if (answers.length <= ANSWERS_MAX) return { ...history, answers };
  const [{ clientId, requestId }, ...rest] = answers as [RememberedAnswer, ...RememberedAnswer[]];
  const others = history.forgotten.filter((known) => known.clientId !== clientId);
  const forgotten = [...others, { clientId, requestId }];
  return {
    ...history,
    answers: rest,
    forgotten: forgotten.slice(-FORGOTTEN_CLIENTS_MAX),
    hasForgottenClients: history.hasForgottenClients || forgotten.length > FORGOTTEN_CLIENTS_MAX,
  };
}

/** Returns what is known of a request that may have been made before. */
export function answerTo(
  { answers, forgotten, hasForgottenClients }: OperationHistory,
  { clientId, requestId }: RequestId,
): RememberedAnswer | "forgotten" | undefined {
  const found = answers.find((answer) => answer.clientId === clientId && answer.requestId === requestId);
  if (found !== undefined) return found;
  const last = forgotten.find((known) => known.clientId === clientId);
  if (last !== undefined) return requestId <= last.requestId ? "forgotten" : undefined;
  // Answers of a known client are forgotten in their order, so this one has none.
  const isKnown = answers.some((answer) => answer.clientId === clientId && answer.requestId < requestId);
  return hasForgottenClients && !isKnown ? "forgotten" : undefined;
}
