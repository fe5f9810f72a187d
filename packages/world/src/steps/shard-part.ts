import type { Box, Position } from "@orthant/core";
import type { BorderEdit } from "../journal/world-log.ts";

/** The part of a larger world that steps may change, as its cluster supplies it. Other parts change by their own steps. */
export interface ShardPart {
  /** Whether a region belongs to this part. */
  owns(region: Position): boolean;
  /** Returns an id for a new entity that no other part gives to one. */
  newEntityId(): bigint;
  /** Returns the edits of other parts that the step which begins now applies first. */
  arrivals(): readonly BorderEdit[];
  /** Whether an edit of a region in another part can be sent there, besides those that the step sends already. */
  maySend(region: Position, edit: BorderEdit): boolean;
  /** Returns boxes of voxels that are active because of players, wherever those are connected. */
  activeBoxes(): readonly Box[];
  /** Makes a step as soon as the part may be changed. Resolves when it is stored. */
  during(make: () => Promise<unknown>): Promise<void>;
}
