import { type Position, TILE_CHUNKS } from "@orthant/core";
import { TILE_CHUNK_EDGE, type TileChunk } from "@orthant/core/chunk";
import { floorDivide, PositionMap, voxelIndex } from "@orthant/core/lattice";
import type { SetTile } from "../message/wire1-command.ts";

/** Time between the first and the second attempt; it doubles after each. */
const REPEAT_MS_MIN = 250;
/** Maximum time between two attempts. */
const REPEAT_MS_MAX = 4_000;

/** Schedules the repetition of an unanswered message. */
class Repetition {
  #times = 0;
  #dueMs = Number.NEGATIVE_INFINITY;

  get times(): number {
    return this.#times;
  }

  /** Returns true, and counts an attempt, when one is due. */
  isDue(nowMs: number): boolean {
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** this.#times++);
    return true;
  }
}

/** Chunks that a client wants and lacks. It requests each one until it arrives. */
export class AskedChunks {
  readonly #open = new PositionMap<Repetition>();

  /** Number of missing chunks. */
  get size(): number {
    return this.#open.size;
  }

  ask(x: number, y: number): void {
    this.#open.set(x, y, 0, 0, new Repetition());
  }

  /** Removes a chunk that has arrived or is no longer wanted. */
  settle(x: number, y: number): void {
    this.#open.delete(x, y, 0, 0);
  }

  /** Returns at most `countMax` chunks to request now. */
  due(nowMs: number, countMax: number): readonly Position[] {
    const due: Position[] = [];
    for (const [position, repetition] of this.#open) {
      if (due.length >= countMax) break;
      if (repetition.isDue(nowMs)) due.push(position);
    }
    return due;
  }
}

/** Number of requests for a tile after which it counts as refused. */
const TRIES_MAX = 6;

interface OpenTile {
  readonly command: SetTile;
  readonly repetition: Repetition;
}

/** Tiles that a client has set but not seen yet. In Wire v1 the chunk itself is the only answer. */
export class OpenTiles {
  readonly #open = new PositionMap<OpenTile>();

  get size(): number {
    return this.#open.size;
  }

  /** Sets a tile. Replaces an earlier request at the same position. */
  set(command: SetTile): void {
    this.#open.set(command.x, command.y, 0, 0, { command, repetition: new Repetition() });
  }

  /** Removes the tiles that an arrived chunk shows as requested. */
  settle({ x, y, tiles }: TileChunk): void {
    for (const { command } of [...this.#open.values()]) {
      if (floorDivide(command.x, TILE_CHUNK_EDGE) !== x || floorDivide(command.y, TILE_CHUNK_EDGE) !== y)
        continue;
      const shown = tiles[voxelIndex(TILE_CHUNKS, command.x, command.y, 0, 0)];
      if (shown === command.material) this.#open.delete(command.x, command.y, 0, 0);
    }
  }

  /** Returns at most `countMax` commands to send now. */
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
