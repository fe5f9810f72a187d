import {
  type Box,
  type ChunkShape,
  OrthantError,
  type Position,
  type RejectionReason,
  type VoxelPlacement,
} from "@orthant/core";
import { axisOutside, boxVolume, positionFrom, positionsMinorToMajor } from "@orthant/core/engine";
import { changedBox, placedDataBytes, type RequestedEdit } from "../../message/requested-edit.ts";
import { chunkCount } from "../../message/touched-chunks.ts";
import type { Player } from "../account.ts";
import type { SyncLimits } from "../sync-limits.ts";
import type { SyncRules } from "../sync-rules.ts";
import type { SyncWorld } from "../sync-world.ts";

/** Why an edit is rejected. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly detail: string;
}

/** Limits and rules that an edit is checked against. */
export interface EditBounds {
  /** Its catalog changes when types of blocks are added. */
  readonly world: Pick<SyncWorld, "shape" | "catalog">;
  readonly limits: SyncLimits;
  readonly rules: SyncRules | undefined;
  /** Whether nothing may be edited, whatever the role of a player. */
  readonly isReadOnly: boolean;
}

/** Returns why an edit is rejected before the game or the world is asked, or `undefined` if it is not. */
export function findRejection(
  edit: RequestedEdit,
  player: Player,
  bounds: EditBounds,
): Rejection | undefined {
  if (bounds.isReadOnly) return { reason: "role", detail: "this world is served read-only" };
  if (player.role === "viewer") return { reason: "role", detail: "a viewer changes nothing" };
  // Chunks are counted last: only voxels inside the world have one.
  return (
    tooManyVoxels(edit, bounds.limits) ??
    wrongBlock(edit, bounds) ??
    wrongData(edit, bounds) ??
    outOfReach(edit, player, bounds) ??
    tooManyChunks(edit, bounds)
  );
}

/** Returns what is wrong with the placements by which a game replaces an edit, or `undefined` if they can be made. */
export function replacementFault(
  placements: readonly VoxelPlacement[],
  bounds: EditBounds,
): OrthantError | undefined {
  const edit: RequestedEdit = { kind: "voxels", placements };
  const fault = wrongBlock(edit, bounds) ?? beyondWorld(edit, bounds);
  if (fault === undefined) return undefined;
  return new OrthantError(
    "ORT_ARGUMENT",
    `beforeEdit replaced an edit by one that is impossible: ${fault.detail}`,
  );
}

function tooManyVoxels(edit: RequestedEdit, limits: SyncLimits): Rejection | undefined {
  const { editVoxelsMax, editBoxVoxelsMax, copyVoxelsMax } = limits;
  if (edit.kind === "voxels" && edit.placements.length > editVoxelsMax) {
    return tooLarge(`${edit.placements.length} voxels`, editVoxelsMax);
  }
  const volume = boxVolume(changedBox(edit));
  if (volume > editBoxVoxelsMax) return tooLarge(`a box of ${volume} voxels`, editBoxVoxelsMax);
  return edit.kind === "copy" && volume > copyVoxelsMax
    ? tooLarge(`a copy of ${volume} voxels`, copyVoxelsMax)
    : undefined;
}

function tooManyChunks(edit: RequestedEdit, { world: { shape }, limits }: EditBounds): Rejection | undefined {
  const chunks = chunkCount(edit, shape);
  return chunks > limits.editChunksMax ? tooLarge(`${chunks} chunks`, limits.editChunksMax) : undefined;
}

function tooLarge(what: string, limit: number): Rejection {
  return { reason: "tooLarge", detail: `${what} where at most ${limit} may be` };
}

function wrongBlock(edit: RequestedEdit, { world: { catalog } }: EditBounds): Rejection | undefined {
  if (edit.kind === "copy") return undefined;
  const blocks = edit.kind === "fill" ? [edit.block] : edit.placements.map(({ block }) => block);
  const wrong = blocks.find((block) => block !== undefined && catalog.byId(block) === undefined);
  return wrong === undefined ? undefined : { reason: "block", detail: `this world has no block ${wrong}` };
}

function wrongData(edit: RequestedEdit, { limits, rules }: EditBounds): Rejection | undefined {
  if (edit.kind !== "voxels") return undefined;
  const bytes = placedDataBytes(edit);
  if (bytes > limits.editDataBytesMax) return tooLarge(`${bytes} bytes of data`, limits.editDataBytesMax);
  const isData = rules?.isData;
  if (bytes === 0 || isData === undefined) return undefined;
  const wrong = edit.placements.find(({ data }) => data instanceof Uint8Array && !isData(data));
  if (wrong === undefined) return undefined;
  return { reason: "data", detail: `the game cannot read the data of voxel [${wrong.voxel}]` };
}

function outOfReach(edit: RequestedEdit, player: Player, bounds: EditBounds): Rejection | undefined {
  const beyond = beyondWorld(edit, bounds);
  const canReach = bounds.rules?.canReach;
  if (beyond !== undefined || canReach === undefined) return beyond;
  for (const voxel of changedVoxels(edit)) {
    if (!canReach({ player, voxel })) return { reason: "reach", detail: `voxel [${voxel}] is out of reach` };
  }
  return undefined;
}

function beyondWorld(edit: RequestedEdit, { world: { shape }, limits }: EditBounds): Rejection | undefined {
  for (const voxel of extremesOf(edit)) {
    if (!isInside(voxel, shape, limits.chunkCoordinateMax))
      return { reason: "reach", detail: `voxel [${voxel}] is beyond the world` };
  }
  return undefined;
}

/** Yields voxels of an edit that all lie in the world only if every voxel that it reads or changes does. */
function* extremesOf(edit: RequestedEdit): Generator<Position, void, undefined> {
  if (edit.kind === "voxels") for (const { voxel } of edit.placements) yield voxel;
  else {
    yield* cornersOf(changedBox(edit));
    if (edit.kind === "copy") yield* cornersOf(edit.box);
  }
}

function cornersOf({ min, max }: Box): readonly [Position, Position] {
  return [min, positionFrom((axis) => max[axis] - 1)];
}

function* changedVoxels(edit: RequestedEdit): Generator<Position, void, undefined> {
  if (edit.kind === "voxels") for (const { voxel } of edit.placements) yield voxel;
  else yield* positionsMinorToMajor(changedBox(edit));
}

function isInside(voxel: Position, shape: ChunkShape, chunkCoordinateMax: number): boolean {
  if (axisOutside(shape, voxel) !== undefined) return false;
  const { extents } = shape;
  return positionFrom((axis) => Math.floor(voxel[axis] / extents[axis])).every(
    (chunk) => Math.abs(chunk) <= chunkCoordinateMax,
  );
}
