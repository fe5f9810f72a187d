import { isOrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { ClockChange, WorldState } from "@orthant/core/tree";
import type { EditMessage, Hello } from "../../message/client-message.ts";
import { DETAIL_BYTES_MAX, EDIT_RUN_IDS, EDITS_OPEN_MAX, FEATURES } from "../../message/limits.ts";
import { dataBytesOf, placedDataBytes, type RequestedEdit } from "../../message/requested-edit.ts";
import { clipText } from "../../message/sendable.ts";
import type { NumberedEditResult } from "../../message/server-message.ts";
import { chunkCount } from "../../message/touched-chunks.ts";
import type { Account, Player } from "../account.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import { type Disconnect, malformed } from "../disconnect.ts";
import type { SyncServerEvents } from "../sync-server-options.ts";
import type { SyncWorld, WorldEditResult } from "../sync-world.ts";
import {
  type EditBounds,
  findDataRejection,
  findRejection,
  findVoxelRejection,
  RefusedEdit,
  type Rejection,
  ruleVoxels,
} from "./edit-checks.ts";
import { type EditHooks, RuledEdits } from "./ruled-edits.ts";

/** Edit results cached per client to answer resends; must exceed `EDITS_OPEN_MAX`. */
const RESULTS_KEPT_MAX: number = 4 * EDITS_OPEN_MAX;

/** The result of an edit, and the clocks that a client must have seen before it. */
export interface DecidedEdit {
  readonly result: NumberedEditResult;
  readonly clocks: readonly ClockChange[];
}

/** What an edit queue needs of its server. */
interface EditQueueContext {
  readonly world: SyncWorld;
  readonly bounds: EditBounds;
  /** Asks the game's rules; `undefined` if there are none about edits. */
  readonly ruled: RuledEdits | undefined;
  readonly events: SyncServerEvents | undefined;
  /** `undefined` if edits are acknowledged as soon as they are applied. */
  readonly whenDurable: (() => Promise<void>) | undefined;
  /** Tracks background work. */
  readonly track: (work: Promise<void>) => void;
  /** The world failed to make edits durable, so none can be acknowledged. */
  readonly onFailure: (error: unknown) => void;
}

const NO_CLOCKS: readonly ClockChange[] = [];
/** Detail of the rejection of an edit that may have been applied before. */
const FORGOTTEN =
  "this server has forgotten the client: the edit may have been made; check, and make it again if it was not";

/** Applies one client's edits in order, exactly once, across reconnects. */
export class EditQueue {
  readonly #clientId: bigint;
  readonly #context: EditQueueContext;
  /** Both from the first edit on. */
  #decided: Map<number, DecidedEdit> | undefined;
  #open: Set<number> | undefined;
  /** The client's player; `undefined` for an anonymous player, whose id is self-chosen. */
  #playerId: bigint | undefined;
  #last = 0;
  /** Edits below this id are rejected: the world may have applied them, and forgotten the client since. */
  #doubtfulBelow = 0;
  /** Edits from `#last` on and below this id may have been sent to another server of the same world. */
  #repeatsBelow = 0;
  /** The turns of this client's edits with the game's rules, one after the other. */
  #turns: Promise<void> = Promise.resolve();
  #listener: ((decided: DecidedEdit) => void) | undefined;

  constructor(clientId: bigint, context: EditQueueContext) {
    this.#clientId = clientId;
    this.#context = context;
  }

  /** True when no edit is pending and no session is attached. */
  get isIdle(): boolean {
    return this.#openCount === 0 && this.#listener === undefined;
  }

  get #openCount(): number {
    return this.#open?.size ?? 0;
  }

  /** Attaches a session whose client has results for everything below `openEditId`. */
  attach(
    { openEditId, featureBits }: Pick<Hello, "openEditId" | "featureBits">,
    account: Account,
    listener: (decided: DecidedEdit) => void,
  ): void {
    const { world } = this.#context;
    const known = Math.max(this.#last, world.lastEditOf(this.#clientId));
    this.#playerId = account.isAnonymous ? undefined : account.playerId;
    // An unknown client may resend edits that were applied before if it says so, or if its numbers do not start a run.
    // Rule N29.
    const isNewRun = openEditId % EDIT_RUN_IDS === 1 && (featureBits & FEATURES.resends) === 0n;
    if (known === 0 && !isNewRun && world.mayHaveForgotten?.(this.#playerId)) {
      this.#doubtfulBelow = openEditId + EDITS_OPEN_MAX;
    }
    // A world on several servers has to know which edits another server may have forwarded to it.
    const isFresh = isNewRun && openEditId > this.#last;
    const isShared = world.mayHaveForgotten === undefined;
    this.#repeatsBelow = isShared && !isFresh ? openEditId + EDITS_OPEN_MAX : 0;
    this.#last = Math.max(known, openEditId - 1);
    this.#listener = listener;
  }

  /** Detaches the session with this listener. */
  detach(listener: (decided: DecidedEdit) => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  /** Handles an edit, or repeats its result. Returns why the client must be disconnected, if so. */
  submit(message: EditMessage, player: Player, budget: PlayerBudget, nowMs: number): Disconnect | undefined {
    const { editId, ...edit } = message;
    // All edits that are open follow the last one that has a result, which this server has taken. Rule N29.
    if (editId > this.#last + EDITS_OPEN_MAX)
      return malformed(`edit ${editId} after edit ${this.#last}; at most ${EDITS_OPEN_MAX} may be open`);
    this.#submit(editId, edit, player, budget, nowMs);
    return undefined;
  }

  #submit(editId: number, edit: RequestedEdit, player: Player, budget: PlayerBudget, nowMs: number): void {
    if (editId <= this.#last) {
      if (this.#open?.has(editId)) return;
      this.#listener?.(
        this.#decided?.get(editId) ?? { result: { editId, status: "duplicate" }, clocks: NO_CLOCKS },
      );
      return;
    }
    // An earlier edit was lost on the way. The client resends all of them in order.
    if (editId > this.#last + 1) return;
    const rejection = this.#findRejection(editId, edit, player, budget, nowMs);
    if (rejection === "later") {
      // Not taken, and neither are those behind it: the client sends all of them again, in order. Rule N38.
      this.#context.events?.onEditResult?.("rate");
      return;
    }
    this.#last = editId;
    if (rejection !== undefined) this.#reject(editId, rejection);
    else this.#begin(editId, edit, player);
  }

  /** Returns why an edit is rejected, `later` if the player's budget does not allow it yet, or `undefined`. */
  #findRejection(
    editId: number,
    edit: RequestedEdit,
    player: Player,
    budget: PlayerBudget,
    nowMs: number,
  ): Rejection | "later" | undefined {
    if (editId < this.#doubtfulBelow) return { reason: "world", detail: FORGOTTEN };
    if (this.#openCount >= EDITS_OPEN_MAX) {
      return { reason: "tooMany", detail: `${EDITS_OPEN_MAX} edits wait for their results` };
    }
    const { bounds } = this.#context;
    if (bounds.limits.editsBurst < 1) return { reason: "rate", detail: "this server takes no edits" };
    if (!budget.take("edits", 1, nowMs)) return "later";
    const rejection = findRejection(edit, player, bounds);
    if (rejection !== undefined) return rejection;
    // Before the first rule about a voxel, so that a player cannot have more of them asked than the budget allows.
    const voxels = ruleVoxels(edit, bounds);
    if (voxels > 0 && !budget.take("ruleVoxels", voxels, nowMs)) return "later";
    const voxelRejection = findVoxelRejection(edit, player, bounds);
    if (voxelRejection !== undefined) return voxelRejection;
    const dataBytes = dataBytesOf(edit, this.#context.world.state);
    const { editDataBytesMax } = bounds.limits;
    if (dataBytes > editDataBytesMax) {
      const detail = `${dataBytes} bytes of data, the limit is ${editDataBytesMax}`;
      return { reason: "tooLarge", detail };
    }
    if (dataBytes > 0 && !budget.take("editData", dataBytes, nowMs)) return "later";
    return budget.take("editChunks", chunkCount(edit, bounds.world.shape), nowMs) ? undefined : "later";
  }

  #begin(editId: number, edit: RequestedEdit, player: Player): void {
    this.#open ??= new Set();
    this.#open.add(editId);
    const { ruled, track } = this.#context;
    if (ruled === undefined) {
      track(this.#applyChecked(editId, edit));
      return;
    }
    this.#turns = this.#turns.then(() =>
      ruled.run({
        player,
        edit,
        apply: (wanted, hooks) => this.#apply(editId, wanted, hooks),
        reject: (rejection) => this.#reject(editId, rejection),
      }),
    );
    track(this.#turns);
  }

  /** Hands an edit to the world, which looks at its data when its turn comes: earlier edits may change the blocks that get them. */
  async #applyChecked(editId: number, edit: RequestedEdit): Promise<void> {
    const { bounds } = this.#context;
    if (edit.kind === "fill" || (edit.kind === "voxels" && placedDataBytes(edit) === 0)) {
      await this.#apply(editId, edit);
      return;
    }
    const onApply = (before: WorldState): void => {
      const rejection = findDataRejection(edit, before, bounds);
      if (rejection !== undefined) throw new RefusedEdit(rejection);
    };
    await this.#apply(editId, edit, { onApply });
  }

  /** Hands an edit to the world. Resolves when the world has decided, which may be before the edit is durable. */
  async #apply(
    editId: number,
    edit: RequestedEdit,
    { onApply, companion }: EditHooks = {},
  ): Promise<WorldEditResult["status"] | undefined> {
    const playerId = this.#playerId;
    const origin = {
      clientId: this.#clientId,
      editId,
      ...(playerId !== undefined && { playerId }),
      ...(editId < this.#repeatsBelow && { isRepeat: true }),
    };
    try {
      const made = await this.#context.world.edit(edit, origin, onApply, companion);
      this.#context.track(this.#acknowledge(editId, made));
      return made.status;
    } catch (error) {
      if (error instanceof RefusedEdit) {
        this.#reject(editId, error.rejection);
        return undefined;
      }
      // The chunk has no room for the data, or the world none for any.
      const reason = isOrthantError(error, "ORT_LIMIT", "ORT_VERSION") ? "data" : "world";
      this.#reject(editId, { reason, detail: detailOf(error) });
      return undefined;
    }
  }

  async #acknowledge(editId: number, { status, clocks }: WorldEditResult): Promise<void> {
    try {
      await this.#context.whenDurable?.();
    } catch (error) {
      // Neither `applied` nor `rejected` is true: the edit is in memory, but perhaps not on the disk. The client
      // asks again when it reconnects.
      this.#open?.delete(editId);
      this.#context.onFailure(error);
      return;
    }
    this.#context.events?.onEditResult?.(status);
    this.#decide({ result: { editId, status }, clocks });
  }

  #reject(editId: number, { reason, detail }: Rejection): void {
    this.#context.events?.onEditResult?.(reason);
    const result = {
      editId,
      status: "rejected",
      reason,
      detail: clipText(detail, DETAIL_BYTES_MAX),
    } as const;
    this.#decide({ result, clocks: NO_CLOCKS });
  }

  #decide(decided: DecidedEdit): void {
    const { editId } = decided.result;
    this.#open?.delete(editId);
    this.#decided ??= new Map();
    this.#decided.set(editId, decided);
    if (this.#decided.size > RESULTS_KEPT_MAX) {
      for (const oldest of this.#decided.keys()) {
        this.#decided.delete(oldest);
        break;
      }
    }
    this.#listener?.(decided);
  }
}

/** Only the code, because a nested error may name files of the server. */
function detailOf(error: unknown): string {
  if (isOrthantError(error, "ORT_EDIT_REPEAT")) return FORGOTTEN;
  return isOrthantError(error) ? error.code : "it failed";
}

/** How long a queue is kept after its client has left. */
const QUEUE_KEPT_MS = 300_000;
/** Maximum number of queues of clients that have left. */
const QUEUES_KEPT_MAX = 4_096;

/** The queues of all clients, and for a while of those that have left. */
export class EditQueues {
  readonly #context: EditQueueContext;
  readonly #queues = new Map<bigint, EditQueue>();
  /** When each client left, oldest first. */
  readonly #goneMs = new Map<bigint, number>();
  readonly #work = new Set<Promise<void>>();
  /** Asks the game's rules, if there are any. */
  readonly #asker: RuledEdits | undefined;
  /** The next wait for the disk, which all edits applied in this turn of the event loop share. */
  #durable: Promise<void> | undefined;

  constructor(
    context: Omit<EditQueueContext, "track" | "ruled" | "whenDurable">,
    isDurable: boolean,
    nowMs: () => number,
  ) {
    const { world, bounds, events } = context;
    const track = (work: Promise<void>): void => this.#track(work);
    const onFailure = (error: unknown): void => events?.onFailure?.(error);
    const { rules } = bounds;
    const isRuled = rules?.beforeEdit !== undefined || rules?.afterEdit !== undefined;
    const asker =
      rules === undefined ? undefined : new RuledEdits({ world, bounds, rules, nowMs, track, onFailure });
    const ruled = isRuled ? asker : undefined;
    this.#asker = asker;
    const whenDurable = isDurable ? () => this.#whenDurable(world) : undefined;
    this.#context = { ...context, ruled, track, whenDurable };
  }

  /** What operations share with edits. */
  get shared(): Pick<EditQueueContext, "bounds" | "ruled" | "track" | "whenDurable" | "onFailure"> {
    return { ...this.#context, ruled: this.#asker };
  }

  /** Gives up rules that have taken too long. */
  tick(): void {
    this.#asker?.tick();
  }

  /** Returns the queue of a connected client. */
  open(clientId: bigint): EditQueue {
    this.#goneMs.delete(clientId);
    return getOrAdd(this.#queues, clientId, () => new EditQueue(clientId, this.#context));
  }

  /** Records that a client has left. */
  leave(clientId: bigint, nowMs: number): void {
    this.#goneMs.delete(clientId);
    this.#goneMs.set(clientId, nowMs);
    this.clean(nowMs);
  }

  /** Drops the queues of clients that left long ago, or beyond the limit. */
  clean(nowMs: number): void {
    for (const [clientId, goneMs] of this.#goneMs) {
      if (nowMs - goneMs < QUEUE_KEPT_MS && this.#goneMs.size <= QUEUES_KEPT_MAX) return;
      // A pending edit still has to record its result.
      if (this.#queues.get(clientId)?.isIdle === false) continue;
      this.#goneMs.delete(clientId);
      this.#queues.delete(clientId);
    }
  }

  /** Resolves when no edit is pending. */
  async whenIdle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #whenDurable(world: SyncWorld): Promise<void> {
    // Edits made before the world is asked share the answer.
    this.#durable ??= Promise.resolve().then(() => {
      this.#durable = undefined;
      return world.whenDurable();
    });
    return this.#durable;
  }

  #track(work: Promise<void>): void {
    // A failure here is a bug, and must stop neither the program nor the wait for other edits.
    const done = work
      .catch((error: unknown) => this.#context.events?.onFailure?.(error))
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}
