import {
  type FixedCodec,
  f32,
  i32,
  magic,
  type Struct,
  struct,
  u8,
  u16,
  u32,
  u64,
  u64Number,
} from "@orthant/core/bytes";

/** Magic of a native file: the original's constant, in the byte order of its machine. */
export const NATIVE_MAGIC = "WXSP";
/** Magic of a file that the original wrote in a browser. */
export const BROWSER_MAGIC = "PXSV";
/** Magic of both version 2 headers. */
export const VERSION2_MAGIC = "PXSW";

/** Fields of {@link nativeHeader}. */
interface NativeHeader {
  readonly magic: typeof NATIVE_MAGIC;
  readonly version: number;
  readonly flags: number;
  readonly worldSeed: bigint;
  readonly createdSeconds: number;
  readonly modifiedSeconds: number;
  readonly chunkCount: number;
  readonly tableBytes: number;
  readonly tableOffset: number;
  readonly chunkEdge: number;
  readonly tileEdge: number;
  readonly pixelBytes: number;
  readonly bodiesOffset: number;
  readonly reserved: Uint8Array;
}

/** Header of a native version 1 file. */
export const nativeHeader: Struct<NativeHeader> = struct({
  magic: magic(NATIVE_MAGIC),
  version: u16,
  flags: u16,
  worldSeed: u64,
  createdSeconds: u64Number,
  modifiedSeconds: u64Number,
  chunkCount: u32,
  tableBytes: u32,
  tableOffset: u64Number,
  chunkEdge: u16,
  tileEdge: u16,
  pixelBytes: u8,
  bodiesOffset: u64Number,
  reserved: fixedBytes(3),
});

/** Fields of {@link browserHeader}. */
interface BrowserHeader {
  readonly magic: typeof BROWSER_MAGIC;
  readonly version: number;
  readonly worldSeed: bigint;
  readonly createdSeconds: number;
  readonly modifiedSeconds: number;
  readonly chunkCount: number;
  readonly unused: number;
  readonly tableOffset: number;
  readonly tableBytes: number;
  readonly bodiesOffset: number;
  readonly reserved: number;
}

/** Header of a browser's version 1 file. */
export const browserHeader: Struct<BrowserHeader> = struct({
  magic: magic(BROWSER_MAGIC),
  version: u32,
  worldSeed: u64,
  createdSeconds: u64Number,
  modifiedSeconds: u64Number,
  chunkCount: u32,
  unused: u32,
  tableOffset: u64Number,
  tableBytes: u32,
  bodiesOffset: u64Number,
  reserved: u32,
});

/** Fields of {@link pageEntry}. */
interface PageEntry {
  readonly x: number;
  readonly y: number;
  readonly payloadOffset: number;
  readonly payloadBytes: number;
  readonly storage: number;
  readonly crc8: number;
  readonly reserved: number;
}

/** Entry of the version 1 page table. */
export const pageEntry: Struct<PageEntry> = struct({
  x: i32,
  y: i32,
  payloadOffset: u64Number,
  payloadBytes: u32,
  storage: u8,
  crc8: u8,
  reserved: u16,
});

/** Fields of {@link bodySection}. */
interface BodySection {
  readonly count: number;
  readonly reserved: number;
}

/** Start of the version 1 body index. */
export const bodySection: Struct<BodySection> = struct({ count: u32, reserved: u32 });

/** Fields of {@link bodyIndexEntry}. */
interface BodyIndexEntry {
  readonly id: bigint;
  readonly recordOffset: number;
  readonly recordBytes: number;
  readonly x: number;
  readonly y: number;
}

/** Entry of the version 1 body index. */
export const bodyIndexEntry: Struct<BodyIndexEntry> = struct({
  id: u64,
  recordOffset: u64Number,
  recordBytes: u32,
  x: i32,
  y: i32,
});

/** Fields of {@link bodyHeader}. */
export interface BodyHeader {
  readonly id: bigint;
  readonly positionX: number;
  readonly positionY: number;
  readonly rotation: number;
  readonly velocityX: number;
  readonly velocityY: number;
  readonly angularVelocity: number;
  readonly width: number;
  readonly height: number;
  readonly originX: number;
  readonly originY: number;
  readonly pixelBytes: number;
  readonly maskBytes: number;
  readonly extensionBytes: number;
  readonly crc8: number;
  readonly reserved: Uint8Array;
}

/** Header of a body record, the same in both versions. */
export const bodyHeader: Struct<BodyHeader> = struct({
  id: u64,
  positionX: f32,
  positionY: f32,
  rotation: f32,
  velocityX: f32,
  velocityY: f32,
  angularVelocity: f32,
  width: u32,
  height: u32,
  originX: i32,
  originY: i32,
  pixelBytes: u32,
  maskBytes: u32,
  extensionBytes: u32,
  crc8: u8,
  reserved: fixedBytes(3),
});

/** Size of each of the two version 2 header slots; the second slot follows the first. */
export const HEADER_SLOT_BYTES = 8_192;
/** Offset of the first version 2 entry. */
export const ENTRIES_OFFSET: number = HEADER_SLOT_BYTES * 2;

/** Fields of {@link slotHeader}. */
export interface SlotHeader {
  readonly magic: typeof VERSION2_MAGIC;
  readonly version: number;
  /** Index of the slot: 0 or 1. */
  readonly slot: number;
  readonly generation: number;
  readonly modifiedMs: number;
  readonly tableOffset: number;
  /** Includes the entry header. The committed part of the file ends after the table. */
  readonly tableBytes: number;
  readonly factsBytes: number;
  readonly deadBytes: number;
  readonly chunkCount: number;
  readonly bodyCount: number;
  /** Checksum of the preceding bytes and of the facts. */
  readonly crc32: number;
}

/** Fixed part of a version 2 header; the facts about the world follow it. */
export const slotHeader: Struct<SlotHeader> = struct({
  magic: magic(VERSION2_MAGIC),
  version: u16,
  slot: u16,
  generation: u64Number,
  modifiedMs: u64Number,
  tableOffset: u64Number,
  tableBytes: u32,
  factsBytes: u32,
  deadBytes: u64Number,
  chunkCount: u32,
  bodyCount: u32,
  crc32: u32,
});

/** Fields of {@link entryHeader}. */
export interface EntryHeader {
  readonly magic: "PXEN";
  readonly kind: number;
  /** Storage of a chunk; 0 in all other entries. */
  readonly storage: number;
  readonly reserved: number;
  readonly payloadBytes: number;
  readonly payloadCrc32: number;
  /** Position of the chunk, or of the chunk that contains the body. */
  readonly x: number;
  readonly y: number;
  /** Id of the body. In a table, the offset of the table that it amends. */
  readonly id: bigint;
  /** Generation of the commit that the entry belongs to. */
  readonly generation: number;
  /** Offset of the entry in its file. */
  readonly offset: number;
  /** Checksum of the preceding bytes. */
  readonly crc32: number;
}

/** Header of a version 2 entry. */
export const entryHeader: Struct<EntryHeader> = struct({
  magic: magic("PXEN"),
  kind: u8,
  storage: u8,
  reserved: u16,
  payloadBytes: u32,
  payloadCrc32: u32,
  x: i32,
  y: i32,
  id: u64,
  generation: u64Number,
  offset: u64Number,
  crc32: u32,
});

/** Fields of {@link tableHeader}. */
interface TableHeader {
  /** Number of tables below this one; 0 for a complete table. */
  readonly links: number;
  readonly chunkCount: number;
  readonly bodyCount: number;
}

/** Start of a table's payload. */
export const tableHeader: Struct<TableHeader> = struct({ links: u32, chunkCount: u32, bodyCount: u32 });

/** Fields of {@link tableChunk}. */
interface TableChunk {
  readonly x: number;
  readonly y: number;
  readonly offset: number;
  readonly bytes: number;
  readonly storage: number;
}

/** A chunk in a version 2 table. */
export const tableChunk: Struct<TableChunk> = struct({
  x: i32,
  y: i32,
  offset: u64Number,
  bytes: u32,
  storage: u8,
});

/** Fields of {@link tableBody}. */
interface TableBody {
  readonly id: bigint;
  readonly offset: number;
  readonly bytes: number;
  readonly x: number;
  readonly y: number;
}

/** A body in a version 2 table. */
export const tableBody: Struct<TableBody> = struct({
  id: u64,
  offset: u64Number,
  bytes: u32,
  x: i32,
  y: i32,
});

/** Returns a codec for `length` raw bytes. */
function fixedBytes(length: number): FixedCodec<Uint8Array> {
  return {
    bytes: length,
    write: (out, value) => out.raw(value),
    read: (input) => input.view(length).slice(),
  };
}
