import {
  cellOfVoxel,
  floorDivide,
  PlaceMap,
  TILE_CHUNK_EDGE,
  TILE_CHUNKS,
  type TileChunk,
} from "@orthant/core";
import type { SetTile } from "../message/wire1-command.ts";
import { Repetition } from "./repetition.ts";

/** So often a tile is asked for that nobody shows: then it was refused. */
const TRIES_MAX = 6;

interface OpenTile {
  readonly command: SetTile;
  readonly repetition: Repetition;
}

/** Tiles that a visitor has set and not seen. v1 has no answer but the chunk itself. */
export class OpenTiles {
  readonly #open = new PlaceMap<OpenTile>();

  /** How many there are. */
  get size(): number {
    return this.#open.size;
  }

  /** Sets a tile; what was asked for before at the same place does not count any more. */
  set(command: SetTile): void {
    this.#open.set(command.x, command.y, 0, 0, { command, repetition: new Repetition() });
  }

  /** A chunk came: what it shows is done. */
  settle({ x, y, tiles }: TileChunk): void {
    for (const { command } of [...this.#open.values()]) {
      if (floorDivide(command.x, TILE_CHUNK_EDGE) !== x || floorDivide(command.y, TILE_CHUNK_EDGE) !== y)
        continue;
      const shown = tiles[cellOfVoxel(TILE_CHUNKS, command.x, command.y, 0, 0)];
      if (shown === command.material) this.#open.delete(command.x, command.y, 0, 0);
    }
  }

  /** Some of the commands to send now. */
  due(nowMs: number, countMax: number): readonly SetTile[] {
    const due: SetTile[] = [];
    for (const { command, repetition } of [...this.#open.values()]) {
      if (due.length >= countMax) break;
      if (!repetition.isDue(nowMs)) continue;
      if (repetition.times <= TRIES_MAX) due.push(command);
      else this.#open.delete(command.x, command.y, 0, 0);
    }
    return due;
  }
}
