import type { RejectionReason } from "@orthant/core";
import {
  axisOutside,
  type BlockCatalog,
  type ChunkShape,
  chunkOfVoxel,
  OrthantError,
  type Position,
  PositionSet,
  positionFrom,
  type VoxelPlacement,
} from "@orthant/core";
import type { PlayerBudget } from "../budget/player-budget.ts";
import type { SyncLimits } from "../sync-limits.ts";
import type { SyncRules } from "../sync-rules.ts";
import type { Player } from "../sync-server-options.ts";

/** Why an edit is rejected. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly detail: string;
}

/** Limits and rules that an edit is checked against. */
export interface EditBounds {
  readonly shape: ChunkShape;
  readonly catalog: BlockCatalog;
  readonly limits: SyncLimits;
  readonly rules: SyncRules | undefined;
}

/** Returns why an edit is rejected before the game or the world is asked, or `undefined` if it is not. */
export function findRejection(
  placements: readonly VoxelPlacement[],
  player: Player,
  bounds: EditBounds,
): Rejection | undefined {
  if (player.role === "viewer") return { reason: "role", detail: "a viewer changes nothing" };
  return (
    tooLarge(placements, bounds.limits) ??
    wrongBlock(placements, bounds) ??
    outOfReach(placements, player, bounds)
  );
}

/** Takes the chunks of an edit from the budget. Returns why it is rejected, or `undefined` if it is not. */
export function chargeChunks(
  placements: readonly VoxelPlacement[],
  { shape, limits: { editChunksMax } }: EditBounds,
  budget: PlayerBudget,
  nowMs: number,
): Rejection | undefined {
  const chunks = new PositionSet();
  for (const { voxel } of placements) chunks.add(...chunkOfVoxel(shape, voxel));
  if (chunks.size > editChunksMax) {
    return { reason: "tooLarge", detail: `${chunks.size} chunks where at most ${editChunksMax} may be` };
  }
  if (budget.takeEditChunks(chunks.size, nowMs)) return undefined;
  return { reason: "rate", detail: "too many chunks a second" };
}

/** Returns what is wrong with the placements by which a game replaces an edit, or `undefined` if they can be made. */
export function replacementFault(
  placements: readonly VoxelPlacement[],
  bounds: EditBounds,
): OrthantError | undefined {
  const fault = wrongBlock(placements, bounds) ?? beyondWorld(placements, bounds);
  if (fault === undefined) return undefined;
  return new OrthantError(
    "ORT_ARGUMENT",
    `beforeEdit replaced an edit by one that is impossible: ${fault.detail}`,
  );
}

function tooLarge(placements: readonly VoxelPlacement[], limits: SyncLimits): Rejection | undefined {
  const { editVoxelsMax, editBoxVoxelsMax } = limits;
  if (placements.length > editVoxelsMax) {
    return {
      reason: "tooLarge",
      detail: `${placements.length} voxels where at most ${editVoxelsMax} may be`,
    };
  }
  const volume = volumeAround(placements);
  if (volume <= editBoxVoxelsMax) return undefined;
  return { reason: "tooLarge", detail: `a box of ${volume} voxels where at most ${editBoxVoxelsMax} may be` };
}

function volumeAround(placements: readonly VoxelPlacement[]): number {
  let volume = 1;
  for (let axis = 0; axis < 4; axis++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const { voxel } of placements) {
      const coordinate = voxel[axis] as number;
      if (coordinate < min) min = coordinate;
      if (coordinate > max) max = coordinate;
    }
    volume *= max - min + 1;
  }
  return volume;
}

function wrongBlock(placements: readonly VoxelPlacement[], { catalog }: EditBounds): Rejection | undefined {
  const wrong = placements.find(({ block }) => catalog.byId(block) === undefined);
  return wrong && { reason: "block", detail: `this world has no block ${wrong.block}` };
}

function outOfReach(
  placements: readonly VoxelPlacement[],
  player: Player,
  bounds: EditBounds,
): Rejection | undefined {
  const beyond = beyondWorld(placements, bounds);
  const canReach = bounds.rules?.canReach;
  if (beyond !== undefined || canReach === undefined) return beyond;
  const far = placements.find(({ voxel }) => !canReach({ player, voxel }));
  return far && { reason: "reach", detail: `voxel [${far.voxel}] is out of reach` };
}

function beyondWorld(
  placements: readonly VoxelPlacement[],
  { shape, limits }: EditBounds,
): Rejection | undefined {
  const beyond = placements.find(({ voxel }) => !isInside(voxel, shape, limits.chunkCoordinateMax));
  return beyond && { reason: "reach", detail: `voxel [${beyond.voxel}] is beyond the world` };
}

function isInside(voxel: Position, shape: ChunkShape, chunkCoordinateMax: number): boolean {
  if (axisOutside(shape, voxel) !== undefined) return false;
  const { extents } = shape;
  return positionFrom((axis) => Math.floor(voxel[axis] / extents[axis])).every(
    (chunk) => Math.abs(chunk) <= chunkCoordinateMax,
  );
}
