import { OrthantError } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import type { DiskFile } from "@orthant/disk";
import type { PixelBody } from "./body.ts";
import { BROWSER_MAGIC, HEADER_SLOT_BYTES, NATIVE_MAGIC, VERSION2_MAGIC } from "./layout.ts";
import type { PixelLayer, PixelStorage, StoredPixelChunk } from "./pixels.ts";

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
export function comparePixelChunks(a: { readonly x: number; readonly y: number }, b: typeof a): number {
  return a.y - b.y || a.x - b.x;
}

/** Orders bodies as in a file: by chunk, then id. */
export function comparePixelBodies(a: PixelBodyRef, b: PixelBodyRef): number {
  return comparePixelChunks(a, b) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/**
 * The three kinds of file: `native` and `browser` are version 1, as written by the original's native program
 * and by its web page; `version2` is ours.
 */
export type PixelDialect = "native" | "browser" | "version2";

const MAGIC_BYTES = 4;
const DIALECTS: ReadonlyMap<string, PixelDialect> = new Map([
  [NATIVE_MAGIC, "native"],
  [BROWSER_MAGIC, "browser"],
  [VERSION2_MAGIC, "version2"],
]);

/**
 * Returns the dialect of an open file, judged by its first bytes, or `undefined` if it is not a pixel world.
 * For version 2 either header is enough.
 */
export async function pixelDialectOf(file: DiskFile): Promise<PixelDialect | undefined> {
  const size = await file.size();
  for (const offset of [0, HEADER_SLOT_BYTES]) {
    if (size < offset + MAGIC_BYTES) return undefined;
    const found = DIALECTS.get(String.fromCharCode(...(await file.readAt(offset, MAGIC_BYTES))));
    if (found !== undefined && (offset === 0 || found === "version2")) return found;
  }
  return undefined;
}

/** Returns the dialect of an open file. Throws `ORT_MAGIC` if it is not a pixel world. */
export async function requirePixelDialect(file: DiskFile, path: string): Promise<PixelDialect> {
  const dialect = await pixelDialectOf(file);
  if (dialect !== undefined) return dialect;
  throw new OrthantError("ORT_MAGIC", "the file does not begin as a pixel world does", { path });
}
