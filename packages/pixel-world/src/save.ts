import type { GeneratorRef } from "@orthant/core";
import type { PixelDialect } from "./dialect.ts";
import type { PixelLayer } from "./pixels/pixel-layers.ts";
import type { PixelStorage, StoredPixelChunk } from "./pixels/stored-chunk.ts";
import type { PixelBody } from "./records/pixel-body.ts";

/** Immutable facts that a file stores about its world. */
export interface PixelFacts {
  readonly worldSeed: bigint;
  readonly createdMs: number;
  /** Pixels along a chunk edge. */
  readonly chunkEdge: number;
  /** Pixels along an edge of a simulation tile. */
  readonly tileEdge: number;
  readonly layers: readonly PixelLayer[];
  /** Generator of the chunks that are not stored; version 1 does not record it. */
  readonly generator: GeneratorRef | undefined;
}

/** Location of a chunk in a file. */
export interface PixelChunkRef {
  readonly x: number;
  readonly y: number;
  readonly storage: PixelStorage;
  /** Offset of the entry. In version 1 the entry starts four bytes before the payload. */
  readonly offset: number;
  /** Length of the whole entry. */
  readonly bytes: number;
}

/** Location of a body in a file. */
export interface PixelBodyRef {
  readonly id: bigint;
  /** Position of the chunk that contains the body. */
  readonly x: number;
  readonly y: number;
  readonly offset: number;
  readonly bytes: number;
}

/** A pixel world in a file that does not change while it is open. Reads chunks and bodies on demand. */
export interface PixelSave {
  readonly dialect: PixelDialect;
  readonly facts: PixelFacts;
  readonly modifiedMs: number;
  /** Number of the latest commit; 0 in version 1, which does not count them. */
  readonly generation: number;
  readonly chunkCount: number;
  readonly bodyCount: number;
  readonly fileBytes: number;
  /** Bytes that are not referenced. */
  readonly deadBytes: number;

  /** All stored chunks, ordered by y, then x. */
  chunks(): Iterable<PixelChunkRef>;
  /** Returns the stored chunk at a position, or `undefined` if it comes from the generator. */
  chunkAt(x: number, y: number): PixelChunkRef | undefined;
  /** All bodies, ordered by chunk, then id. */
  bodies(): Iterable<PixelBodyRef>;
  readChunk(ref: PixelChunkRef): Promise<StoredPixelChunk>;
  readBody(ref: PixelBodyRef): Promise<PixelBody>;
  /** Closes the file. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Orders chunks as in a file: by y, then x. */
export function compareChunks(a: { readonly x: number; readonly y: number }, b: typeof a): number {
  return a.y - b.y || a.x - b.x;
}

/** Orders bodies as in a file: by chunk, then id. */
export function compareBodies(a: PixelBodyRef, b: PixelBodyRef): number {
  return compareChunks(a, b) || (a.id < b.id ? -1 : Number(a.id > b.id));
}
