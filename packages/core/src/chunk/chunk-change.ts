import { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import { requireInteger, VARINT_BYTES_MAX, VARU16_BYTES_MAX } from "../bytes/integers.ts";
import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import { type Chunk, chunkFromVoxels, chunkOfRuns, packedVoxels } from "./chunk.ts";
import {
  findDifferences,
  indexAt,
  lanesAt,
  lanesOf,
  type PackedIndices,
  repeatedIndex,
  repeatedIndices,
  varU32Bytes,
} from "./packed-indices.ts";
import { type PaletteVoxels, unpackVoxels } from "./palette-voxels.ts";
import { sharedWriter } from "./shared-writer.ts";

// A change lists the voxels in which two chunks differ, and their new blocks. Its form combines two
// choices: an item is a voxel or a run of voxels, and there is one block per item or one for all of them.
const RUNS = 2;
const ONE_BLOCK = 1;
const FORMS = 4;

// The runs of the current change, each of maximal length, in order. Shared by all calls, which never overlap.
const starts = new Uint32Array(CHUNK_VOXELS_MAX);
const lengths = new Uint32Array(CHUNK_VOXELS_MAX);
const blocks = new Uint16Array(CHUNK_VOXELS_MAX);
// What is written next.
const numbers = new Uint16Array(CHUNK_VOXELS_MAX);
// The voxels that differ.
const differing = new Uint32Array(CHUNK_VOXELS_MAX);
// The voxels to compare. Allocating arrays for each chunk of a save would keep the garbage collector busy.
const voxelsBefore = new Uint16Array(CHUNK_VOXELS_MAX);
const voxelsAfter = new Uint16Array(CHUNK_VOXELS_MAX);

/**
 * Returns the only encoding of a change between chunks; `undefined` if they are equal. The result may be a view of a larger
 * array, which nothing changes later. Rules S77 to S79.
 */
export function encodeChunkChange(before: Chunk, after: Chunk): Uint8Array | undefined {
  return encodeShortChange(before, after, Infinity);
}

/** Like `encodeChunkChange`; also `undefined`, often early, above `bytesMax`. */
export function encodeShortChange(before: Chunk, after: Chunk, bytesMax: number): Uint8Array | undefined {
  requireInteger(after.volume, before.volume, before.volume);
  const count = gatherRuns(packedVoxels(before), packedVoxels(after), bytesMax);
  if (count === 0 || count > bytesMax) return undefined;
  const { form, bytes } = canonicalForm(count);
  if (bytes > bytesMax) return undefined;
  // The writer makes room for the longest numbers before it writes some.
  const out = sharedWriter(bytes * VARU16_BYTES_MAX + VARINT_BYTES_MAX);
  const start = out.length;
  out.tag(form, FORMS);
  writeItems(out, form, count);
  return out.view(start);
}

/** What a change tells about a changed chunk. */
interface CheckedChange {
  /** Whether the chunk surely has more than one block. */
  readonly isMixed: boolean;
  /** Maximum number of different blocks that the change sets. */
  readonly blocksMax: number;
}

/**
 * Reads past one change to a chunk. Throws `ORT_BLOB` unless it is in canonical form. `blockBefore` is the only block of the
 * chunk before, if that has one and it is known.
 */
export function checkChunkChange(input: ByteReader, volume: number, blockBefore?: number): CheckedChange {
  const form = input.tag(FORMS);
  const count = readItems(input, form, volume);
  const wanted = canonicalForm(count).form;
  if (form !== wanted) throw input.fail("ORT_BLOB", `a change in form ${form} where ${wanted} is canonical`);
  if (!isOneBlock(count)) return { isMixed: true, blocksMax: count };
  if (blockBefore === undefined || blocks[0] === blockBefore) return { isMixed: false, blocksMax: 1 };
  let changed = 0;
  for (let run = 0; run < count; run++) changed += lengths[run] as number;
  return { isMixed: changed < volume, blocksMax: 1 };
}

/** Applies a change, which has been checked, to a chunk. */
export function applyChunkChange(before: Chunk, change: Uint8Array): Chunk {
  const input = new ByteReader(change);
  const count = readItems(input, input.tag(FORMS), before.volume);
  const { volume, uniformBlock } = before;
  if (uniformBlock !== undefined && starts[0] !== 0) {
    return chunkOfRuns(volume, uniformBlock, { count, starts, lengths, blocks });
  }
  const voxels = before.voxels();
  for (let run = 0; run < count; run++) {
    const start = starts[run] as number;
    voxels.fill(blocks[run] as number, start, start + (lengths[run] as number));
  }
  return chunkFromVoxels(voxels);
}

/** Writes the runs in which `after` differs to the arrays. Returns their number, or more than `countMax`. */
function gatherRuns(before: PaletteVoxels, after: PaletteVoxels, countMax: number): number {
  if (before.bitWidth === 0) {
    const known = after.palette.indexOf(before.palette[0] as number);
    if (known < 0) return gatherAll(after, countMax);
    const { bitWidth, indices } = after;
    if (bitWidth === 0) return 0;
    return gatherDifferences(repeatedIndices(known, bitWidth, indices.length), after, countMax);
  }
  if (haveSameIndices(before, after)) return gatherDifferences(before.indices, after, countMax);
  const { volume } = after;
  const old = unpackVoxels(before, voxelsBefore.subarray(0, volume));
  const voxels = unpackVoxels(after, voxelsAfter.subarray(0, volume));
  let count = 0;
  for (let voxel = 0; voxel < volume && count <= countMax; voxel++) {
    const block = voxels[voxel] as number;
    if (block !== old[voxel]) count = addVoxels(count, voxel, 1, block);
  }
  return count;
}

/** Whether an index that both may have means the same block in both. */
function haveSameIndices(a: PaletteVoxels, b: PaletteVoxels): boolean {
  if (a.bitWidth !== b.bitWidth) return false;
  const length = Math.min(a.palette.length, b.palette.length);
  for (let index = 0; index < length; index++) if (a.palette[index] !== b.palette[index]) return false;
  return true;
}

/** Gathers all voxels, which all have other blocks than before. */
function gatherAll({ volume, palette, bitWidth, indices }: PaletteVoxels, countMax: number): number {
  if (bitWidth === 0) return addVoxels(0, 0, volume, palette[0] as number);
  const lanes = lanesOf(bitWidth);
  const mask = (1 << bitWidth) - 1;
  let count = 0;
  for (let start = 0; start < volume && count <= countMax; start += lanes) {
    const word = lanesAt(indices, bitWidth, start);
    const length = Math.min(lanes, volume - start);
    if (word === repeatedIndex(word & mask, bitWidth)) {
      count = addVoxels(count, start, length, palette[word & mask] as number);
      continue;
    }
    for (let lane = 0; lane < length; lane++)
      count = addVoxels(count, start + lane, 1, palette[(word >>> (lane * bitWidth)) & mask] as number);
  }
  return count;
}

/** Gathers the voxels whose index differs from the one before. */
function gatherDifferences(
  before: PackedIndices,
  { volume, palette, bitWidth, indices }: PaletteVoxels,
  countMax: number,
): number {
  const found = findDifferences(before, indices, bitWidth, volume, differing);
  let count = 0;
  for (let at = 0; at < found && count <= countMax; at++) {
    const voxel = differing[at] as number;
    count = addVoxels(count, voxel, 1, palette[indexAt(indices, bitWidth, voxel)] as number);
  }
  return count;
}

/** Appends voxels, extending the last run if they continue it. */
function addVoxels(count: number, start: number, length: number, block: number): number {
  const last = count - 1;
  const joins =
    count > 0 && blocks[last] === block && (starts[last] as number) + (lengths[last] as number) === start;
  if (joins) {
    lengths[last] = (lengths[last] as number) + length;
    return count;
  }
  starts[count] = start;
  lengths[count] = length;
  blocks[count] = block;
  return count + 1;
}

/** Returns the form with the fewest bytes, preferring voxels to runs, and one block for all if possible. */
function canonicalForm(count: number): { readonly form: number; readonly bytes: number } {
  const isOne = isOneBlock(count);
  let voxelCount = 0;
  let voxelBytes = 0;
  let runBytes = varU32Bytes(count);
  let end = 0;
  for (let run = 0; run < count; run++) {
    const start = starts[run] as number;
    const length = lengths[run] as number;
    const gapBytes = varU32Bytes(start - end);
    const itemBytes = isOne ? 0 : varU32Bytes(blocks[run] as number);
    voxelCount += length;
    voxelBytes += gapBytes + length - 1 + length * itemBytes;
    runBytes += gapBytes + varU32Bytes(length - 1) + itemBytes;
    end = start + length;
  }
  voxelBytes += varU32Bytes(voxelCount);
  const shared = 1 + (isOne ? varU32Bytes(blocks[0] as number) : 0);
  const base = isOne ? ONE_BLOCK : 0;
  if (runBytes < voxelBytes) return { form: base + RUNS, bytes: shared + runBytes };
  return { form: base, bytes: shared + voxelBytes };
}

function isOneBlock(count: number): boolean {
  for (let run = 1; run < count; run++) if (blocks[run] !== blocks[0]) return false;
  return true;
}

function writeItems(out: ByteWriter, form: number, count: number): void {
  const isRuns = (form & RUNS) !== 0;
  let items = 0;
  let end = 0;
  for (let run = 0; run < count; run++) {
    const start = starts[run] as number;
    const length = lengths[run] as number;
    numbers[items++] = start - end;
    end = start + length;
    if (!isRuns) for (let voxel = 1; voxel < length; voxel++) numbers[items++] = 0;
  }
  out.varUint(items);
  writeNumbers(out, items);
  if (isRuns) {
    for (let run = 0; run < count; run++) numbers[run] = (lengths[run] as number) - 1;
    writeNumbers(out, count);
  }
  if ((form & ONE_BLOCK) !== 0) out.varU16(blocks[0] as number);
  else writeNumbers(out, isRuns ? copyBlocks(count) : repeatBlocks(count));
}

function writeNumbers(out: ByteWriter, count: number): void {
  out.varU16Array(numbers.subarray(0, count));
}

/** Writes the block of each run to the numbers. Returns how many there are. */
function copyBlocks(count: number): number {
  numbers.set(blocks.subarray(0, count));
  return count;
}

/** Writes the block of each voxel to the numbers. Returns how many there are. */
function repeatBlocks(count: number): number {
  let items = 0;
  for (let run = 0; run < count; run++) {
    const end = items + (lengths[run] as number);
    while (items < end) numbers[items++] = blocks[run] as number;
  }
  return items;
}

/** Reads what `writeItems` writes into the arrays and returns the number of runs. */
function readItems(input: ByteReader, form: number, volume: number): number {
  const isRuns = (form & RUNS) !== 0;
  const items = input.count(volume);
  if (items === 0) throw input.fail("ORT_BLOB", "a change of no voxels");
  // These are gaps, which become starts once the lengths are known.
  for (let item = 0; item < items; item++) starts[item] = input.varU16();
  if (isRuns) for (let item = 0; item < items; item++) lengths[item] = input.varU16() + 1;
  const only = (form & ONE_BLOCK) !== 0 ? input.varU16() : undefined;
  let end = 0;
  let count = 0;
  for (let item = 0; item < items; item++) {
    const start = end + (starts[item] as number);
    const length = isRuns ? (lengths[item] as number) : 1;
    end = start + length;
    if (end > volume) throw input.fail("ORT_BLOB", `a change up to voxel ${end} of ${volume}`);
    count = addVoxels(count, start, length, only ?? input.varU16());
  }
  if (isRuns && count < items) throw input.fail("ORT_BLOB", "runs of one block side by side");
  return count;
}
