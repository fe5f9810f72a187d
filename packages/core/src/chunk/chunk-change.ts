import { ByteReader } from "../bytes/byte-reader.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import { requireInteger } from "../bytes/integers.ts";
import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import { type Chunk, chunkFromVoxels, chunkOfRuns } from "./chunk.ts";
import { varU32Bytes } from "./encoded-size.ts";

// A change says in which cells a chunk differs from another one, and what they hold instead. Its forms are two choices:
// an item is a cell or a run of cells, and there is a material for each item or one for all of them.
const RUNS = 2;
const ONE_MATERIAL = 1;
const FORMS = 4;

// The runs of the change at hand, each as long as it can be, in order. Shared by all calls, which never overlap.
const starts = new Uint32Array(CHUNK_VOXELS_MAX);
const lengths = new Uint32Array(CHUNK_VOXELS_MAX);
const materials = new Uint16Array(CHUNK_VOXELS_MAX);
// What a change is found against. A new array for each chunk of a save would keep the garbage collector busy.
const voxelsBefore = new Uint16Array(CHUNK_VOXELS_MAX);

/** The only encoding of what turns one chunk into another; `undefined` when they are equal. Rules S77 to S79. */
export function encodeChunkChange(before: Chunk, after: Chunk): Uint8Array | undefined {
  return encodeShortChange(before, after.voxels(), Infinity);
}

/** The same, from the voxels; `undefined` also when it takes more than so many bytes, which is often known early. */
export function encodeShortChange(
  before: Chunk,
  after: Uint16Array,
  bytesMax: number,
): Uint8Array | undefined {
  requireInteger(after.length, before.volume, before.volume);
  const count = gatherRuns(before, after, bytesMax);
  if (count === 0 || count > bytesMax) return undefined;
  const { form, bytes } = canonicalForm(count);
  if (bytes > bytesMax) return undefined;
  const out = new ByteWriter(bytes);
  out.tag(form, FORMS);
  writeItems(out, form, count);
  return out.copy();
}

/** Reads past one change to a chunk of a volume; throws `ORT_BLOB` unless it is in its canonical form. */
export function checkChunkChange(input: ByteReader, volume: number): void {
  const form = input.tag(FORMS);
  const count = readItems(input, form, volume);
  const wanted = canonicalForm(count).form;
  if (form !== wanted) throw input.fail("ORT_BLOB", `a change in form ${form} where ${wanted} is canonical`);
}

/** The chunk that a change, which was checked, makes of another one. */
export function applyChunkChange(before: Chunk, change: Uint8Array): Chunk {
  const input = new ByteReader(change);
  const count = readItems(input, input.tag(FORMS), before.volume);
  const { volume, uniformMaterial } = before;
  if (uniformMaterial !== undefined && starts[0] !== 0) {
    return chunkOfRuns(volume, uniformMaterial, { count, starts, lengths, materials });
  }
  const voxels = before.voxels();
  for (let run = 0; run < count; run++) {
    const start = starts[run] as number;
    voxels.fill(materials[run] as number, start, start + (lengths[run] as number));
  }
  return chunkFromVoxels(voxels);
}

/** Leaves the runs in which voxels differ from a chunk in the arrays, and tells how many there are, or that it is too many. */
function gatherRuns(before: Chunk, after: Uint16Array, countMax: number): number {
  const { uniformMaterial } = before;
  let count = 0;
  if (uniformMaterial === undefined) {
    const voxels = before.voxels(voxelsBefore.subarray(0, after.length));
    for (let cell = 0; cell < after.length && count <= countMax; cell++) {
      const material = after[cell] as number;
      if (material !== voxels[cell]) count = addCells(count, cell, 1, material);
    }
  } else {
    for (let cell = 0; cell < after.length && count <= countMax; cell++) {
      const material = after[cell] as number;
      if (material !== uniformMaterial) count = addCells(count, cell, 1, material);
    }
  }
  return count;
}

/** Adds cells behind all that are there, to the last run where they go on with it. */
function addCells(count: number, start: number, length: number, material: number): number {
  const last = count - 1;
  const joins =
    count > 0 &&
    materials[last] === material &&
    (starts[last] as number) + (lengths[last] as number) === start;
  if (joins) {
    lengths[last] = (lengths[last] as number) + length;
    return count;
  }
  starts[count] = start;
  lengths[count] = length;
  materials[count] = material;
  return count + 1;
}

/** The form of the fewest bytes, cells where runs have as many; one material for all where there is only one. */
function canonicalForm(count: number): { readonly form: number; readonly bytes: number } {
  const isOne = isOneMaterial(count);
  let cells = 0;
  let cellBytes = 0;
  let runBytes = varU32Bytes(count);
  let end = 0;
  for (let run = 0; run < count; run++) {
    const start = starts[run] as number;
    const length = lengths[run] as number;
    const gapBytes = varU32Bytes(start - end);
    const itemBytes = isOne ? 0 : varU32Bytes(materials[run] as number);
    cells += length;
    cellBytes += gapBytes + length - 1 + length * itemBytes;
    runBytes += gapBytes + varU32Bytes(length - 1) + itemBytes;
    end = start + length;
  }
  cellBytes += varU32Bytes(cells);
  const shared = 1 + (isOne ? varU32Bytes(materials[0] as number) : 0);
  const base = isOne ? ONE_MATERIAL : 0;
  if (runBytes < cellBytes) return { form: base + RUNS, bytes: shared + runBytes };
  return { form: base, bytes: shared + cellBytes };
}

function isOneMaterial(count: number): boolean {
  for (let run = 1; run < count; run++) if (materials[run] !== materials[0]) return false;
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
    if (!isRuns) for (let cell = 1; cell < length; cell++) out.varUint(0);
    end = start + length;
  }
  if (isRuns) for (let run = 0; run < count; run++) out.varUint((lengths[run] as number) - 1);
  if ((form & ONE_MATERIAL) !== 0) out.varU16(materials[0] as number);
  else for (let run = 0; run < count; run++) writeMaterial(out, run, isRuns ? 1 : (lengths[run] as number));
}

function writeMaterial(out: ByteWriter, run: number, times: number): void {
  for (let item = 0; item < times; item++) out.varU16(materials[run] as number);
}

/** Reads what `writeItems` writes, leaves the runs in the arrays, and tells how many there are. */
function readItems(input: ByteReader, form: number, volume: number): number {
  const isRuns = (form & RUNS) !== 0;
  const items = input.count(volume);
  if (items === 0) throw input.fail("ORT_BLOB", "a change of no cells");
  // First the gaps, which become starts when the lengths are known.
  for (let item = 0; item < items; item++) starts[item] = input.varU16();
  if (isRuns) for (let item = 0; item < items; item++) lengths[item] = input.varU16() + 1;
  const only = (form & ONE_MATERIAL) !== 0 ? input.varU16() : undefined;
  let end = 0;
  let count = 0;
  for (let item = 0; item < items; item++) {
    const start = end + (starts[item] as number);
    const length = isRuns ? (lengths[item] as number) : 1;
    end = start + length;
    if (end > volume) throw input.fail("ORT_BLOB", `a change up to cell ${end} of ${volume}`);
    count = addCells(count, start, length, only ?? input.varU16());
  }
  if (isRuns && count < items) throw input.fail("ORT_BLOB", "runs of one material side by side");
  return count;
}
