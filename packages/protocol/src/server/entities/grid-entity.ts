import type { Position, Vector } from "@orthant/core";
import type { EntityDetails, NumberedEntity } from "../../message/entity.ts";
import type { PoseSteps } from "../../message/pose-steps.ts";

/** A present entity or player. Only the grid changes it. */
export interface GridEntity extends NumberedEntity {
  /** The position that clients have. */
  position: Vector;
  /** The orientation that clients have. */
  orientation: Vector;
  details: EntityDetails;
  /** In steps a second; `undefined` unless the game has stated one. */
  velocity: Vector | undefined;
}

/** An entity with what clients know of it and what they do not know yet. */
export interface GridEntry extends GridEntity {
  /** The latest pose, in steps. */
  latest: PoseSteps;
  /** Where the entity is; `undefined` when it is gone. */
  cell: Cell | undefined;
  /** Where it was at the end of the last tick; `undefined` when clients did not see it then. */
  shownIn: Cell | undefined;
  /** The pose that clients have, in steps. */
  steps: PoseSteps;
  /** What this tick changes in the pose. */
  change: PoseSteps;
  /** Whether the entity is listed among those that changed since the last tick. */
  isTouched: boolean;
  /** The first tick in which clients may be sent another pose. */
  dueTick: number;
  /** Whether clients do not know the latest details. */
  isDetailed: boolean;
  /** Whether clients do not know the latest velocity. */
  isVelocityNew: boolean;
}

/** The entities of one region, and what this tick changes there. */
export class Cell {
  readonly place: Position;
  readonly entries: Set<GridEntry> = new Set<GridEntry>();
  /** Entities that are new in the world or in the watched part of it. */
  entered: GridEntry[] = [];
  /** Entities that are gone. */
  left: GridEntry[] = [];
  /** Entities that were here in the last tick and have another pose now, here or in another cell. */
  moved: GridEntry[] = [];
  /** Those of them that are in another cell now. */
  crossedOut: GridEntry[] = [];
  /** Entities that were in another cell in the last tick, which `cameFrom` names. */
  crossedIn: { readonly entry: GridEntry; readonly cameFrom: Cell }[] = [];
  /** Entities with new details. */
  detailed: GridEntry[] = [];
  /** Entities with new velocities. */
  accelerated: GridEntry[] = [];
  /** Entities that moved here since the last beat. */
  readonly movedSinceBeat: Set<GridEntry> = new Set<GridEntry>();
  /** Whether the cell is listed among those with changes in this tick. */
  isListed = false;
  readonly #phase: number;

  constructor(place: Position) {
    this.place = place;
    this.#phase = place[0] + place[1] + place[2] + place[3];
  }

  /** Returns true in each `ticks`-th tick. Neighbouring cells take turns. */
  hasBeat(tick: number, ticks: number): boolean {
    return (tick + this.#phase) % ticks === 0;
  }

  /** Forgets what the tick changed. */
  endTick(): void {
    this.isListed = false;
    this.entered = [];
    this.left = [];
    this.moved = [];
    this.crossedOut = [];
    this.crossedIn = [];
    this.detailed = [];
    this.accelerated = [];
  }
}

/** Whether an entity has a tag or data. */
export function hasDetails({ details: { tags, data } }: Pick<GridEntity, "details">): boolean {
  return tags.length + data.length > 0;
}
