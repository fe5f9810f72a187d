import type { BlockCatalog, Box, ChunkShape, Dimensions, TimeSource } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { type Axes, boxVolume, chunksOfVoxels, positionsLexicographic } from "@orthant/core/lattice";
import { CachedVoxels, type CancelSignal, type OperationWorld } from "@orthant/core/operations";
import { nextTurn } from "@orthant/core/time";
import type { WorldState } from "@orthant/core/tree";
import type { WorldContent } from "../content/world-content.ts";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";

/** How long an operation computes before it lets other work go on. */
const SLICE_MS = 4;

/** The world of an operation, and who may cancel it. */
export interface RunContext {
  readonly content: WorldContent;
  readonly axes: Axes<Dimensions>;
  readonly time: TimeSource;
  readonly signal: CancelSignal | undefined;
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
  #pausedMs: number;

  constructor(context: RunContext) {
    const { axes, content, time } = context;
    this.#context = context;
    this.#state = content.regions.state;
    this.#pausedMs = time.nowMs();
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

  /** Lets other work go on if it is time. Throws if the operation is cancelled. */
  pause(): Promise<void> | undefined {
    const { time, signal } = this.#context;
    signal?.throwIfAborted();
    if (time.nowMs() - this.#pausedMs < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      this.#pausedMs = time.nowMs();
    });
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
