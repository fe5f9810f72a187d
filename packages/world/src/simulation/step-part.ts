import type { Box, Position } from "@orthant/core";

/** The part of a larger world that steps may change. Other parts of it change by their own steps. */
export interface StepPart {
  /** Whether a region belongs to this part. */
  owns(region: Position): boolean;
  /** Returns an id for a new entity that no other part gives to one. */
  newEntityId(): bigint;
}

/** A part of a larger world, as a simulation needs it. */
export interface SimulatedPart extends StepPart {
  /** Returns boxes of voxels that are active because of players, wherever those are connected. */
  activeBoxes(): readonly Box[];
  /** Makes a step as soon as the part may be changed. Resolves when it is stored. */
  during(make: () => Promise<unknown>): Promise<void>;
}
