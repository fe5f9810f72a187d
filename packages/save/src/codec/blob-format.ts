import type { Position } from "@orthant/core";
import type { ByteReader, Codec } from "@orthant/core/bytes";
import { openBlob, type RecordRef, sealBlob } from "./blob.ts";
import { NO_PARTS } from "./blob-sections.ts";
import {
  checkChunkBlob,
  encodePlainBlob,
  plainBlobCodec,
  plainBytesAtLeast,
  plainStorer,
} from "./chunk-blob.ts";
import {
  BLOB_VERSION,
  LEAF_CHUNKS_TARGET,
  PACKED_BLOB_VERSION,
  PARTS_BYTES_MAX,
  type PackedBlobVersion,
  TABLE_BLOB_VERSION,
} from "./layout.ts";
import {
  checkPackedBlob,
  encodePackedBlob,
  locatedBlobCodec,
  packedBlobCodec,
  packedBytesAtLeast,
  packedBytesAtMost,
} from "./packed-blob.ts";
import type { ChunkEntry } from "./prepared-chunks.ts";
import { entryStorer, type GeneratedChunks, type StoredChunk } from "./stored-chunk.ts";

/** How records of one version are written and read. A save writes records of one format, and reads those of all. */
export interface BlobFormat {
  /** `blob_version` of records of chunks. */
  readonly version: number;
  /** `blob_version` of records of entities. */
  readonly entityVersion: number;
  /** Number of chunks above which a leaf is split, however few bytes they take. */
  readonly leafChunksMax: number;
  /** Bytes by which a record of chunks may exceed the hard limit. Rule S116. */
  readonly partsBytesMax: number;
  /** Assumed size of the content of a record that was not read, relative to that of the record. */
  readonly guessedRatio: number;
  /** Returns a function that brings each of `chunks` into the form that records store. */
  storer(
    chunks: readonly (ChunkEntry | StoredChunk)[],
    generated: GeneratedChunks | undefined,
  ): (entry: ChunkEntry | StoredChunk) => StoredChunk;
  /** Returns the format of a record of these chunks: a later one if this one cannot hold them. */
  formatFor(chunks: readonly StoredChunk[]): BlobFormat;
  /** Encodes arranged chunks, which this format can hold. */
  encode(chunks: readonly StoredChunk[]): Uint8Array;
  /** Returns a lower bound for the size of the encoded chunks that is cheap to compute. */
  bytesAtLeast(chunks: readonly StoredChunk[]): number;
  /** Returns an upper bound, given the lower one; Infinity if only encoding tells. */
  bytesAtMost(chunks: readonly StoredChunk[], bytesAtLeast: number): number;
  /** Encodes the payload of a record from its content, on another thread if `isOffThread`. */
  seal(content: Uint8Array, isOffThread?: boolean): Promise<Uint8Array> | Uint8Array;
  /** Returns the content of a payload. Throws `ORT_LIMIT` if a compressed one has more than `bytesMax` bytes. */
  open(
    payload: Uint8Array,
    bytesMax: number,
    origin?: number,
    isOffThread?: boolean,
  ): Promise<Uint8Array> | Uint8Array;
  /** Codec of the content of a record of chunks, which checks all of it. */
  codec(chunkVolume: number): Codec<readonly StoredChunk[]>;
  /** The same without the checks of what can be checked when it is used. */
  locatedCodec(chunkVolume: number): Codec<readonly StoredChunk[]>;
  /** Runs all checks of {@link codec}. Returns the positions in the record. */
  check(input: ByteReader, chunkVolume: number): readonly Position[];
}

function packedFormat(version: PackedBlobVersion): BlobFormat {
  const codec = (chunkVolume: number): Codec<readonly StoredChunk[]> => packedBlobCodec(chunkVolume, version);
  const isTable = version === TABLE_BLOB_VERSION;
  return {
    version,
    entityVersion: PACKED_BLOB_VERSION,
    leafChunksMax: LEAF_CHUNKS_TARGET,
    partsBytesMax: isTable ? PARTS_BYTES_MAX : 0,
    guessedRatio: 8,
    storer: entryStorer,
    formatFor: (chunks) =>
      isTable || chunks.some(({ parts = NO_PARTS }) => parts.length > 0) ? TABLE_BLOBS : PACKED_BLOBS,
    encode: (chunks) => encodePackedBlob(chunks, version),
    bytesAtLeast: packedBytesAtLeast,
    bytesAtMost: packedBytesAtMost,
    seal: sealBlob,
    open: openBlob,
    codec,
    locatedCodec: (chunkVolume) => locatedBlobCodec(chunkVolume, version),
    check: (input, chunkVolume) => checkPackedBlob(input, chunkVolume, version),
  };
}

/** Version 3: packed chunks with a table that locates each of them, and with parts. */
export const TABLE_BLOBS: BlobFormat = packedFormat(TABLE_BLOB_VERSION);

/** Version 2: packed and compressed chunks. */
export const PACKED_BLOBS: BlobFormat = packedFormat(PACKED_BLOB_VERSION);

/** Version 1, that of the specification: neither compressed nor with changes to what the generator makes. */
export const PLAIN_BLOBS: BlobFormat = {
  version: BLOB_VERSION,
  entityVersion: BLOB_VERSION,
  leafChunksMax: Infinity,
  partsBytesMax: 0,
  guessedRatio: 1,
  storer: (_chunks, generated) => plainStorer(generated),
  formatFor: () => PLAIN_BLOBS,
  encode: encodePlainBlob,
  bytesAtLeast: plainBytesAtLeast,
  bytesAtMost: () => Infinity,
  seal: (content) => content,
  open: (payload) => payload,
  codec: plainBlobCodec,
  locatedCodec: plainBlobCodec,
  check: checkChunkBlob,
};

const FORMATS: readonly BlobFormat[] = [PLAIN_BLOBS, PACKED_BLOBS, TABLE_BLOBS];

/** Returns the format of records of a version; `undefined` for one that is not known yet. */
export function blobFormatOf(version: number): BlobFormat | undefined {
  return FORMATS.find((format) => version <= format.version);
}

/** Size by which leaves are measured: the uncompressed bytes of a chunk blob, and its number of chunks. */
export interface BlobSize {
  readonly bytes: number;
  readonly chunks: number;
}

/** Sizes of records that were written or read. The index does not store them, and a record never changes. */
const known = new WeakMap<RecordRef, BlobSize>();

/** Remembers the size of a record's blob for as long as its reference lives. */
export function rememberSize(ref: RecordRef, size: BlobSize): void {
  known.set(ref, size);
}

/** Returns the size of a record's blob, or an estimate with 0 chunks if it was neither written nor read. */
export function blobSizeOf(ref: RecordRef): BlobSize {
  const { guessedRatio } = blobFormatOf(ref.blobVersion) ?? TABLE_BLOBS;
  return known.get(ref) ?? { bytes: ref.recordBytes * guessedRatio, chunks: 0 };
}
