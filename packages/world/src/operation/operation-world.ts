import type { BlockCatalog, Box, ChunkShape, Dimensions } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { type Axes, boxVolume, chunksOfVoxels, positionsLexicographic } from "@orthant/core/lattice";
import {
  CachedVoxels,
  type CancelSignal,
  type OperationProgress,
  type OperationWorld,
} from "@orthant/core/operations";
import type { WorldState } from "@orthant/core/tree";
import type { WorldContent } from "../content/world-content.ts";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";
import type { OperationSlice } from "./operation-slices.ts";

/** The world of an operation, and who may cancel it. */
export interface RunContext {
  readonly content: WorldContent;
  readonly axes: Axes<Dimensions>;
  readonly slice: OperationSlice;
  readonly signal: CancelSignal | undefined;
  readonly bounds: OperationBounds | undefined;
}

/** Who is asked whether an operation may go on. What a method throws ends the operation, and nothing is changed. */
export interface OperationBounds {
  /** Before work is done, in comparisons and reads for each of some voxels. */
  spend?(work: number, voxels: number): void;
  /** While voxels are remembered one by one: connected ones, and those of a line. */
  remember?(voxels: number): void;
  /** While voxels are computed that change. */
  change?(voxels: number): void;
}

/** How an operation runs. */
export interface OperationOptions {
  readonly axes: Axes<Dimensions>;
  readonly signal?: CancelSignal | undefined;
  readonly onProgress?: ((progress: OperationProgress) => void) | undefined;
  /** Who is asked whether it may go on. */
  readonly bounds?: OperationBounds | undefined;
  /** What the promise waits for. Default: `durable`, in a world with a journal. */
  readonly wait?: "applied" | "durable";
}

/** Chunks that were read, and the world at that moment. */
export interface ReadChunks {
  readonly boxes: readonly Box[];
  readonly state: WorldState;
}

/** A world at the moment at which an operation reads it, and what it has read. */
export class ReadWorld implements OperationWorld {
  readonly axes: Axes<Dimensions>;
  readonly shape: ChunkShape;
  readonly reader: CachedVoxels;
  readonly generated: CachedVoxels;
  readonly #context: RunContext;
  readonly #reads: ReadChunks[] = [];
  #state: WorldState;

  constructor(context: RunContext) {
    const { axes, content } = context;
    this.#context = context;
    this.#state = content.regions.state;
    this.axes = axes;
    this.shape = this.#state.shape;
    this.reader = new CachedVoxels(this.shape, (...chunk) => this.#state.realizeChunk(...chunk));
    this.generated = new CachedVoxels(this.shape, (...chunk) => this.#state.generatedChunk(...chunk));
  }

  get catalog(): BlockCatalog {
    return this.#context.content.catalog;
  }

  get state(): WorldState {
    return this.#state;
  }

  /** Everything that {@link load} has read. */
  get reads(): readonly ReadChunks[] {
    return this.#reads;
  }

  async load(voxels: Box): Promise<void> {
    const { content } = this.#context;
    const chunks = chunksOfVoxels(this.shape, voxels);
    requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks to read for an operation", "select less");
    this.take(await content.whenLoaded([chunks], () => content.regions.state));
    this.#reads.push({ boxes: [chunks], state: this.#state });
  }

  /** Reads from this state from now on. */
  take(state: WorldState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.reader.forget();
  }

  spend(work: number, voxels: number): void {
    this.#context.bounds?.spend?.(work, voxels);
  }

  remember(voxels: number): void {
    this.#context.bounds?.remember?.(voxels);
  }

  /** Lets other work go on if it is time. Throws if the operation is cancelled. */
  pause(): Promise<void> | undefined {
    const { slice, signal } = this.#context;
    signal?.throwIfAborted();
    return slice.pause();
  }
}

/** Whether chunks are still what they were when they were read. */
export function isCurrent({ boxes, state }: ReadChunks, now: WorldState): boolean {
  if (state.overrides === now.overrides) return true;
  for (const box of boxes)
    for (const chunk of positionsLexicographic(box))
      if (state.overrides.at(...chunk) !== now.overrides.at(...chunk)) return false;
  return true;
}
