import {
  type ByteReader,
  ByteWriter,
  boxCodec,
  type Codec,
  checkChunkChange,
  checkPackedChunk,
  OrthantError,
  type Position,
} from "@orthant/core";
import { hasEqualParts } from "./equal-parts.ts";
import { readPositions, writePositions } from "./packed-positions.ts";
import { boundsOf } from "./prepared-chunks.ts";
import { arrangeChunks, ChunkContent, type StoredChunk, WholeChunk } from "./stored-chunk.ts";

/**
 * More than any leaf holds: a leaf with more than 2,048 is split, unless its cell has 256 chunks or fewer.
 */
const CHUNKS_MAX = 65_536;
/** Content numbers of entries that are stored as a change. Chunks are numbered after them. */
const CHANGE_TO_GENERATED = 0;
const CHANGE_TO_AIR = 1;
const FIRST_CHUNK = 2;

/**
 * Codec of a version 2 chunk blob before compression: the positions, the content number of each, the chunks,
 * the changes. Reading creates only views of chunks and changes. Rules S73 to S80.
 */
export function packedBlobCodec(chunkVolume: number): Codec<readonly StoredChunk[]> {
  return {
    write: (out, chunks) => writeBlob(out, arrangeChunks(chunks)),
    read(input) {
      const { positions, contents, chunks, changes } = readBlob(input, chunkVolume);
      const dictionary = chunks.ends.map((_, index) =>
        ChunkContent.stored(partAt(chunks, index), chunkVolume),
      );
      let next = 0;
      return positions.map((position, index): StoredChunk => {
        const number = contents[index] as number;
        const content = dictionary[number - FIRST_CHUNK];
        if (content !== undefined) return new WholeChunk(position, content);
        const base = number === CHANGE_TO_AIR ? "air" : "generator";
        return { kind: "change", position, base, volume: chunkVolume, change: partAt(changes, next++) };
      });
    },
  };
}

/** Encodes chunks that are already arranged. */
export function encodePackedBlob(chunks: readonly StoredChunk[]): Uint8Array {
  const out = new ByteWriter(packedBytesAtLeast(chunks) + chunks.length * 4);
  writeBlob(out, chunks);
  return out.copy();
}

/** Returns a lower bound for the size of such a blob that is cheap to compute. */
export function packedBytesAtLeast(chunks: readonly StoredChunk[]): number {
  let bytes = chunks.length * 2;
  const counted = new Set<ChunkContent>();
  for (const entry of chunks) {
    if (entry.kind === "change") bytes += entry.change.length;
    else if (!counted.has(entry.content)) {
      counted.add(entry.content);
      bytes += entry.content.bytes.length;
    }
  }
  return bytes;
}

/** Runs all checks of the codec. Returns the positions of the blob's chunks. */
export function checkPackedBlob(input: ByteReader, chunkVolume: number): readonly Position[] {
  return readBlob(input, chunkVolume).positions;
}

function writeBlob(out: ByteWriter, chunks: readonly StoredChunk[]): void {
  if (chunks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a chunk blob without chunks");
  const volume = boundsOf(chunks);
  const dictionary = new Map<ChunkContent, number>();
  for (const entry of chunks) {
    if (entry.kind === "chunk" && !dictionary.has(entry.content)) {
      dictionary.set(entry.content, FIRST_CHUNK + dictionary.size);
    }
  }
  boxCodec.write(out, volume);
  out.varUint(chunks.length);
  out.varUint(dictionary.size);
  writePositions(out, volume, chunks);
  for (const entry of chunks) out.varUint(contentNumber(entry, dictionary));
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  for (const entry of chunks) if (entry.kind === "change") out.raw(entry.change);
}

function contentNumber(entry: StoredChunk, dictionary: ReadonlyMap<ChunkContent, number>): number {
  if (entry.kind === "chunk") return dictionary.get(entry.content) as number;
  return entry.base === "air" ? CHANGE_TO_AIR : CHANGE_TO_GENERATED;
}

interface ReadBlob {
  readonly positions: readonly Position[];
  /** Content number of each position: a kind of change, or a chunk. */
  readonly contents: Uint32Array;
  readonly chunks: Parts;
  readonly changes: Parts;
}

/** Adjacent parts, and the offset where each ends. */
interface Parts {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

function readBlob(input: ByteReader, chunkVolume: number): ReadBlob {
  const volume = boxCodec.read(input);
  const count = input.count(CHUNKS_MAX);
  if (count === 0) throw input.fail("ORT_BLOB", "a chunk blob without chunks");
  const chunkCount = input.count(count);
  const positions = readPositions(input, volume, count);
  const contents = readContents(input, count, chunkCount);
  const chunks = readParts(input, chunkCount, () => checkPackedChunk(input, chunkVolume));
  // Each content has exactly one encoding, so equal chunks have equal bytes.
  if (hasEqualParts(chunks.bytes, chunks.ends)) {
    throw input.fail("ORT_BLOB", "a chunk in the dictionary twice");
  }
  const changeCount = contents.reduce((sum, number) => sum + (number < FIRST_CHUNK ? 1 : 0), 0);
  const changes = readParts(input, changeCount, () => checkChunkChange(input, chunkVolume));
  return { positions, contents, chunks, changes };
}

/** Reads the content number of each chunk. Chunks are numbered in order of first appearance. */
function readContents(input: ByteReader, count: number, chunkCount: number): Uint32Array {
  const contents = new Uint32Array(count);
  let used = 0;
  for (let index = 0; index < count; index++) {
    const number = input.varUint();
    const chunk = number - FIRST_CHUNK;
    if (chunk > used || chunk >= chunkCount) {
      throw input.fail("ORT_BLOB", `chunk ${chunk} after ${used} of ${chunkCount} in the dictionary`);
    }
    if (chunk === used) used++;
    contents[index] = number;
  }
  if (used < chunkCount) throw input.fail("ORT_BLOB", "a chunk in the dictionary that is not used");
  return contents;
}

function readParts(input: ByteReader, count: number, readPast: () => void): Parts {
  const start = input.offset;
  const ends: number[] = [];
  for (let index = 0; index < count; index++) {
    readPast();
    ends.push(input.offset - start);
  }
  return { bytes: input.since(start), ends };
}

function partAt({ bytes, ends }: Parts, index: number): Uint8Array {
  return bytes.subarray(ends[index - 1] ?? 0, ends[index]);
}
