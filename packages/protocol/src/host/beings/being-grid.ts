import {
  ByteWriter,
  type ChunkShape,
  type Position,
  PositionMap,
  positionFrom,
  REGION_EDGE_CHUNKS,
} from "@orthant/core";
import type { Being, Pose, Vector } from "../../message/being.ts";
import { BEINGS_MAX } from "../../message/limits.ts";
import { writeServerMessage } from "../../message/server-frame-codec.ts";
import type { Beings } from "../../message/server-message.ts";
import type { Holding } from "../regions/holding.ts";
import type { WatchedRegions } from "../regions/watched-regions.ts";

/** A present entity or player. Only the grid changes it. */
export interface LiveBeing extends Being {
  position: Vector;
  orientation: Vector;
}

/** Everything about an entity except its number and pose. */
export type BeingTraits = Omit<Being, "number" | keyof Pose>;

interface Resident extends LiveBeing {
  cell: Cell | undefined;
  /** Whether the entity is listed among those of its cell that moved since the last tick. */
  isMoved: boolean;
}

/** The entities of one region, and what happened there since the last tick. */
interface Cell {
  readonly place: Position;
  readonly residents: Set<Resident>;
  left: Resident[];
  entered: Resident[];
  moved: Resident[];
  isChanged: boolean;
}

/** All entities by region. Changes in a region are encoded once, and all clients get the same bytes. */
export class BeingGrid {
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

  /** Returns true when a position is in the accessible part of the world. */
  isInside(position: Vector): boolean {
    for (let axis = 0; axis < 4; axis++) {
      const chunk = Math.floor((position[axis] as number) / (this.#shape.extents[axis] as number));
      // Written so that NaN is outside.
      if (!(Math.abs(chunk) <= this.#chunkCoordinateMax)) return false;
    }
    return true;
  }

  /** Returns the region of a position, which must be inside. */
  regionOf(position: Vector): Position {
    return positionFrom((axis) => this.#regionCoordinate(position, axis));
  }

  /** Adds an entity, whose position must be inside, under a number that was never used before. */
  enter(traits: BeingTraits, { position, orientation }: Pose): LiveBeing {
    const number = ++this.#lastNumber;
    const resident: Resident = { ...traits, number, position, orientation, cell: undefined, isMoved: false };
    this.#settle(resident);
    return resident;
  }

  /** Changes the pose of an entity. The position must be inside. */
  move(being: LiveBeing, { position, orientation }: Pose): void {
    const resident = being as Resident;
    resident.position = position;
    resident.orientation = orientation;
    const { cell } = resident;
    if (cell === undefined) return;
    if (!this.#isAt(cell.place, position)) {
      this.#unsettle(resident);
      this.#settle(resident);
    } else if (!resident.isMoved) {
      resident.isMoved = true;
      cell.moved.push(resident);
      this.#mark(cell);
    }
  }

  /** Removes an entity. */
  leave(being: LiveBeing): void {
    this.#unsettle(being as Resident);
  }

  /** Appends the entities of a region to `beings`. */
  collect(x: number, y: number, z: number, w: number, beings: Being[]): void {
    const cell = this.#cells.get(x, y, z, w);
    if (cell === undefined) return;
    // One by one, because there may be more than a call accepts arguments.
    for (const resident of cell.residents) beings.push(resident);
  }

  /** Sends the changes in each region since the last call to the clients that watch it. */
  takeChanges(regions: WatchedRegions): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const cell of changed) {
      const region = regions.at(cell.place);
      if (region !== undefined) this.#tell(cell, region.holdings);
      for (const resident of cell.moved) resident.isMoved = false;
      cell.isChanged = false;
      cell.left = [];
      cell.entered = [];
      cell.moved = [];
      if (cell.residents.size === 0) this.#cells.delete(...cell.place);
    }
  }

  #tell(cell: Cell, holdings: readonly Holding[]): void {
    // An entity may have entered and left, or left and returned, since the last tick; only its cell counts.
    const entered = new Set(cell.entered.filter((resident) => resident.cell === cell));
    const left = new Set(cell.left.filter((resident) => resident.cell !== cell));
    const moved = cell.moved.filter((resident) => resident.cell === cell && !entered.has(resident));
    for (const message of this.#encode(cell.place, [...left], [...entered], moved)) {
      for (const { watcher } of holdings) watcher.beingsChanged(message);
    }
  }

  /** Encodes one message, or several if there are more entities than one may list. */
  #encode(
    region: Position,
    left: readonly Resident[],
    entered: readonly Resident[],
    moved: readonly Resident[],
  ): readonly Uint8Array[] {
    const count = Math.max(left.length, entered.length, moved.length);
    const messages: Uint8Array[] = [];
    for (let start = 0; start < count; start += BEINGS_MAX) {
      const end = start + BEINGS_MAX;
      const part: Beings = {
        kind: "beings",
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

  #settle(resident: Resident): void {
    const cell = this.#cellAt(resident.position);
    resident.cell = cell;
    cell.residents.add(resident);
    cell.entered.push(resident);
    this.#mark(cell);
  }

  #unsettle(resident: Resident): void {
    const { cell } = resident;
    if (cell === undefined) return;
    resident.cell = undefined;
    cell.residents.delete(resident);
    cell.left.push(resident);
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
      cell = { place, residents: new Set(), left: [], entered: [], moved: [], isChanged: false };
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
