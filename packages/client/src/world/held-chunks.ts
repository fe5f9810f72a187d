import type { Box, Chunk, ChunkShape, GeneratorRegistry } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import type { GeneratorMap, Piece } from "@orthant/core/tree";
import type { HeldRegions, SyncClient } from "@orthant/protocol/client";

/** The chunks that a client holds, for workers that generate the others: what a scene of a mesh pool takes as its source. */
export interface HeldChunks {
  readonly shape: ChunkShape;
  /** What untouched chunks are generated with; `undefined` if this program lacks one of the world's generators. */
  readonly generators: HeldGenerators | undefined;
  /** From this height up generators make only air; `undefined` for a world without a sky. */
  readonly skyAbove: number | undefined;
  /** Whether the client holds all chunks of a box. */
  has(chunks: Box): boolean;
  /** Returns the chunks of a box that are not as generated, of those that the client holds. */
  madeIn(chunks: Box): Iterable<Piece<Chunk>>;
  /** Returns a chunk, with the client's own edits; `undefined` while it is not held. */
  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined;
}

/** The generators of a world, and the modules that export them. */
interface HeldGenerators {
  readonly map: GeneratorMap;
  moduleOf(ref: GeneratorRef): string | undefined;
}

/** What a client knows of its world. */
export interface HeldWorld {
  readonly world: NonNullable<SyncClient["world"]>;
  readonly held: HeldRegions | undefined;
}

/** Returns the chunks that a client holds at any time. `now` is asked each time. */
export function heldChunks(now: () => HeldWorld, generators: GeneratorRegistry): HeldChunks {
  return {
    get shape() {
      return now().world.shape;
    },
    get generators() {
      const { generators: map } = now().world;
      if (!map.refs.every((ref) => generators.knows(ref))) return undefined;
      return { map, moduleOf: (ref: GeneratorRef) => generators.moduleOf(ref) };
    },
    get skyAbove() {
      return now().held?.skyAbove;
    },
    has: (chunks) => now().held?.holdsAll(chunks) ?? false,
    madeIn: (chunks) => now().held?.madeIn(chunks) ?? [],
    chunkAt: (x, y, z, w) => now().held?.chunkAt([x, y, z, w]),
  };
}
