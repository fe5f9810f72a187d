import type { VoxelDataEdit } from "../chunk/voxel-data.ts";
import { voxelDataEditsBytes } from "../chunk/voxel-data-codec.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { boxAt, boxContains, positionsMinorToMajor } from "../lattice/box.ts";

import { comparePositions, positionsEqual } from "../lattice/position.ts";
import { ChunkArray } from "./chunk-array.ts";
import {
  type ChangeBase,
  type ChunkDataEdits,
  type ChunkEdits,
  PATCH_BYTES_MAX,
  PATCH_REGIONS_MAX,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
} from "./region-patch.ts";

import {
  encodePatchBody,
  type GeneratorTable,
  generatorsIn,
  PATCH_GENERATORS_MAX,
  PATCH_SEQ_BYTES_MAX,
  patchBodyBytes,
} from "./region-patch-codec.ts";

/**
 * Bytes that a change may take in addition when it shares a patch with others: its region as a difference,
 * the ages of two clocks, the indices of its generators and its counts.
 */
const COMPANY_BYTES = 64;

/** Bytes that are kept free beside the body of a patch. */
const ADDED_BODY_BYTES = PATCH_SEQ_BYTES_MAX + COMPANY_BYTES;

/** Bytes before the only list of data in a change: the number of lists, and the cell. */
const DATA_LIST_BYTES = 2;

/** Upper bound on the bytes of a voxel's data beside the data, and of the cell and the count before a list. */
const DATUM_BYTES_MAX = 6;

/** One leaf, or the edits or data of one chunk. */
type Item = { readonly leaf: PatchLeaf } | { readonly edits: ChunkEdits } | { readonly data: ChunkDataEdits };

/**
 * Splits a patch into patches of at most `bytesMax` bytes that together, in this order, have the same effect.
 * They continue its `patchSeq`. A region too large for one patch is cut into pieces, of which only the last
 * has its clock.
 */
export function splitPatch(
  { patchSeq, changes }: RegionPatch,
  volume: number,
  bytesMax: number = PATCH_BYTES_MAX,
): readonly RegionPatch[] {
  const groups: RegionChange[][] = [];
  let group: RegionChange[] = [];
  let groupBytes = 0;
  let groupGenerators: GeneratorTable = [];
  const close = (): void => {
    if (group.length > 0) groups.push(group);
    group = [];
    groupBytes = 0;
    groupGenerators = [];
  };
  for (const change of changes) {
    const bytes = bytesAlone(change, volume);
    if (bytes > bytesMax) {
      close();
      for (const piece of piecesOf(change, volume, bytesMax)) groups.push([piece]);
      continue;
    }
    const generators = generatorsIn([change], groupGenerators);
    const isFull = group.length === PATCH_REGIONS_MAX || generators.length > PATCH_GENERATORS_MAX;
    if (isFull || groupBytes + bytes > bytesMax) close();
    group.push(change);
    groupBytes += bytes;
    groupGenerators = generatorsIn([change], groupGenerators);
  }
  close();
  return groups.map((parts, index) => ({ patchSeq: patchSeq + index, changes: parts }));
}

/** Encodes a change in patches like those of {@link splitPatch}, each without its number. */
export function changeBodies(
  change: RegionChange,
  volume: number,
  bytesMax: number = PATCH_BYTES_MAX,
): readonly Uint8Array[] {
  const patch = { patchSeq: 0, changes: [change] };
  // Most changes fit, and are encoded only once.
  const body = encodePatchBody(patch, volume);
  if (body.length + ADDED_BODY_BYTES <= bytesMax) return [body];
  return splitPatch(patch, volume, bytesMax).map((part) => patchBodyBytes(part, volume));
}

function piecesOf(change: RegionChange, volume: number, bytesMax: number): readonly RegionChange[] {
  const pieces: RegionChange[] = [];
  let items: Item[] = [];
  let itemsBytes = 0;
  const close = (next: number | undefined): void => {
    pieces.push({ ...withItems(change, items), next, piece: pieces.length });
    items = [];
    itemsBytes = 0;
  };
  for (const item of itemsOf(change, volume, bytesMax)) {
    const bytes = bytesAlone(withItems(change, [item]), volume);
    if (bytes > bytesMax) {
      throw new OrthantError("ORT_LIMIT", `a chunk takes ${bytes} bytes where a patch may take ${bytesMax}`);
    }
    if (itemsBytes + bytes > bytesMax || isDataOfSameChunk(items.at(-1), item)) close(undefined);
    items.push(item);
    itemsBytes += bytes;
  }
  close(change.next);
  return pieces;
}

/** A piece has at most one list of data for a chunk. */
function isDataOfSameChunk(a: Item | undefined, b: Item): boolean {
  return a !== undefined && "data" in a && "data" in b && positionsEqual(a.data.chunk, b.data.chunk);
}

function itemsOf(change: RegionChange, volume: number, bytesMax: number): readonly Item[] {
  const leaves = change.leaves
    .flatMap((leaf) => {
      const { content } = leaf;
      if (!(content instanceof ChunkArray)) return [leaf];
      const bytes = bytesAlone({ ...change, leaves: [leaf], edits: [], data: [] }, volume);
      return bytes > bytesMax ? leavesOfArray(content, change.base) : [leaf];
    })
    .sort((a, b) => comparePositions(a.box.min, b.box.min));
  return [
    ...leaves.map((leaf) => ({ leaf })),
    ...change.edits.map((edits) => ({ edits })),
    ...change.data.flatMap((list) => dataParts(change, list, volume, bytesMax)).map((data) => ({ data })),
  ];
}

/** Returns the data of one chunk in lists that fit into a patch. */
function dataParts(
  change: RegionChange,
  list: ChunkDataEdits,
  volume: number,
  bytesMax: number,
): readonly ChunkDataEdits[] {
  const room = bytesMax - bytesAlone({ ...change, leaves: [], edits: [], data: [] }, volume);
  if (voxelDataEditsBytes(list.edits) + DATA_LIST_BYTES <= room) return [list];
  const { chunk, edits } = list;
  const isNew = typeof change.base !== "number" || change.leaves.some(({ box }) => boxContains(box, chunk));
  // What is there goes first, so that the chunk never has more data than before or after.
  const removals = isNew ? [] : edits.map(({ index }) => ({ index, data: undefined }));
  const values = edits.filter(({ data }) => data !== undefined);
  return [removals, values].flatMap((some) => cutData(some, room)).map((part) => ({ chunk, edits: part }));
}

function cutData(edits: readonly VoxelDataEdit[], room: number): readonly (readonly VoxelDataEdit[])[] {
  const parts: VoxelDataEdit[][] = [];
  let bytes = Infinity;
  for (const edit of edits) {
    const size = DATUM_BYTES_MAX + (edit.data?.length ?? 0);
    if (bytes + size > room) {
      parts.push([]);
      bytes = DATUM_BYTES_MAX;
    }
    parts.at(-1)?.push(edit);
    bytes += size;
  }
  return parts;
}

/** Returns the chunks of an array as leaves, including its air unless the change is based on air. */
function leavesOfArray(array: ChunkArray, base: ChangeBase): readonly PatchLeaf[] {
  return [...positionsMinorToMajor(array.bounds)].flatMap((position): readonly PatchLeaf[] => {
    const chunk = array.at(position);
    if (!chunk.isEmpty) return [{ box: boxAt(position), content: chunk }];
    return base === "air" ? [] : [{ box: boxAt(position), content: undefined }];
  });
}

function withItems(change: RegionChange, items: readonly Item[]): RegionChange {
  return {
    ...change,
    leaves: items.flatMap((item) => ("leaf" in item ? [item.leaf] : [])),
    edits: items.flatMap((item) => ("edits" in item ? [item.edits] : [])),
    data: items.flatMap((item) => ("data" in item ? [item.data] : [])),
  };
}

/** Returns the length of a patch with only this change, plus what other changes may add. */
function bytesAlone(change: RegionChange, volume: number): number {
  return encodePatchBody({ patchSeq: 0, changes: [change] }, volume).length + ADDED_BODY_BYTES;
}
