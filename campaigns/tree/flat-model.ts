import type { Box, Content } from "@orthant/core";

/** The simplest model of a world of chunks: a map from a position, as text, to its content. */
export class FlatModel {
  readonly #chunks = new Map<string, Content>();

  at(x: number, y: number, z: number, w: number): Content | undefined {
    return this.#chunks.get(`${x},${y},${z},${w}`);
  }

  /** Sets the content of every position in a box; `undefined` removes it. */
  fill(box: Box, content: Content | undefined): void {
    for (const key of keysOf(box)) {
      if (content === undefined) this.#chunks.delete(key);
      else this.#chunks.set(key, content);
    }
  }

  /** Removes everything outside a box. */
  slice(box: Box): void {
    const inside = new Set(keysOf(box));
    for (const key of [...this.#chunks.keys()]) if (!inside.has(key)) this.#chunks.delete(key);
  }

  /** Copies a box from another model, including its gaps. */
  graft(box: Box, source: FlatModel): void {
    for (const key of keysOf(box)) {
      const content = source.#chunks.get(key);
      if (content === undefined) this.#chunks.delete(key);
      else this.#chunks.set(key, content);
    }
  }

  /** Copies everything from another model, but not its gaps. */
  merge(over: FlatModel): void {
    for (const [key, content] of over.#chunks) this.#chunks.set(key, content);
  }

  copy(): FlatModel {
    const copy = new FlatModel();
    for (const [key, content] of this.#chunks) copy.#chunks.set(key, content);
    return copy;
  }

  /** Yields all chunks, in any order. */
  *entries(): Generator<readonly [position: [number, number, number, number], content: Content]> {
    for (const [key, content] of this.#chunks) {
      const [x = 0, y = 0, z = 0, w = 0] = key.split(",").map(Number);
      yield [[x, y, z, w], content];
    }
  }
}

function* keysOf({ min, max }: Box): Generator<string> {
  for (let x = min[0]; x < max[0]; x++) {
    for (let y = min[1]; y < max[1]; y++) {
      for (let z = min[2]; z < max[2]; z++) {
        for (let w = min[3]; w < max[3]; w++) yield `${x},${y},${z},${w}`;
      }
    }
  }
}
