import { type Box, type Position, PositionMap, PositionSet } from "@orthant/core";
import { cellKey } from "./cell-key.ts";

/** The differences from the last save. */
export class Unsaved {
  /** Chunks that changed. */
  readonly chunks: PositionSet = new PositionSet();
  /** Regions with new clocks. */
  readonly clocks: PositionMap<number> = new PositionMap();
  /** Ids of players that changed. */
  readonly players: Set<bigint> = new Set();
  /** Whether the name, spawn, epoch or anything else about the world as a whole changed. */
  global = false;
  /** Whether there are entities that no leaf stores. */
  homeless = false;
  readonly #entityCells = new Map<string, Box>();

  /** Cells of leaves whose entities changed. */
  get entityCells(): Iterable<Box> {
    return this.#entityCells.values();
  }

  /** Whether there are no differences. */
  get isEmpty(): boolean {
    const counted = this.players.size + this.chunks.size + this.clocks.size + this.#entityCells.size;
    return counted === 0 && !this.global && !this.homeless;
  }

  /** Records that the entities stored in a cell changed. */
  addEntityCell(cell: Box): void {
    this.#entityCells.set(cellKey(cell), cell);
  }

  /** Records that a chunk changed. */
  addChunk(position: Position): void {
    this.chunks.add(...position);
  }
}
