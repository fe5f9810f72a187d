import { type Box, OrthantError, type Position } from "@orthant/core";
import { ByteReader, ByteWriter, type Codec } from "@orthant/core/bytes";
import { checkChunkChange, checkPackedChunk, skipPackedChunk } from "@orthant/core/chunk";
import { boxCodec } from "@orthant/core/lattice";
import { readPositions, writePositions } from "./blob-positions.ts";
import { NO_PARTS, partBytes, readSections, type TaggedPart, writeSections } from "./blob-sections.ts";
import { type PackedBlobVersion, TABLE_BLOB_VERSION } from "./layout.ts";
import { chunkBounds, hasEqualParts } from "./prepared-chunks.ts";
import { arrangeChunks, ChunkContent, checkPart, type StoredChunk, wholeChunk } from "./stored-chunk.ts";

/**
 * More than any leaf holds: a leaf with more than 2,048 is split, unless its cube has 256 chunks or fewer.
 */
const CHUNKS_MAX = 65_536;
/** Content numbers of entries that are stored as a change. Chunks are numbered after them. */
const CHANGE_TO_GENERATED = 0;
const CHANGE_TO_AIR = 1;
const FIRST_CHUNK = 2;

/**
 * Codec of a packed chunk blob before compression: the positions, the content number of each, in version 3 the table of
 * lengths, the chunks, the changes, and in version 3 the sections. Reading creates only views. Rules S73 to S80, and S110
 * to S115 for version 3.
 */
export function packedBlobCodec(
  chunkVolume: number,
  version: PackedBlobVersion = TABLE_BLOB_VERSION,
): Codec<readonly StoredChunk[]> {
  return {
    write: (out, chunks) => writeBlob(out, arrangeChunks(chunks), version),
    read(input) {
      const blob = readBlob(input, version, chunkVolume);
      checkContents(input, blob, chunkVolume);
      return entriesOf(blob, chunkVolume, true);
    },
  };
}

/**
 * Reads a blob of version 3 without checking chunks, changes and parts that its table locates: each is checked when it is
 * used. Any other version is read as by its codec.
 */
export function locatedBlobCodec(
  chunkVolume: number,
  version: PackedBlobVersion,
): Codec<readonly StoredChunk[]> {
  const codec = packedBlobCodec(chunkVolume, version);
  if (version !== TABLE_BLOB_VERSION) return codec;
  return {
    write: codec.write,
    read: (input) => entriesOf(readBlob(input, version, chunkVolume), chunkVolume, false),
  };
}

/**
 * Encodes chunks that are already arranged, into an array with room to spare. Version 2 has no parts, so no entry may have
 * any.
 */
export function encodePackedBlob(chunks: readonly StoredChunk[], version: PackedBlobVersion): Uint8Array {
  const out = new ByteWriter(roomFor(chunks, packedBytesAtLeast(chunks)));
  writeBlob(out, chunks, version);
  return out.view();
}

/** Returns a lower bound for the size of such a blob that is cheap to compute. */
export function packedBytesAtLeast(chunks: readonly StoredChunk[]): number {
  let bytes = chunks.length * 2;
  const counted = new Set<ChunkContent>();
  for (const entry of chunks) {
    bytes += partBytes(entry);
    if (entry.kind === "change") bytes += entry.change.length;
    else if (!counted.has(entry.content)) {
      counted.add(entry.content);
      bytes += entry.content.bytes.length;
    }
  }
  return bytes;
}

/** Maximum bytes of a blob without chunks: its volume, the counts, and the end of its sections. */
const HEAD_BYTES_MAX = 256;
/** Maximum bytes of a chunk without its content: a position, a content number and a length, as varints. */
const ENTRY_BYTES_MAX = 40;

/** Returns an upper bound for the size of such a blob, given its lower bound. Infinity if any chunk has parts. */
export function packedBytesAtMost(chunks: readonly StoredChunk[], bytesAtLeast: number): number {
  if (chunks.some(({ parts = NO_PARTS }) => parts.length > 0)) return Infinity;
  return roomFor(chunks, bytesAtLeast);
}

/** Returns an upper bound for the size of such a blob without parts, given its lower bound. */
function roomFor(chunks: readonly StoredChunk[], bytesAtLeast: number): number {
  return bytesAtLeast + chunks.length * ENTRY_BYTES_MAX + HEAD_BYTES_MAX;
}

/** Runs all checks of the codec. Returns the positions of the blob's chunks. */
export function checkPackedBlob(
  input: ByteReader,
  chunkVolume: number,
  version: PackedBlobVersion,
): readonly Position[] {
  const blob = readBlob(input, version, chunkVolume);
  checkContents(input, blob, chunkVolume);
  return blob.positions;
}

function writeBlob(out: ByteWriter, chunks: readonly StoredChunk[], version: PackedBlobVersion): void {
  if (chunks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a chunk blob without chunks");
  const volume = chunkBounds(chunks);
  const dictionary = new Map<ChunkContent, number>();
  const changes: Uint8Array[] = [];
  for (const entry of chunks) {
    if (entry.kind === "change") changes.push(entry.change);
    else if (!dictionary.has(entry.content)) dictionary.set(entry.content, FIRST_CHUNK + dictionary.size);
  }
  boxCodec.write(out, volume);
  out.varUint(chunks.length);
  out.varUint(dictionary.size);
  writePositions(out, volume, chunks);
  for (const entry of chunks) out.varUint(contentNumber(entry, dictionary));
  if (version === TABLE_BLOB_VERSION) for (const { length } of changes) out.varUint(length);
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  for (const bytes of changes) out.raw(bytes);
  if (version === TABLE_BLOB_VERSION) writeSections(out, chunks, new ByteWriter());
  else if (chunks.some(({ parts = NO_PARTS }) => parts.length > 0)) {
    throw new OrthantError("ORT_ARGUMENT", `parts of chunks in a blob of version ${version}`);
  }
}

function contentNumber(entry: StoredChunk, dictionary: ReadonlyMap<ChunkContent, number>): number {
  if (entry.kind === "chunk") return dictionary.get(entry.content) as number;
  return entry.base === "air" ? CHANGE_TO_AIR : CHANGE_TO_GENERATED;
}

/** A blob whose contents are located. */
interface ReadBlob {
  readonly volume: Box;
  readonly positions: readonly Position[];
  /** Content number of each position: a kind of change, or a chunk. */
  readonly numbers: Uint32Array;
  readonly chunkCount: number;
  /** The chunks of the dictionary, then the changes: adjacent, and the offset where each ends. */
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  /** Offset of `bytes` in the blob. */
  readonly start: number;
  /** Whether the contents are only located, and nothing inside them is checked yet. */
  readonly hasTable: boolean;
  readonly parts: ReadonlyMap<number, readonly TaggedPart[]>;
}

const NO_SECTIONS: ReadonlyMap<number, readonly TaggedPart[]> = new Map();

function readBlob(input: ByteReader, version: PackedBlobVersion, chunkVolume: number): ReadBlob {
  const volume = boxCodec.read(input);
  const count = input.count(CHUNKS_MAX);
  if (count === 0) throw input.fail("ORT_BLOB", "a chunk blob without chunks");
  const chunkCount = input.count(count);
  const positions = readPositions(input, volume, count);
  const numbers = readNumbers(input, count, chunkCount);
  const changeCount = numbers.reduce((sum, number) => sum + (number < FIRST_CHUNK ? 1 : 0), 0);
  const hasTable = version === TABLE_BLOB_VERSION;
  const lengths = hasTable ? readTable(input, changeCount) : undefined;
  const start = input.offset;
  const ends =
    lengths === undefined
      ? checkedEnds(input, chunkCount, changeCount, chunkVolume)
      : locatedEnds(input, chunkCount, lengths, chunkVolume);
  const bytes = input.since(start);
  const parts = hasTable ? readSections(input, count) : NO_SECTIONS;
  return { volume, positions, numbers, chunkCount, bytes, ends, start, hasTable, parts };
}

/** Reads the content number of each chunk. Chunks are numbered in order of first appearance. */
function readNumbers(input: ByteReader, count: number, chunkCount: number): Uint32Array {
  const numbers = new Uint32Array(count);
  let used = 0;
  for (let index = 0; index < count; index++) {
    const number = input.varUint();
    const chunk = number - FIRST_CHUNK;
    if (chunk > used || chunk >= chunkCount) {
      throw input.fail("ORT_BLOB", `chunk ${chunk} after ${used} of ${chunkCount} in the dictionary`);
    }
    if (chunk === used) used++;
    numbers[index] = number;
  }
  if (used < chunkCount) throw input.fail("ORT_BLOB", "a chunk in the dictionary that is not used");
  return numbers;
}

/** Reads the lengths of the changes. */
function readTable(input: ByteReader, count: number): Uint32Array {
  const lengths = new Uint32Array(count);
  for (let index = 0; index < count; index++) lengths[index] = input.varU32();
  return lengths;
}

/** Finds where each content ends: a chunk by its first number, a change by the table. */
function locatedEnds(
  input: ByteReader,
  chunkCount: number,
  lengths: Uint32Array,
  chunkVolume: number,
): Uint32Array {
  const start = input.offset;
  const ends = new Uint32Array(chunkCount + lengths.length);
  for (let index = 0; index < ends.length; index++) {
    if (index < chunkCount) skipPackedChunk(input, chunkVolume);
    else input.skip(lengths[index - chunkCount] as number);
    ends[index] = input.offset - start;
  }
  return ends;
}

/** Finds where each content ends by checking all of them in order. */
function checkedEnds(
  input: ByteReader,
  chunkCount: number,
  changeCount: number,
  chunkVolume: number,
): Uint32Array {
  const start = input.offset;
  const ends = new Uint32Array(chunkCount + changeCount);
  for (let index = 0; index < ends.length; index++) {
    if (index < chunkCount) checkPackedChunk(input, chunkVolume);
    else checkChunkChange(input, chunkVolume);
    ends[index] = input.offset - start;
  }
  return ends;
}

/** Throws unless every chunk, change and part is exactly what its bytes should be, and no chunk is there twice. */
function checkContents(input: ByteReader, blob: ReadBlob, chunkVolume: number): void {
  const { bytes, ends, chunkCount, start, hasTable, parts } = blob;
  if (hasTable) {
    const inside = new ByteReader(bytes, { origin: start });
    const found = checkedEnds(inside, chunkCount, ends.length - chunkCount, chunkVolume);
    const wrong = found.findIndex((end, index) => end !== ends[index]);
    if (wrong >= 0) {
      throw input.fail("ORT_BLOB", `content ${wrong} ends at ${found[wrong]}, not at ${ends[wrong]}`);
    }
  }
  // Each content has exactly one encoding, so equal chunks have equal bytes.
  if (hasEqualParts(bytes, ends.subarray(0, chunkCount))) {
    throw input.fail("ORT_BLOB", "a chunk in the dictionary twice");
  }
  for (const list of parts.values()) for (const part of list) checkPart(part, chunkVolume);
}

function entriesOf(blob: ReadBlob, chunkVolume: number, isChecked: boolean): readonly StoredChunk[] {
  const { positions, numbers, chunkCount, bytes, ends, parts } = blob;
  const contentAt = (index: number): Uint8Array =>
    bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
  const dictionary = Array.from({ length: chunkCount }, (_, index) =>
    ChunkContent.stored(contentAt(index), chunkVolume),
  );
  let next = chunkCount;
  return positions.map((position, index): StoredChunk => {
    const number = numbers[index] as number;
    const own = parts.get(index) ?? NO_PARTS;
    const content = dictionary[number - FIRST_CHUNK];
    if (content !== undefined) return wholeChunk(position, content, own);
    const base = number === CHANGE_TO_AIR ? "air" : "generator";
    const change = contentAt(next++);
    return { kind: "change", position, base, volume: chunkVolume, change, parts: own, isChecked };
  });
}
