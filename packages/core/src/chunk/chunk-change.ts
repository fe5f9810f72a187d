import { ByteReader } from "../bytes/byte-reader.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import { requireInteger } from "../bytes/integers.ts";
import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import { type Chunk, chunkFromVoxels, chunkOfRuns, packedVoxels } from "./chunk.ts";
import { lanesAt, lanesOf, type PackedIndices, repeatedIndex, varU32Bytes } from "./packed-indices.ts";
import { type PaletteVoxels, unpackVoxels } from "./palette-voxels.ts";

// A change lists the voxels in which two chunks differ, and their new blocks. Its form combines two
// choices: an item is a voxel or a run of voxels, and there is one block per item or one for all of them.
const RUNS = 2;
const ONE_BLOCK = 1;
const FORMS = 4;

// The runs of the current change, each of maximal length, in order. Shared by all calls, which never overlap.
const starts = new Uint32Array(CHUNK_VOXELS_MAX);
const lengths = new Uint32Array(CHUNK_VOXELS_MAX);
const blocks = new Uint16Array(CHUNK_VOXELS_MAX);
// The voxels to compare. Allocating arrays for each chunk of a save would keep the garbage collector busy.
const voxelsBefore = new Uint16Array(CHUNK_VOXELS_MAX);
const voxelsAfter = new Uint16Array(CHUNK_VOXELS_MAX);

/** Returns the only encoding of a change between chunks; `undefined` if they are equal. Rules S77 to S79. */
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
  const out = new ByteWriter(bytes);
  out.tag(form, FORMS);
  writeItems(out, form, count);
  return out.copy();
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
    return known < 0 ? gatherAll(after, countMax) : gatherDifferences(known, after, countMax);
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

/**
 * Gathers the voxels whose index differs: from the one before, or from one that all had. As many are compared at once as fit
 * into 32 bits.
 */
function gatherDifferences(
  before: PackedIndices | number,
  { volume, palette, bitWidth, indices }: PaletteVoxels,
  countMax: number,
): number {
  if (bitWidth === 0) return 0;
  const lanes = lanesOf(bitWidth);
  const mask = (1 << bitWidth) - 1;
  const all = typeof before === "number" ? repeatedIndex(before, bitWidth) : 0;
  let count = 0;
  for (let start = 0; start < volume && count <= countMax; start += lanes) {
    const word = lanesAt(indices, bitWidth, start);
    const length = Math.min(lanes, volume - start);
    let differing = word ^ (typeof before === "number" ? all : lanesAt(before, bitWidth, start));
    while (differing !== 0) {
      const lane = Math.trunc((31 - Math.clz32(differing & -differing)) / bitWidth);
      // Behind the last voxel there are zeros.
      if (lane >= length) break;
      const shift = lane * bitWidth;
      count = addVoxels(count, start + lane, 1, palette[(word >>> shift) & mask] as number);
      differing &= ~(mask << shift);
    }
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
  for (let run = 0; run < count; run++) items += isRuns ? 1 : (lengths[run] as number);
  out.varUint(items);
  let end = 0;
  for (let run = 0; run < count; run++) {
    const start = starts[run] as number;
    const length = lengths[run] as number;
    out.varUint(start - end);
    if (!isRuns) for (let voxel = 1; voxel < length; voxel++) out.varUint(0);
    end = start + length;
  }
  if (isRuns) for (let run = 0; run < count; run++) out.varUint((lengths[run] as number) - 1);
  if ((form & ONE_BLOCK) !== 0) out.varU16(blocks[0] as number);
  else for (let run = 0; run < count; run++) writeBlock(out, run, isRuns ? 1 : (lengths[run] as number));
}

function writeBlock(out: ByteWriter, run: number, times: number): void {
  for (let item = 0; item < times; item++) out.varU16(blocks[run] as number);
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
