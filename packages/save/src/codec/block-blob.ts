import {
  AXES,
  type Box,
  type ByteReader,
  ByteWriter,
  boxCodec,
  boxContains,
  boxEquals,
  type Chunk,
  type Codec,
  checkChunk,
  chunkCodec,
  comparePositions,
  emptyChunk,
  OrthantError,
  type Position,
  positionFrom,
  U16_MAX,
} from "@orthant/core";
import { hasEqualParts } from "./equal-parts.ts";
import {
  type BlockAssignment,
  Bounds,
  boundsOf,
  type PreparedBlock,
  type PreparedContent,
  prepareBlocks,
} from "./prepared-blocks.ts";

const DICTIONARY_MAX = U16_MAX + 1;
const ASSIGNMENTS_MAX = 1_000_000;
const UNTOUCHED = 0;
const EMPTY_OVERRIDE = 1;
const DICT_REF = 2;
const STATES = 3;

/** Codec of a block blob, for chunks of one volume. Rules S29 to S31. */
export function blockBlobCodec(chunkVolume: number): Codec<readonly BlockAssignment[]> {
  return {
    write: (out, blocks) => out.raw(encodeBlockBlob(prepareBlocks(blocks, chunkVolume))),
    read: (input) => readBlockBlob(input, chunkVolume),
  };
}

/** Encodes prepared blocks, of which there must be at least one. */
export function encodeBlockBlob(blocks: readonly PreparedBlock[]): Uint8Array {
  if (blocks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a block blob without blocks");
  const volume = boundsOf(blocks);
  const dictionary = dictionaryOf(blocks);
  if (dictionary.size > DICTIONARY_MAX) {
    throw new OrthantError("ORT_ARGUMENT", `${dictionary.size} chunks in one dictionary`);
  }
  const out = new ByteWriter();
  boxCodec.write(out, volume);
  out.varUint(dictionary.size);
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  out.varUint(blocks.length);
  for (const { position, chunk, content } of blocks) {
    for (const axis of AXES) out.varU16(position[axis] - volume.min[axis]);
    out.tag(chunk === undefined ? UNTOUCHED : content === undefined ? EMPTY_OVERRIDE : DICT_REF, STATES);
    out.varU16(content === undefined ? 0 : (dictionary.get(content) as number));
  }
  return out.copy();
}

/** Numbers the contents in order of first appearance. */
function dictionaryOf(blocks: readonly PreparedBlock[]): ReadonlyMap<PreparedContent, number> {
  const numbers = new Map<PreparedContent, number>();
  for (const { content } of blocks) {
    if (content !== undefined && !numbers.has(content)) numbers.set(content, numbers.size);
  }
  return numbers;
}

function readBlockBlob(input: ByteReader, chunkVolume: number): readonly BlockAssignment[] {
  const codec = chunkCodec(chunkVolume);
  const blocks: BlockAssignment[] = [];
  readBlob(
    input,
    () => {
      const chunk = codec.read(input);
      return chunk.isEmpty ? undefined : chunk;
    },
    (position, state, stored) => blocks.push({ position, chunk: chunkOf(state, stored, chunkVolume) }),
  );
  return blocks;
}

/** Runs all checks of `blockBlobCodec` without creating chunks. Returns the positions of the blocks. */
export function checkBlockBlob(input: ByteReader, chunkVolume: number): readonly Position[] {
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
  if (count === 0) throw input.fail("ORT_BLOB", "a block blob without blocks");
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
  if (!boxEquals(bounds.box(), volume)) throw input.fail("ORT_BLOB", "a volume larger than its blocks");
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
    throw input.fail("ORT_BLOB", `a block at [${position}], outside of its volume`);
  if (previous !== undefined && comparePositions(previous, position) >= 0) {
    throw input.fail("ORT_BLOB", `the block at [${position}] is out of order`);
  }
  return position;
}

function chunkOf(state: number, stored: Chunk | undefined, chunkVolume: number): Chunk | undefined {
  if (state === DICT_REF) return stored;
  return state === EMPTY_OVERRIDE ? emptyChunk(chunkVolume) : undefined;
}
