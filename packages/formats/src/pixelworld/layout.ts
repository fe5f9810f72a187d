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
} from "@orthant/core";

/** The first bytes of a native file: the constant of the original, as its machine wrote it. */
export const NATIVE_MAGIC = "WXSP";
/** The first bytes of a file that the original wrote in a browser. */
export const BROWSER_MAGIC = "PXSV";
/** The first bytes of each header of version 2. */
export const VERSION2_MAGIC = "PXSW";

/** What the header of a native file says. */
export interface NativeHeader {
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

/** The header of a native file of version 1. */
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

/** What the header of a browser's file says. */
export interface BrowserHeader {
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

/** The header of a browser's file of version 1. */
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

/** What an entry of the page table of version 1 says. */
export interface PageEntry {
  readonly x: number;
  readonly y: number;
  readonly payloadOffset: number;
  readonly payloadBytes: number;
  readonly storage: number;
  readonly crc8: number;
  readonly reserved: number;
}

/** An entry of the page table of version 1. */
export const pageEntry: Struct<PageEntry> = struct({
  x: i32,
  y: i32,
  payloadOffset: u64Number,
  payloadBytes: u32,
  storage: u8,
  crc8: u8,
  reserved: u16,
});

/** What the index of bodies of version 1 begins with. */
export interface BodySection {
  readonly count: number;
  readonly reserved: number;
}

/** The beginning of the index of bodies. */
export const bodySection: Struct<BodySection> = struct({ count: u32, reserved: u32 });

/** What an entry of the index of bodies of version 1 says. */
export interface BodyIndexEntry {
  readonly id: bigint;
  readonly recordOffset: number;
  readonly recordBytes: number;
  readonly x: number;
  readonly y: number;
}

/** An entry of the index of bodies of version 1. */
export const bodyIndexEntry: Struct<BodyIndexEntry> = struct({
  id: u64,
  recordOffset: u64Number,
  recordBytes: u32,
  x: i32,
  y: i32,
});

/** What the record of a body begins with, in both versions. */
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

/** The beginning of the record of a body. */
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

/** Where the two headers of version 2 lie; each has the room up to the next. */
export const HEADER_SLOT_BYTES = 8_192;
/** Where the entries of version 2 begin. */
export const ENTRIES_OFFSET: number = HEADER_SLOT_BYTES * 2;

/** What a header of version 2 says before the facts about the world. */
export interface SlotHeader {
  readonly magic: typeof VERSION2_MAGIC;
  readonly version: number;
  /** Which of the two it is. */
  readonly slot: number;
  readonly generation: number;
  readonly modifiedMs: number;
  readonly tableOffset: number;
  /** With the header of the entry; the committed file ends behind it. */
  readonly tableBytes: number;
  readonly factsBytes: number;
  readonly deadBytes: number;
  readonly chunkCount: number;
  readonly bodyCount: number;
  /** Of the bytes before it and of the facts. */
  readonly crc32: number;
}

/** The fixed part of a header of version 2. */
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

/** What an entry of version 2 begins with. */
export interface EntryHeader {
  readonly magic: "PXEN";
  readonly kind: number;
  /** How a chunk is stored; 0 in all others. */
  readonly storage: number;
  readonly reserved: number;
  readonly payloadBytes: number;
  readonly payloadCrc32: number;
  /** The chunk that it is, or that a body is in. */
  readonly x: number;
  readonly y: number;
  /** Of a body; of a table, where the table lies that it changes. */
  readonly id: bigint;
  /** The commit that the entry is for. */
  readonly generation: number;
  /** Where the entry lies in its file. */
  readonly offset: number;
  /** Of the bytes before it. */
  readonly crc32: number;
}

/** The beginning of an entry of version 2. */
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

/** What a table of version 2 begins with. */
export interface TableHeader {
  /** How many tables there are below it; 0 for one that says everything. */
  readonly links: number;
  readonly chunkCount: number;
  readonly bodyCount: number;
}

/** The beginning of a table's payload. */
export const tableHeader: Struct<TableHeader> = struct({ links: u32, chunkCount: u32, bodyCount: u32 });

/** What a table of version 2 says of a chunk. */
export interface TableChunk {
  readonly x: number;
  readonly y: number;
  readonly offset: number;
  readonly bytes: number;
  readonly storage: number;
}

/** A chunk in a table. */
export const tableChunk: Struct<TableChunk> = struct({
  x: i32,
  y: i32,
  offset: u64Number,
  bytes: u32,
  storage: u8,
});

/** What a table of version 2 says of a body. */
export interface TableBody {
  readonly id: bigint;
  readonly offset: number;
  readonly bytes: number;
  readonly x: number;
  readonly y: number;
}

/** A body in a table. */
export const tableBody: Struct<TableBody> = struct({
  id: u64,
  offset: u64Number,
  bytes: u32,
  x: i32,
  y: i32,
});

/** So many bytes as they are. */
function fixedBytes(length: number): FixedCodec<Uint8Array> {
  return {
    bytes: length,
    write: (out, value) => out.raw(value),
    read: (input) => input.view(length).slice(),
  };
}
