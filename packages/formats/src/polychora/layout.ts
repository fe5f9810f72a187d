import {
  AXES,
  type FixedCodec,
  magic,
  type Place,
  type Struct,
  struct,
  u8,
  u16,
  u32,
  u64Number,
} from "@orthant/core";

/** What `manifest.json` says under `format`. */
export const FORMAT_NAME = "polychora-save";
/** What `manifest.json` says under `version`. */
export const MANIFEST_VERSION = 3;
/** The `format_version` of global and players files, of packs, and of the flat index. */
export const FILE_VERSION = 1;
/** The `format_version` of a pack that was compacted. */
export const COMPACTED_PACK_VERSION = 2;
/** The type of a record that holds blocks. */
export const BLOCK_BLOB = 1;
/** The type of a record that holds entities. */
export const ENTITY_BLOB = 2;
/** The `blob_version` of the specification, of either type. */
export const BLOB_VERSION = 1;
/** The `blob_version` of blocks that are packed and compressed, or are changes to what a generator makes. */
export const PACKED_BLOB_VERSION = 2;
/** The edge of a leaf is at most two to this power, so that a local coordinate fits 16 bits. */
export const LEAF_LEVEL_MAX = 16;
/** A page of an index is cut when it is larger, unless the limit for an index is less; a page is seldom smaller than an eighth. */
export const INDEX_PAGE_TARGET_BYTES = 16_384;
/** Stands for a parent, child or leaf entry that is not there. */
export const NONE = 0xffff_ffff;
/** A manifest that is larger is not read. */
export const MANIFEST_BYTES_MAX = 65_536;

/** The file that says which generation is live. */
export const MANIFEST_FILE = "manifest.json";
/** The folder of the index files. */
export const INDEX_FOLDER = "index";
/** The folder of the packs. */
export const DATA_FOLDER = "data";

/** What the 16 bytes before a payload say. */
export interface PayloadHeader<Magic extends string> {
  readonly magic: Magic;
  readonly version: number;
  readonly payloadBytes: number;
  readonly payloadCrc32: number;
}

/** The header of `global.*.v4g`. */
export const globalHeader: Struct<PayloadHeader<"V4G0">> = payloadHeader("V4G0");
/** The header of `players.*.v4p`. */
export const playersHeader: Struct<PayloadHeader<"V4P0">> = payloadHeader("V4P0");
/** The header of a flat index. */
export const flatIndexHeader: Struct<PayloadHeader<"V4IX">> = payloadHeader("V4IX");

/** What the header of a tree index says. */
export interface IndexHeader {
  readonly magic: "V4IX";
  readonly version: number;
  readonly generation: number;
  readonly rootMin: Place;
  /** Still part of the root. */
  readonly rootLast: Place;
  readonly nodeCount: number;
  readonly leafCount: number;
  readonly payloadCrc32: number;
}

const fixedPlace: FixedCodec<Place> = {
  bytes: 16,
  write(out, place) {
    for (const axis of AXES) out.i32(place[axis]);
  },
  read: (input) => [input.i32(), input.i32(), input.i32(), input.i32()],
};

/** The header of a tree index. */
export const indexHeader: Struct<IndexHeader> = struct({
  magic: magic("V4IX"),
  version: u32,
  generation: u64Number,
  rootMin: fixedPlace,
  rootLast: fixedPlace,
  nodeCount: u32,
  leafCount: u32,
  payloadCrc32: u32,
});

/** What a page of an index of version 3 begins with. */
export interface PageHeader {
  readonly magic: "V4IX";
  readonly version: number;
  /** The generation that wrote the page. */
  readonly generation: number;
  /** Which of that generation's pages it is; the root is 0. */
  readonly number: number;
  /** The edge of its cell is two to this power. */
  readonly level: number;
  readonly min: Place;
  readonly leafCount: number;
  readonly linkCount: number;
  readonly bodyCrc32: number;
}

/** The header of a page. */
export const pageHeader: Struct<PageHeader> = struct({
  magic: magic("V4IX"),
  version: u32,
  generation: u64Number,
  number: u32,
  level: u8,
  min: fixedPlace,
  leafCount: u32,
  linkCount: u32,
  bodyCrc32: u32,
});

/** What a pack begins with. */
export interface PackHeader {
  readonly magic: "V4DT";
  readonly version: number;
  readonly packId: number;
}

/** The header of `data/dt-*.v4dt`. */
export const packHeader: Struct<PackHeader> = struct({ magic: magic("V4DT"), version: u32, packId: u32 });

/** What a compacted pack begins and ends with. */
export interface CompactedPackHeader extends PackHeader {
  readonly recordCount: number;
  readonly tableBytes: number;
  /** Of all that comes before it in the header, and of the table. */
  readonly tableCrc32: number;
}

/** The header of a pack that was compacted; it begins as that of any pack. */
export const compactedPackHeader: Struct<CompactedPackHeader> = struct({
  magic: magic("V4DT"),
  version: u32,
  packId: u32,
  recordCount: u32,
  tableBytes: u32,
  tableCrc32: u32,
});

/** What a record begins with. */
export interface RecordHeader {
  readonly magic: "RECD";
  readonly blobType: number;
  readonly blobVersion: number;
  readonly payloadBytes: number;
  readonly payloadCrc32: number;
}

/** The header of a record in a pack. */
export const recordHeader: Struct<RecordHeader> = struct({
  magic: magic("RECD"),
  blobType: u8,
  blobVersion: u16,
  payloadBytes: u32,
  payloadCrc32: u32,
});

function payloadHeader<const Magic extends string>(text: Magic): Struct<PayloadHeader<Magic>> {
  return struct({ magic: magic(text), version: u32, payloadBytes: u32, payloadCrc32: u32 });
}
