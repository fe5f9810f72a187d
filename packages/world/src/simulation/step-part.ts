import type { Box, Position } from "@orthant/core";
import type { VoxelPlacement } from "@orthant/core/tree";

/** A tick that a step schedules in another part of the world. */
export interface BorderTick {
  readonly voxel: Position;
  readonly tick: string;
  /** Steps from the step that schedules it; 0 removes the tick. */
  readonly inSteps: number;
}

/** A change of a voxel in another part of the world, which a step of that part makes. */
export type BorderEdit = VoxelPlacement | BorderTick;

/** The part of a larger world that steps may change. Other parts of it change by their own steps. */
export interface StepPart {
  /** Whether a region belongs to this part. */
  owns(region: Position): boolean;
  /** Returns an id for a new entity that no other part gives to one. */
  newEntityId(): bigint;
  /** Returns the edits of other parts that the step which begins now applies first. */
  arrivals(): readonly BorderEdit[];
  /** Whether an edit of a region in another part can be sent there, besides those that the step sends already. */
  maySend(region: Position, edit: BorderEdit): boolean;
}

/** A part of a larger world, as a simulation needs it. */
export interface SimulatedPart extends StepPart {
  /** Returns boxes of voxels that are active because of players, wherever those are connected. */
  activeBoxes(): readonly Box[];
  /** Makes a step as soon as the part may be changed. Resolves when it is stored. */
  during(make: () => Promise<unknown>): Promise<void>;
}
