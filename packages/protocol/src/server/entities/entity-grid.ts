import type { ChunkShape, Position, Vector } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import { PositionMap, positionFrom, REGION_EDGE_CHUNKS } from "@orthant/core/engine";
import { type EntityDetails, NO_DETAILS, type NumberedEntity, type Pose } from "../../message/entity.ts";
import { ENTITIES_MAX } from "../../message/limits.ts";
import { writeServerMessage } from "../../message/server-frame-codec.ts";
import type { EntityChanges } from "../../message/server-message.ts";
import type { Holding, WatchedRegions } from "../regions/watched-regions.ts";
import { type GridEntity, hasDetails } from "./grid-entity.ts";

/** Everything about an entity except its number and pose. */
export type EntityTraits = Omit<NumberedEntity, "number" | keyof Pose>;

interface GridEntry extends GridEntity {
  cell: Cell | undefined;
  /** Whether the entity is listed among those of its cell that moved since the last tick. */
  isMoved: boolean;
}

/** The entities of one region, and what happened there since the last tick. */
interface Cell {
  readonly place: Position;
  readonly entries: Set<GridEntry>;
  left: GridEntry[];
  entered: GridEntry[];
  moved: GridEntry[];
  /** Entities with new details. */
  detailed: GridEntry[];
  isChanged: boolean;
}

/** All entities by region. Changes in a region are encoded once, and all clients get the same bytes. */
export class EntityGrid {
  readonly #shape: ChunkShape;
  /** Maximum absolute chunk coordinate at which entities may be. */
  readonly #chunkCoordinateMax: number;
  readonly #cells = new PositionMap<Cell>();
  readonly #writer = new ByteWriter();
  #changed: Cell[] = [];
  #lastNumber = 0;

  constructor(shape: ChunkShape, chunkCoordinateMax: number) {
    this.#shape = shape;
    this.#chunkCoordinateMax = chunkCoordinateMax;
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

  /** Adds an entity, whose position must be inside, under a number that was never used before. */
  enter(
    traits: EntityTraits,
    { position, orientation }: Pose,
    details: EntityDetails = NO_DETAILS,
  ): GridEntity {
    const number = ++this.#lastNumber;
    const place = { number, position, orientation, cell: undefined, isMoved: false };
    const entry: GridEntry = { ...traits, ...place, details };
    this.#settle(entry);
    return entry;
  }

  /** Changes the details of an entity. */
  detail(entity: GridEntity, details: EntityDetails): void {
    const entry = entity as GridEntry;
    entry.details = details;
    const { cell } = entry;
    if (cell === undefined) return;
    cell.detailed.push(entry);
    this.#mark(cell);
  }

  /** Returns the region of a present entity. */
  placeOf(entity: GridEntity): Position | undefined {
    return (entity as GridEntry).cell?.place;
  }

  /** Changes the pose of an entity. The position must be inside. */
  move(entity: GridEntity, { position, orientation }: Pose): void {
    const entry = entity as GridEntry;
    entry.position = position;
    entry.orientation = orientation;
    const { cell } = entry;
    if (cell === undefined) return;
    if (!this.#isAt(cell.place, position)) {
      this.#unsettle(entry);
      this.#settle(entry);
    } else if (!entry.isMoved) {
      entry.isMoved = true;
      cell.moved.push(entry);
      this.#mark(cell);
    }
  }

  leave(entity: GridEntity): void {
    this.#unsettle(entity as GridEntry);
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
    const changed = this.#changed;
    this.#changed = [];
    for (const cell of changed) {
      const region = regions.at(cell.place);
      if (region !== undefined) this.#send(cell, region.holdings);
      for (const entry of cell.moved) entry.isMoved = false;
      cell.isChanged = false;
      cell.left = [];
      cell.entered = [];
      cell.moved = [];
      cell.detailed = [];
      if (cell.entries.size === 0) this.#cells.delete(...cell.place);
    }
  }

  #send(cell: Cell, holdings: readonly Holding[]): void {
    // An entity may have entered and left, or left and returned, since the last tick; only its cell counts.
    const entered = new Set(cell.entered.filter((entry) => entry.cell === cell));
    const left = new Set(cell.left.filter((entry) => entry.cell !== cell));
    const moved = cell.moved.filter((entry) => entry.cell === cell && !entered.has(entry));
    for (const message of this.#encode(cell.place, [...left], [...entered], moved)) {
      for (const { watcher } of holdings) watcher.entitiesChanged(message);
    }
    const detailed = new Set(cell.detailed.filter((entry) => entry.cell === cell));
    for (const entry of entered) if (hasDetails(entry)) detailed.add(entry);
    if (detailed.size === 0) return;
    for (const { watcher } of holdings) watcher.detailsChanged(detailed);
  }

  /** Encodes one message, or several if there are more entities than one may list. */
  #encode(
    region: Position,
    left: readonly GridEntry[],
    entered: readonly GridEntry[],
    moved: readonly GridEntry[],
  ): readonly Uint8Array[] {
    const count = Math.max(left.length, entered.length, moved.length);
    const messages: Uint8Array[] = [];
    for (let start = 0; start < count; start += ENTITIES_MAX) {
      const end = start + ENTITIES_MAX;
      const part: EntityChanges = {
        kind: "entities",
        region,
        left: left.slice(start, end).map(({ number }) => number),
        entered: entered.slice(start, end),
        moved: moved.slice(start, end),
      };
      this.#writer.clear();
      writeServerMessage(this.#writer, part, undefined);
      messages.push(this.#writer.copy());
    }
    return messages;
  }

  #settle(entry: GridEntry): void {
    const cell = this.#cellAt(entry.position);
    entry.cell = cell;
    cell.entries.add(entry);
    cell.entered.push(entry);
    this.#mark(cell);
  }

  #unsettle(entry: GridEntry): void {
    const { cell } = entry;
    if (cell === undefined) return;
    entry.cell = undefined;
    cell.entries.delete(entry);
    cell.left.push(entry);
    this.#mark(cell);
  }

  #mark(cell: Cell): void {
    if (cell.isChanged) return;
    cell.isChanged = true;
    this.#changed.push(cell);
  }

  #cellAt(position: Vector): Cell {
    const x = this.#regionCoordinate(position, 0);
    const y = this.#regionCoordinate(position, 1);
    const z = this.#regionCoordinate(position, 2);
    const w = this.#regionCoordinate(position, 3);
    let cell = this.#cells.get(x, y, z, w);
    if (cell === undefined) {
      const place: Position = [x, y, z, w];
      cell = { place, entries: new Set(), left: [], entered: [], moved: [], detailed: [], isChanged: false };
      this.#cells.set(x, y, z, w, cell);
    }
    return cell;
  }

  #isAt(place: Position, position: Vector): boolean {
    for (let axis = 0; axis < 4; axis++) {
      if (this.#regionCoordinate(position, axis) !== place[axis]) return false;
    }
    return true;
  }

  #regionCoordinate(position: Vector, axis: number): number {
    const voxels = (this.#shape.extents[axis] as number) * REGION_EDGE_CHUNKS;
    return Math.floor((position[axis] as number) / voxels);
  }
}

/** Returns what other players see of a player besides the pose. */
export function playerTraits(playerId: bigint, name: string): EntityTraits {
  return { isPlayer: true, id: playerId, entityClass: 0, kind: 0, scale: 1, block: 0, name };
}
