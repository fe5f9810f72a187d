import { type Box, OrthantError, type Position } from "@orthant/core";
import { copyBytes } from "@orthant/core/bytes";
import {
  boxBetween,
  boxContains,
  boxExtents,
  chunksOfVoxels,
  PositionMap,
  positionFrom,
  positionsMinorToMajor,
  voxelOfIndex,
} from "@orthant/core/lattice";
import type { VoxelPlacement, WorldState } from "@orthant/core/tree";

/**
 * What an edit asks for: blocks and data for single voxels, one block for every voxel of a box, or a copy of a box of voxels
 * whose least corner goes to `to`. Its size is that of the request, not of the boxes; `placementsOf` lists the voxels.
 */
export type RequestedEdit =
  | { readonly kind: "voxels"; readonly placements: readonly VoxelPlacement[] }
  | { readonly kind: "fill"; readonly box: Box; readonly block: number }
  | { readonly kind: "copy"; readonly box: Box; readonly to: Position };

/** Copies an edit down to its coordinates, because the caller may reuse its arrays before it is sent. */
export function copyOfEdit(edit: RequestedEdit): RequestedEdit {
  if (edit.kind === "voxels") {
    const placements = edit.placements.map(({ voxel, block, data }) => ({
      voxel: positionFrom((axis) => voxel[axis]),
      block,
      ...(data !== undefined && { data: data && copyBytes(data) }),
    }));
    return { kind: "voxels", placements };
  }
  const { min, max } = edit.box;
  const box = { min: positionFrom((axis) => min[axis]), max: positionFrom((axis) => max[axis]) };
  if (edit.kind === "fill") return { kind: "fill", box, block: edit.block };
  return { kind: "copy", box, to: positionFrom((axis) => edit.to[axis]) };
}

/** Returns the box of voxels that a copy changes. */
export function copyTarget({ box, to }: { readonly box: Box; readonly to: Position }): Box {
  const extents = boxExtents(box);
  return boxBetween(
    to,
    positionFrom((axis) => to[axis] + extents[axis]),
  );
}

/** Returns the smallest box around the voxels that an edit sets. Throws `ORT_ARGUMENT` for an edit of no voxels. */
export function changedBox(edit: RequestedEdit): Box {
  if (edit.kind === "fill") return edit.box;
  return edit.kind === "copy" ? copyTarget(edit) : boxAround(edit.placements);
}

function boxAround(placements: readonly VoxelPlacement[]): Box {
  const [first] = placements;
  if (first === undefined) throw new OrthantError("ORT_ARGUMENT", "an edit of no voxels has no box");
  const min = [...first.voxel] as [number, number, number, number];
  const max = [...first.voxel] as [number, number, number, number];
  for (const { voxel } of placements) {
    for (let axis = 0; axis < 4; axis++) {
      const coordinate = voxel[axis] as number;
      if (coordinate < (min[axis] as number)) min[axis] = coordinate;
      if (coordinate > (max[axis] as number)) max[axis] = coordinate;
    }
  }
  return { min, max: positionFrom((axis) => max[axis] + 1) };
}

/** A voxel with what an edit sets. */
interface EditedVoxel extends VoxelPlacement {
  readonly block: number;
}

/**
 * Yields the voxels that an edit sets, their blocks and their data, one at a time, so that a fill of a million voxels needs
 * no list of them. `state` is the world before the edit; a copy reads its source there.
 */
export function* placementsOf(
  edit: RequestedEdit,
  state: Pick<WorldState, "voxelAt" | "dataAt">,
): Generator<EditedVoxel, void, undefined> {
  if (edit.kind === "voxels") {
    for (const placement of edit.placements) {
      const { block = state.voxelAt(...placement.voxel) } = placement;
      yield { ...placement, block };
    }
  } else if (edit.kind === "fill") {
    for (const voxel of positionsMinorToMajor(edit.box)) yield { voxel, block: edit.block };
  } else {
    const { box, to } = edit;
    for (const source of positionsMinorToMajor(box)) {
      yield {
        voxel: positionFrom((axis) => source[axis] - box.min[axis] + to[axis]),
        block: state.voxelAt(...source),
        data: state.dataAt(...source) ?? null,
      };
    }
  }
}

/** Bytes for which the data of a voxel counts besides its own: its place in the chunk, in memory and on the disk. */
const VOXEL_DATA_HEAD_BYTES = 8;

/** Returns the bytes of data that an edit brings or, if it is a copy, those in its source as far as it is loaded. */
export function dataBytesOf(edit: RequestedEdit, { overrides, shape }: WorldState): number {
  if (edit.kind === "voxels") return placedDataBytes(edit);
  if (edit.kind === "fill") return 0;
  let bytes = 0;
  for (const { box, content } of overrides.pieces(chunksOfVoxels(shape, edit.box))) {
    content.data.forEachLength((index, length) => {
      if (boxContains(edit.box, voxelOfIndex(shape, box.min, index))) bytes += VOXEL_DATA_HEAD_BYTES + length;
    });
  }
  return bytes;
}

/** Yields the data that an edit brings or, if it is a copy, those in its source, each with the block that gets it. */
export function* dataOf(
  edit: RequestedEdit,
  before: WorldState,
): Generator<
  { readonly voxel: Position; readonly block: number; readonly data: Uint8Array },
  void,
  undefined
> {
  if (edit.kind === "copy" && dataBytesOf(edit, before) > 0) {
    for (const { voxel, block, data } of placementsOf(edit, before)) if (data) yield { voxel, block, data };
  }
  if (placedDataBytes(edit) === 0 || edit.kind !== "voxels") return;
  const placed = new PositionMap<number>();
  for (const { voxel, block: given, data } of edit.placements) {
    const block = given ?? placed.get(...voxel) ?? before.voxelAt(...voxel);
    placed.set(...voxel, block);
    if (data) yield { voxel, block, data };
  }
}

/** Returns the bytes of data in an edit itself. */
export function placedDataBytes(edit: RequestedEdit): number {
  if (edit.kind !== "voxels") return 0;
  let bytes = 0;
  for (const { data } of edit.placements) if (data) bytes += VOXEL_DATA_HEAD_BYTES + data.length;
  return bytes;
}
