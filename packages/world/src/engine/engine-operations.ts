import type { Box } from "@orthant/core";
import { unionBox } from "@orthant/core/lattice";
import {
  type Clipboard,
  copyVoxels,
  countVoxels,
  type Mask,
  type Operation,
  type Selection,
  type TurnStep,
  turnClipboard,
} from "@orthant/core/operations";
import { EngineTransaction } from "../edit/engine-transaction.ts";
import type { ChangedChunk } from "../operation/chunk-work.ts";
import { OperationRun } from "../operation/operation-run.ts";
import { OperationSlices } from "../operation/operation-slices.ts";
import { type OperationOptions, ReadWorld, type RunContext } from "../operation/operation-world.ts";
import type { EngineCore } from "./engine-core.ts";
import type { EngineTransactions } from "./engine-transactions.ts";
import { KeptOperations } from "./kept-operations.ts";

/** What an operation changed, or would change. */
export interface EngineOperation {
  /** The number of voxels with another block or other data. */
  readonly count: number;
  /** A box around them, of whole chunks where the operation has them. */
  readonly box: Box | undefined;
  /** The number of voxels that an undo left alone, because they had been changed since. */
  readonly kept: number;
  /** What is needed to take it back. */
  readonly changed: readonly ChangedChunk[];
}

/** Makes changes of many voxels: whole, or not at all. */
export class EngineOperations {
  readonly #core: EngineCore;
  readonly #transactions: EngineTransactions;
  readonly #slices: OperationSlices;
  /** Operations that their owners can undo later. */
  readonly kept: KeptOperations;

  /** @internal */
  constructor(core: EngineCore, transactions: EngineTransactions) {
    this.#core = core;
    this.#transactions = transactions;
    this.#slices = new OperationSlices(core.time);
    this.kept = new KeptOperations(core, transactions, (options) => this.#contextOf(options));
  }

  /**
   * Does what a checked operation says to the world as it is when all of it is done at once. Until then others edit as usual, and
   * see nothing of it. Waits until it is durable, as an edit does.
   */
  apply(operation: Operation, options: OperationOptions): Promise<EngineOperation> {
    return this.#make(OperationRun.of(this.#contextOf(options), operation, options.onProgress));
  }

  /** Returns what an operation would change now. */
  async plan(operation: Operation, options: OperationOptions): Promise<EngineOperation> {
    const run = OperationRun.of(this.#contextOf(options), operation, options.onProgress);
    const transaction = new EngineTransaction(this.#core);
    await run.attempt(transaction);
    transaction.end();
    return madeBy(run);
  }

  /** Takes an operation back. What others have changed since stays. */
  undo({ changed }: EngineOperation, options: OperationOptions): Promise<EngineOperation> {
    return this.#make(OperationRun.undo(this.#contextOf(options), changed));
  }

  /** Returns a copy of selected voxels. Throws `ORT_LIMIT` if it would take more bytes. */
  clipboard(selection: Selection, options: OperationOptions, bytesMax?: number): Promise<Clipboard> {
    return copyVoxels(new ReadWorld(this.#contextOf(options)), selection, bytesMax);
  }

  /** Returns a clipboard after turns, one after the other. */
  async turned(clipboard: Clipboard, steps: readonly TurnStep[]): Promise<Clipboard> {
    const slice = this.#slices.begin();
    let turned = clipboard;
    for (const step of steps) {
      const turning = turnClipboard(turned, step);
      let next = turning.next();
      for (; next.done !== true; next = turning.next()) {
        const paused = slice.pause();
        if (paused !== undefined) await paused;
      }
      turned = next.value;
    }
    return turned;
  }

  /** Returns how many of the selected voxels have each block. */
  countBlocks(
    selection: Selection,
    mask: Mask | undefined,
    options: OperationOptions,
  ): Promise<ReadonlyMap<number, number>> {
    return countVoxels(new ReadWorld(this.#contextOf(options)), selection, mask);
  }

  async #make(run: OperationRun): Promise<EngineOperation> {
    await this.#transactions.run((transaction) => run.attempt(transaction));
    return madeBy(run);
  }

  #contextOf({ axes, signal, bounds }: OperationOptions): RunContext {
    const { content } = this.#core;
    return { content, slice: this.#slices.begin(), axes, signal, bounds };
  }
}

function madeBy({ changed, kept }: OperationRun): EngineOperation {
  const count = changed.reduce((sum, chunk) => sum + chunk.count, 0);
  const box = changed.reduce<Box | undefined>((all, chunk) => unionBox(all, chunk.box), undefined);
  return { count, kept, box, changed };
}
