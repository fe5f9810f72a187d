import { type Dimensions, isOrthantError, type Position } from "@orthant/core";
import { Axes, getOrAdd } from "@orthant/core/lattice";
import {
  type CancelSignal,
  type Clipboard,
  type Operation,
  operationOfText,
  parseSelection,
  printSelection,
} from "@orthant/core/operations";
import type { ClockChange } from "@orthant/core/tree";
import { OPERATIONS_LISTED_MAX, OPERATIONS_OPEN_MAX } from "../../message/limits.ts";
import type { OperationLimits } from "../../message/operation-limits.ts";
import type {
  OperationMessage,
  OperationOutcome,
  OperationRequest,
  SentClipboard,
} from "../../message/operation-message.ts";
import type { Account, Player } from "../account.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import { type Disconnect, malformed } from "../disconnect.ts";
import { type EditBounds, RefusedEdit } from "../edits/edit-checks.ts";
import type { RuledEdits } from "../edits/ruled-edits.ts";
import type { SyncServerEvents } from "../sync-server-options.ts";
import type { SyncWorld } from "../sync-world.ts";
import { exceeding, LimitGuard, PlanCut } from "./limit-guard.ts";
import { OperationAccount } from "./operation-account.ts";
import { OperationQueue } from "./operation-queue.ts";
import { OperationRules } from "./operation-rules.ts";
import type { DecidedRequest, RequestListener } from "./pending-answers.ts";
import { RefusedOperation, refusal } from "./refused-operation.ts";
import type { GuardedRun, MadeOperation, OwnedRun, SyncOperations } from "./sync-operations.ts";

/** How long the operations of a client that has left go on. Those that are not visible by then are cancelled. */
const LEFT_MS = 30_000;
/** How long answers and clipboards are kept after the last client of an account has left. */
const KEPT_MS = 300_000;
/** Maximum number of clients that have left and whose answers are kept. */
const CLIENTS_KEPT_MAX = 4_096;
const NO_CLOCKS: readonly ClockChange[] = [];
/** The answer to a request that was answered before, when its client no longer waits for it or its clock was set back. */
const FORGOTTEN: Omit<DecidedRequest, "requestId"> = {
  outcome: {
    kind: "refused",
    reason: "forgotten",
    detail: "this request was answered before, and the answer is forgotten",
    exceeded: [],
  },
  clocks: NO_CLOCKS,
};

/** What operations need of their server. */
interface OperationContext {
  readonly world: SyncWorld;
  readonly bounds: EditBounds;
  readonly ruled: RuledEdits | undefined;
  readonly events: SyncServerEvents | undefined;
  readonly nowMs: () => number;
  /** `undefined` if operations are acknowledged as soon as they are applied. */
  readonly whenDurable: (() => Promise<void>) | undefined;
  /** Tracks background work. */
  readonly track: (work: Promise<void>) => void;
  /** The world failed to make operations durable, so none can be acknowledged. */
  readonly onFailure: (error: unknown) => void;
}

/** Thrown when it is unknown whether an operation would survive a crash: then there is no answer, and the server closes. */
class Undecided extends Error {}

/** A client that asks for operations. */
export interface OperationClient {
  readonly clientId: bigint;
  readonly account: Account;
  readonly network: string | undefined;
  /** `undefined` if the player's role may do no operations. */
  readonly limits: OperationLimits | undefined;
  readonly budget: PlayerBudget;
  player(): Player;
}

/** Cancels a request. */
class Cancelling implements CancelSignal {
  #reason: string | undefined;

  cancel(reason: string): void {
    this.#reason ??= reason;
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw new RefusedOperation("cancelled", this.#reason);
  }
}

/** The requests of one client about operations: each is done once, over all of its connections. */
export class ClientRequests {
  readonly #desk: OperationDesk;
  readonly #client: OperationClient;
  readonly #account: OperationAccount;
  readonly #open = new Map<number, Cancelling>();
  readonly #decided = new Map<number, DecidedRequest>();
  #last = 0;
  #listener: RequestListener | undefined;
  #goneMs: number | undefined;

  constructor(desk: OperationDesk, client: OperationClient, account: OperationAccount) {
    this.#desk = desk;
    this.#client = client;
    this.#account = account;
  }

  get isIdle(): boolean {
    return this.#open.size === 0 && this.#listener === undefined;
  }

  /** When the client left; `undefined` while it is connected. */
  get goneMs(): number | undefined {
    return this.#goneMs;
  }

  get account(): OperationAccount {
    return this.#account;
  }

  attach(listener: RequestListener): void {
    if (this.#listener === undefined) this.#account.clients++;
    this.#listener = listener;
    this.#goneMs = undefined;
  }

  detach(listener: RequestListener, nowMs: number): void {
    if (this.#listener !== listener) return;
    this.#listener = undefined;
    this.#goneMs = nowMs;
    this.#account.clients--;
    this.#account.goneMs = nowMs;
  }

  /** Cancels everything that is not visible. */
  cancelAll(reason: string): void {
    for (const cancelling of this.#open.values()) cancelling.cancel(reason);
  }

  cancel(requestId: number): void {
    this.#open.get(requestId)?.cancel("it was cancelled");
  }

  /** Handles a request, or repeats its answer. Returns why the client must be disconnected, if so. */
  submit(message: OperationMessage, client: OperationClient, nowMs: number): Disconnect | undefined {
    const { requestId, openRequestId } = message;
    if (requestId - openRequestId >= OPERATIONS_OPEN_MAX)
      return malformed(
        `request ${requestId} while ${openRequestId} is open; at most ${OPERATIONS_OPEN_MAX} may be`,
      );
    for (const known of this.#decided.keys()) if (known < openRequestId) this.#decided.delete(known);
    if (requestId <= this.#last) {
      if (this.#open.has(requestId)) this.#listener?.progress(requestId, 0, 0);
      else this.#listener?.decided(this.#decided.get(requestId) ?? { requestId, ...FORGOTTEN });
      return undefined;
    }
    this.#last = Math.max(this.#last, openRequestId - 1);
    // An earlier one was lost on the way, or there are too many: the client sends all of them again, in order.
    if (requestId > this.#last + 1 || !client.budget.take("operations", 1, nowMs)) return undefined;
    this.#last = requestId;
    this.#listener?.progress(requestId, 0, 0);
    this.#begin(message, client);
    return undefined;
  }

  #begin({ requestId, request, isRepeat }: OperationMessage, client: OperationClient): void {
    const cancelling = new Cancelling();
    this.#open.set(requestId, cancelling);
    const { clientId } = this.#client;
    const onProgress = (done: number, total: number): void =>
      this.#listener?.progress(requestId, done, total);
    this.#desk.begin(
      request,
      {
        client,
        account: this.#account,
        request: { clientId, requestId, isRepeat },
        signal: cancelling,
        onProgress,
      },
      (outcome, clocks) => this.#decide({ requestId, outcome, clocks }),
    );
  }

  #decide(decided: DecidedRequest): void {
    this.#open.delete(decided.requestId);
    this.#decided.set(decided.requestId, decided);
    this.#listener?.decided(decided);
  }
}

/** A request that runs. */
interface RunningRequest {
  readonly client: OperationClient;
  readonly account: OperationAccount;
  readonly request: OwnedRun["request"];
  readonly signal: CancelSignal;
  readonly onProgress: (done: number, total: number) => void;
}

type Decide = (outcome: OperationOutcome, clocks: readonly ClockChange[]) => void;

/** Does what clients ask for about operations, within the limits of their accounts. */
export class OperationDesk {
  readonly #context: OperationContext;
  readonly #queue: OperationQueue;
  readonly #clients = new Map<bigint, ClientRequests>();
  readonly #accounts = new Map<string, OperationAccount>();

  constructor(context: OperationContext) {
    this.#context = context;
    this.#queue = new OperationQueue(context.bounds.limits.operationsMax);
  }

  /** Returns the requests of a client that has connected. */
  open(client: OperationClient): ClientRequests {
    const account = getOrAdd(this.#accounts, accountKey(client), () => new OperationAccount());
    const known = this.#clients.get(client.clientId);
    if (known?.account === account) return known;
    known?.cancelAll("the client has another account now");
    const opened = new ClientRequests(this, client, account);
    this.#clients.set(client.clientId, opened);
    return opened;
  }

  /** Cancels everything that is not visible. */
  cancelAll(reason: string): void {
    for (const client of this.#clients.values()) client.cancelAll(reason);
  }

  /** Cancels what clients that have left for good asked for, and forgets what is not needed any more. */
  clean(nowMs: number): void {
    let left = 0;
    for (const { goneMs } of this.#clients.values()) if (goneMs !== undefined) left++;
    for (const [clientId, client] of this.#clients) {
      const { goneMs } = client;
      if (goneMs === undefined || nowMs - goneMs < LEFT_MS) continue;
      client.cancelAll("the client has left");
      if (!client.isIdle || (nowMs - goneMs < KEPT_MS && left <= CLIENTS_KEPT_MAX)) continue;
      this.#clients.delete(clientId);
      left--;
    }
    const used = new Set(Array.from(this.#clients.values(), ({ account }) => account));
    for (const [key, account] of this.#accounts) {
      if (account.clients === 0 && nowMs - account.goneMs >= KEPT_MS) account.releaseAll();
      if (!used.has(account) && account.isUnused(nowMs)) this.#accounts.delete(key);
    }
  }

  /** Begins a request. Calls `decide` once, at once or later. */
  begin(request: OperationRequest, running: RunningRequest, decide: Decide): void {
    const { account, client } = running;
    const answer = (outcome: OperationOutcome, clocks: readonly ClockChange[] = NO_CLOCKS): void => {
      this.#context.events?.onOperation?.(outcome.kind === "refused" ? outcome.reason : outcome.kind);
      decide(outcome, clocks);
    };
    try {
      const { limits, operations } = this.#allowed(client);
      if (request.kind === "release") {
        account.release(request.clipboardId);
        answer({ kind: "released" });
        return;
      }
      if (account.open >= limits.openMax) {
        throw exceeding(
          { limit: "openMax", value: account.open + 1, max: limits.openMax },
          "operations of this account at once",
        );
      }
      account.open++;
      const start = async (): Promise<void> => {
        try {
          running.signal.throwIfAborted();
          const { outcome, clocks } = await this.#run(request, running, limits, operations);
          answer(outcome, clocks);
        } catch (error) {
          if (error instanceof Undecided) return;
          this.#report(error);
          answer(refusal(error));
        } finally {
          account.open--;
        }
      };
      this.#queue.add(account, limits.runningMax, () => {
        const work = start();
        this.#context.track(work);
        return work;
      });
    } catch (error) {
      this.#report(error);
      answer(refusal(error));
    }
  }

  /** Throws unless the client may do operations at all. */
  #allowed({ limits }: OperationClient): {
    readonly limits: OperationLimits;
    readonly operations: SyncOperations;
  } {
    const { world, bounds } = this.#context;
    if (bounds.isReadOnly) throw new RefusedOperation("role", "this world is served read-only");
    if (limits === undefined) throw new RefusedOperation("role", "your role may not use operations here");
    const { operations } = world;
    if (operations === undefined) {
      throw new RefusedOperation(
        "world",
        "this world is shared by several servers, where an operation could be done in a part of it only: use edits",
      );
    }
    return { limits, operations };
  }

  async #run(
    request: Exclude<OperationRequest, { readonly kind: "release" }>,
    running: RunningRequest,
    limits: OperationLimits,
    operations: SyncOperations,
  ): Promise<{ readonly outcome: OperationOutcome; readonly clocks?: readonly ClockChange[] }> {
    switch (request.kind) {
      case "list":
        return { outcome: await this.#list(running, limits, operations) };
      case "copy":
        return { outcome: await this.#copy(request.selection, running, limits, operations) };
      case "apply": {
        const operation = await this.#operationOf(request, running, limits, operations);
        if (request.isDry) return { outcome: await this.#plan(operation, running, limits, operations) };
        const { isConfirmed, text } = request;
        return this.#make(running, limits, { text, isConfirmed }, (run) => operations.apply(operation, run));
      }
      case "undo":
      case "redo": {
        const entryId = request.entryId === 0 ? undefined : request.entryId;
        const make = (run: OwnedRun): Promise<MadeOperation> => operations[request.kind](entryId, run);
        return this.#make(running, limits, { text: request.kind, isConfirmed: true }, make);
      }
    }
  }

  async #list(
    { client }: RunningRequest,
    { undoAgeMs }: OperationLimits,
    operations: SyncOperations,
  ): Promise<OperationOutcome> {
    const listed = await operations.list(ownerOf(client), undoAgeMs);
    return { kind: "listed", operations: listed.slice(-OPERATIONS_LISTED_MAX) };
  }

  async #copy(
    selection: string,
    running: RunningRequest,
    limits: OperationLimits,
    operations: SyncOperations,
  ): Promise<OperationOutcome> {
    const { account } = running;
    const { dimensions } = this.#axes;
    const parsed = parseSelection(selection, { dimensions });
    if (printSelection(parsed, { dimensions }) !== selection)
      throw new RefusedOperation("operation", "the selection has another, shorter or simpler text");
    const bytesMax = account.roomForClipboard(limits);
    const clipboard = await operations.copy(parsed, {
      ...this.#runOf(running, new LimitGuard(limits, false)),
      bytesMax,
    });
    // Another request of the account may have copied meanwhile.
    const bytes = operations.bytesOf(clipboard);
    const room = account.roomForClipboard(limits);
    if (bytes > room) {
      const { clipboardBytesMax: max } = limits;
      throw exceeding({ limit: "clipboardBytesMax", value: max - room + bytes, max }, "bytes of clipboards");
    }
    const extents: Position = clipboard.content.extents;
    return { kind: "copied", clipboardId: account.addClipboard(clipboard, bytes), extents };
  }

  async #operationOf(
    { text, clipboards }: Extract<OperationRequest, { readonly kind: "apply" }>,
    { account }: RunningRequest,
    limits: OperationLimits,
    operations: SyncOperations,
  ): Promise<Operation> {
    const held = clipboards.map(({ clipboardId }) => account.clipboard(clipboardId));
    requireEachOnce(clipboards);
    // Turned ones take as much memory again, for as long as the operation runs.
    const bytes = held.reduce((sum, clipboard) => sum + operations.bytesOf(clipboard), 0);
    const { clipboardBytesMax: max } = limits;
    if (bytes > max)
      throw exceeding(
        { limit: "clipboardBytesMax", value: bytes, max },
        "bytes of clipboards in one operation",
      );
    const turned: Clipboard[] = [];
    for (const [index, clipboard] of held.entries())
      turned.push(await operations.turned(clipboard, clipboards[index]?.steps ?? []));
    // An untouched one may stand at two places with different turns, and has to be told apart.
    return operationOfText({ text, clipboards: turned }, this.#axes.dimensions) as unknown as Operation;
  }

  async #plan(
    operation: Operation,
    running: RunningRequest,
    limits: OperationLimits,
    operations: SyncOperations,
  ): Promise<OperationOutcome> {
    const guard = new LimitGuard(limits, true);
    let planned: { readonly count: number; readonly box: MadeOperation["box"] } = {
      count: 0,
      box: undefined,
    };
    try {
      planned = await operations.plan(operation, this.#runOf(running, guard));
    } catch (error) {
      if (!(error instanceof PlanCut)) throw error;
    }
    const { work, exceeded } = guard;
    const status = planned.count === 0 && exceeded.length === 0 ? "unchanged" : "planned";
    return { kind: "done", status, ...planned, kept: 0, entryId: 0, work, exceeded };
  }

  async #make(
    running: RunningRequest,
    limits: OperationLimits,
    { text, isConfirmed }: { readonly text: string; readonly isConfirmed: boolean },
    make: (run: OwnedRun) => Promise<MadeOperation>,
  ): Promise<{ readonly outcome: OperationOutcome; readonly clocks: readonly ClockChange[] }> {
    const { client, account, request } = running;
    const { nowMs, whenDurable, bounds, ruled } = this.#context;
    const rules = new OperationRules({ bounds, ruled, nowMs }, () => client.player(), client.budget, text);
    let paidVoxels = 0;
    const run: OwnedRun = {
      ...this.#runOf(running, new LimitGuard(limits, false)),
      owner: ownerOf(client),
      request,
      history: { entriesMax: limits.undoStepsMax, bytesMax: limits.undoBytesMax, ageMs: limits.undoAgeMs },
      accept: async (changes) => {
        const { count } = changes;
        const max = limits.confirmVoxels;
        if (count > max && !isConfirmed) {
          const detail = `it changes ${count} voxels, which is more than ${max}: confirm it`;
          throw new RefusedOperation("confirm", detail, [{ limit: "confirmVoxels", value: count, max }]);
        }
        account.takeVoxels(Math.max(0, count - paidVoxels), limits, nowMs());
        paidVoxels = Math.max(paidVoxels, count);
        await rules.accept(changes);
        running.signal.throwIfAborted();
      },
    };
    let made: MadeOperation;
    try {
      made = await make(run);
    } catch (error) {
      rules.ended();
      throw error;
    }
    await rules.done();
    await this.#durable(whenDurable);
    const { count, kept, box, clocks, entryId } = made;
    const status = count === 0 ? "unchanged" : "applied";
    return {
      outcome: { kind: "done", status, count, kept, box, entryId, work: 0, exceeded: [] },
      clocks,
    };
  }

  /** Waits until the operation would survive a crash. */
  async #durable(whenDurable: (() => Promise<void>) | undefined): Promise<void> {
    try {
      await whenDurable?.();
    } catch (error) {
      this.#context.onFailure(error);
      throw new Undecided();
    }
  }

  #runOf({ signal, onProgress }: RunningRequest, bounds: LimitGuard): GuardedRun {
    return { bounds, signal, onProgress: ({ done, total }) => onProgress(done, total) };
  }

  get #axes(): Axes<Dimensions> {
    return new Axes(this.#context.world.shape);
  }

  /** Reports what is not the client's fault. */
  #report(error: unknown): void {
    if (error instanceof RefusedOperation || isOrthantError(error)) return;
    if (error instanceof RefusedEdit) return;
    this.#context.events?.onFailure?.(error);
  }
}

/** Whose history an operation belongs to. An anonymous player chooses the own id, but not that of a client. */
function ownerOf({ account, clientId }: OperationClient): string {
  return account.isAnonymous === true ? `c${clientId.toString(16)}` : `p${account.playerId.toString(16)}`;
}

/** Who shares the limits: the player, or all anonymous players of a network. */
function accountKey({ account, network }: OperationClient): string {
  if (account.isAnonymous === true && network !== undefined) return `n${network}`;
  return `p${account.playerId.toString(16)}`;
}

function requireEachOnce(clipboards: readonly SentClipboard[]): void {
  const keys = clipboards.map(({ clipboardId, steps }) => `${clipboardId} ${JSON.stringify(steps)}`);
  if (new Set(keys).size === keys.length) return;
  throw new RefusedOperation("operation", "a clipboard is there twice with the same turns");
}
