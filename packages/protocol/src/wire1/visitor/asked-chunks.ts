import { type Place, PlaceMap } from "@orthant/core";
import { Repetition } from "./repetition.ts";

/** Chunks that a visitor wants and has not got. Each is asked for until it comes. */
export class AskedChunks {
  readonly #open = new PlaceMap<Repetition>();

  /** How many are missing. */
  get size(): number {
    return this.#open.size;
  }

  /** Wants a chunk. */
  ask(x: number, y: number): void {
    this.#open.set(x, y, 0, 0, new Repetition());
  }

  /** It came, or is not wanted any more. */
  settle(x: number, y: number): void {
    this.#open.delete(x, y, 0, 0);
  }

  /** Some of the chunks to ask for now. */
  due(nowMs: number, countMax: number): readonly Place[] {
    const due: Place[] = [];
    for (const [place, repetition] of this.#open) {
      if (due.length >= countMax) break;
      if (repetition.isDue(nowMs)) due.push(place);
    }
    return due;
  }
}
