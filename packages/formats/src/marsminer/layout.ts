import { i32, type Struct, struct, u32 } from "@orthant/core/bytes";
import { pointerCodec, type StoredPointer } from "./pointer.ts";

/** All four call themselves version 0. `draft` follows the draft of the format, and is the one we write. */
export type MarsMinerDialect = "draft" | "subtypes" | "stringblock" | "global-pointers";

/** Every dialect, oldest first. */
export const MARSMINER_DIALECTS: readonly MarsMinerDialect[] = [
  "draft",
  "subtypes",
  "stringblock",
  "global-pointers",
];

/** Differences between the dialects. */
interface DialectTraits {
  /** Whether strings are in a separate file, or in blobs as blocks. */
  readonly strings: "file" | "block";
  /** Whether a pointer may name a record of the file `pointers`; otherwise it contains blob and address. */
  readonly hasPointerFile: boolean;
  readonly hasSubtypes: boolean;
}

/** Traits of each dialect. Rule M3. */
export const DIALECT_TRAITS: Readonly<Record<MarsMinerDialect, DialectTraits>> = {
  draft: { strings: "file", hasPointerFile: true, hasSubtypes: false },
  subtypes: { strings: "file", hasPointerFile: true, hasSubtypes: true },
  stringblock: { strings: "block", hasPointerFile: true, hasSubtypes: true },
  "global-pointers": { strings: "block", hasPointerFile: false, hasSubtypes: true },
};

/** The only version there ever was, in every dialect. */
export const MARSMINER_VERSION = 0;
/** File with the strings of the first two dialects. */
export const STRINGS_FILE = "strings";
/** File with the targets of pointers between blobs, in the first three dialects. */
export const POINTERS_FILE = "pointers";
/** Length at which a blob gets no new block. A block that begins before it may extend beyond. */
export const BLOB_FULL_BYTES = 100_000_000;
/** Edge of an octree's cube in the game. Saves do not state it. */
export const DEFAULT_CUBE_SIZE = 64;
/** Minimum edge of an octree's cube, in voxels. A world with chunks of one voxel would have no axes. */
export const CUBE_SIZE_MIN = 2;
/** Maximum edge of a cube that is read: a single node would already be 16,777,216 voxels. */
export const CUBE_SIZE_MAX = 256;
/** Maximum size of a string that is read. */
export const STRING_BYTES_MAX = 65_536;
/** Maximum total size of the names in one table of block types. */
export const TABLE_NAME_BYTES_MAX = 16_777_216;

/** Returns the name of a blob. */
export function blobFile(blob: number): string {
  return `blob${blob}`;
}

/** Parses the number of a blob from its name; `undefined` for any other name. */
export function parseBlobFile(name: string): number | undefined {
  const blob = Number(/^blob(\d{1,7})$/.exec(name)?.[1]);
  return blobFile(blob) === name ? blob : undefined;
}

/** Fields at the beginning of the first blob. All other blobs reserve space for them. */
export interface MarsMinerHeader {
  readonly version: number;
  readonly state: StoredPointer;
}

/** Returns the header layout of a dialect. */
export function headerStruct(dialect: MarsMinerDialect): Struct<MarsMinerHeader> {
  return DIALECT_TRAITS[dialect].hasPointerFile ? SHORT_HEADER : GLOBAL_HEADER;
}

const SHORT_HEADER: Struct<MarsMinerHeader> = struct({ version: i32, state: pointerCodec(true) });
const GLOBAL_HEADER: Struct<MarsMinerHeader> = struct({ version: i32, state: pointerCodec(false) });

/** Fields at the beginning of `strings`. */
interface StringsHead {
  readonly version: number;
  readonly stringCount: number;
}

/** Layout of the beginning of `strings`. */
export const stringsHead: Struct<StringsHead> = struct({ version: i32, stringCount: i32 });

/** Fields at the beginning of `pointers`. Only the first dialect has a count there. */
interface PointersHead {
  readonly version: number;
  readonly pointerCount: number;
}

/** Layout of the beginning of `pointers`. */
export const pointersHead: Struct<PointersHead> = struct({ version: i32, pointerCount: i32 });

/** One record of `pointers`. */
interface PointerRecord {
  readonly blob: number;
  readonly address: number;
}

/** Layout of one record of `pointers`. */
export const pointerRecord: Struct<PointerRecord> = struct({ blob: i32, address: u32 });
