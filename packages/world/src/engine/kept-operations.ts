import { type Box, OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { unionBox } from "@orthant/core/lattice";
import { type Operation, textOfOperation } from "@orthant/core/operations";
import type { ClockChange } from "@orthant/core/tree";
import { STORE_BYTES_MAX } from "@orthant/save/content";
import type { EngineTransaction } from "../edit/engine-transaction.ts";
import { ChangeWriter, readChangedChunks } from "../operation/change-codec.ts";
import type { ChangedChunk } from "../operation/chunk-work.ts";
import {
  answerTo,
  EMPTY_HISTORY,
  HISTORY_ENTRIES_MAX,
  HISTORY_OWNERS_MAX,
  HISTORY_TEXT_LENGTH_MAX,
  type HistoryEntry,
  type HistoryOwners,
  historyCodec,
  NO_OWNERS,
  type OperationHistory,
  ownersCodec,
  type RememberedAnswer,
  type RequestId,
  remembering,
} from "../operation/operation-history.ts";
import { OperationRun } from "../operation/operation-run.ts";
import type { OperationOptions, RunContext } from "../operation/operation-world.ts";
import type { EngineCore } from "./engine-core.ts";
import type { EngineTransactions } from "./engine-transactions.ts";

/** Keys of the store that begin so belong to histories of operations. */
export const HISTORY_KEYS = "\u0000operations";
/** Maximum bytes of all histories: half of a store. Above, the owner that has used its history least lately loses it. */
const HISTORIES_BYTES_MAX: number = STORE_BYTES_MAX / 2;
/** Room that is left in a store for heads of histories, and for the game. */
const STORE_BYTES_LEFT = 1_048_576;

/** How much of its operations an owner can undo later. */
export interface HistoryBounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
  readonly ageMs: number;
}

/** How an operation is done whose owner may undo it later. */
export interface KeptOptions extends OperationOptions {
  /** At most 32 letters. */
  readonly owner: string;
  /** The request that asks for it, which is done once; `isRepeat` if it may have been sent before. */
  readonly request?: (RequestId & { readonly isRepeat: boolean }) | undefined;
  readonly history: HistoryBounds;
  /** Called when all is computed, before anything is changed, perhaps several times. What it throws refuses the operation. */
  readonly accept?: ((computed: ComputedOperation) => void | Promise<void>) | undefined;
}

/** What an operation is about to change. */
export interface ComputedOperation {
  readonly count: number;
  readonly kept: number;
  readonly box: Box | undefined;
  readonly changed: readonly ChangedChunk[];
}

/** What an operation changed. */
export interface KeptOperation {
  readonly count: number;
  /** The number of voxels that an undo left alone, because they had been changed since. */
  readonly kept: number;
  readonly box: Box | undefined;
  readonly clocks: readonly ClockChange[];
  /** Its number in the history; 0 if it cannot be undone later. */
  readonly entryId: number;
  /** Whether the same request had been done before, and nothing was changed now. */
  readonly isRepeat: boolean;
}

const NOTHING: Omit<KeptOperation, "entryId"> = {
  count: 0,
  kept: 0,
  box: undefined,
  clocks: [],
  isRepeat: false,
};

/** Makes operations that their owners can undo later, also after the world was closed, and does each request once. */
export class KeptOperations {
  readonly #core: EngineCore;
  readonly #transactions: EngineTransactions;
  readonly #contextOf: (options: OperationOptions) => RunContext;

  /** @internal */
  constructor(
    core: EngineCore,
    transactions: EngineTransactions,
    contextOf: (options: OperationOptions) => RunContext,
  ) {
    this.#core = core;
    this.#transactions = transactions;
    this.#contextOf = contextOf;
  }

  /** Does what a checked operation says. */
  apply(operation: Operation, options: KeptOptions): Promise<KeptOperation> {
    const context = this.#contextOf(options);
    const run = OperationRun.of(context, operation, options.onProgress);
    const { text } = textOfOperation(operation);
    return this.#make(options, context, async () => ({
      run,
      place: (history, changes, computed) => added(history, changes, computed, text, this.#core.time.nowMs()),
    }));
  }

  /** Takes an operation back, by default the last one. Throws `ORT_ARGUMENT` if there is none. */
  undo(entryId: number | undefined, options: KeptOptions): Promise<KeptOperation> {
    return this.#revert(options, (history) => {
      const found =
        entryId === undefined
          ? history.entries.filter(({ undone }) => undone === 0).at(-1)
          : history.entries.find(({ id, undone }) => id === entryId && undone === 0);
      return found ?? missing(entryId, "undone");
    });
  }

  /** Does an operation again that was undone, by default the one that was undone last. Throws `ORT_ARGUMENT` if there is none. */
  redo(entryId: number | undefined, options: KeptOptions): Promise<KeptOperation> {
    return this.#revert(options, ({ entries }) => {
      const undone = entries.filter((entry) => entry.undone > 0);
      const last = Math.max(0, ...undone.map((entry) => entry.undone));
      const found = undone.find((entry) =>
        entryId === undefined ? entry.undone === last : entry.id === entryId,
      );
      return found ?? missing(entryId, "done again");
    });
  }

  /** Returns what an owner can undo and do again, oldest first. */
  async history(owner: string, ageMs: number): Promise<readonly HistoryEntry[]> {
    this.#core.saver.requireOpen();
    const bytes = await this.#core.content.store.get(headKey(owner));
    const { entries } = bytes === undefined ? EMPTY_HISTORY : decode(historyCodec, bytes);
    const sinceMs = this.#core.time.nowMs() - ageMs;
    return entries.filter(({ timeMs }) => timeMs >= sinceMs);
  }

  #revert(options: KeptOptions, choose: (history: OperationHistory) => HistoryEntry): Promise<KeptOperation> {
    const context = this.#contextOf(options);
    let known: { readonly entry: HistoryEntry; readonly run: OperationRun } | undefined;
    return this.#make(options, context, async (history) => {
      const entry = choose(history);
      if (known === undefined || !isSameEntry(known.entry, entry)) {
        const changes = await this.#changesOf(options.owner, entry, context);
        known = { entry, run: OperationRun.undo(context, changes, options.onProgress) };
      }
      return {
        run: known.run,
        place: (now, changes, computed) => replaced(now, entry, changes, computed),
      };
    });
  }

  async #changesOf(
    owner: string,
    { id, parts, box }: HistoryEntry,
    { content, slice }: RunContext,
  ): Promise<readonly ChangedChunk[]> {
    const changes: ChangedChunk[] = [];
    for (let part = 0; part < parts; part++) {
      const bytes = await content.store.get(partKey(owner, id, part));
      // Another request has changed the history meanwhile: this one is tried again.
      if (bytes === undefined) return changes;
      changes.push(...(await readChangedChunks(bytes, content.regions.shape, box)));
      await slice.pause();
    }
    return changes;
  }

  async #make(
    options: KeptOptions,
    context: RunContext,
    workOf: (history: OperationHistory) => Promise<KeptWork>,
  ): Promise<KeptOperation> {
    const keeper = new HistoryKeeper(context, options, () => this.#core.time.nowMs());
    const canKeep = this.#core.content.hasStore;
    const [edit, made] = await this.#transactions.runEdit(async (transaction) => {
      const history = canKeep ? await historyIn(transaction, options.owner) : EMPTY_HISTORY;
      const answer = await this.#knownAnswer(transaction, history, options.request);
      if (answer !== undefined) return { ...NOTHING, ...answer, isRepeat: true };
      const { run, place } = await workOf(history);
      await run.attempt(transaction);
      const computed = computedBy(run);
      await options.accept?.(computed);
      const entryId = canKeep ? await keeper.keep(transaction, history, computed, place) : 0;
      const { count, kept, box } = computed;
      return { ...NOTHING, count, kept, box, entryId };
    }, options.wait);
    return { ...made, clocks: edit.clocks };
  }

  /** Returns what is known of a request that was made before. Throws `ORT_EDIT_REPEAT` if that cannot be known. */
  async #knownAnswer(
    transaction: EngineTransaction,
    history: OperationHistory,
    request: KeptOptions["request"],
  ): Promise<RememberedAnswer | undefined> {
    if (request === undefined) return undefined;
    const answer = answerTo(history, request);
    if (answer !== undefined && answer !== "forgotten") return answer;
    if (!request.isRepeat) return undefined;
    const isDoubtful =
      answer === "forgotten" ||
      !this.#core.content.hasStore ||
      (history === EMPTY_HISTORY && (await ownersIn(transaction)).hasForgotten);
    if (!isDoubtful) return undefined;
    throw new OrthantError(
      "ORT_EDIT_REPEAT",
      "the operation may have been made before: look, and make it again if it was not",
    );
  }
}

/** What is done, and how it comes into a history. */
interface KeptWork {
  readonly run: OperationRun;
  readonly place: Place;
}

/** Changes as bytes, or none if they are too many to be kept. */
interface KeptChanges {
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
}

/** Returns a history after an operation, and its number there; 0 if it cannot be undone later. */
type Place = (
  history: OperationHistory,
  changes: KeptChanges | undefined,
  computed: ComputedOperation,
) => { readonly history: OperationHistory; readonly entryId: number };

/** Writes the history of one owner in the transaction of an operation. */
class HistoryKeeper {
  readonly #context: RunContext;
  readonly #options: KeptOptions;
  readonly #nowMs: () => number;
  /** The changes of the last attempt, by what they were computed from. */
  #known:
    | { readonly changed: readonly ChangedChunk[]; readonly changes: KeptChanges | undefined }
    | undefined;

  constructor(context: RunContext, options: KeptOptions, nowMs: () => number) {
    this.#context = context;
    this.#options = options;
    this.#nowMs = nowMs;
  }

  /** Returns the number of the operation in the history; 0 if it cannot be undone later. */
  async keep(
    transaction: EngineTransaction,
    history: OperationHistory,
    computed: ComputedOperation,
    place: Place,
  ): Promise<number> {
    const { owner, request, history: bounds } = this.#options;
    const { count, kept, box } = computed;
    const isChange = count > 0 && box !== undefined;
    const changes = isChange ? await this.#changes(computed.changed) : undefined;
    const placed = place(history, changes, computed);
    if (!isChange && placed.history === history) return 0;
    const { entries } = placed.history;
    const left = this.#bounded(entries, bounds);
    const entryId = left.some(({ id }) => id === placed.entryId) ? placed.entryId : 0;
    let after: OperationHistory = { ...placed.history, entries: left };
    if (request !== undefined && isChange) {
      const { clientId, requestId } = request;
      after = remembering(after, { clientId, requestId, count, kept, box, entryId });
    }
    this.#write(transaction, history, after, entryId === 0 ? undefined : { entryId, changes });
    const bytes = left.reduce((sum, entry) => sum + entry.bytes, 0);
    await this.#writeOwners(transaction, owner, bytes);
    return entryId;
  }

  async #changes(changed: readonly ChangedChunk[]): Promise<KeptChanges | undefined> {
    const known = this.#known;
    const isSame =
      known?.changed.length === changed.length &&
      known.changed.every((chunk, index) => chunk === changed[index]);
    if (known !== undefined && isSame) return known.changes;
    const changes = await this.#encoded(changed);
    this.#known = { changed, changes };
    return changes;
  }

  async #encoded(changed: readonly ChangedChunk[]): Promise<KeptChanges | undefined> {
    const { content, slice, signal } = this.#context;
    const { bytesMax } = this.#options.history;
    const room = STORE_BYTES_MAX - STORE_BYTES_LEFT - content.store.bytes;
    const writer = new ChangeWriter(Math.min(bytesMax, room));
    for (const chunk of changed) {
      if (!(await writer.add(chunk))) return undefined;
      signal?.throwIfAborted();
      const paused = slice.pause();
      if (paused !== undefined) await paused;
    }
    const parts = await writer.end();
    return parts && { parts, bytes: parts.reduce((sum, { length }) => sum + length, 0) };
  }

  /** Returns the newest entries that are within the bounds. */
  #bounded(entries: readonly HistoryEntry[], { entriesMax, bytesMax, ageMs }: HistoryBounds): HistoryEntry[] {
    const sinceMs = this.#nowMs() - ageMs;
    const left: HistoryEntry[] = [];
    let bytes = 0;
    for (const entry of [...entries].reverse()) {
      bytes += entry.bytes;
      const fits = left.length < Math.min(entriesMax, HISTORY_ENTRIES_MAX) && bytes <= bytesMax;
      if (!fits || entry.timeMs < sinceMs) break;
      left.unshift(entry);
    }
    return left;
  }

  #write(
    transaction: EngineTransaction,
    before: OperationHistory,
    after: OperationHistory,
    written: { readonly entryId: number; readonly changes: KeptChanges | undefined } | undefined,
  ): void {
    const { owner } = this.#options;
    for (const { id, parts } of before.entries) {
      const isKept = after.entries.some((entry) => entry.id === id);
      if (isKept && id !== written?.entryId) continue;
      for (let part = 0; part < parts; part++) transaction.setKey(partKey(owner, id, part), undefined);
    }
    for (const [part, bytes] of written?.changes?.parts.entries() ?? [])
      transaction.setKey(partKey(owner, written?.entryId ?? 0, part), bytes);
    transaction.setKey(headKey(owner), encode(historyCodec, after));
  }

  /** Counts the bytes of an owner, who was the last one to use a history. Others lose theirs when they are too many. */
  async #writeOwners(transaction: EngineTransaction, owner: string, bytes: number): Promise<void> {
    const known = await ownersIn(transaction);
    const others = known.owners.filter((other) => other.owner !== owner);
    let { hasForgotten } = known;
    let total = bytes + others.reduce((sum, other) => sum + other.bytes, 0);
    while (total > HISTORIES_BYTES_MAX || others.length >= HISTORY_OWNERS_MAX) {
      const oldest = others.shift();
      if (oldest === undefined) break;
      total -= oldest.bytes;
      hasForgotten = true;
      await forgetOwner(transaction, oldest.owner);
    }
    const owners = [...others, { owner, bytes }];
    transaction.setKey(HISTORY_KEYS, encode(ownersCodec, { owners, hasForgotten }));
  }
}

/** Returns a history with a new operation, which nothing that was undone can follow. */
function added(
  history: OperationHistory,
  changes: KeptChanges | undefined,
  { count, box }: ComputedOperation,
  text: string,
  timeMs: number,
): ReturnType<Place> {
  if (count === 0 || box === undefined) return { history, entryId: 0 };
  const { nextId } = history;
  const done = history.entries.filter(({ undone }) => undone === 0);
  if (changes === undefined) return { history: { ...history, entries: done }, entryId: 0 };
  const { parts, bytes } = changes;
  const entry: HistoryEntry = {
    id: nextId,
    text: text.slice(0, HISTORY_TEXT_LENGTH_MAX),
    count,
    box,
    timeMs,
    bytes,
    parts: parts.length,
    undone: 0,
  };
  return { history: { ...history, nextId: nextId + 1, entries: [...done, entry] }, entryId: nextId };
}

/** Returns a history in which an operation was undone, or done again. It is gone if others have changed all of its voxels. */
function replaced(
  history: OperationHistory,
  entry: HistoryEntry,
  changes: KeptChanges | undefined,
  { count, box }: ComputedOperation,
): ReturnType<Place> {
  const isGone = count === 0 || box === undefined || changes === undefined;
  const last = Math.max(0, ...history.entries.map(({ undone }) => undone));
  const entries = history.entries.flatMap((each): readonly HistoryEntry[] => {
    if (each.id !== entry.id) return [each];
    if (isGone) return [];
    const { parts, bytes } = changes;
    return [{ ...each, count, box, bytes, parts: parts.length, undone: entry.undone === 0 ? last + 1 : 0 }];
  });
  return { history: { ...history, entries }, entryId: isGone ? 0 : entry.id };
}

function computedBy(run: OperationRun): ComputedOperation {
  const { changed, kept } = run;
  let count = 0;
  let box: Box | undefined;
  for (const chunk of changed) {
    count += chunk.count;
    box = unionBox(box, chunk.box);
  }
  return { count, kept, box, changed };
}

async function historyIn(transaction: EngineTransaction, owner: string): Promise<OperationHistory> {
  const bytes = await transaction.key(headKey(owner));
  return bytes === undefined ? EMPTY_HISTORY : decode(historyCodec, bytes);
}

async function ownersIn(transaction: EngineTransaction): Promise<HistoryOwners> {
  const bytes = await transaction.key(HISTORY_KEYS);
  return bytes === undefined ? NO_OWNERS : decode(ownersCodec, bytes);
}

async function forgetOwner(transaction: EngineTransaction, owner: string): Promise<void> {
  const { entries } = await historyIn(transaction, owner);
  for (const { id, parts } of entries)
    for (let part = 0; part < parts; part++) transaction.setKey(partKey(owner, id, part), undefined);
  transaction.setKey(headKey(owner), undefined);
}

function headKey(owner: string): string {
  return `${HISTORY_KEYS}/${owner}`;
}

function partKey(owner: string, entryId: number, part: number): string {
  return `${headKey(owner)}/${entryId}/${part}`;
}

function isSameEntry(one: HistoryEntry, other: HistoryEntry): boolean {
  return one.id === other.id && one.undone === other.undone && one.bytes === other.bytes;
}

function missing(entryId: number | undefined, what: string): never {
  const detail =
    entryId === undefined
      ? `there is no operation that can be ${what}`
      : `operation ${entryId} cannot be ${what}: it was too large to be kept, is too old, or its state is another`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}
