import { type Dimensions, OrthantError, type VoxelBox } from "@orthant/core";
import { callback, checkedOptions, requireFlag, withMethods, wrongArgument } from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import {
  type AppliedOperation,
  type ApplyOptions,
  type CancelSignal,
  type Clipboard,
  checkedOperation,
  checkedSelection,
  type Operation,
  type OperationProgress,
  printSelection,
  type Selection,
  textOfOperation,
} from "@orthant/core/operations";
import type {
  ExceededLimit,
  OperationLimits,
  OperationOutcome,
  OperationRequest,
  SentClipboard,
} from "@orthant/protocol";
import { RemoteClipboard } from "./remote-clipboard.ts";

/** How a request about operations is followed. */
export interface RequestOptions {
  readonly signal?: CancelSignal | undefined;
  readonly onProgress?: ((progress: OperationProgress) => void) | undefined;
}

/** The outcome of a request that the server does not refuse. */
export type MadeOutcome = Exclude<OperationOutcome, { readonly kind: "refused" }>;

/** A server that does operations. */
interface OperationServer {
  /** The limits of the player's operations; `undefined` without any. */
  readonly operationLimits: OperationLimits | undefined;
  requestOperation(request: OperationRequest, options?: RequestOptions): Promise<MadeOutcome>;
}

/** How an operation is done on a server. */
export interface RemoteApplyOptions<D extends Dimensions = Dimensions> extends ApplyOptions<D> {
  /** Whether the player knows that it is large: without it, one above the limit `confirmVoxels` is refused with `ORT_CONFIRM`. */
  readonly confirm?: boolean;
}

/** What an operation changed on a server, or would change. */
export interface RemoteOperation<D extends Dimensions = Dimensions> extends AppliedOperation<D> {
  /** Whether the player can take it back later. Too large ones are done and cannot. */
  readonly canUndo: boolean;
  /** How many comparisons and reads it takes: only of a dry run. */
  readonly work: number;
  /** The limits that it exceeds: only of a dry run. When one on work is among them, `count` and `box` are not known. */
  readonly exceeded: readonly ExceededLimit[];
  undo(): Promise<RemoteOperation<D>>;
}

/** An operation of the player that can be undone, or done again. */
export interface PastOperation<D extends Dimensions = Dimensions> {
  /** What it does, as the reference of operations explains. */
  readonly text: string;
  readonly count: number;
  readonly box: VoxelBox<D>;
  /** When it was done, in milliseconds since 1970. */
  readonly timeMs: number;
  /** Takes it back; or does it again, if it was undone. */
  revert(): Promise<RemoteOperation<D>>;
}

/** What a player can undo and do again, each with the next one first. */
export interface PastOperations<D extends Dimensions = Dimensions> {
  readonly undo: readonly PastOperation<D>[];
  readonly redo: readonly PastOperation<D>[];
}

/**
 * The operations of this client's player on the server: those of all of the player's clients, also after the server was restarted.
 *
 * @example
 * await client.operations.undo();
 * const { undo } = await client.operations.list();
 */
export class ClientOperations<D extends Dimensions = Dimensions> {
  readonly #server: OperationServer;
  readonly #axes: Axes<D>;

  /** @internal */
  constructor(server: OperationServer, axes: Axes<D>) {
    this.#server = server;
    this.#axes = axes;
  }

  /** The limits of the player's operations; `undefined` if the server lets the player do none, or knows none. */
  get limits(): OperationLimits | undefined {
    return this.#server.operationLimits;
  }

  /**
   * Takes the player's last operation back, but for voxels that have been changed since; the result says how many. Throws
   * `ORT_ARGUMENT` if there is none.
   */
  undo(): Promise<RemoteOperation<D>> {
    return this.#revert("undo", 0);
  }

  /** Does the operation again that was undone last. Throws `ORT_ARGUMENT` if there is none. */
  redo(): Promise<RemoteOperation<D>> {
    return this.#revert("redo", 0);
  }

  /** Returns what the player can undo and do again. */
  async list(): Promise<PastOperations<D>> {
    const outcome = await this.#server.requestOperation({ kind: "list" });
    if (outcome.kind !== "listed") throw unexpected(outcome);
    const { operations } = outcome;
    const shown = (
      kind: "undo" | "redo",
      { entryId, text, count, box, timeMs }: (typeof operations)[number],
    ) => ({
      text,
      count,
      box: this.#axes.publicVoxels(box),
      timeMs,
      revert: () => this.#revert(kind, entryId),
    });
    const done = operations.filter(({ undone }) => undone === 0).sort((a, b) => b.entryId - a.entryId);
    const undone = operations.filter((one) => one.undone > 0).sort((a, b) => b.undone - a.undone);
    return { undo: done.map((one) => shown("undo", one)), redo: undone.map((one) => shown("redo", one)) };
  }

  /** @internal */
  async apply(operation: Operation<D> | string, options: RemoteApplyOptions<D>): Promise<RemoteOperation<D>> {
    const { dimensions } = this.#axes;
    const {
      dryRun = false,
      confirm = false,
      signal,
      onProgress,
      ...given
    } = checkedOptions<RemoteApplyOptions<D>>("the options", options, {
      in: (name, value) => checkedSelection(value, dimensions, name),
      dryRun: requireFlag,
      confirm: requireFlag,
      signal: withMethods("it is an AbortSignal", "throwIfAborted"),
      onProgress: callback,
    });
    const checked = checkedOperation(operation, dimensions);
    if (given.in !== undefined && checked.in !== undefined)
      throw wrongArgument("options.in", given.in, "the operation itself says where");
    const whole = { ...checked, ...given } as unknown as Operation;
    const { text, clipboards } = textOfOperation(whole);
    const sent = clipboards.map((clipboard) => this.#sent(clipboard));
    const outcome = await this.#server.requestOperation(
      { kind: "apply", text, clipboards: sent, isDry: dryRun, isConfirmed: confirm },
      { signal, onProgress },
    );
    return this.#shown(outcome, "undo");
  }

  /** @internal */
  async copy(selection: Selection<D>, options: RequestOptions = {}): Promise<RemoteClipboard<D>> {
    const { dimensions } = this.#axes;
    const text = printSelection(checkedSelection(selection, dimensions), { dimensions });
    const outcome = await this.#server.requestOperation({ kind: "copy", selection: text }, options);
    if (outcome.kind !== "copied") throw unexpected(outcome);
    const { clipboardId, extents } = outcome;
    return new RemoteClipboard(dimensions, extents, clipboardId, this.#server);
  }

  /** Has the server drop a clipboard, with all that were turned from it, to make room for others. */
  async release(clipboard: RemoteClipboard<D>): Promise<void> {
    const { clipboardId } = this.#sent(clipboard);
    await this.#server.requestOperation({ kind: "release", clipboardId });
  }

  async #revert(kind: "undo" | "redo", entryId: number): Promise<RemoteOperation<D>> {
    const outcome = await this.#server.requestOperation({ kind, entryId });
    return this.#shown(outcome, kind === "undo" ? "redo" : "undo");
  }

  /** `back` is what takes it back. */
  #shown(outcome: MadeOutcome, back: "undo" | "redo"): RemoteOperation<D> {
    if (outcome.kind !== "done") throw unexpected(outcome);
    const { status, count, kept, box, entryId, work, exceeded } = outcome;
    const shown: RemoteOperation<D> = {
      status,
      count,
      kept,
      box: box && this.#axes.publicVoxels(box),
      canUndo: entryId !== 0,
      work,
      exceeded,
      undo: async () => {
        if (status !== "applied") return { ...shown, status: "unchanged", count: 0, kept: 0, box: undefined };
        if (entryId !== 0) return this.#revert(back, entryId);
        throw new OrthantError(
          "ORT_LIMIT",
          "the operation was too large for the server to keep what an undo needs",
        );
      },
    };
    return shown;
  }

  #sent(clipboard: Clipboard): SentClipboard {
    if (clipboard instanceof RemoteClipboard && clipboard.holder === this.#server)
      return { clipboardId: clipboard.clipboardId, steps: clipboard.steps };
    throw new OrthantError("ORT_ARGUMENT", "a client pastes what its own method clipboard has copied");
  }
}

function unexpected({ kind }: MadeOutcome): OrthantError {
  return new OrthantError("ORT_MESSAGE", `the server answered a request about operations with "${kind}"`);
}
