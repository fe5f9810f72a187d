import { OrthantError } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { sameTypeIn } from "@orthant/core/chunk";
import type { EditOrigin, StateEdit, WorldState } from "@orthant/core/tree";
import { TRANSACTION_KEYS_MAX } from "@orthant/save/journal";
import { clientEditsOf } from "../content/last-edits.ts";
import type { StoreReplacement } from "../content/store-content.ts";
import type { EditOptions, EngineEdit } from "../edit/engine-edit.ts";
import { EngineTransaction } from "../edit/engine-transaction.ts";
import { chunksEdit, type QueuedEdit, voxelsEdit } from "../edit/queued-edit.ts";
import { loggedChunksOf, loggedClocksOf } from "../journal/world-log.ts";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";
import { type EngineCore, requireNoShard } from "./engine-core.ts";

/** How often a transaction is tried while others change what it has read. */
const ATTEMPTS_MAX = 1_000;
const UNCHANGED: EngineEdit = { chunks: [], clocks: [], status: "unchanged" };

/** An edit that is made in a transaction, and who made it. */
interface OwnEdit {
  readonly request: QueuedEdit;
  readonly origin: EditOrigin | undefined;
}

/** Makes transactions: all that one changes is changed together, in the world and on the disk. */
export class EngineTransactions {
  readonly #core: EngineCore;
  readonly #whenDurable = (): Promise<void> => this.#core.saver.whenDurable();

  /** @internal */
  constructor(core: EngineCore) {
    this.#core = core;
  }

  /**
   * Runs a function, and then changes what it asked for, at once. If something that it read has changed meanwhile, it runs again.
   * What it throws is thrown, and nothing is changed. Waits until the changes are durable, as an edit does.
   */
  async run<Result>(work: (transaction: EngineTransaction) => Result | Promise<Result>): Promise<Result> {
    const [, result] = await this.runEdit(work);
    return result;
  }

  /** Does what {@link run} does. Returns also what was edited. */
  runEdit<Result>(
    work: (transaction: EngineTransaction) => Result | Promise<Result>,
    wait: "applied" | "durable" = "durable",
  ): Promise<readonly [EngineEdit, Result]> {
    return this.#run(work, undefined, wait);
  }

  /** Makes an edit, together with what a function changes. */
  async edit(
    request: QueuedEdit,
    origin: EditOrigin | undefined,
    { with: work, wait = "durable" }: EditOptions,
  ): Promise<EngineEdit> {
    const [made] = await this.#run(
      async (transaction) => work?.(transaction, await transaction.watch(request.touched)),
      { request, origin },
      wait,
    );
    return made;
  }

  async #run<Result>(
    work: (transaction: EngineTransaction) => Result | Promise<Result>,
    own: OwnEdit | undefined,
    wait: "applied" | "durable",
  ): Promise<readonly [EngineEdit, Result]> {
    const { requireWritable, queue, saver } = this.#core;
    requireNoShard(this.#core, "transaction");
    const until = wait === "durable" && saver.isJournaling ? this.#whenDurable : undefined;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      requireWritable();
      const transaction = new EngineTransaction(this.#core);
      const outcome = await outcomeOf(() => work(transaction));
      transaction.end();
      // An error may come from things that were read before and after a change of something else.
      const made = await queue.run(() => this.#end(transaction, own, "error" in outcome), until);
      if (made === undefined) continue;
      if ("error" in outcome) throw outcome.error;
      return [made, outcome.result];
    }
    throw new OrthantError(
      "ORT_LIMIT",
      `a transaction was tried ${ATTEMPTS_MAX} times, and each time something that it read had changed meanwhile`,
    );
  }

  /** Ends a transaction in its turn. Returns `undefined`, and changes nothing, if something that it has read is not so any more. */
  async #end(
    transaction: EngineTransaction,
    own: OwnEdit | undefined,
    hasFailed: boolean,
  ): Promise<EngineEdit | undefined> {
    const { content, epoch, saver } = this.#core;
    saver.requireWriter();
    await saver.whenRoom();
    if (own?.origin !== undefined && !hasFailed) {
      if (content.lastEdits.includes(own.origin)) return { ...UNCHANGED, status: "duplicate" };
      content.lastEdits.requireRemembered(own.origin);
    }
    const isChange = (transaction.isChange || own !== undefined) && !hasFailed;
    if (isChange && transaction.changesStore) content.requireRoomFor("a store");
    const request = this.#requestOf(transaction, own, isChange);
    if (request.hasData === true) content.requireRoomFor("data of voxels");
    // Nothing else changes the store until this turn ends.
    const store = await transaction.keyChanges();
    if (store === undefined) return undefined;
    const clockEpoch = isChange ? await epoch.open() : undefined;
    return content.whenLoaded(request.touched, async () => {
      const release = await content.regions.prepare(request);
      try {
        // A save may have failed meanwhile.
        saver.requireWriter();
        if (!transaction.isCurrent) return undefined;
        if (clockEpoch === undefined) return UNCHANGED;
        return this.#apply(transaction, { request, origin: own?.origin }, store, clockEpoch.number);
      } finally {
        release?.();
      }
    });
  }

  /** Returns what changes the voxels: first the edit, then the transaction. */
  #requestOf(transaction: EngineTransaction, own: OwnEdit | undefined, isChange: boolean): QueuedEdit {
    const { catalog, regions } = this.#core.content;
    if (isChange && transaction.chunks.length > 0) {
      const replacement = chunksEdit(regions.shape, transaction.chunks);
      return { ...replacement, touched: transaction.watched, generated: () => replacement.touched };
    }
    const placements = isChange ? transaction.placements : [];
    const voxels = voxelsEdit({ shape: regions.shape, catalog }, placements);
    const touched = [...(own?.request.touched ?? []), ...transaction.touched];
    if (own === undefined || !isChange) return { ...voxels, touched };
    const hasData = own.request.hasData === true || voxels.hasData === true;
    if (placements.length === 0) return { ...own.request, touched, hasData };
    const change = (state: WorldState): StateEdit => {
      const first = own.request.change(state);
      return joined(state, first, first.state.setVoxels(placements, sameTypeIn(catalog)));
    };
    return { touched, hasData, change };
  }

  /** Must not await: a save includes all of a transaction or nothing. Whatever may throw comes before the first change. */
  #apply(
    transaction: EngineTransaction,
    { request, origin }: OwnEdit,
    store: readonly StoreReplacement[],
    epoch: number,
  ): EngineEdit {
    const { content, saver, editListeners, time } = this.#core;
    const before = content.regions.state;
    const changed = content.regions.changing(request.change);
    const { state, chunks } = changed;
    requireAtMost(chunks.length, EDIT_CHUNKS_MAX, "chunks of a transaction", "use several");
    requireAtMost(store.length, TRANSACTION_KEYS_MAX, "keys of a transaction", "use several");
    const players = transaction.playerChanges(time.nowMs());
    content.store.requireRoomFor(store);
    const logged = saver.isJournaling
      ? loggedChunksOf({ before, after: state, chunks, blocks: request.blocks })
      : undefined;
    if (logged !== undefined) saver.admit(logged);

    const clocks = content.applyEdit(changed, epoch);
    for (const player of players) content.putPlayer(player);
    content.store.putAll(store);
    if (origin !== undefined) content.rememberOrigin(origin);
    const edit: EngineEdit = { chunks, clocks, status: clocks.length > 0 ? "applied" : "unchanged" };
    if (clocks.length + players.length + store.length === 0 && origin === undefined) return edit;
    const voxels = logged && {
      origin: origin && clientEditsOf(origin),
      chunks: logged,
      clocks: loggedClocksOf(clocks),
    };
    const isEdit = players.length + store.length === 0;
    const stored = store.map(({ key, value }) => ({ key, value }));
    saver.addChange(
      "world",
      voxels &&
        (isEdit ? { kind: "edit", ...voxels } : { kind: "transaction", ...voxels, players, store: stored }),
    );
    if (clocks.length > 0 && !editListeners.isEmpty)
      editListeners.emit(edit, before, state, origin?.playerId);
    return edit;
  }
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

async function outcomeOf<Result>(work: () => Result | Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}

/** Returns two edits of a world, the second of which follows the first, as one. It may take back what the first changed. */
function joined(before: WorldState, first: StateEdit, { state, chunks }: StateEdit): StateEdit {
  return before.setChunks(
    [...first.chunks, ...chunks].map((position) => [position, state.realizeChunk(...position)]),
  );
}
