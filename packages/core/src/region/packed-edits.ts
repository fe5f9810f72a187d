import { BitReader, BitWriter, riceListBits } from "../bytes/bits.ts";
import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import { U16_MAX, unzigzag, zigzag } from "../bytes/integers.ts";
import type { VoxelEdit } from "../chunk/chunk.ts";
import { varU32Bytes } from "../chunk/packed-indices.ts";
import type { Position } from "../lattice/position.ts";
import { cellOfChunk, chunkOfCell, REGION_CELLS } from "./region-cells.ts";
import { type ChunkEdits, voxelEditsBytes } from "./region-patch.ts";

/** Edits of fewer voxels are never packed. */
const PACKED_VOXELS_MIN = 8;
/** A packed edit takes at least a bit for its gap and one for its block. */
const PACKED_VOXELS_PER_BYTE = 4;

/** Edits of a region as two lists of small numbers. */
interface PackedEdits {
  /** The number of voxels between each edit and the one before, over the cells of the region. */
  readonly gaps: readonly number[];
  /** The difference of each block from the one before, with its sign in the lowest bit. */
  readonly blocks: readonly number[];
}

/** Returns edits in packed form, or `undefined` if that does not take fewer bytes. Rule P25, region-patch.md. */
export function packEdits(edits: readonly ChunkEdits[], volume: number): PackedEdits | undefined {
  const count = edits.reduce((sum, chunk) => sum + chunk.edits.length, 0);
  if (count < PACKED_VOXELS_MIN) return undefined;
  const gaps: number[] = [];
  const blocks: number[] = [];
  let next = 0;
  let previous = 0;
  for (const { chunk, edits: voxels } of edits) {
    const start = cellOfChunk(chunk) * volume;
    for (const { index, block } of voxels) {
      gaps.push(start + index - next);
      blocks.push(zigzag(block - previous));
      next = start + index + 1;
      previous = block;
    }
  }
  const packedBytes = varU32Bytes(count) + Math.ceil((riceListBits(gaps) + riceListBits(blocks)) / 8);
  return packedBytes < listBytes(edits) ? { gaps, blocks } : undefined;
}

/** Returns the bytes of edits that are not packed. */
function listBytes(edits: readonly ChunkEdits[]): number {
  return edits.reduce((sum, chunk) => sum + 1 + voxelEditsBytes(chunk.edits), varU32Bytes(edits.length));
}

/** Writes packed edits, which {@link readPackedEdits} reads. */
export function writePackedEdits(out: ByteWriter, { gaps, blocks }: PackedEdits): void {
  out.varUint(gaps.length);
  const bits = new BitWriter(out);
  bits.riceList(gaps);
  bits.riceList(blocks);
  bits.end();
}

/** Reads packed edits. Throws an `OrthantError` for edits outside of the region, and for those that are not packed. */
export function readPackedEdits(input: ByteReader, region: Position, volume: number): readonly ChunkEdits[] {
  const start = input.offset;
  const count = input.count(REGION_CELLS * volume, PACKED_VOXELS_PER_BYTE);
  const bits = new BitReader(input, "ORT_PATCH_FORM");
  const gaps = bits.riceList(count);
  const blocks = bits.riceList(count);
  bits.end();
  const edits: { readonly chunk: Position; readonly edits: VoxelEdit[] }[] = [];
  let lastCell = -1;
  let next = 0;
  let block = 0;
  for (let position = 0; position < count; position++) {
    const place = next + (gaps[position] as number);
    block += unzigzag(blocks[position] as number);
    const cell = Math.floor(place / volume);
    if (cell >= REGION_CELLS || block < 0 || block > U16_MAX) {
      throw input.fail("ORT_PATCH_FORM", `block ${block} at voxel ${place} of a region`);
    }
    // Cells are in ascending order.
    if (cell !== lastCell) edits.push({ chunk: chunkOfCell(region, cell), edits: [] });
    edits.at(-1)?.edits.push({ index: place - cell * volume, block });
    lastCell = cell;
    next = place + 1;
  }
  if (count < PACKED_VOXELS_MIN || input.offset - start >= listBytes(edits)) throw wrongForm(input);
  return edits;
}

/** Throws `ORT_PATCH_FORM` if edits that are not packed would take fewer bytes if they were. */
export function requireUnpacked(input: ByteReader, edits: readonly ChunkEdits[], volume: number): void {
  if (packEdits(edits, volume) !== undefined) throw wrongForm(input);
}

function wrongForm(input: ByteReader): Error {
  return input.fail("ORT_PATCH_FORM", "edits in a form that takes more bytes than the other");
}
