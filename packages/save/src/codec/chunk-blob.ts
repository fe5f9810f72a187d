import { type Box, type Chunk, emptyChunk, OrthantError, type Position } from "@orthant/core";
import { type ByteReader, ByteWriter, type Codec, U16_MAX } from "@orthant/core/bytes";
import { checkChunk, chunkCodec } from "@orthant/core/chunk";
import {
  AXES,
  boxCodec,
  boxContains,
  boxEquals,
  comparePositions,
  getOrAdd,
  positionFrom,
  requireLatticePosition,
} from "@orthant/core/lattice";
import {
  Bounds,
  type ChunkAssignment,
  type ChunkEntry,
  chunkBounds,
  hasEqualParts,
  type PreparedChunk,
  type PreparedContent,
  prepareChunks,
} from "./prepared-chunks.ts";
import {
  ChunkContent,
  type GeneratedChunks,
  realizeStored,
  type StoredChunk,
  wholeChunk,
} from "./stored-chunk.ts";

const DICTIONARY_MAX = U16_MAX + 1;
const ASSIGNMENTS_MAX = 1_000_000;
const UNTOUCHED = 0;
const EMPTY_OVERRIDE = 1;
const DICT_REF = 2;
const STATES = 3;

/** Codec of a chunk blob, for chunks of one volume. Rules S29 to S31. */
export function chunkBlobCodec(chunkVolume: number): Codec<readonly ChunkAssignment[]> {
  return {
    write: (out, chunks) => out.raw(encodeChunkBlob(prepareChunks(chunks, chunkVolume))),
    read: (input) => readChunkBlob(input, chunkVolume),
  };
}

/** Encodes prepared chunks, of which there must be at least one. */
function encodeChunkBlob(chunks: readonly PreparedChunk[]): Uint8Array {
  if (chunks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a chunk blob without chunks");
  const volume = chunkBounds(chunks);
  const dictionary = dictionaryOf(chunks);
  if (dictionary.size > DICTIONARY_MAX) {
    throw new OrthantError("ORT_ARGUMENT", `${dictionary.size} chunks in one dictionary`);
  }
  const out = new ByteWriter();
  boxCodec.write(out, volume);
  out.varUint(dictionary.size);
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  out.varUint(chunks.length);
  for (const { position, chunk, content } of chunks) {
    for (const axis of AXES) out.varU16(position[axis] - volume.min[axis]);
    out.tag(chunk === undefined ? UNTOUCHED : content === undefined ? EMPTY_OVERRIDE : DICT_REF, STATES);
    out.varU16(content === undefined ? 0 : (dictionary.get(content) as number));
  }
  return out.copy();
}

/** Numbers the contents in order of first appearance. */
function dictionaryOf(chunks: readonly PreparedChunk[]): ReadonlyMap<PreparedContent, number> {
  const numbers = new Map<PreparedContent, number>();
  for (const { content } of chunks) {
    if (content !== undefined && !numbers.has(content)) numbers.set(content, numbers.size);
  }
  return numbers;
}

function readChunkBlob(input: ByteReader, chunkVolume: number): readonly ChunkAssignment[] {
  const codec = chunkCodec(chunkVolume);
  const chunks: ChunkAssignment[] = [];
  readBlob(
    input,
    () => {
      const chunk = codec.read(input);
      return chunk.isEmpty ? undefined : chunk;
    },
    (position, state, stored) => chunks.push({ position, chunk: chunkOf(state, stored, chunkVolume) }),
  );
  return chunks;
}

/** Runs all checks of `chunkBlobCodec` without creating chunks. Returns the positions of the chunks. */
export function checkChunkBlob(input: ByteReader, chunkVolume: number): readonly Position[] {
  const positions: Position[] = [];
  readBlob(
    input,
    () => (checkChunk(input, chunkVolume) === "empty" ? undefined : true),
    (position) => positions.push(position),
  );
  return positions;
}

/** Reads a blob. `readChunk` returns `undefined` for an empty chunk, which a dictionary must not contain. */
function readBlob<Stored>(
  input: ByteReader,
  readChunk: () => Stored | undefined,
  take: (position: Position, state: number, stored: Stored | undefined) => void,
): void {
  const volume = boxCodec.read(input);
  const dictionary = readDictionary(input, readChunk);
  const count = input.count(ASSIGNMENTS_MAX);
  if (count === 0) throw input.fail("ORT_BLOB", "a chunk blob without chunks");
  const bounds = new Bounds();
  let previous: Position | undefined;
  let used = 0;
  for (let index = 0; index < count; index++) {
    const position = readPosition(input, volume, previous);
    const state = input.tag(STATES);
    const number = input.varU16();
    if (state === DICT_REF) {
      if (number > used || number >= dictionary.length) {
        throw input.fail(
          "ORT_BLOB",
          `chunk ${number} after ${used} of ${dictionary.length} in the dictionary`,
        );
      }
      if (number === used) used++;
    } else if (number !== 0)
      throw input.fail("ORT_BLOB", `dictionary index ${number} of a chunk without one`);
    bounds.add(position);
    take(position, state, dictionary[number]);
    previous = position;
  }
  if (used < dictionary.length) throw input.fail("ORT_BLOB", "a chunk in the dictionary that is not used");
  if (!boxEquals(bounds.box(), volume)) throw input.fail("ORT_BLOB", "a volume larger than its chunks");
}

function readDictionary<Stored>(input: ByteReader, readChunk: () => Stored | undefined): readonly Stored[] {
  const count = input.count(DICTIONARY_MAX);
  const start = input.offset;
  const ends: number[] = [];
  const dictionary: Stored[] = [];
  for (let index = 0; index < count; index++) {
    const stored = readChunk();
    if (stored === undefined) throw input.fail("ORT_BLOB", "an empty chunk in the dictionary");
    dictionary.push(stored);
    ends.push(input.offset - start);
  }
  // Each content has exactly one encoding, so equal chunks have equal bytes.
  if (hasEqualParts(input.since(start), ends))
    throw input.fail("ORT_BLOB", "a chunk in the dictionary twice");
  return dictionary;
}

function readPosition(input: ByteReader, volume: Box, previous: Position | undefined): Position {
  const local = [input.varU16(), input.varU16(), input.varU16(), input.varU16()] as const;
  const position = positionFrom((axis) => volume.min[axis] + local[axis]);
  if (!boxContains(volume, position))
    throw input.fail("ORT_BLOB", `a chunk at [${position}], outside of its volume`);
  if (previous !== undefined && comparePositions(previous, position) >= 0) {
    throw input.fail("ORT_BLOB", `the chunk at [${position}] is out of order`);
  }
  return position;
}

function chunkOf(state: number, stored: Chunk | undefined, chunkVolume: number): Chunk | undefined {
  if (state === DICT_REF) return stored;
  return state === EMPTY_OVERRIDE ? emptyChunk(chunkVolume) : undefined;
}

/** Minimum bytes of a position in a blob, besides its chunk. */
const CHUNK_BYTES_MIN = 6;

/** Codec of the chunks of a version 1 blob in stored form. Untouched positions have none. */
export function plainBlobCodec(chunkVolume: number): Codec<readonly StoredChunk[]> {
  const codec = chunkBlobCodec(chunkVolume);
  return {
    write: (out, chunks) => out.raw(encodePlainBlob(chunks)),
    read: (input) => storedChunks(codec.read(input)),
  };
}

/** Encodes stored chunks as a version 1 blob. */
export function encodePlainBlob(chunks: readonly StoredChunk[]): Uint8Array {
  const realized = chunks.map((entry) => ({
    position: entry.position,
    chunk: realizeStored(entry, undefined),
  }));
  return encodeChunkBlob(prepareChunks(realized, realized[0]?.chunk.volume ?? 1));
}

/** Returns a lower bound for the size of such a blob that is cheap to compute. */
export function plainBytesAtLeast(chunks: readonly StoredChunk[]): number {
  const contents = new Set<ChunkContent>();
  for (const entry of chunks) if (entry.kind === "chunk") contents.add(entry.content);
  let bytes = chunks.length * CHUNK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}

/** Returns a function that makes each entry a whole chunk. Version 1 has no changes, and no parts. */
export function plainStorer(
  generated: GeneratedChunks | undefined,
): (entry: ChunkEntry | StoredChunk) => StoredChunk {
  const contents = new Map<Chunk, ChunkContent>();
  return (entry) => {
    // Version 1 has no voxel data; conversions to it report the loss.
    const chunk = ("kind" in entry ? realizeStored(entry, generated) : entry.chunk).withoutData();
    requireLatticePosition(...entry.position);
    return wholeChunk(entry.position, contentOf(chunk, contents));
  };
}

function storedChunks(chunks: readonly ChunkAssignment[]): readonly StoredChunk[] {
  const contents = new Map<Chunk, ChunkContent>();
  const stored: StoredChunk[] = [];
  for (const { position, chunk } of chunks) {
    if (chunk !== undefined) stored.push(wholeChunk(position, contentOf(chunk, contents)));
  }
  return stored;
}

/** Returns the content of a chunk, one for all positions that share it. */
function contentOf(chunk: Chunk, contents: Map<Chunk, ChunkContent>): ChunkContent {
  return getOrAdd(contents, chunk, () => ChunkContent.of(chunk));
}
