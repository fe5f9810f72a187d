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
import { boundsOf } from "./prepared-blocks.ts";
import { arrangeBlocks, ChunkContent, type StoredBlock, StoredChunk } from "./stored-block.ts";

/**
 * More than any leaf holds: a leaf with more than 2,048 is split, unless its cell has 256 chunks or fewer.
 */
const BLOCKS_MAX = 65_536;
/** Content numbers of blocks that are stored as a change. Chunks are numbered after them. */
const CHANGE_TO_GENERATED = 0;
const CHANGE_TO_AIR = 1;
const FIRST_CHUNK = 2;

/**
 * Codec of a version 2 block blob before compression: the positions, the content number of each, the chunks,
 * the changes. Reading creates only views of chunks and changes. Rules S73 to S80.
 */
export function packedBlobCodec(chunkVolume: number): Codec<readonly StoredBlock[]> {
  return {
    write: (out, blocks) => writeBlob(out, arrangeBlocks(blocks)),
    read(input) {
      const { positions, contents, chunks, changes } = readBlob(input, chunkVolume);
      const dictionary = chunks.ends.map((_, index) =>
        ChunkContent.stored(partAt(chunks, index), chunkVolume),
      );
      let next = 0;
      return positions.map((position, index): StoredBlock => {
        const number = contents[index] as number;
        const content = dictionary[number - FIRST_CHUNK];
        if (content !== undefined) return new StoredChunk(position, content);
        const base = number === CHANGE_TO_AIR ? "air" : "generator";
        return { kind: "change", position, base, volume: chunkVolume, change: partAt(changes, next++) };
      });
    },
  };
}

/** Encodes blocks that are already arranged. */
export function encodePackedBlob(blocks: readonly StoredBlock[]): Uint8Array {
  const out = new ByteWriter(packedBytesAtLeast(blocks) + blocks.length * 4);
  writeBlob(out, blocks);
  return out.copy();
}

/** Returns a lower bound for the size of such a blob that is cheap to compute. */
export function packedBytesAtLeast(blocks: readonly StoredBlock[]): number {
  let bytes = blocks.length * 2;
  const counted = new Set<ChunkContent>();
  for (const block of blocks) {
    if (block.kind === "change") bytes += block.change.length;
    else if (!counted.has(block.content)) {
      counted.add(block.content);
      bytes += block.content.bytes.length;
    }
  }
  return bytes;
}

/** Runs all checks of the codec. Returns the positions of the blob's blocks. */
export function checkPackedBlob(input: ByteReader, chunkVolume: number): readonly Position[] {
  return readBlob(input, chunkVolume).positions;
}

function writeBlob(out: ByteWriter, blocks: readonly StoredBlock[]): void {
  if (blocks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a block blob without blocks");
  const volume = boundsOf(blocks);
  const dictionary = new Map<ChunkContent, number>();
  for (const block of blocks) {
    if (block.kind === "chunk" && !dictionary.has(block.content)) {
      dictionary.set(block.content, FIRST_CHUNK + dictionary.size);
    }
  }
  boxCodec.write(out, volume);
  out.varUint(blocks.length);
  out.varUint(dictionary.size);
  writePositions(out, volume, blocks);
  for (const block of blocks) out.varUint(contentNumber(block, dictionary));
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  for (const block of blocks) if (block.kind === "change") out.raw(block.change);
}

function contentNumber(block: StoredBlock, dictionary: ReadonlyMap<ChunkContent, number>): number {
  if (block.kind === "chunk") return dictionary.get(block.content) as number;
  return block.base === "air" ? CHANGE_TO_AIR : CHANGE_TO_GENERATED;
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
  const count = input.count(BLOCKS_MAX);
  if (count === 0) throw input.fail("ORT_BLOB", "a block blob without blocks");
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

/** Reads the content number of each block. Chunks are numbered in order of first appearance. */
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
