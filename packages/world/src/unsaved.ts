import { type Box, type Place, PlaceMap, PlaceSet } from "@orthant/core";
import { cellKey } from "./cell-key.ts";

/** What differs from the last save. */
export class Unsaved {
  /** Chunks that changed. */
  readonly chunks: PlaceSet = new PlaceSet();
  /** Regions with new clocks. */
  readonly clocks: PlaceMap<number> = new PlaceMap();
  /** Players that changed, by id. */
  readonly players: Set<bigint> = new Set();
  /** Whether name, spawn, epoch or anything else about the world as a whole changed. */
  global = false;
  /** Whether there are entities without a leaf. */
  homeless = false;
  readonly #entityCells = new Map<string, Box>();

  /** Cells of leaves whose entities changed. */
  get entityCells(): Iterable<Box> {
    return this.#entityCells.values();
  }

  /** Whether nothing differs. */
  get isEmpty(): boolean {
    const counted = this.players.size + this.chunks.size + this.clocks.size + this.#entityCells.size;
    return counted === 0 && !this.global && !this.homeless;
  }

  /** Notes that the entities stored in a cell changed. */
  addEntityCell(cell: Box): void {
    this.#entityCells.set(cellKey(cell), cell);
  }

  /** Notes a chunk that changed. */
  addChunk(place: Place): void {
    this.chunks.add(...place);
  }
}
