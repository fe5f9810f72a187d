import type { GeneratorRef } from "@orthant/core";
import type { PixelDialect } from "./dialect.ts";
import type { PixelLayer } from "./pixels/pixel-layers.ts";
import type { PixelStorage, StoredPixelChunk } from "./pixels/stored-chunk.ts";
import type { PixelBody } from "./records/pixel-body.ts";

/** What a file says of its world, and what never changes. */
export interface PixelFacts {
  readonly worldSeed: bigint;
  readonly createdMs: number;
  /** Pixels along the edge of a chunk. */
  readonly chunkEdge: number;
  /** Pixels along the edge of a tile of the simulation. */
  readonly tileEdge: number;
  readonly layers: readonly PixelLayer[];
  /** What makes the chunks that are not stored; version 1 does not say it. */
  readonly generator: GeneratorRef | undefined;
}

/** Where a chunk lies in a file. */
export interface PixelChunkRef {
  readonly x: number;
  readonly y: number;
  readonly storage: PixelStorage;
  /** Of its entry: in version 1 the four bytes before the payload. */
  readonly offset: number;
  /** Of the whole entry. */
  readonly bytes: number;
}

/** Where a body lies in a file. */
export interface PixelBodyRef {
  readonly id: bigint;
  /** The chunk that it belongs to. */
  readonly x: number;
  readonly y: number;
  readonly offset: number;
  readonly bytes: number;
}

/** A pixel world in a file that does not change while it is read. Chunks and bodies are read when they are asked for. */
export interface PixelSave {
  readonly dialect: PixelDialect;
  readonly facts: PixelFacts;
  readonly modifiedMs: number;
  /** Counts the commits; 0 in version 1, which does not. */
  readonly generation: number;
  readonly chunkCount: number;
  readonly bodyCount: number;
  readonly fileBytes: number;
  /** Bytes that nothing refers to. */
  readonly deadBytes: number;

  /** Every chunk that is stored, row by row from the lowest, x ascending. */
  chunks(): Iterable<PixelChunkRef>;
  /** The stored chunk at a place; `undefined` when it is left to the generator. */
  chunkAt(x: number, y: number): PixelChunkRef | undefined;
  /** Every body, in the order of the chunks and of their ids. */
  bodies(): Iterable<PixelBodyRef>;
  readChunk(ref: PixelChunkRef): Promise<StoredPixelChunk>;
  readBody(ref: PixelBodyRef): Promise<PixelBody>;
  /** Closes the file. Closing twice is harmless. */
  close(): Promise<void>;
}

/** The order of chunks in a file: by y, then by x. */
export function compareChunks(a: { readonly x: number; readonly y: number }, b: typeof a): number {
  return a.y - b.y || a.x - b.x;
}

/** The order of bodies in a file: by chunk, then by id. */
export function compareBodies(a: PixelBodyRef, b: PixelBodyRef): number {
  return compareChunks(a, b) || (a.id < b.id ? -1 : Number(a.id > b.id));
}
