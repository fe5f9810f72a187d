import { OrthantError, type Position } from "@orthant/core";
import { boxAt, boxVolume, PositionMap, positionsLexicographic } from "@orthant/core/lattice";
import { type Operation, type OperationProgress, prepareOperation } from "@orthant/core/operations";
import type { EngineTransaction } from "../edit/engine-transaction.ts";
import { type ChangedChunk, type ChunkWork, planWork, undoWork } from "./chunk-work.ts";
import { isCurrent, type ReadChunks, ReadWorld, type RunContext } from "./operation-world.ts";

/** How often an operation is planned while others change what decides which voxels it changes. */
const PLANS_MAX = 1_000;

/** What an operation has to do, and what decided that. */
interface PlannedWork {
  readonly work: ChunkWork;
  readonly world: ReadWorld;
}

/** At least this number of changed chunks gets a slice of their own to be put into the world. */
const OWN_SLICE_CHUNKS = 32;

/** A chunk that is done, and what it was computed from. */
interface Piece extends ReadChunks {
  readonly changed: ChangedChunk | undefined;
  /** The number of voxels that an undo leaves alone. */
  readonly kept: number;
}

/**
 * Computes what an operation makes of a world, in slices. It is tried as a transaction: while it computes, others may edit;
 * then the chunks that depend on what they changed are computed again.
 */
export class OperationRun {
  readonly #newWork: (world: ReadWorld) => ChunkWork | Promise<ChunkWork>;
  readonly #context: RunContext;
  readonly #onProgress: ((progress: OperationProgress) => void) | undefined;
  readonly #pieces = new PositionMap<Piece>();
  #planned: PlannedWork | undefined;

  private constructor(
    context: RunContext,
    newWork: (world: ReadWorld) => ChunkWork | Promise<ChunkWork>,
    onProgress?: (progress: OperationProgress) => void,
  ) {
    this.#context = context;
    this.#newWork = newWork;
    this.#onProgress = onProgress;
  }

  /** Does what a checked operation says. */
  static of(
    context: RunContext,
    operation: Operation,
    onProgress: ((progress: OperationProgress) => void) | undefined,
  ): OperationRun {
    return new OperationRun(
      context,
      async (world) => planWork(await prepareOperation(operation, world), world),
      onProgress,
    );
  }

  /** Takes changes back where they still stand. */
  static undo(
    context: RunContext,
    changed: readonly ChangedChunk[],
    onProgress?: (progress: OperationProgress) => void,
  ): OperationRun {
    return new OperationRun(context, () => undoWork(changed), onProgress);
  }

  /** The chunks that it changes, after an attempt. */
  get changed(): readonly ChangedChunk[] {
    return [...this.#pieces.values()].flatMap(({ changed }) => changed ?? []);
  }

  /** The number of voxels that an undo leaves alone, after an attempt. */
  get kept(): number {
    return [...this.#pieces.values()].reduce((sum, { kept }) => sum + kept, 0);
  }

  /** Computes what is not up to date, and has a transaction change it all. */
  async attempt(transaction: EngineTransaction): Promise<void> {
    // Another operation may have computed, or been put into the world, in this turn of the loop.
    await this.#context.slice.end();
    const { work, world } = await this.#watchedWork(transaction);
    const { state } = world;
    const total = work.chunks.reduce((count, box) => count + boxVolume(box), 0);
    let done = 0;
    let count = 0;
    for (const part of work.parts) {
      const release = state.generatesAsync
        ? await state.keepGenerated([part, ...work.reads(part)])
        : undefined;
      for (const position of positionsLexicographic(part)) {
        const { changed } = this.#current(position, world) ?? (await this.#compute(work, position, world));
        count += changed?.count ?? 0;
        const paused = world.pause();
        if (paused !== undefined) await paused;
      }
      release?.();
      this.#context.bounds?.change?.(count);
      done += boxVolume(part);
      this.#onProgress?.({ done, total });
    }
    // What follows cannot be interrupted, so it gets a slice of its own.
    if (this.changed.length >= OWN_SLICE_CHUNKS) await this.#context.slice.end();
    transaction.setChunks(this.changed.map(({ position, chunk }) => [position, chunk]));
  }

  /** Returns the work, after all that decides it is in memory and watched. */
  async #watchedWork(transaction: EngineTransaction): Promise<PlannedWork> {
    for (let plan = 0; plan < PLANS_MAX; plan++) {
      const planned = this.#planned ?? (await this.#planNow());
      this.#planned = planned;
      const { work, world } = planned;
      const read = world.reads.flatMap(({ boxes }) => boxes);
      world.take(
        await transaction.watch([...work.chunks, ...work.chunks.flatMap((box) => work.reads(box)), ...read]),
      );
      if (world.reads.every((reads) => isCurrent(reads, world.state))) return planned;
      this.#planned = undefined;
      this.#pieces.clear();
    }
    throw new OrthantError(
      "ORT_LIMIT",
      `an operation was planned ${PLANS_MAX} times, and each time what it had read had changed meanwhile`,
    );
  }

  async #planNow(): Promise<PlannedWork> {
    const world = new ReadWorld(this.#context);
    return { work: await this.#newWork(world), world };
  }

  /** Returns what a chunk becomes, if it is known and still right. */
  #current(position: Position, { state }: ReadWorld): Piece | undefined {
    const known = this.#pieces.get(...position);
    return known !== undefined && isCurrent(known, state) ? known : undefined;
  }

  async #compute(work: ChunkWork, position: Position, world: ReadWorld): Promise<Piece> {
    const { state } = world;
    const box = boxAt(position);
    const before = state.realizeChunk(...position);
    const computing = work.change(position, before);
    let next = computing.next();
    for (; next.done !== true; next = computing.next()) {
      const paused = world.pause();
      if (paused !== undefined) await paused;
    }
    const { planned, kept } = next.value;
    const changed = planned && { ...planned, position, before };
    const piece: Piece = { boxes: [box, ...work.reads(box)], state, changed, kept };
    this.#pieces.set(...position, piece);
    return piece;
  }
}
