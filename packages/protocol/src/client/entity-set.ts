import { type ChunkShape, OrthantError, type Position, type Vector } from "@orthant/core";
import { I32_MAX, I32_MIN } from "@orthant/core/bytes";
import { floorDivide, type PositionSet, positionFrom, regionOf } from "@orthant/core/lattice";
import { NO_DETAILS, type NumberedEntity, type SeenEntity } from "../message/entity.ts";
import { ENTITIES_MAX, VOXEL_COORDINATE_MAX } from "../message/limits.ts";
import { poseOfSteps, stepsOfPose } from "../message/pose-codec.ts";
import type { PoseSteps } from "../message/pose-steps.ts";
import type { Precision } from "../message/precision.ts";
import type {
  AllEntities,
  EntityChanges,
  EntityDetailsMessage,
  EntityMotions,
  EntityMoves,
  Welcome,
} from "../message/server-message.ts";
import { hasElapsed } from "./outgoing.ts";
import type { EntitiesChange } from "./sync-client-options.ts";

/** Minimum time between two requests for all entities. */
const ENTITIES_LOST_WAIT_MS = 500;
/** Maximum number of entities that a client tracks. */
export const ENTITIES_HELD_MAX: number = 4 * ENTITIES_MAX;

const STILL: Vector = [0, 0, 0, 0];

interface Seen {
  readonly entity: SeenEntity;
  /** The pose, to which changes are added. */
  readonly steps: PoseSteps;
}

/** The entities in sight. Each frame holds the changes since the frame before it. */
export class EntitySet {
  readonly #shape: ChunkShape;
  readonly #precision: Precision;
  readonly #ownPlayerId: bigint;
  readonly #seen = new Map<number, Seen>();
  /** The state at the start of this step of each entity that changed. */
  readonly #before = new Map<number, SeenEntity | undefined>();
  #isInStep: boolean;
  #askedMs: number | undefined;

  /** Starts empty. `isInStep` is false when the client may have missed earlier frames. */
  constructor({ shape, precision, playerId }: Welcome, isInStep: boolean) {
    this.#shape = shape;
    this.#precision = precision;
    this.#ownPlayerId = playerId;
    this.#isInStep = isInStep;
  }

  /** Returns all entities in sight except the client's own player. */
  others(): readonly SeenEntity[] {
    return Array.from(this.#seen.values(), ({ entity }) => entity).filter((entity) => !this.#isOwn(entity));
  }

  /** Returns the client's own player as the server sees it. */
  own(): SeenEntity | undefined {
    for (const { entity } of this.#seen.values()) if (this.#isOwn(entity)) return entity;
    return undefined;
  }

  /** Reports a missed frame. Later changes are ignored until a complete list of entities arrives. */
  fallBehind(): void {
    this.#isInStep = false;
  }

  /** Replaces all entities. */
  replace({ entities }: AllEntities): void {
    const before = new Map(this.#seen);
    for (const number of before.keys()) this.#note(number);
    this.#seen.clear();
    for (const entity of entities) {
      this.#enter(entity, before.get(entity.number));
      this.#setVelocity(entity.number, STILL);
    }
    this.#isInStep = true;
  }

  /** Takes entities into sight, and out of it. */
  change({ left, entered }: EntityChanges): void {
    if (!this.#isInStep) return;
    for (const number of left) {
      this.#note(number);
      this.#seen.delete(number);
    }
    for (const entity of entered) this.#enter(entity, this.#seen.get(entity.number));
  }

  /** Moves entities. Throws an `OrthantError` for a pose outside the lattice or past the range of orientations. */
  move({ absolute, moves }: EntityMoves): void {
    if (!this.#isInStep) return;
    for (const { number, steps } of moves) {
      const seen = this.#seen.get(number);
      if (seen === undefined) continue;
      const next = steps.map((step, field) =>
        ((absolute >> field) & 1) === 1 ? step : (seen.steps[field] as number) + step,
      ) as unknown as PoseSteps;
      this.#requireSteps(next);
      this.#put({ ...seen.entity, ...poseOfSteps(next, this.#precision) }, next);
    }
  }

  /** Sets the velocities of entities in sight. */
  accelerate({ motions }: EntityMotions): void {
    if (!this.#isInStep) return;
    for (const { number, velocity } of motions) this.#setVelocity(number, velocity);
  }

  /** Sets the details of entities in sight. */
  detail({ details }: EntityDetailsMessage): void {
    for (const { number, tags, data } of details) {
      const seen = this.#seen.get(number);
      if (seen !== undefined) this.#put({ ...seen.entity, tags, data }, seen.steps);
    }
  }

  /** Drops the entities in regions that left sight: the server will not report when they leave. */
  dropIn(regions: PositionSet): void {
    for (const [number, { entity }] of [...this.#seen]) {
      if (!regions.has(...regionOfPosition(this.#shape, entity.position))) continue;
      this.#note(number);
      this.#seen.delete(number);
    }
  }

  /** Returns true when it is time to request all entities. */
  isDue(nowMs: number): boolean {
    if (this.#isInStep || !hasElapsed(this.#askedMs, nowMs, ENTITIES_LOST_WAIT_MS)) return false;
    this.#askedMs = nowMs;
    return true;
  }

  clear(): void {
    this.replace({ kind: "allEntities", entities: [] });
  }

  /** Returns the changes since the last call, or `undefined` if there are none. */
  takeChange(): EntitiesChange | undefined {
    const entered: SeenEntity[] = [];
    const changed: SeenEntity[] = [];
    const left: SeenEntity[] = [];
    for (const [number, before] of this.#before) {
      const now = this.#seen.get(number)?.entity;
      const isSame = before !== undefined && now !== undefined && before.id === now.id;
      if (isSame) changed.push(now);
      else {
        if (before !== undefined) left.push(before);
        if (now !== undefined) entered.push(now);
      }
    }
    this.#before.clear();
    const isOther = (entity: SeenEntity): boolean => !this.#isOwn(entity);
    const change = {
      entered: entered.filter(isOther),
      changed: changed.filter(isOther),
      left: left.filter(isOther),
    };
    return change.entered.length + change.changed.length + change.left.length > 0 ? change : undefined;
  }

  /** Adds the details that are known of an entity, which come in messages of their own. */
  #enter(entity: NumberedEntity, known: Seen | undefined): void {
    this.#put({ ...(known?.entity ?? NO_DETAILS), ...entity }, stepsOfPose(entity, this.#precision));
  }

  #setVelocity(number: number, steps: Vector): void {
    const seen = this.#seen.get(number);
    const isMoving = steps.some((step) => step !== 0);
    if (seen === undefined || (!isMoving && seen.entity.velocity === undefined)) return;
    const { velocity: _last, ...entity } = seen.entity;
    const { positionSteps } = this.#precision;
    const velocity = positionFrom((axis) => steps[axis] / positionSteps);
    this.#put(isMoving ? { ...entity, velocity } : entity, seen.steps);
  }

  #requireSteps(steps: PoseSteps): void {
    const { positionSteps, orientationSteps } = this.#precision;
    for (const [field, step] of steps.entries()) {
      const max = field < 4 ? VOXEL_COORDINATE_MAX * positionSteps : orientationSteps;
      // Written so that NaN is outside.
      if (Math.abs(step) <= max && Number.isSafeInteger(step)) continue;
      const code = field < 4 ? "ORT_POSITION_RANGE" : "ORT_MESSAGE";
      throw new OrthantError(code, `an entity that moves to step ${step}, which is at most ${max}`);
    }
  }

  #put(entity: SeenEntity, steps: PoseSteps): void {
    this.#note(entity.number);
    this.#seen.set(entity.number, { entity, steps });
    if (this.#seen.size <= ENTITIES_HELD_MAX) return;
    throw new OrthantError("ORT_LIMIT", `more than ${ENTITIES_HELD_MAX} entities in sight`);
  }

  #note(number: number): void {
    if (!this.#before.has(number)) this.#before.set(number, this.#seen.get(number)?.entity);
  }

  #isOwn({ isPlayer, id }: NumberedEntity): boolean {
    return isPlayer && id === this.#ownPlayerId;
  }
}

/** Returns the region of a position, clamped to the outermost region for a position off the lattice. */
function regionOfPosition({ extents }: ChunkShape, position: Vector): Position {
  return regionOf(
    positionFrom((axis) => {
      const chunk = floorDivide(Math.floor(position[axis]), extents[axis]);
      return Math.min(Math.max(chunk, I32_MIN), I32_MAX);
    }),
  );
}
