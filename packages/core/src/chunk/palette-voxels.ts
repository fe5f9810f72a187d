import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import {
  indexAt,
  indexBits,
  type PackedIndices,
  packedIndicesBytes,
  packIndices,
  replaceIndex,
  unpackThrough,
  varU32Bytes,
  wordCount,
} from "./packed-indices.ts";

/**
 * The voxels of a chunk as indices into a palette: the in-memory form of every chunk, however it is encoded.
 * Equal content has equal values in every field.
 */
export interface PaletteVoxels {
  readonly volume: number;
  /** The blocks that occur, in the order of their first appearance. */
  readonly palette: Uint16Array;
  /** Where each of them first appears; ascending by definition. */
  readonly firstPositions: Uint16Array;
  readonly bitWidth: number;
  readonly indices: PackedIndices;
  /** Length of the chunk in bytes when encoded as PalettePacked. */
  readonly packedBytes: number;
  /** Length of the chunk in bytes when encoded as Dense16. */
  readonly denseBytes: number;
}

/** Memory of a chunk besides the bytes of its palette and its voxels: the objects that hold them. */
const CHUNK_OBJECTS_BYTES = 768;

/** Returns the approximate memory, in bytes, of a chunk with this many voxels and different blocks. */
export function voxelsMemoryBytes(volume: number, blockCount: number): number {
  return CHUNK_OBJECTS_BYTES + wordCount(volume, indexBits(blockCount)) * 8 + blockCount * 4;
}

// Shared by all calls, which never overlap: a new table for each chunk would cost more than its voxels.
const indexOfBlock = new Uint16Array(0x1_0000);
const scratchIndices = new Uint16Array(CHUNK_VOXELS_MAX);
const scratchPalette = new Uint16Array(CHUNK_VOXELS_MAX);
const scratchFirsts = new Uint16Array(CHUNK_VOXELS_MAX);

/** Collects the palette of the voxels and packs them. */
export function packVoxels(voxels: Uint16Array): PaletteVoxels {
  const volume = voxels.length;
  let paletteLength = 0;
  let denseBytes = denseHeaderBytes(volume);
  let position = 0;
  while (position < volume) {
    const start = position;
    const block = voxels[start] as number;
    const index = indexInPalette(block, start, paletteLength);
    if (index === paletteLength) paletteLength++;
    do scratchIndices[position++] = index;
    while (position < volume && voxels[position] === block);
    denseBytes += (position - start) * varU32Bytes(block);
  }
  const indices = packIndices(scratchIndices, volume, indexBits(paletteLength));
  return voxelsOfScratch(volume, paletteLength, indices, denseBytes);
}

// What is known of each byte of two voxels. Shared by all calls, which never overlap.
const pairCounts = new Uint16Array(256);
const joinedIndices = new Uint16Array(256);

/**
 * Collects the palette of voxels that are given as four bits each, eight in a word and the first of them lowest, and packs
 * them. `blocks` has a block for each of the 16 values. Equal words in a row, of which most worlds have many, are read
 * once.
 */
export function packHalfBytes(words: Uint32Array, blocks: Uint16Array): PaletteVoxels {
  const volume = words.length * 8;
  let paletteLength = 0;
  pairCounts.fill(0);
  for (let start = 0, end = 0; start < words.length; start = end) {
    const word = words[start] as number;
    do end++;
    while (end < words.length && words[end] === word);
    for (let pairStart = 0; pairStart < 32; pairStart += 8) {
      const pair = (word >>> pairStart) & 0xff;
      const count = pairCounts[pair] as number;
      pairCounts[pair] = count + (end - start);
      if (count > 0) continue;
      const position = start * 8 + pairStart / 4;
      const [low, high] = [blocks[pair & 0x0f] as number, blocks[pair >>> 4] as number];
      if (indexInPalette(low, position, paletteLength) === paletteLength) paletteLength++;
      if (indexInPalette(high, position + 1, paletteLength) === paletteLength) paletteLength++;
    }
  }
  const bitWidth = indexBits(paletteLength);
  let denseBytes = denseHeaderBytes(volume);
  for (let pair = 0; pair < 256; pair++) {
    const count = pairCounts[pair] as number;
    if (count === 0) continue;
    const [low, high] = [blocks[pair & 0x0f] as number, blocks[pair >>> 4] as number];
    denseBytes += count * (varU32Bytes(low) + varU32Bytes(high));
    joinedIndices[pair] = (indexOfBlock[low] as number) | ((indexOfBlock[high] as number) << bitWidth);
  }
  return voxelsOfScratch(volume, paletteLength, packWords(words, bitWidth), denseBytes);
}

/** Packs words by the table of their pairs: the indices of a word fill as many bytes as an index has bits. */
function packWords(words: Uint32Array, bitWidth: number): PackedIndices {
  const packed = new Uint32Array(wordCount(words.length * 8, bitWidth) * 2);
  if (bitWidth === 0) return packed;
  const bytes = new Uint8Array(packed.buffer);
  const pairBits = bitWidth * 2;
  let last = 0;
  let bits = wordBits(last, pairBits);
  for (let at = 0, to = 0; at < words.length; at++, to += bitWidth) {
    const word = words[at] as number;
    if (word !== last) {
      last = word;
      bits = wordBits(word, pairBits);
    }
    bytes[to] = bits;
    if (bitWidth > 1) bytes[to + 1] = bits >>> 8;
    if (bitWidth > 2) bytes[to + 2] = bits >>> 16;
    if (bitWidth > 3) bytes[to + 3] = bits >>> 24;
  }
  return packed;
}

function wordBits(word: number, pairBits: number): number {
  return (
    (joinedIndices[word & 0xff] as number) |
    ((joinedIndices[(word >>> 8) & 0xff] as number) << pairBits) |
    ((joinedIndices[(word >>> 16) & 0xff] as number) << (pairBits * 2)) |
    ((joinedIndices[word >>> 24] as number) << (pairBits * 3))
  );
}

/** Runs of voxels of one block each, ordered and disjoint: the first `count` elements of the arrays. */
export interface BlockRuns {
  readonly count: number;
  readonly starts: Uint32Array;
  readonly lengths: Uint32Array;
  readonly blocks: Uint16Array;
}

/**
 * Packs a chunk of one block, except for some runs. No run may contain the first voxel. The cost depends on
 * the size of the runs, not of the chunk.
 */
export function packRuns(volume: number, block: number, runs: BlockRuns): PaletteVoxels {
  const { count, starts, lengths, blocks } = runs;
  let paletteLength = indexInPalette(block, 0, 0) + 1;
  let denseBytes = denseHeaderBytes(volume) + volume * varU32Bytes(block);
  for (let run = 0; run < count; run++) {
    const other = blocks[run] as number;
    if (indexInPalette(other, starts[run] as number, paletteLength) === paletteLength) paletteLength++;
    denseBytes += (lengths[run] as number) * (varU32Bytes(other) - varU32Bytes(block));
  }
  const bitWidth = indexBits(paletteLength);
  const indices = new Uint32Array(wordCount(volume, bitWidth) * 2);
  for (let run = 0; run < count; run++) {
    const index = indexOfBlock[blocks[run] as number] as number;
    const start = starts[run] as number;
    const end = start + (lengths[run] as number);
    for (let voxel = start; voxel < end; voxel++) replaceIndex(indices, bitWidth, voxel, index);
  }
  return voxelsOfScratch(volume, paletteLength, indices, denseBytes);
}

/** Returns the index of a block in the palette being collected, and appends it if it is new. */
function indexInPalette(block: number, position: number, paletteLength: number): number {
  const index = indexOfBlock[block] as number;
  // The table is never cleared: an entry is valid only if the palette confirms it.
  if (index < paletteLength && scratchPalette[index] === block) return index;
  indexOfBlock[block] = paletteLength;
  scratchPalette[paletteLength] = block;
  scratchFirsts[paletteLength] = position;
  return paletteLength;
}

/** Returns the voxels whose palette has been collected. */
function voxelsOfScratch(
  volume: number,
  paletteLength: number,
  indices: PackedIndices,
  denseBytes: number,
): PaletteVoxels {
  const palette = scratchPalette.slice(0, paletteLength);
  return {
    volume,
    palette,
    firstPositions: scratchFirsts.slice(0, paletteLength),
    bitWidth: indexBits(paletteLength),
    indices,
    packedBytes: packedHeaderBytes(volume, palette) + packedIndicesBytes(indices),
    denseBytes,
  };
}

/** Whether a palette lists a block twice. */
export function hasRepeatedBlock(palette: Uint16Array, length: number = palette.length): boolean {
  for (let index = 0; index < length; index++) {
    const block = palette[index] as number;
    const earlier = indexOfBlock[block] as number;
    if (earlier < index && palette[earlier] === block) return true;
    indexOfBlock[block] = index;
  }
  return false;
}

/** Returns voxels that are all of one block. */
export function uniformVoxels(volume: number, block: number): PaletteVoxels {
  const palette = Uint16Array.of(block);
  return {
    volume,
    palette,
    firstPositions: new Uint16Array(1),
    bitWidth: 0,
    indices: new Uint32Array(0),
    packedBytes: packedHeaderBytes(volume, palette),
    denseBytes: denseHeaderBytes(volume) + volume * varU32Bytes(block),
  };
}

/** Writes the blocks of the first voxels to `voxels`, which may have room for all of them but not for more. */
export function unpackVoxels(
  { palette, bitWidth, indices }: PaletteVoxels,
  voxels: Uint16Array,
): Uint16Array {
  if (bitWidth === 0) return voxels.fill(palette[0] as number);
  return unpackThrough(indices, bitWidth, voxels.length, palette, voxels);
}

/** Returns the length of PalettePacked without its words: tag, palette, bit width and word count. */
export function packedHeaderBytes(volume: number, palette: Uint16Array): number {
  let bytes = 2 + varU32Bytes(palette.length) + varU32Bytes(wordCount(volume, indexBits(palette.length)));
  for (let index = 0; index < palette.length; index++) bytes += varU32Bytes(palette[index] as number);
  return bytes;
}

/** Returns the length of Dense16 without its blocks: tag and count. */
export function denseHeaderBytes(volume: number): number {
  return 1 + varU32Bytes(volume);
}

/** Returns the total length of all voxels' blocks as varints. */
export function blockBytes(volume: number, palette: Uint16Array, indices: PackedIndices): number {
  if (palette.every((block) => varU32Bytes(block) === 1)) return volume;
  const bitWidth = indexBits(palette.length);
  let bytes = 0;
  for (let position = 0; position < volume; position++) {
    bytes += varU32Bytes(palette[indexAt(indices, bitWidth, position)] as number);
  }
  return bytes;
}
