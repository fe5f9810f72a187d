import type { Position, Vector } from "@orthant/core";
import type { EntityDetails, NumberedEntity, Pose } from "../../message/entity.ts";
import { poseOfSteps } from "../../message/pose-codec.ts";
import type { PoseSteps } from "../../message/pose-steps.ts";
import type { Precision } from "../../message/precision.ts";

/** Everything about an entity except its number and pose. */
export type EntityTraits = Omit<NumberedEntity, "number" | keyof Pose>;

/** A present entity or player. Its pose is the one that clients have. Only the grid changes it. */
export interface GridEntity extends NumberedEntity {
  readonly details: EntityDetails;
  /** In steps a second; `undefined` unless the game has stated one. */
  readonly velocity: Vector | undefined;
}

const NO_CHANGE: PoseSteps = [0, 0, 0, 0, 0, 0, 0, 0];

/** An entity with what clients know of it and what they do not know yet. */
export class GridEntry implements GridEntity {
  readonly number: number;
  readonly isPlayer: boolean;
  readonly id: bigint;
  readonly entityClass: number;
  readonly kind: number;
  readonly scale: number;
  readonly block: number;
  readonly name: string;
  /** Ticks from one pose that clients are sent to the next, at least 1. */
  readonly ticksBetween: number;
  readonly #precision: Precision;
  details: EntityDetails;
  velocity: Vector | undefined;
  /** The latest pose, in steps. */
  latest: PoseSteps;
  /** The pose that clients have, in steps. */
  steps: PoseSteps;
  /** What this tick changes in the pose. */
  change: PoseSteps = NO_CHANGE;
  /** Where the entity is; `undefined` when it is gone. */
  cell: Cell | undefined;
  /** Where it was at the end of the last tick; `undefined` when clients did not see it then. */
  visibleIn: Cell | undefined;
  /** Whether the entity is listed among those that changed since the last tick. */
  isTouched = false;
  /** The first tick in which clients may be sent another pose. */
  dueTick = 0;
  /** Whether clients do not know the latest details. */
  isDetailed: boolean;
  /** Whether clients do not know the latest velocity. */
  isVelocityNew = false;

  constructor(
    number: number,
    traits: EntityTraits,
    details: EntityDetails,
    { steps, precision, ticksBetween }: EntryPose,
  ) {
    this.number = number;
    this.isPlayer = traits.isPlayer;
    this.id = traits.id;
    this.entityClass = traits.entityClass;
    this.kind = traits.kind;
    this.scale = traits.scale;
    this.block = traits.block;
    this.name = traits.name;
    this.ticksBetween = ticksBetween;
    this.#precision = precision;
    this.details = details;
    this.latest = steps;
    this.steps = steps;
    this.isDetailed = hasDetails({ details });
  }

  get position(): Vector {
    return poseOfSteps(this.steps, this.#precision).position;
  }

  get orientation(): Vector {
    return poseOfSteps(this.steps, this.#precision).orientation;
  }

  /** Makes the latest pose the one that clients have. Returns false if they have it already. */
  takePose(): boolean {
    const { steps, latest } = this;
    if (latest.every((step, field) => step === steps[field])) return false;
    this.change = [
      latest[0] - steps[0],
      latest[1] - steps[1],
      latest[2] - steps[2],
      latest[3] - steps[3],
      latest[4] - steps[4],
      latest[5] - steps[5],
      latest[6] - steps[6],
      latest[7] - steps[7],
    ];
    this.steps = latest;
    return true;
  }
}

/** The first pose of an entity, and how poses of it are sent. */
interface EntryPose {
  readonly steps: PoseSteps;
  readonly precision: Precision;
  readonly ticksBetween: number;
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
  /** Those of them that are in another cell now, by that cell. */
  readonly crossedOut: Map<Cell, GridEntry[]> = new Map<Cell, GridEntry[]>();
  /** Entities that were in another cell in the last tick, by that cell. */
  readonly crossedIn: Map<Cell, GridEntry[]> = new Map<Cell, GridEntry[]>();
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
    this.crossedOut.clear();
    this.crossedIn.clear();
    this.detailed = [];
    this.accelerated = [];
  }
}

/** Adds an entity to those of a cell. */
export function addEntry<Key>(entries: Map<Key, GridEntry[]>, cell: Key, entry: GridEntry): void {
  const listed = entries.get(cell);
  if (listed === undefined) entries.set(cell, [entry]);
  else listed.push(entry);
}

/** Whether an entity has a tag or data. */
export function hasDetails({ details: { tags, data } }: Pick<GridEntity, "details">): boolean {
  return tags.length + data.length > 0;
}
