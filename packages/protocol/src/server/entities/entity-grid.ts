import type { ChunkShape, Position, Vector } from "@orthant/core";
import { PositionMap, positionFrom, REGION_EDGE_CHUNKS } from "@orthant/core/lattice";
import { type EntityDetails, NO_DETAILS, type Pose } from "../../message/entity.ts";
import { stepsOfPose } from "../../message/pose-codec.ts";
import type { PoseSteps } from "../../message/pose-steps.ts";
import type { Precision } from "../../message/precision.ts";
import type { Holding, WatchedRegion, WatchedRegions } from "../regions/watched-regions.ts";
import { EntityMessages } from "./entity-messages.ts";
import { addEntry, Cell, type EntityTraits, type GridEntity, GridEntry, hasDetails } from "./grid-entity.ts";

/** Ticks from one beat of a region to the next: clients far from it get its moves with the beat. Rule N53. */
const BEAT_TICKS = 4;
/** A client is near a region that is at most this many regions from its player's, on every axis. */
const NEAR_REGIONS = 1;

/** What a grid needs to know of its server. */
interface EntityGridOptions {
  readonly shape: ChunkShape;
  /** Maximum absolute chunk coordinate at which entities may be. */
  readonly chunkCoordinateMax: number;
  readonly precision: Precision;
  /** Returns the ticks from one pose of an entity to the next, at least 1. */
  readonly ticksBetween: (traits: EntityTraits) => number;
}

/**
 * All entities by region. What a tick changes in a region is encoded once for the clients near it and at most once for
 * those far from it, so that its cost does not grow with their number.
 */
export class EntityGrid {
  readonly #shape: ChunkShape;
  readonly #chunkCoordinateMax: number;
  readonly #precision: Precision;
  readonly #ticksBetween: EntityGridOptions["ticksBetween"];
  readonly #messages: EntityMessages;
  readonly #cells = new PositionMap<Cell>();
  /** Entities that came, moved or left since the last tick. */
  #touched: GridEntry[] = [];
  /** Cells with changes in this tick. */
  #changed: Cell[] = [];
  /** Cells with moves that far clients have not been sent. */
  readonly #beating = new Set<Cell>();
  #lastNumber = 0;
  #tick = 0;

  constructor({ shape, chunkCoordinateMax, precision, ticksBetween }: EntityGridOptions) {
    this.#shape = shape;
    this.#chunkCoordinateMax = chunkCoordinateMax;
    this.#precision = precision;
    this.#ticksBetween = ticksBetween;
    this.#messages = new EntityMessages(precision);
  }

  /** Returns true when a position is in the accessible part of the world, on the axes that it has. Rule N40. */
  isInside(position: Vector): boolean {
    for (let axis = 0; axis < 4; axis++) {
      const coordinate = position[axis] as number;
      const extent = this.#shape.extents[axis] as number;
      // Written so that NaN is outside.
      const isInside =
        extent === 1
          ? coordinate >= 0 && coordinate <= 1
          : Math.abs(Math.floor(coordinate / extent)) <= this.#chunkCoordinateMax;
      if (!isInside) return false;
    }
    return true;
  }

  /** Returns the region of a position, which must be inside. */
  regionOf(position: Vector): Position {
    return positionFrom((axis) => this.#regionCoordinate(position, axis));
  }

  /** Returns true when a position is in a region. */
  isIn(position: Vector, region: Position): boolean {
    for (let axis = 0; axis < 4; axis++) {
      if (this.#regionCoordinate(position, axis) !== region[axis]) return false;
    }
    return true;
  }

  /** Returns true when a region is so near to a position that its entities are sent in every tick. Rule N53. */
  isNear(position: Vector, region: Position): boolean {
    for (let axis = 0; axis < 4; axis++) {
      const distance = this.#regionCoordinate(position, axis) - (region[axis] as number);
      if (Math.abs(distance) > NEAR_REGIONS) return false;
    }
    return true;
  }

  /** Adds an entity, whose position must be inside, under a number that was never used before. */
  enter(traits: EntityTraits, pose: Pose, details: EntityDetails = NO_DETAILS): GridEntity {
    const precision = this.#precision;
    const steps = stepsOfPose(pose, precision);
    const ticksBetween = this.#ticksBetween(traits);
    const entry = new GridEntry(++this.#lastNumber, traits, details, { steps, precision, ticksBetween });
    this.#settle(entry, this.#cellAt(steps));
    return entry;
  }

  /** Changes the details of an entity. */
  detail(entity: GridEntity, details: EntityDetails): void {
    const entry = entity as GridEntry;
    entry.details = details;
    entry.isDetailed = true;
    this.#touch(entry);
  }

  /** Changes the velocity of an entity, in voxels a second; `undefined` if the game states none. */
  accelerate(entity: GridEntity, velocity: Vector | undefined): void {
    const entry = entity as GridEntry;
    const { positionSteps } = this.#precision;
    const steps = velocity && positionFrom((axis) => Math.round(velocity[axis] * positionSteps) + 0);
    const known = entry.velocity;
    if (steps === known || (known !== undefined && steps?.every((step, axis) => step === known[axis])))
      return;
    entry.velocity = steps;
    entry.isVelocityNew = true;
    this.#touch(entry);
  }

  /** Returns the region of a present entity. */
  placeOf(entity: GridEntity): Position | undefined {
    return (entity as GridEntry).cell?.place;
  }

  /** Changes the pose of an entity. The position must be inside. */
  move(entity: GridEntity, pose: Pose): void {
    const entry = entity as GridEntry;
    const { cell } = entry;
    if (cell === undefined) return;
    entry.latest = stepsOfPose(pose, this.#precision);
    if (this.#isAt(cell.place, entry.latest)) this.#touch(entry);
    else {
      this.#unsettle(entry, cell);
      this.#settle(entry, this.#cellAt(entry.latest));
    }
  }

  leave(entity: GridEntity): void {
    const entry = entity as GridEntry;
    if (entry.cell !== undefined) this.#unsettle(entry, entry.cell);
  }

  /** Appends the entities of a region to `entities`. */
  collect(x: number, y: number, z: number, w: number, entities: GridEntity[]): void {
    const cell = this.#cells.get(x, y, z, w);
    if (cell === undefined) return;
    // One by one, because there may be more than a call accepts arguments.
    for (const entry of cell.entries) entities.push(entry);
  }

  /** Sends the changes in each region since the last call to the clients that watch it. */
  takeChanges(regions: WatchedRegions): void {
    this.#tick++;
    const touched = this.#touched;
    this.#touched = [];
    for (const entry of touched) this.#show(entry);
    for (const cell of this.#beating) if (this.#hasBeat(cell)) this.#list(cell);
    const changed = this.#changed;
    this.#changed = [];
    // Far clients of a cell without unsent moves have the same poses as near ones, so they may become near now.
    for (const cell of changed) if (!this.#beating.has(cell)) updateRange(regions.at(cell.place));
    for (const cell of changed) this.#send(cell, regions.at(cell.place)?.holdings ?? []);
    // Last, because what a client is sent of a crossing depends on what it was sent of both regions.
    for (const cell of changed) this.#endTick(cell, regions.at(cell.place));
  }

  #endTick(cell: Cell, region: WatchedRegion | undefined): void {
    if (this.#hasBeat(cell)) {
      updateRange(region);
      cell.movedSinceBeat.clear();
    }
    if (cell.movedSinceBeat.size > 0) this.#beating.add(cell);
    else this.#beating.delete(cell);
    cell.endTick();
    if (cell.entries.size === 0) this.#cells.delete(...cell.place);
  }

  /** Takes the latest state of an entity, and lists it in the cells whose clients learn of it. */
  #show(entry: GridEntry): void {
    const { cell, visibleIn } = entry;
    entry.isTouched = false;
    if (cell === undefined) {
      // It may have come and gone since the last tick.
      if (visibleIn === undefined) return;
      visibleIn.left.push(entry);
      visibleIn.movedSinceBeat.delete(entry);
      this.#list(visibleIn);
    } else if (visibleIn === undefined) {
      entry.takePose();
      cell.entered.push(entry);
      this.#list(cell);
    } else if (visibleIn === cell && this.#tick < entry.dueTick) {
      this.#touch(entry);
    } else if (entry.takePose()) {
      entry.dueTick = this.#tick + entry.ticksBetween;
      visibleIn.moved.push(entry);
      this.#list(visibleIn);
      if (visibleIn !== cell) this.#cross(entry, visibleIn, cell);
      cell.movedSinceBeat.add(entry);
    }
    entry.visibleIn = cell;
    if (cell !== undefined) this.#showDetails(entry, cell);
  }

  #showDetails(entry: GridEntry, cell: Cell): void {
    if (entry.isDetailed) cell.detailed.push(entry);
    if (entry.isVelocityNew) cell.accelerated.push(entry);
    if (entry.isDetailed || entry.isVelocityNew) this.#list(cell);
    entry.isDetailed = false;
    entry.isVelocityNew = false;
  }

  #cross(entry: GridEntry, from: Cell, to: Cell): void {
    addEntry(from.crossedOut, to, entry);
    from.movedSinceBeat.delete(entry);
    addEntry(to.crossedIn, from, entry);
    this.#list(to);
  }

  #send(cell: Cell, holdings: readonly Holding[]): void {
    const messages = this.#messages;
    const changes = messages.changes(cell.left, cell.entered);
    const moves = messages.moves(cell.moved);
    const motions = messages.motions(cell.accelerated);
    const isBeat = this.#hasBeat(cell);
    let poses: readonly Uint8Array[] | undefined;
    for (const { watcher, range } of holdings) {
      for (const message of changes) watcher.entitiesChanged(message);
      if (range === "near") for (const message of moves) watcher.entitiesChanged(message);
      else if (isBeat) {
        poses ??= messages.poses([...cell.movedSinceBeat]);
        for (const message of poses) watcher.entitiesChanged(message);
      }
    }
    this.#sendCrossings(cell, holdings);
    for (const message of motions) for (const { watcher } of holdings) watcher.entitiesChanged(message);
    this.#sendDetails(cell, holdings);
  }

  /** Tells clients that see only one of two regions which entities came from there, or went there. */
  #sendCrossings({ crossedOut, crossedIn }: Cell, holdings: readonly Holding[]): void {
    for (const [{ place }, entries] of crossedOut) {
      let left: readonly Uint8Array[] | undefined;
      for (const { watcher } of holdings) {
        if (watcher.holdingAt(place) !== undefined) continue;
        left ??= this.#messages.changes(entries, []);
        for (const message of left) watcher.entitiesChanged(message);
      }
    }
    for (const [{ place }, entries] of crossedIn) {
      const detailed = entries.filter(hasDetails);
      let entered: readonly Uint8Array[] | undefined;
      let poses: readonly Uint8Array[] | undefined;
      for (const { watcher, range } of holdings) {
        const earlier = watcher.holdingAt(place);
        if (earlier === undefined) {
          entered ??= this.#entering(entries);
          for (const message of entered) watcher.entitiesChanged(message);
          if (detailed.length > 0) watcher.detailsChanged(detailed);
        } else if (range === "near" && earlier.range !== "near") {
          poses ??= this.#messages.poses(entries);
          for (const message of poses) watcher.entitiesChanged(message);
        }
      }
    }
  }

  #entering(entries: readonly GridEntry[]): readonly Uint8Array[] {
    const inMotion = entries.filter(({ velocity }) => velocity !== undefined);
    return [...this.#messages.changes([], entries), ...this.#messages.motions(inMotion)];
  }

  #sendDetails(cell: Cell, holdings: readonly Holding[]): void {
    if (cell.detailed.length === 0) return;
    for (const { watcher } of holdings) watcher.detailsChanged(cell.detailed);
  }

  #hasBeat(cell: Cell): boolean {
    return cell.hasBeat(this.#tick, BEAT_TICKS);
  }

  #settle(entry: GridEntry, cell: Cell): void {
    entry.cell = cell;
    cell.entries.add(entry);
    this.#touch(entry);
  }

  #unsettle(entry: GridEntry, cell: Cell): void {
    entry.cell = undefined;
    cell.entries.delete(entry);
    this.#touch(entry);
    // The cell may be empty now.
    this.#list(cell);
  }

  #touch(entry: GridEntry): void {
    if (entry.isTouched) return;
    entry.isTouched = true;
    this.#touched.push(entry);
  }

  #list(cell: Cell): void {
    if (cell.isListed) return;
    cell.isListed = true;
    this.#changed.push(cell);
  }

  /** Returns the cell of a pose, which is new if it had no entities. */
  #cellAt(steps: PoseSteps): Cell {
    const x = this.#stepsRegion(steps, 0);
    const y = this.#stepsRegion(steps, 1);
    const z = this.#stepsRegion(steps, 2);
    const w = this.#stepsRegion(steps, 3);
    let cell = this.#cells.get(x, y, z, w);
    if (cell === undefined) {
      cell = new Cell([x, y, z, w]);
      this.#cells.set(x, y, z, w, cell);
    }
    return cell;
  }

  #isAt(place: Position, steps: PoseSteps): boolean {
    for (let axis = 0; axis < 4; axis++) {
      if (this.#stepsRegion(steps, axis) !== place[axis]) return false;
    }
    return true;
  }

  #stepsRegion(steps: PoseSteps, axis: number): number {
    return this.#regionOfCoordinate((steps[axis] as number) / this.#precision.positionSteps, axis);
  }

  #regionCoordinate(position: Vector, axis: number): number {
    return this.#regionOfCoordinate(position[axis] as number, axis);
  }

  #regionOfCoordinate(coordinate: number, axis: number): number {
    const voxels = (this.#shape.extents[axis] as number) * REGION_EDGE_CHUNKS;
    return Math.floor(coordinate / voxels);
  }
}

/** Decides for each client of a region whether it is near. The client must have the poses of all entities there. */
function updateRange(region: WatchedRegion | undefined): void {
  for (const holding of region?.holdings ?? []) {
    if (holding.range !== "none") holding.range = holding.watcher.rangeOf(holding.region.position);
  }
}

/** Returns what other players see of a player besides the pose. */
export function playerTraits(playerId: bigint, name: string): EntityTraits {
  return { isPlayer: true, id: playerId, entityClass: 0, kind: 0, scale: 1, block: 0, name };
}
