import { type Box, type Chunk, OrthantError, type Position } from "@orthant/core";
import { bytesEqual, crc32, encode } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { comparePositions, getOrAdd, requireLatticePosition } from "@orthant/core/lattice";
import type { ScheduledTick } from "./scheduled-ticks.ts";

/** One overridden chunk and its position. A chunk of only air is one that was dug away. */
export interface ChunkEntry {
  readonly position: Position;
  readonly chunk: Chunk;
  /** Ticks of its voxels, in order. Default: none. */
  readonly ticks?: readonly ScheduledTick[] | undefined;
}

/** Like a {@link ChunkEntry}; without a chunk, the position is untouched. */
export interface ChunkAssignment {
  readonly position: Position;
  readonly chunk: Chunk | undefined;
  /** Ticks of its voxels, in order. Default: none. */
  readonly ticks?: readonly ScheduledTick[] | undefined;
}

/**
 * An entry with the encoded bytes of its chunk, computed once however often the blob around it is measured.
 */
export interface PreparedChunk extends ChunkAssignment {
  /** `undefined` when the chunk has no dictionary entry, as for empty and untouched ones. */
  readonly content: PreparedContent | undefined;
}

/** The bytes of a chunk; equal chunks share one object. */
export interface PreparedContent {
  readonly bytes: Uint8Array;
}

/** Returns the entries in storage order, with encoded chunks and one content per set of equal chunks. */
export function prepareChunks(
  chunks: readonly ChunkAssignment[],
  chunkVolume: number,
): readonly PreparedChunk[] {
  const codec = chunkCodec(chunkVolume);
  const intern = contentInterner((chunk: Chunk) => ({ bytes: encode(codec, chunk) }));
  const sorted = [...chunks].sort((a, b) => comparePositions(a.position, b.position));
  return sorted.map(({ position, chunk }, index) => {
    requireLatticePosition(...position);
    const previous = sorted[index - 1];
    if (previous !== undefined && comparePositions(previous.position, position) === 0) {
      throw new OrthantError("ORT_ARGUMENT", `two chunks at [${position}]`);
    }
    const stored = chunk !== undefined && !chunk.isEmpty;
    return { position, chunk, content: stored ? intern(chunk) : undefined };
  });
}

/** Returns the bounding box of the chunks, of which there must be at least one. */
export function chunkBounds(chunks: readonly { readonly position: Position }[]): Box {
  const bounds = new Bounds();
  for (const { position } of chunks) bounds.add(position);
  return bounds.box();
}

/** Accumulates the bounding box of positions. */
export class Bounds {
  readonly #min = [Infinity, Infinity, Infinity, Infinity];
  readonly #max = [-Infinity, -Infinity, -Infinity, -Infinity];

  /** Extends the box to include a position. */
  add(position: Position): void {
    for (let axis = 0; axis < 4; axis++) {
      const coordinate = position[axis] as number;
      if (coordinate < (this.#min[axis] as number)) this.#min[axis] = coordinate;
      if (coordinate >= (this.#max[axis] as number)) this.#max[axis] = coordinate + 1;
    }
  }

  /** The bounding box, after at least one position was added. */
  box(): Box {
    return { min: this.#min as unknown as Position, max: this.#max as unknown as Position };
  }
}

/**
 * Returns a function from items to contents, the same one for all contents with equal bytes. `contentOf` is called
 * once for each item.
 */
export function contentInterner<Item, Content extends PreparedContent>(
  contentOf: (item: Item) => Content,
): (item: Item) => Content {
  const byItem = new Map<Item, Content>();
  const byCrc = new Map<number, Content[]>();
  const findOrAdd = (content: Content): Content => {
    const crc = crc32(content.bytes);
    const bucket = byCrc.get(crc) ?? [];
    const equal = bucket.find(({ bytes }) => bytesEqual(bytes, content.bytes));
    if (equal === undefined) byCrc.set(crc, [...bucket, content]);
    return equal ?? content;
  };
  return (item) => getOrAdd(byItem, item, () => findOrAdd(contentOf(item)));
}

/** Number of bytes sampled from a part before it is compared in full. */
const SAMPLES = 16;

/**
 * Returns whether any two parts of `bytes` are equal; each part extends from the end of the previous one to
 * its own end. Parts with equal samples are sorted and compared in full: a hostile file could make any cheap
 * hash collide, but cannot make sorting slow.
 */
export function hasEqualParts(bytes: Uint8Array, ends: Iterable<number>): boolean {
  const alike = new Map<number, Uint8Array[]>();
  let start = 0;
  for (const end of ends) {
    const look = lookOf(bytes, start, end);
    const part = bytes.subarray(start, end);
    const others = alike.get(look);
    if (others === undefined) alike.set(look, [part]);
    else others.push(part);
    start = end;
  }
  for (const parts of alike.values()) if (parts.length > 1 && hasEqual(parts)) return true;
  return false;
}

function lookOf(bytes: Uint8Array, start: number, end: number): number {
  let look = end - start;
  const step = Math.max(1, Math.floor(look / SAMPLES));
  for (let at = start; at < end; at += step) look = (Math.imul(look, 31) + (bytes[at] as number)) | 0;
  return look;
}

function hasEqual(parts: readonly Uint8Array[]): boolean {
  const sorted = [...parts].sort(compareBytes);
  return sorted.some((part, index) => index > 0 && compareBytes(sorted[index - 1] as Uint8Array, part) === 0);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
