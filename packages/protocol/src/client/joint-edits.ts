import type { Box, ChunkShape, Position } from "@orthant/core";
import {
  boxContains,
  boxVolume,
  chunkOfVoxel,
  PositionSet,
  positionFrom,
  unionBox,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { EDIT_VOXELS_MAX } from "../message/limits.ts";
import { changedBox, placedDataBytes, type RequestedEdit } from "../message/requested-edit.ts";
import type { ClientLimits } from "../message/server-message.ts";
import { CLIENT_MESSAGE_BYTES_MAX } from "./outgoing.ts";

/** An edit of a client without a result. */
export interface OpenEdit {
  /** Counts the edits of a client, from 1. The result carries it. */
  readonly number: number;
  readonly edit: RequestedEdit;
  /** Bytes of the edit as a message of its own. */
  readonly bytes: number;
}

/** What edits that travel together may take. */
export interface EditCapacity {
  /** Chunks that they touch. */
  readonly chunks: number;
  /** Bytes of data that they bring. */
  readonly dataBytes: number;
}

/** A voxel may take one byte more on each axis when it follows one of another edit, and one when another has data. */
const JOIN_BYTES = 5;

/**
 * Returns the first edits of some that may travel as one, which changes nothing but their number: all of them are applied,
 * in order, and nothing comes between them. They are edits of single voxels, and no two of them set the same voxel, so the
 * server sees every change.
 */
export function jointEdits(
  candidates: Iterable<OpenEdit>,
  limits: ClientLimits,
  capacity: EditCapacity,
  shape: ChunkShape,
): readonly OpenEdit[] {
  const voxelsMax = Math.min(EDIT_VOXELS_MAX, limits.editVoxelsMax);
  const edits: OpenEdit[] = [];
  const chunks = new PositionSet();
  const voxels = new PositionSet();
  let box: Box | undefined;
  let [voxelCount, bytes, dataBytes] = [0, 0, 0];
  for (const open of candidates) {
    const { edit } = open;
    if (edit.kind !== "voxels") break;
    const { placements } = edit;
    voxelCount += placements.length;
    bytes += open.bytes + JOIN_BYTES;
    if (voxelCount > voxelsMax || bytes > CLIENT_MESSAGE_BYTES_MAX) break;
    box = unionBox(box, changedBox(edit));
    if (boxVolume(box) > limits.editBoxVoxelsMax) break;
    if (placements.some(({ voxel }) => voxels.has(...voxel))) break;
    dataBytes += placedDataBytes(edit);
    if (dataBytes > capacity.dataBytes) break;
    // The server rejects a voxel off the lattice, and only the edit that it is in.
    if (!placements.every(({ voxel }) => isOnLattice(shape, voxel))) break;
    for (const { voxel } of placements) chunks.add(...chunkOfVoxel(shape, voxel));
    if (chunks.size > capacity.chunks) break;
    for (const { voxel } of placements) voxels.add(...voxel);
    edits.push(open);
  }
  return edits;
}

function isOnLattice({ extents }: ChunkShape, voxel: Position): boolean {
  return boxContains(
    WHOLE_LATTICE,
    positionFrom((axis) => Math.floor(voxel[axis] / extents[axis])),
  );
}

/** Returns the edit that does what some edits of voxels do, in their order. */
export function joinedEdit(edits: readonly OpenEdit[]): RequestedEdit {
  const [first] = edits;
  if (first !== undefined && edits.length === 1) return first.edit;
  return {
    kind: "voxels",
    placements: edits.flatMap(({ edit }) => (edit.kind === "voxels" ? edit.placements : [])),
  };
}
