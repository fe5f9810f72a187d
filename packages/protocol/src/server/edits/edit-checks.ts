import { type Box, type ChunkShape, OrthantError, type Position } from "@orthant/core";
import { axisOutside, boxAt, boxVolume, positionFrom, positionsMinorToMajor } from "@orthant/core/lattice";
import type { VoxelPlacement, WorldState } from "@orthant/core/tree";
import type { RejectionReason } from "@orthant/core/world";
import { changedBox, dataOf, placedDataBytes, type RequestedEdit } from "../../message/requested-edit.ts";
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

/** Thrown when a world is asked for an edit that a player may not make. */
export class RefusedEdit extends Error {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.detail);
    this.rejection = rejection;
  }
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

/**
 * Returns why an edit is rejected before the game or the world is asked, or `undefined` if it is not. Costs the same for
 * boxes of any size.
 */
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
    tooManyForRules(edit, bounds) ??
    wrongBlock(edit, bounds) ??
    tooMuchData(edit, bounds) ??
    beyondWorld(edit, bounds) ??
    outOfReach(edit, player, bounds) ??
    tooManyChunks(edit, bounds)
  );
}

/** Returns why the game's rules about single voxels reject an edit that `findRejection` does not, or `undefined`. */
export function findVoxelRejection(
  edit: RequestedEdit,
  player: Player,
  bounds: EditBounds,
): Rejection | undefined {
  return unreachableVoxel(edit, player, bounds);
}

/** Returns why a player may not give its blocks the data that an edit brings or copies, in the world before it, or `undefined`. */
export function findDataRejection(
  edit: RequestedEdit,
  before: WorldState,
  { rules }: EditBounds,
): Rejection | undefined {
  const dataFault = rules?.dataFault;
  if (dataFault === undefined) return undefined;
  for (const { voxel, block, data } of dataOf(edit, before)) {
    const fault = dataFault(data, block);
    if (fault !== undefined) return { reason: "data", detail: `the data of voxel [${voxel}]: ${fault}` };
  }
  return undefined;
}

/** Returns true when a game has a rule that may look at each voxel of an edit. */
export function looksAtVoxels(rules: SyncRules | undefined): boolean {
  return rules?.beforeEdit !== undefined || rules?.afterEdit !== undefined || rules?.canReach !== undefined;
}

/** Returns the number of voxels of an edit that the game's rules may look at, one by one. */
export function ruleVoxels(edit: RequestedEdit, { rules }: EditBounds): number {
  if (!looksAtVoxels(rules)) return 0;
  return edit.kind === "voxels" ? edit.placements.length : boxVolume(edit.box);
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

function tooManyForRules(edit: RequestedEdit, bounds: EditBounds): Rejection | undefined {
  const voxels = ruleVoxels(edit, bounds);
  const { ruleVoxelsMax } = bounds.limits;
  if (voxels <= ruleVoxelsMax) return undefined;
  return tooLarge(`${voxels} voxels for the rules of the game to check`, ruleVoxelsMax);
}

function tooManyChunks(edit: RequestedEdit, { world: { shape }, limits }: EditBounds): Rejection | undefined {
  const chunks = chunkCount(edit, shape);
  return chunks > limits.editChunksMax ? tooLarge(`${chunks} chunks`, limits.editChunksMax) : undefined;
}

function tooLarge(what: string, limit: number): Rejection {
  return { reason: "tooLarge", detail: `${what}, the limit is ${limit}` };
}

function wrongBlock(edit: RequestedEdit, { world: { catalog } }: EditBounds): Rejection | undefined {
  if (edit.kind === "copy") return undefined;
  const blocks = edit.kind === "fill" ? [edit.block] : edit.placements.map(({ block }) => block);
  const wrong = blocks.find((block) => block !== undefined && catalog.byId(block) === undefined);
  return wrong === undefined ? undefined : { reason: "block", detail: `this world has no block ${wrong}` };
}

function tooMuchData(edit: RequestedEdit, { limits }: EditBounds): Rejection | undefined {
  const bytes = placedDataBytes(edit);
  return bytes > limits.editDataBytesMax
    ? tooLarge(`${bytes} bytes of data`, limits.editDataBytesMax)
    : undefined;
}

function outOfReach(edit: RequestedEdit, player: Player, bounds: EditBounds): Rejection | undefined {
  const isWithinReach = bounds.rules?.isWithinReach;
  if (isWithinReach === undefined) return undefined;
  for (const box of boxesOf(edit)) {
    if (isWithinReach({ player, box })) continue;
    const voxels = boxVolume(box) === 1 ? `voxel [${box.min}]` : `the box from [${box.min}] to [${box.max}]`;
    return { reason: "reach", detail: `${voxels} is out of reach` };
  }
  return undefined;
}

function unreachableVoxel(edit: RequestedEdit, player: Player, { rules }: EditBounds): Rejection | undefined {
  const canReach = rules?.canReach;
  if (canReach === undefined) return undefined;
  for (const box of boxesOf(edit)) {
    for (const voxel of positionsMinorToMajor(box)) {
      if (!canReach({ player, voxel }))
        return { reason: "reach", detail: `voxel [${voxel}] is out of reach` };
    }
  }
  return undefined;
}

function beyondWorld(edit: RequestedEdit, { world: { shape }, limits }: EditBounds): Rejection | undefined {
  for (const box of boxesOf(edit)) {
    for (const voxel of cornersOf(box)) {
      if (!isInside(voxel, shape, limits.chunkCoordinateMax))
        return { reason: "reach", detail: `voxel [${voxel}] is beyond the world` };
    }
  }
  return undefined;
}

/** Yields boxes of all voxels that an edit changes or copies: what a player may not change, they may not copy either. */
function* boxesOf(edit: RequestedEdit): Generator<Box, void, undefined> {
  if (edit.kind === "voxels") for (const { voxel } of edit.placements) yield boxAt(voxel);
  else {
    yield changedBox(edit);
    if (edit.kind === "copy") yield edit.box;
  }
}

function cornersOf({ min, max }: Box): readonly [Position, Position] {
  return [min, positionFrom((axis) => max[axis] - 1)];
}

function isInside(voxel: Position, shape: ChunkShape, chunkCoordinateMax: number): boolean {
  if (axisOutside(shape, voxel) !== undefined) return false;
  const { extents } = shape;
  return positionFrom((axis) => Math.floor(voxel[axis] / extents[axis])).every(
    (chunk) => Math.abs(chunk) <= chunkCoordinateMax,
  );
}
