import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import {
  findDifferences,
  indexAt,
  indexBits,
  nextPositionOf,
  type PackedIndices,
  packedIndicesBytes,
  packIndices,
  repackThrough,
  replaceIndex,
  varU32Bytes,
  wordBytesAt,
  wordCount,
} from "./packed-indices.ts";

import { type PaletteVoxels, packedHeaderBytes, uniformVoxels, voxelsMemoryBytes } from "./palette-voxels.ts";

/** Up to one edit for this number of voxels is made without unpacking a chunk. */
export const VOXELS_PER_EDIT = 16;
/** Edits that share one copy of the voxels. More would slow down reads, which look through those that wait. */
export const WAITING_EDITS_MAX = 8;

/** An edit of one voxel, and those before it: chunks that follow each other share them. */
export interface WaitingEdit {
  readonly index: number;
  readonly block: number;
  readonly before: WaitingEdit | undefined;
  /** Number of edits up to this one. */
  readonly count: number;
}

/** Returns the voxels after edits, of which `last` is the last. Each changes something. Copies the voxels once. */
export function editVoxels(voxels: PaletteVoxels, last: WaitingEdit): PaletteVoxels {
  if (last.before === undefined) return editVoxel(voxels, last.index, last.block);
  let at = last.count;
  for (let edit: WaitingEdit | undefined = last; edit !== undefined; edit = edit.before) {
    waitingIndices[--at] = edit.index;
    waitingBlocks[at] = edit.block;
  }
  return editFew(voxels, { indices: waitingIndices, blocks: waitingBlocks, count: last.count });
}

const waitingIndices = new Uint16Array(WAITING_EDITS_MAX);
const waitingBlocks = new Uint16Array(WAITING_EDITS_MAX);

/** Voxels and their new blocks: the first `count` elements. The last one for a voxel wins. */
export interface BlockEdits {
  readonly indices: ArrayLike<number>;
  readonly blocks: ArrayLike<number>;
  readonly count: number;
}

/** Edits that are made together, at most: some for each chunk. */
const EDITS_MAX = CHUNK_VOXELS_MAX / VOXELS_PER_EDIT;

// The edits of a chunk, ascending by position, and the entry of the palette that each sets. Shared by all calls, which never
// overlap, as is all below.
const keys = new Uint32Array(EDITS_MAX);
const positions = new Uint32Array(EDITS_MAX);
const entries = new Uint16Array(EDITS_MAX);
// The entries of the old palette, then those of new blocks: where each first appears after the edits, and its new index.
const firsts = new Uint32Array(CHUNK_VOXELS_MAX + EDITS_MAX);
const ranks = new Uint16Array(CHUNK_VOXELS_MAX + EDITS_MAX);
const order = new Uint32Array(CHUNK_VOXELS_MAX + EDITS_MAX);
/** Of an entry that no longer appears. */
const NOWHERE = 0xffff_ffff;

/**
 * Returns the voxels after edits, at most one for {@link VOXELS_PER_EDIT} voxels. Copies the voxels once, and packs them again
 * only if indices change their meaning.
 */
export function editFew(voxels: PaletteVoxels, edits: BlockEdits): PaletteVoxels {
  const { volume, palette: oldPalette, bitWidth: oldBitWidth, indices: oldIndices } = voxels;
  const count = sortEdits(edits);
  const blocks = [...oldPalette];
  findFirstUnedited(voxels, count);
  let { denseBytes } = voxels;
  for (let edit = 0; edit < count; edit++) {
    const position = positions[edit] as number;
    const block = edits.blocks[(keys[edit] as number) & 0xffff] as number;
    let entry = blocks.indexOf(block);
    if (entry < 0) {
      entry = blocks.push(block) - 1;
      firsts[entry] = position;
    }
    entries[edit] = entry;
    firsts[entry] = Math.min(firsts[entry] as number, position);
    const oldIndex = oldBitWidth === 0 ? 0 : indexAt(oldIndices, oldBitWidth, position);
    denseBytes += varU32Bytes(block) - varU32Bytes(oldPalette[oldIndex] as number);
  }
  const length = rankEntries(blocks.length);
  if (length === 1) return uniformVoxels(volume, blocks[order[0] as number] as number);
  const palette = new Uint16Array(length);
  const firstPositions = new Uint16Array(length);
  const bitWidth = indexBits(length);
  let isSame = bitWidth === oldBitWidth;
  for (let rank = 0; rank < length; rank++) {
    const entry = order[rank] as number;
    palette[rank] = blocks[entry] as number;
    firstPositions[rank] = firsts[entry] as number;
    isSame &&= entry === rank || entry >= oldPalette.length;
  }
  const indices = isSame ? oldIndices.slice() : repack(voxels, ranks, bitWidth);
  for (let edit = 0; edit < count; edit++)
    replaceIndex(indices, bitWidth, positions[edit] as number, ranks[entries[edit] as number] as number);
  const packedBytes = packedHeaderBytes(volume, palette) + packedIndicesBytes(indices);
  return { volume, palette, firstPositions, bitWidth, indices, packedBytes, denseBytes };
}

/** Orders edits by position, the last one for each. Returns how many are left. */
function sortEdits({ indices, count }: BlockEdits): number {
  for (let at = 0; at < count; at++) keys[at] = ((indices[at] as number) << 16) | at;
  keys.subarray(0, count).sort();
  let left = 0;
  for (let at = 0; at < count; at++) {
    const key = keys[at] as number;
    if (left > 0 && positions[left - 1] === key >>> 16) left--;
    positions[left] = key >>> 16;
    keys[left++] = key;
  }
  return left;
}

/** Finds where each palette entry first appears except at the edits. */
function findFirstUnedited(voxels: PaletteVoxels, count: number): void {
  const { palette, firstPositions } = voxels;
  let edit = 0;
  for (let entry = 0; entry < palette.length; entry++) {
    const first = firstPositions[entry] as number;
    while (edit < count && (positions[edit] as number) < first) edit++;
    const isEdited = edit < count && positions[edit] === first;
    firsts[entry] = isEdited ? nextUnedited(voxels, entry, edit, count) : first;
  }
}

/** Returns where an entry appears next except at the edits, the first of which is `edit`. */
function nextUnedited(
  { volume, bitWidth, indices }: PaletteVoxels,
  entry: number,
  edit: number,
  count: number,
): number {
  let position = positions[edit];
  let next = edit;
  while (position !== undefined) {
    while (next < count && (positions[next] as number) < position) next++;
    if (next === count || positions[next] !== position) return position;
    position++;
    if (bitWidth > 0) position = nextPositionOf(indices, bitWidth, volume, entry, position);
    else if (position === volume) position = undefined;
  }
  return NOWHERE;
}

/** Orders the entries that appear by their first positions, and gives each its rank. Returns how many there are. */
function rankEntries(entryCount: number): number {
  let length = 0;
  for (let entry = 0; entry < entryCount; entry++) {
    const first = firsts[entry] as number;
    ranks[entry] = 0;
    if (first === NOWHERE) continue;
    let at = length++;
    while (at > 0 && (firsts[order[at - 1] as number] as number) > first) {
      order[at] = order[at - 1] as number;
      at--;
    }
    order[at] = entry;
  }
  for (let rank = 0; rank < length; rank++) ranks[order[rank] as number] = rank;
  return length;
}

/**
 * Returns the voxels with another block at one position. In nearly all cases every index keeps its
 * meaning; then this copies the words, unless it may overwrite them, and changes one or two. Otherwise it repacks all
 * indices.
 */
export function editVoxel(
  voxels: PaletteVoxels,
  position: number,
  block: number,
  mayOverwrite = false,
): PaletteVoxels {
  const { volume, bitWidth: oldBitWidth, indices: oldIndices } = voxels;
  const oldIndex = oldBitWidth === 0 ? 0 : indexAt(oldIndices, oldBitWidth, position);
  const { palette, firstPositions, ranks, newIndex } = changePalette(voxels, position, oldIndex, block);
  if (palette.length === 1) return uniformVoxels(volume, block);

  const bitWidth = indexBits(palette.length);
  const oldWordBytes = ranks === undefined ? wordBytesAround(oldIndices, bitWidth, position) : 0;
  let indices = oldIndices;
  if (ranks !== undefined) indices = repack(voxels, ranks, bitWidth);
  else if (!mayOverwrite) indices = oldIndices.slice();
  replaceIndex(indices, bitWidth, position, newIndex);
  const oldBlock = voxels.palette[oldIndex] as number;
  return {
    volume,
    palette,
    firstPositions,
    bitWidth,
    indices,
    packedBytes:
      ranks === undefined
        ? voxels.packedBytes +
          paletteGrowthBytes(voxels, palette) +
          wordBytesAround(indices, bitWidth, position) -
          oldWordBytes
        : packedHeaderBytes(volume, palette) + packedIndicesBytes(indices),
    denseBytes: voxels.denseBytes + varU32Bytes(block) - varU32Bytes(oldBlock),
  };
}

function repack(
  { volume, bitWidth, indices }: PaletteVoxels,
  ranks: Uint16Array,
  newBitWidth: number,
): PackedIndices {
  if (bitWidth > 0) return repackThrough(indices, bitWidth, volume, ranks, newBitWidth);
  const rank = ranks[0] as number;
  if (rank === 0) return new Uint32Array(wordCount(volume, newBitWidth) * 2);
  return packIndices(new Uint16Array(volume).fill(rank), volume, newBitWidth);
}

function paletteGrowthBytes({ volume, palette: before }: PaletteVoxels, after: Uint16Array): number {
  return before === after ? 0 : packedHeaderBytes(volume, after) - packedHeaderBytes(volume, before);
}

/** Returns the byte length of the one or two words that hold the index at a position. */
function wordBytesAround(indices: PackedIndices, bitWidth: number, position: number): number {
  const firstWord = (position * bitWidth) >>> 6;
  const lastWord = (position * bitWidth + bitWidth - 1) >>> 6;
  const bytes = wordBytesAt(indices, firstWord * 2);
  return lastWord === firstWord ? bytes : bytes + wordBytesAt(indices, lastWord * 2);
}

/** The effect of a voxel change on a palette. */
interface PaletteChange {
  readonly palette: Uint16Array;
  readonly firstPositions: Uint16Array;
  /** The new index of each old one; `undefined` when all keep their value and width. */
  readonly ranks: Uint16Array | undefined;
  /** The index of the voxel's new block in the new palette. */
  readonly newIndex: number;
}

/** Returns the palette after the voxel at a position changes from entry `oldIndex` to another block. */
function changePalette(
  voxels: PaletteVoxels,
  position: number,
  oldIndex: number,
  block: number,
): PaletteChange {
  const { palette, firstPositions } = voxels;
  const found = palette.indexOf(block);
  const oldFirst = firstPositionWithout(voxels, oldIndex, position);
  if (found >= 0 && oldFirst === firstPositions[oldIndex] && (firstPositions[found] as number) < position) {
    return { palette, firstPositions, ranks: undefined, newIndex: found };
  }

  // A block that is new to the palette counts as the entry after the last.
  const entry = found < 0 ? palette.length : found;
  const newFirst = Math.min(position, firstPositions[entry] ?? position);
  const movers: Mover[] = [{ index: entry, first: newFirst, block }];
  if (oldFirst !== undefined) {
    movers.push({ index: oldIndex, first: oldFirst, block: palette[oldIndex] as number });
  }
  movers.sort((a, b) => a.first - b.first);
  return rankAgain(voxels, oldIndex, entry, movers);
}

/** A palette entry whose first position may have changed; all others keep their relative order. */
interface Mover {
  readonly index: number;
  readonly first: number;
  readonly block: number;
}

/** Merges the movers, ordered by first position, with the entries other than `oldIndex` and `entry`. */
function rankAgain(
  { palette: oldPalette, firstPositions: oldFirsts }: PaletteVoxels,
  oldIndex: number,
  entry: number,
  movers: readonly Mover[],
): PaletteChange {
  const oldLength = oldPalette.length;
  const staying = oldLength - (entry < oldLength ? 2 : 1);
  const palette = new Uint16Array(staying + movers.length);
  const firstPositions = new Uint16Array(palette.length);
  const ranks = new Uint16Array(Math.max(oldLength, entry + 1));
  let rank = 0;
  let isSame = indexBits(palette.length) === indexBits(oldLength);
  const add = (index: number, first: number, block: number): void => {
    palette[rank] = block;
    firstPositions[rank] = first;
    ranks[index] = rank;
    isSame &&= index === rank;
    rank++;
  };
  let moved = 0;
  for (let index = 0; index <= oldLength; index++) {
    const first = index < oldLength ? (oldFirsts[index] as number) : Number.POSITIVE_INFINITY;
    if (index === oldIndex || (index === entry && index < oldLength)) continue;
    for (let mover = movers[moved]; mover !== undefined && mover.first < first; mover = movers[++moved]) {
      add(mover.index, mover.first, mover.block);
    }
    if (index < oldLength) add(index, first, oldPalette[index] as number);
  }
  return { palette, firstPositions, ranks: isSame ? undefined : ranks, newIndex: ranks[entry] as number };
}

/** Returns where a palette entry first appears except at `position`; `undefined` if nowhere. */
function firstPositionWithout(
  { volume, firstPositions, bitWidth, indices }: PaletteVoxels,
  index: number,
  position: number,
): number | undefined {
  const first = firstPositions[index] as number;
  if (first !== position) return first;
  if (bitWidth === 0) return volume > 1 ? 1 : undefined;
  return nextPositionOf(indices, bitWidth, volume, index, position + 1);
}

// Shared by all calls, which never overlap.
const differing = new Uint32Array(CHUNK_VOXELS_MAX);

/** The new block of a voxel. */
interface VoxelDifference {
  readonly index: number;
  readonly block: number;
}

/** Compares the indices of voxels with older ones into the same palette. */
export function diffIndices(
  old: PackedIndices,
  { volume, palette, bitWidth, indices }: PaletteVoxels,
): readonly VoxelDifference[] {
  const edits: VoxelDifference[] = [];
  const found = findDifferences(old, indices, bitWidth, volume, differing);
  for (let at = 0; at < found; at++) {
    const index = differing[at] as number;
    edits.push({ index, block: palette[indexAt(indices, bitWidth, index)] as number });
  }
  return edits;
}

/**
 * Whether voxels surely have several blocks after an edit, even if other edits wait before it, as many as may wait and
 * each accepted here.
 */
export function isKnownMixed(
  { volume, palette, firstPositions }: PaletteVoxels,
  index: number,
  block: number,
): boolean {
  // Edits of one block to another leave some voxels as they are.
  if (palette.length === 1) return block !== palette[0] && volume > WAITING_EDITS_MAX;
  return index !== firstPositions[0] && index !== firstPositions[1];
}

/** Memory of an edit that is not in the voxels yet. */
const WAITING_EDIT_BYTES = 48;

/** Returns the approximate memory of a chunk's voxels, with the edits that wait; 0 for those of a shared chunk. */
export function memoryBytesOf({ volume, palette }: PaletteVoxels, waiting: WaitingEdit | undefined): number {
  if (waiting !== undefined)
    return voxelsMemoryBytes(volume, palette.length) + waiting.count * WAITING_EDIT_BYTES;
  return palette.length === 1 ? 0 : voxelsMemoryBytes(volume, palette.length);
}

/** Whether two arrays have equal elements. */
export function elementsEqual(a: Uint16Array | Uint32Array, b: Uint16Array | Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
