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
import type { VoxelPlacement } from "@orthant/core/tree";
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
 * Collects edits of single voxels that travel as one, which changes nothing but their number: all of them are applied,
 * in order, and nothing comes between them. No two of them set the same voxel, so the server sees every change.
 */
export class JointEdits {
  readonly #limits: ClientLimits;
  readonly #capacity: EditCapacity;
  readonly #chunks = new PositionSet();
  readonly #voxels = new PositionSet();
  readonly #shape: ChunkShape;
  readonly edits: OpenEdit[] = [];
  #box: Box | undefined;
  #voxelCount = 0;
  #bytes = 0;
  #dataBytes = 0;

  constructor(limits: ClientLimits, capacity: EditCapacity, shape: ChunkShape) {
    this.#limits = limits;
    this.#capacity = capacity;
    this.#shape = shape;
  }

  /** Adds an edit. Returns false if it must travel separately. */
  add(open: OpenEdit): boolean {
    const { edit } = open;
    if (edit.kind !== "voxels" || !this.#fits(open, edit.placements.length)) return false;
    const around = changedBox(edit);
    const box = unionBox(this.#box, around);
    if (boxVolume(box) > this.#limits.editBoxVoxelsMax) return false;
    if (edit.placements.some(({ voxel }) => this.#voxels.has(...voxel))) return false;
    const dataBytes = this.#dataBytes + placedDataBytes(edit);
    if (dataBytes > this.#capacity.dataBytes || !this.#addChunks(edit.placements)) return false;
    this.#dataBytes = dataBytes;
    for (const { voxel } of edit.placements) this.#voxels.add(...voxel);
    this.#box = box;
    this.#voxelCount += edit.placements.length;
    this.#bytes += open.bytes + JOIN_BYTES;
    this.edits.push(open);
    return true;
  }

  #fits({ bytes }: OpenEdit, voxels: number): boolean {
    const voxelsMax = Math.min(EDIT_VOXELS_MAX, this.#limits.editVoxelsMax);
    return (
      this.#voxelCount + voxels <= voxelsMax && this.#bytes + bytes + JOIN_BYTES <= CLIENT_MESSAGE_BYTES_MAX
    );
  }

  /** Adds the chunks of voxels. Adds none and returns false if there are too many. */
  #addChunks(placements: readonly VoxelPlacement[]): boolean {
    const added = new PositionSet();
    for (const { voxel } of placements) {
      // The server rejects a voxel off the lattice, and only the edit that it is in.
      if (!isOnLattice(this.#shape, voxel)) return false;
      const chunk = chunkOfVoxel(this.#shape, voxel);
      if (!this.#chunks.has(...chunk)) added.add(...chunk);
    }
    if (this.#chunks.size + added.size > this.#capacity.chunks) return false;
    for (const chunk of added) this.#chunks.add(...chunk);
    return true;
  }
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
