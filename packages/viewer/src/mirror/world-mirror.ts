import { BlockCatalog, type Box, type Chunk, type ChunkShape, type Position } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS, type GeneratorRef } from "@orthant/core/generate";
import {
  PositionSet,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import { generatorMapCodec, OverrideTree, RENDER_CACHE_LIMITS, WorldState } from "@orthant/core/tree";
import type { SceneSource } from "@orthant/worker-pool/browser";
import { chunkPartsCodec } from "../message/chunk-parts.ts";
import type { WorkerMessage, WorldFacts } from "../message/messages.ts";

type ChunkMessage = Extract<WorkerMessage, { kind: "chunks" | "forget" }>;
type ChangeListener = (boxes: readonly Box[], isOwn: boolean) => void;

/** What a worker holds of a world, as far as it is drawn: for a `WorldView`. */
export class WorldMirror {
  readonly dimensions = 4 as const;
  readonly chunkShape: ChunkShape;
  readonly source: SceneSource;
  #blocks: BlockCatalog;
  /** Makes untouched chunks; `undefined` if the worker sends all chunks. */
  readonly #generated: WorldState | undefined;
  #made = OverrideTree.UNTOUCHED;
  readonly #held = new PositionSet();
  readonly #changeListeners = new Set<ChangeListener>();
  readonly #blocksListeners = new Set<() => void>();

  constructor({ shape, blocks, generators, skyAbove }: WorldFacts) {
    this.chunkShape = shape;
    this.#blocks = new BlockCatalog(blocks);
    const map = generators && decode(generatorMapCodec, generators);
    const registry = DEFAULT_GENERATORS;
    this.#generated =
      map &&
      WorldState.open({ generators: registry, generator: map, shape, cacheLimits: RENDER_CACHE_LIMITS });
    this.source = {
      shape,
      skyAbove,
      generators: map && { map, moduleOf: (ref: GeneratorRef) => registry.moduleOf(ref) },
      has: (box) => this.#has(box),
      madeIn: (box) => this.#made.pieces(box),
      chunkAt: (x, y, z, w) => this.#chunkAt([x, y, z, w]),
    };
  }

  /** The blocks of the world as they are now. */
  get blocks(): BlockCatalog {
    return this.#blocks;
  }

  /** Takes over what is known of the same world by now. */
  know({ blocks }: WorldFacts): void {
    const catalog = new BlockCatalog(blocks);
    if (JSON.stringify(catalog.types) === JSON.stringify(this.#blocks.types)) return;
    this.#blocks = catalog;
    for (const listener of this.#blocksListeners) listener();
  }

  /** Takes over what the worker sends. */
  take(message: ChunkMessage): void {
    if (message.kind === "forget") this.#forget(message.regions);
    else this.#replace(message.parts, message.isOwn);
  }

  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => void this.#changeListeners.delete(listener);
  }

  onBlocks(listener: () => void): () => void {
    this.#blocksListeners.add(listener);
    return () => void this.#blocksListeners.delete(listener);
  }

  #replace(bytes: Uint8Array, isOwn: boolean): void {
    const parts = decode(chunkPartsCodec(this.chunkShape.volume), bytes);
    for (const { box, pieces } of parts) {
      this.#made = this.#made.carve(box);
      for (const piece of pieces) this.#made = this.#made.fill(piece.box, piece.content);
      this.#held.add(...regionOf(box.min));
    }
    this.#changed(
      parts.map(({ box }) => box),
      isOwn,
    );
  }

  #forget(regions: readonly Position[]): void {
    const boxes = regions.map(regionBox);
    for (const region of regions) this.#held.delete(...region);
    for (const box of boxes) this.#made = this.#made.carve(box);
    this.#changed(boxes, false);
  }

  #changed(boxes: readonly Box[], isOwn: boolean): void {
    for (const listener of this.#changeListeners) listener(boxes, isOwn);
  }

  #has(chunks: Box): boolean {
    for (const region of positionsLexicographic(regionsTouching(chunks)))
      if (!this.#held.has(...region)) return false;
    return true;
  }

  #chunkAt(position: Position): Chunk | undefined {
    if (!this.#held.has(...regionOf(position))) return undefined;
    return this.#made.at(...position) ?? this.#generated?.findChunk(...position);
  }
}
