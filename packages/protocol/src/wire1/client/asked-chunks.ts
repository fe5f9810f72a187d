import { type Position, PositionMap } from "@orthant/core";
import { Repetition } from "./repetition.ts";

/** Chunks that a client wants and lacks. It requests each one until it arrives. */
export class AskedChunks {
  readonly #open = new PositionMap<Repetition>();

  /** Number of missing chunks. */
  get size(): number {
    return this.#open.size;
  }

  /** Requests a chunk. */
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
