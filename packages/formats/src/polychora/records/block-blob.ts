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
  chunkCodec,
  comparePlaces,
  emptyChunk,
  encode,
  list,
  OrthantError,
  type Place,
  placeFrom,
  U16_MAX,
} from "@orthant/core";
import {
  type BlockAssignment,
  boundsOf,
  type PreparedBlock,
  type PreparedContent,
  prepareBlocks,
} from "./prepared-blocks.ts";

const DICTIONARY_MAX = U16_MAX + 1;
const ASSIGNMENTS_MAX = 1_000_000;
const VIRGIN = 0;
const EMPTY_OVERRIDE = 1;
const DICT_REF = 2;
const STATES = 3;

/** A block blob of the tree dialect, for chunks of one volume. Rules S29 to S31. */
export function blockBlobCodec(chunkVolume: number): Codec<readonly BlockAssignment[]> {
  return {
    write: (out, blocks) => out.raw(encodeBlockBlob(prepareBlocks(blocks, chunkVolume))),
    read: (input) => readBlockBlob(input, chunkVolume),
  };
}

/** The blob of blocks that are prepared, of which there is at least one. */
export function encodeBlockBlob(blocks: readonly PreparedBlock[]): Uint8Array {
  if (blocks.length === 0) throw new OrthantError("ORT_ARGUMENT", "a block blob without blocks");
  const volume = boundsOf(blocks);
  const dictionary = dictionaryOf(blocks);
  if (dictionary.size > DICTIONARY_MAX) {
    throw new OrthantError("ORT_ARGUMENT", `${dictionary.size} chunks in one dictionary`);
  }
  const out = new ByteWriter(blockBlobBytes(blocks));
  boxCodec.write(out, volume);
  out.varUint(dictionary.size);
  for (const { bytes } of dictionary.keys()) out.raw(bytes);
  out.varUint(blocks.length);
  for (const { place, chunk, content } of blocks) {
    for (const axis of AXES) out.varU16(place[axis] - volume.min[axis]);
    out.tag(chunk === undefined ? VIRGIN : content === undefined ? EMPTY_OVERRIDE : DICT_REF, STATES);
    out.varU16(content === undefined ? 0 : (dictionary.get(content) as number));
  }
  return out.copy();
}

/** How many bytes the blob of these blocks has, without making it. */
export function blockBlobBytes(blocks: readonly PreparedBlock[]): number {
  const volume = boundsOf(blocks);
  const dictionary = dictionaryOf(blocks);
  let bytes = encode(boxCodec, volume).length + varintBytes(dictionary.size) + varintBytes(blocks.length);
  for (const content of dictionary.keys()) bytes += content.bytes.length;
  for (const { place, content } of blocks) {
    for (const axis of AXES) bytes += varintBytes(place[axis] - volume.min[axis]);
    bytes += 1 + (content === undefined ? 1 : varintBytes(dictionary.get(content) as number));
  }
  return bytes;
}

/** Each content with its number, in the order in which they appear first. */
function dictionaryOf(blocks: readonly PreparedBlock[]): ReadonlyMap<PreparedContent, number> {
  const numbers = new Map<PreparedContent, number>();
  for (const { content } of blocks) {
    if (content !== undefined && !numbers.has(content)) numbers.set(content, numbers.size);
  }
  return numbers;
}

function varintBytes(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4;
}

function readBlockBlob(input: ByteReader, chunkVolume: number): readonly BlockAssignment[] {
  const volume = boxCodec.read(input);
  const dictionary = list(chunkCodec(chunkVolume), DICTIONARY_MAX).read(input);
  if (dictionary.some((chunk) => chunk.isEmpty))
    throw input.fail("ORT_BLOB", "an empty chunk in the dictionary");
  if (hasEqualChunks(dictionary)) throw input.fail("ORT_BLOB", "a chunk in the dictionary twice");
  const count = input.count(ASSIGNMENTS_MAX);
  if (count === 0) throw input.fail("ORT_BLOB", "a block blob without blocks");
  const blocks: BlockAssignment[] = [];
  let used = 0;
  for (let index = 0; index < count; index++) {
    const place = readPlace(input, volume, blocks[index - 1]?.place);
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
    blocks.push({ place, chunk: chunkOf(state, dictionary[number], chunkVolume) });
  }
  if (used < dictionary.length) throw input.fail("ORT_BLOB", "a chunk in the dictionary that is not used");
  if (!boxEquals(boundsOf(blocks), volume)) throw input.fail("ORT_BLOB", "a volume larger than its blocks");
  return blocks;
}

function readPlace(input: ByteReader, volume: Box, previous: Place | undefined): Place {
  const local = [input.varU16(), input.varU16(), input.varU16(), input.varU16()] as const;
  const place = placeFrom((axis) => volume.min[axis] + local[axis]);
  if (!boxContains(volume, place))
    throw input.fail("ORT_BLOB", `a block at [${place}], outside of its volume`);
  if (previous !== undefined && comparePlaces(previous, place) >= 0) {
    throw input.fail("ORT_BLOB", `the block at [${place}] is out of order`);
  }
  return place;
}

function chunkOf(state: number, stored: Chunk | undefined, chunkVolume: number): Chunk | undefined {
  if (state === DICT_REF) return stored;
  return state === EMPTY_OVERRIDE ? emptyChunk(chunkVolume) : undefined;
}

/** Sorts instead of hashing: a hostile file could make any cheap hash collide. */
function hasEqualChunks(dictionary: readonly Chunk[]): boolean {
  const contents = dictionary.map(
    (chunk) => [chunk.materials(), new Uint32Array(chunk.packedIndices().buffer)] as const,
  );
  contents.sort((a, b) => compareElements(a[0], b[0]) || compareElements(a[1], b[1]));
  return contents.some(([materials, indices], position) => {
    const previous = contents[position - 1];
    return (
      previous !== undefined &&
      compareElements(previous[0], materials) === 0 &&
      compareElements(previous[1], indices) === 0
    );
  });
}

function compareElements(a: Uint16Array | Uint32Array, b: Uint16Array | Uint32Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
