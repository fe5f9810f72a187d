import type { Box, Position } from "@orthant/core";
import type { VoxelEdit } from "@orthant/core/chunk";
import type { StateEdit } from "@orthant/core/tree";
import type { StoredEntity } from "@orthant/save";
import type { BorderEdit } from "../journal/world-log.ts";
import type { ChunkTicks } from "../regions/loaded-ticks.ts";

/** What a step of a simulation changes. */
export interface StepChange {
  readonly step: number;
  readonly edit: StateEdit;
  /** Returns the blocks that a changed chunk got, if they were recorded one by one. */
  readonly blocksOf: (chunk: Position) => readonly VoxelEdit[] | undefined;
  /** The chunks whose ticks it changed. */
  readonly ticks: readonly ChunkTicks[];
  readonly entities: readonly StepEntityChange[];
  /** Its edits in other parts of a larger world, in order. */
  readonly sent: readonly BorderEdit[];
  /** Takes back what the step changed already: ticks. */
  readonly undo: () => void;
}

/** What a step does to one entity: its new state, or `undefined` if it is gone. */
export interface StepEntityChange {
  readonly entityId: bigint;
  readonly entity: StoredEntity | undefined;
  /** Its state if it is gone because it went to another part of a larger world. */
  readonly leaving?: StoredEntity;
}

/** The part of a larger world that steps may change, as its cluster supplies it. Other parts change by their own steps. */
export interface ShardPart {
  /** Whether a region belongs to this part. */
  owns(region: Position): boolean;
  /** How often regions went to another part, with which light can no longer be known where it was. */
  readonly splitCount: number;
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
