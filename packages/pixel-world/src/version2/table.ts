import { ByteReader, ByteWriter } from "@orthant/core";
import { ENTRIES_OFFSET, entryHeader, tableBody, tableChunk, tableHeader } from "../layout.ts";
import { BODIES_MAX, CHUNKS_MAX, TABLE_LINKS_MAX } from "../limits.ts";
import { STORAGE, storageNamed } from "../pixels/stored-chunk.ts";
import { compareChunks, type PixelBodyRef, type PixelChunkRef } from "../save.ts";
import type { BodyIndex } from "./body-index.ts";
import type { ChunkIndex } from "./chunk-index.ts";

/** Locations of all chunks and bodies. */
export interface PixelIndex {
  readonly chunks: ChunkIndex;
  readonly bodies: BodyIndex;
}

/** A chunk in a table; removed if it has no `ref`. */
export interface ChunkLine {
  readonly x: number;
  readonly y: number;
  readonly ref: PixelChunkRef | undefined;
}

/** A body in a table; removed if it has no `ref`. */
export interface BodyLine {
  readonly id: bigint;
  readonly ref: PixelBodyRef | undefined;
}

/** Contents of a table. */
export interface Table {
  /** Number of tables below this one. */
  readonly links: number;
  /** Ordered by y, then x. */
  readonly chunks: Iterable<ChunkLine>;
  /** Ordered by id. */
  readonly bodies: Iterable<BodyLine>;
}

/** Storage number of a removed chunk. */
const GONE = 0xff;

/** Encodes the payload of a table. */
export function encodeTable(
  { links, chunks, bodies }: Table,
  counts: { readonly chunks: number; readonly bodies: number },
): Uint8Array {
  const out = new ByteWriter(
    tableHeader.bytes + counts.chunks * tableChunk.bytes + counts.bodies * tableBody.bytes,
  );
  tableHeader.write(out, { links, chunkCount: counts.chunks, bodyCount: counts.bodies });
  for (const { x, y, ref } of chunks) {
    // Write field by field, because there may be a million of them.
    out.i32(x);
    out.i32(y);
    out.u64Number(ref?.offset ?? 0);
    out.u32(ref?.bytes ?? 0);
    out.u8(ref === undefined ? GONE : STORAGE[ref.storage]);
  }
  for (const { id, ref } of bodies) {
    tableBody.write(out, {
      id,
      offset: ref?.offset ?? 0,
      bytes: ref?.bytes ?? 0,
      x: ref?.x ?? 0,
      y: ref?.y ?? 0,
    });
  }
  return out.copy();
}

/**
 * Applies the payload of the table at `offset` to an index. Throws unless every line is valid, in order, and
 * refers to an entry before the table.
 */
export function applyTable(payload: Uint8Array, offset: number, index: PixelIndex): void {
  const input = new ByteReader(payload, { origin: offset + entryHeader.bytes });
  const { links, chunkCount, bodyCount } = tableHeader.read(input);
  if (links > TABLE_LINKS_MAX || chunkCount > CHUNKS_MAX || bodyCount > BODIES_MAX) {
    throw input.fail(
      "ORT_LIMIT",
      `a table of ${chunkCount} chunks and ${bodyCount} bodies over ${links} others`,
    );
  }
  const expected = chunkCount * tableChunk.bytes + bodyCount * tableBody.bytes;
  if (input.remaining !== expected) {
    throw input.fail(
      "ORT_INDEX",
      `${input.remaining} bytes for ${chunkCount} chunks and ${bodyCount} bodies`,
    );
  }
  const isWhole = links === 0;
  applyChunks(input, chunkCount, offset, isWhole, index.chunks);
  applyBodies(input, bodyCount, offset, isWhole, index.bodies);
}

/** Returns the number of tables below the one with this payload. */
export function linksOf(payload: Uint8Array): number {
  return tableHeader.read(new ByteReader(payload)).links;
}

function applyChunks(
  input: ByteReader,
  count: number,
  end: number,
  isWhole: boolean,
  chunks: ChunkIndex,
): void {
  let before = { x: 0, y: 0 };
  for (let line = 0; line < count; line++) {
    const [x, y, offset, bytes, storage] = [
      input.i32(),
      input.i32(),
      input.u64Number(),
      input.u32(),
      input.u8(),
    ];
    const position = { x, y };
    if (line > 0 && compareChunks(before, position) >= 0)
      throw input.fail("ORT_INDEX", `chunk [${x}, ${y}] is not in its order`);
    before = position;
    if (storage === GONE) {
      if (isWhole || offset !== 0 || bytes !== 0)
        throw input.fail("ORT_INDEX", `chunk [${x}, ${y}] is gone, and is not`);
      chunks.delete(x, y);
    } else {
      if (storageNamed(storage) === undefined)
        throw input.fail("ORT_INDEX", `chunk [${x}, ${y}] is stored in way ${storage}`);
      requireSpan(offset, bytes, end, input);
      chunks.set(x, y, storage, offset, bytes);
    }
  }
}

function applyBodies(
  input: ByteReader,
  count: number,
  end: number,
  isWhole: boolean,
  bodies: BodyIndex,
): void {
  let before = -1n;
  for (let line = 0; line < count; line++) {
    const ref = tableBody.read(input);
    if (ref.id <= before) throw input.fail("ORT_INDEX", `body ${ref.id} is not in its order`);
    before = ref.id;
    if (ref.offset === 0) {
      if (isWhole || ref.bytes !== 0 || ref.x !== 0 || ref.y !== 0)
        throw input.fail("ORT_INDEX", `body ${ref.id} is gone, and is not`);
      bodies.delete(ref.id);
    } else {
      requireSpan(ref.offset, ref.bytes, end, input);
      bodies.set(ref);
    }
  }
}

function requireSpan(offset: number, bytes: number, end: number, input: ByteReader): void {
  if (offset >= ENTRIES_OFFSET && bytes >= entryHeader.bytes && offset + bytes <= end) return;
  throw input.fail("ORT_INDEX", `an entry of ${bytes} bytes at ${offset}, before a table at ${end}`);
}

/** Returns a complete table, with no other table below it. */
export function wholeTable({ chunks, bodies }: PixelIndex): Table {
  return {
    links: 0,
    chunks: linesOf(chunks),
    bodies: [...bodies].sort(byId).map((ref) => ({ id: ref.id, ref })),
  };
}

function* linesOf(chunks: ChunkIndex): Generator<ChunkLine> {
  for (const ref of chunks) yield { x: ref.x, y: ref.y, ref };
}

/** Orders bodies as in a table. */
export function byId(a: { readonly id: bigint }, b: { readonly id: bigint }): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
