import type { Codec } from "../bytes/codec.ts";
import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { Chunk, type VoxelEdit } from "../chunk/chunk.ts";
import { varU32Bytes } from "../chunk/packed-indices.ts";
import type { VoxelDataEdit } from "../chunk/voxel-data.ts";
import { requireVoxelDataEdits } from "../chunk/voxel-data-codec.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Box, boxContains, boxContainsBox, boxVolume, isBox } from "../lattice/box.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { regionBox } from "../lattice/region.ts";
import { type Content, isSpreadable } from "../tree/content.ts";
import { ChunkArray } from "./chunk-array.ts";
import { cellOfChunk, forEachRegionCell, REGION_CELLS } from "./region-cells.ts";
import { requireClock, requireRegion } from "./region-clock.ts";

/** Maximum size of one patch. */
export const PATCH_BYTES_MAX = 1_048_576;

/** Maximum number of regions in one patch. */
export const PATCH_REGIONS_MAX = 512;

/** Maximum number of pieces of one region's change. */
const PATCH_PIECES_MAX = 65_536;

/** A box of a region and its new content, without data; `undefined` is air. */
export interface PatchLeaf {
  readonly box: Box;
  readonly content: Content | ChunkArray | undefined;
}

/**
 * What a change starts from: a clock (the receiver's content at that clock), `air`, or `generated`. The last
 * two replace whatever the receiver holds.
 */
export type ChangeBase = number | "air" | "generated";

/** The change of one region, or one piece of it if it is too large for one patch. */
export interface RegionChange {
  readonly region: Position;
  /** What leaves, edits and data apply to; if it is a clock, the replica must hold that clock. */
  readonly base: ChangeBase;
  /** The region's new clock; `undefined` if more pieces follow. */
  readonly next: number | undefined;
  /** Number of this piece of the region's change, from 0. */
  readonly piece: number;
  /** New contents, ordered by lowest corner. */
  readonly leaves: readonly PatchLeaf[];
  /** New voxels in chunks of the base, ordered by chunk. */
  readonly edits: readonly ChunkEdits[];
  /** New data of voxels, after leaves and edits, ordered by chunk. What it does not name stays, except in leaves. */
  readonly data: readonly ChunkDataEdits[];
}

/** Changes some regions, each from one clock to another, all or none. */
export interface RegionPatch {
  /** Sequence number of the patch in its stream. */
  readonly patchSeq: number;
  /** At most one for each region, ordered by region. */
  readonly changes: readonly RegionChange[];
}

/** Throws an `OrthantError` unless a patch obeys the rules P8 to P16 of docs/formats/region-patch.md. */
export function requirePatchForm({ patchSeq, changes }: RegionPatch, volume: number): void {
  if (!Number.isSafeInteger(patchSeq) || patchSeq < 0) throw bad(`patch_seq ${patchSeq}`);
  if (changes.length === 0) throw bad("a patch that changes no region");
  if (changes.length > PATCH_REGIONS_MAX) {
    throw new OrthantError("ORT_LIMIT", `${changes.length} regions, the limit is ${PATCH_REGIONS_MAX}`);
  }
  for (const [index, change] of changes.entries()) {
    const previous = changes[index - 1];
    if (previous !== undefined && comparePositions(previous.region, change.region) >= 0) {
      throw new OrthantError("ORT_REGION_ORDER", `region [${change.region}] behind [${previous.region}]`);
    }
    // So that a replica has at most one unfinished region.
    if (change.piece > 0 && index > 0) throw bad("a later piece that is not the first change of its patch");
    if (change.next === undefined && index < changes.length - 1) {
      throw bad("an unfinished change that is not the last of its patch");
    }
    requireChangeForm(change, volume);
  }
}

function requireChangeForm(change: RegionChange, volume: number): void {
  const { region, base, next, piece } = change;
  requireRegion(region);
  if (typeof base === "number") requireClock(base);
  else if (base !== "air" && base !== "generated") throw bad(`a change over ${base}`);
  if (next !== undefined) requireClock(next);
  if (typeof base === "number" && next !== undefined && next <= base) {
    throw new OrthantError("ORT_CLOCK", `region [${region}] from clock ${base} to ${next}`);
  }
  if (!Number.isInteger(piece) || piece < 0 || piece >= PATCH_PIECES_MAX) throw bad(`piece ${piece}`);
  const taken = new Uint8Array(REGION_CELLS);
  requireLeaves(change, taken, volume);
  requireEdits(change, taken, volume);
  requireData(change, taken, volume);
}

function requireLeaves({ region, base, leaves }: RegionChange, taken: Uint8Array, volume: number): void {
  const chunks = regionBox(region);
  for (const [index, { box, content }] of leaves.entries()) {
    if (!isBox(box.min, box.max) || !boxContainsBox(chunks, box)) {
      throw bad(`[${box.min}] to [${box.max}] is not inside region [${region}]`);
    }
    const previous = leaves[index - 1];
    if (previous !== undefined && comparePositions(previous.box.min, box.min) >= 0) {
      throw bad(`contents at [${box.min}] behind those at [${previous.box.min}]`);
    }
    forEachRegionCell(box, (cell) => {
      if (taken[cell] === 1) throw bad(`two contents for one chunk of region [${region}]`);
      taken[cell] = 1;
    });
    if (content === undefined && base === "air") throw bad("air in a region that is replaced over air");
    if (content !== undefined) requireLeafContent(box, content, volume);
  }
}

function requireLeafContent(box: Box, content: Content | ChunkArray, volume: number): void {
  if (content instanceof ChunkArray) {
    const { bounds, palette } = content;
    const isElsewhere =
      comparePositions(bounds.min, box.min) !== 0 || comparePositions(bounds.max, box.max) !== 0;
    if (isElsewhere || boxVolume(box) < 2 || palette.every(isSpreadable)) {
      throw bad("an array elsewhere than its box, of one chunk, or of uniform chunks only");
    }
    for (const chunk of palette) {
      requireChunkVolume(chunk, volume);
      if (chunk.data.size > 0) throw bad("an array of chunks with their data");
    }
  } else if (content instanceof Chunk) {
    requireChunkVolume(content, volume);
    if (content.data.size > 0) throw bad("a chunk with its data");
    if (content.isEmpty) throw bad("air as a chunk");
    if (!isSpreadable(content) && boxVolume(box) > 1) throw bad("one chunk for many that is not uniform");
  }
}

function requireEdits({ region, base, edits }: RegionChange, taken: Uint8Array, volume: number): void {
  if (base === "air" && edits.length > 0) throw bad("edits in a region that is replaced over air");
  const chunks = regionBox(region);
  for (const [index, { chunk, edits: voxels }] of edits.entries()) {
    const previous = edits[index - 1];
    if (!boxContains(chunks, chunk)) throw bad(`chunk [${chunk}] is not in region [${region}]`);
    if (previous !== undefined && comparePositions(previous.chunk, chunk) >= 0) {
      throw bad(`edits of chunk [${chunk}] behind those of [${previous.chunk}]`);
    }
    if (taken[cellOfChunk(chunk)] === 1) throw bad(`chunk [${chunk}] gets new content, and edits`);
    requireVoxelEdits(voxels, volume);
  }
}

function requireData({ region, base, data }: RegionChange, taken: Uint8Array, volume: number): void {
  const chunks = regionBox(region);
  for (const [index, { chunk, edits }] of data.entries()) {
    const previous = data[index - 1];
    if (!boxContains(chunks, chunk)) throw bad(`data of chunk [${chunk}], not in region [${region}]`);
    if (previous !== undefined && comparePositions(previous.chunk, chunk) >= 0) {
      throw bad(`data of chunk [${chunk}] behind that of [${previous.chunk}]`);
    }
    requireVoxelDataEdits(edits, volume);
    const hadNone = typeof base !== "number" || taken[cellOfChunk(chunk)] === 1;
    if (hadNone && edits.some((edit) => edit.data === undefined)) {
      throw bad(`data removed from chunk [${chunk}], which has none`);
    }
  }
}

function requireChunkVolume(chunk: Chunk, volume: number): void {
  if (chunk.volume === volume) return;
  throw new OrthantError("ORT_CHUNK_VOLUME", `a chunk of ${chunk.volume} voxels where ${volume} must be`);
}

function bad(detail: string): OrthantError {
  return new OrthantError("ORT_PATCH_FORM", detail);
}

/** New blocks for single voxels of one chunk, ordered by index, each voxel once. */
export interface ChunkEdits {
  readonly chunk: Position;
  readonly edits: readonly VoxelEdit[];
}

/** New data for single voxels of one chunk, ordered by index, each voxel once. */
export interface ChunkDataEdits {
  readonly chunk: Position;
  readonly edits: readonly VoxelDataEdit[];
}

/** A list of edits: the number of voxels skipped before each, and its block. Rule P14, region-patch.md. */
export function voxelEditsCodec(volume: number): Codec<readonly VoxelEdit[]> {
  return {
    write(out, edits) {
      requireVoxelEdits(edits, volume);
      out.varUint(edits.length);
      let next = 0;
      for (const { index, block } of edits) {
        out.varUint(index - next);
        out.varU16(block);
        next = index + 1;
      }
    },

    read(input) {
      const count = input.count(volume);
      if (count === 0) throw input.fail("ORT_PATCH_FORM", "a list of no edits");
      const edits: VoxelEdit[] = [];
      let next = 0;
      for (let position = 0; position < count; position++) {
        const index = next + input.varUint();
        if (index >= volume) throw input.fail("ORT_PATCH_FORM", `voxel ${index} of ${volume}`);
        edits.push({ index, block: input.varU16() });
        next = index + 1;
      }
      return edits;
    },
  };
}

/** Returns the encoded length of a list of edits. */
export function voxelEditsBytes(edits: readonly VoxelEdit[]): number {
  let bytes = varU32Bytes(edits.length);
  let next = 0;
  for (const { index, block } of edits) {
    bytes += varU32Bytes(index - next) + varU32Bytes(block);
    next = index + 1;
  }
  return bytes;
}

/** Throws `ORT_PATCH_FORM` unless there are edits, in order and all inside the chunk. */
function requireVoxelEdits(edits: readonly VoxelEdit[], volume: number): void {
  if (edits.length === 0) throw new OrthantError("ORT_PATCH_FORM", "a list of no edits");
  let previous = -1;
  for (const { index, block } of edits) {
    if (!Number.isInteger(index) || index <= previous || index >= volume) {
      throw new OrthantError("ORT_PATCH_FORM", `voxel ${index} of ${volume}, behind ${previous}`);
    }
    requireInteger(block, 0, U16_MAX);
    previous = index;
  }
}
