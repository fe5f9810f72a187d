import { i32, type Struct, struct, u32 } from "@orthant/core";
import { pointerCodec, type StoredPointer } from "./records/pointer.ts";

/** All four call themselves version 0. `seed` is what the format's text says, and what we write. */
export type MarsMinerDialect = "seed" | "subtypes" | "stringblock" | "global-pointers";

/** Every dialect, the oldest first. */
export const MARSMINER_DIALECTS: readonly MarsMinerDialect[] = [
  "seed",
  "subtypes",
  "stringblock",
  "global-pointers",
];

/** What a dialect does differently from the others. */
export interface DialectTraits {
  /** Strings lie in a file of their own, or in blobs as blocks. */
  readonly strings: "file" | "block";
  /** A pointer may name a record of the file `pointers`; else it names blob and address itself. */
  readonly hasPointerFile: boolean;
  readonly hasSubtypes: boolean;
}

/** What each dialect does differently. Rule M3. */
export const DIALECT_TRAITS: Readonly<Record<MarsMinerDialect, DialectTraits>> = {
  seed: { strings: "file", hasPointerFile: true, hasSubtypes: false },
  subtypes: { strings: "file", hasPointerFile: true, hasSubtypes: true },
  stringblock: { strings: "block", hasPointerFile: true, hasSubtypes: true },
  "global-pointers": { strings: "block", hasPointerFile: false, hasSubtypes: true },
};

/** The only version that there ever was, whatever the dialect. */
export const MARSMINER_VERSION = 0;
/** Holds the strings of the first two dialects. */
export const STRINGS_FILE = "strings";
/** Holds the targets of pointers from one blob into another, in the first three dialects. */
export const POINTERS_FILE = "pointers";
/** From this length on a blob gets no new block; one that begins before it may reach beyond. */
export const BLOB_FULL_BYTES = 100_000_000;
/** The edge of the cube of an octree in the game. No save says it. */
export const DEFAULT_CUBE_SIZE = 64;
/** The largest cube that is read: a single node of it would already be 16,777,216 voxels. */
export const CUBE_SIZE_MAX = 256;
/** The longest string that is read. */
export const STRING_BYTES_MAX = 65_536;
/** The most bytes that the names in one table of block types may have together. */
export const TABLE_NAME_BYTES_MAX = 16_777_216;

/** The name of a blob. */
export function blobFile(blob: number): string {
  return `blob${blob}`;
}

/** The number of the blob that a name names; `undefined` for any other name. */
export function parseBlobFile(name: string): number | undefined {
  const blob = Number(/^blob(\d{1,7})$/.exec(name)?.[1]);
  return blobFile(blob) === name ? blob : undefined;
}

/** What the first blob begins with, and what all others have room for. */
export interface MarsMinerHeader {
  readonly version: number;
  readonly state: StoredPointer;
}

/** The header of a dialect. */
export function headerStruct(dialect: MarsMinerDialect): Struct<MarsMinerHeader> {
  return DIALECT_TRAITS[dialect].hasPointerFile ? SHORT_HEADER : GLOBAL_HEADER;
}

const SHORT_HEADER: Struct<MarsMinerHeader> = struct({ version: i32, state: pointerCodec(true) });
const GLOBAL_HEADER: Struct<MarsMinerHeader> = struct({ version: i32, state: pointerCodec(false) });

/** What `strings` begins with. */
export interface StringsHead {
  readonly version: number;
  readonly stringCount: number;
}

/** What `strings` begins with. */
export const stringsHead: Struct<StringsHead> = struct({ version: i32, stringCount: i32 });

/** What `pointers` begins with; only the first dialect has a count there. */
export interface PointersHead {
  readonly version: number;
  readonly pointerCount: number;
}

/** What `pointers` begins with. */
export const pointersHead: Struct<PointersHead> = struct({ version: i32, pointerCount: i32 });

/** One record of `pointers`. */
export interface PointerRecord {
  readonly blob: number;
  readonly address: number;
}

/** One record of `pointers`. */
export const pointerRecord: Struct<PointerRecord> = struct({ blob: i32, address: u32 });
