import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  emptyChunk,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { subtractBox } from "@orthant/core/internal";
import { boxBetween, boxContains } from "@orthant/core/lattice";
import { type Content, contentEquals, type OverrideTree } from "@orthant/core/tree";
import type { Prng } from "@orthant/testkit";

const VOLUME = 16;

/** Contents for random edits: air, two uniform blocks, and two mixed chunks. */
const CONTENTS: readonly Chunk[] = [
  emptyChunk(VOLUME),
  uniformChunk(VOLUME, 1),
  uniformChunk(VOLUME, 2),
  chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, index) => index % 2)),
  chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, index) => index % 3)),
];

/** A tree and a flat model that undergo the same edits. */
export class TreeAndModel {
  readonly #arena: Box;
  readonly #prng: Prng;
  #tree: OverrideTree;
  #model = new FlatModel();
  /** An earlier state, for grafts, merges and differences. */
  #earlier: { tree: OverrideTree; model: FlatModel };

  constructor(untouched: OverrideTree, arena: Box, prng: Prng) {
    this.#tree = untouched;
    this.#arena = arena;
    this.#prng = prng;
    this.#earlier = { tree: untouched, model: new FlatModel() };
  }

  /** Applies one random edit to both. Describes how they then differ, if they do. */
  step(): string | undefined {
    if (this.#prng.chance(0.05)) this.#earlier = { tree: this.#tree, model: this.#model.copy() };
    const edit = this.#edit();
    return this.#compare(edit);
  }

  /** Rebuilds the tree from the model, chunk by chunk in random order. Describes the difference, if any. */
  rebuild(untouched: OverrideTree): string | undefined {
    const entries = [...this.#model.entries()];
    let rebuilt = untouched;
    while (entries.length > 0) {
      const [[position, content] = [[0, 0, 0, 0] as const, undefined]] = entries.splice(
        this.#prng.below(entries.length),
        1,
      );
      if (content !== undefined) rebuilt = rebuilt.set(position, content as Chunk);
    }
    return rebuilt.equals(this.#tree) && this.#tree.equals(rebuilt)
      ? undefined
      : "rebuilt in another order, it has another shape";
  }

  #edit(): string {
    const box = this.#randomBox();
    const content = this.#prng.pick(CONTENTS);
    switch (this.#prng.below(8)) {
      case 0:
      case 1:
      case 2: {
        const position = box.min;
        this.#tree = this.#tree.set(position, content);
        this.#model.fill(boxBetween(position, after(position)), content);
        return `set ${position}`;
      }
      case 3: {
        const spread = this.#prng.pick(CONTENTS.slice(0, 3));
        this.#tree = this.#tree.fill(box, spread);
        this.#model.fill(box, spread);
        return `fill ${describe(box)} with ${spread.uniformBlock}`;
      }
      case 4:
        this.#tree = this.#tree.carve(box);
        this.#model.fill(box, undefined);
        return `carve ${describe(box)}`;
      case 5:
        // Slicing is rare, because it empties most of the arena.
        if (!this.#prng.chance(0.2)) return "nothing";
        this.#tree = this.#tree.slice(box);
        this.#model.slice(box);
        return `slice ${describe(box)}`;
      case 6:
        this.#tree = this.#tree.graft(box, this.#earlier.tree);
        this.#model.graft(box, this.#earlier.model);
        return `graft ${describe(box)}`;
      default:
        this.#tree = this.#tree.merge(this.#earlier.tree);
        this.#model.merge(this.#earlier.model);
        return "merge";
    }
  }

  #compare(edit: string): string | undefined {
    for (const [x, y, z, w] of positionsIn(this.#arena)) {
      const ours = this.#tree.at(x, y, z, w);
      const expected = this.#model.at(x, y, z, w);
      if (!same(ours, expected)) return `after ${edit}: [${x},${y},${z},${w}] differs from the flat model`;
    }
    return this.#prng.chance(0.1) ? this.#compareDifferences(edit) : undefined;
  }

  #compareDifferences(edit: string): string | undefined {
    const differences = [...this.#earlier.tree.differences(this.#tree)];
    for (const [index, a] of differences.entries()) {
      for (const b of differences.slice(index + 1)) {
        if (subtractBox(a.box, b.box)[0] !== a.box) return `after ${edit}: two differences overlap`;
      }
    }
    for (const position of positionsIn(this.#arena)) {
      const before = this.#earlier.model.at(...position);
      const now = this.#model.at(...position);
      const found = differences.filter(({ box }) => boxContains(box, position));
      if (found.length !== (same(before, now) ? 0 : 1))
        return `after ${edit}: ${found.length} differences at ${position}`;
      const [difference] = found;
      if (difference !== undefined && !(same(difference.before, before) && same(difference.after, now))) {
        return `after ${edit}: a wrong difference at ${position}`;
      }
    }
    return undefined;
  }

  #randomBox(): Box {
    const { min, max } = this.#arena;
    const sides = ([0, 1, 2, 3] as const).map((axis) => {
      const low = this.#prng.between(min[axis], max[axis] - 1);
      return [low, this.#prng.between(low + 1, max[axis])] as const;
    });
    const [x, y, z, w] = sides as [Side, Side, Side, Side];
    return boxBetween([x[0], y[0], z[0], w[0]], [x[1], y[1], z[1], w[1]]);
  }
}

type Side = readonly [low: number, high: number];

function same(a: Content | undefined, b: Content | undefined): boolean {
  return a === undefined || b === undefined ? a === b : contentEquals(a, b);
}

function after([x, y, z, w]: Position): Position {
  return [x + 1, y + 1, z + 1, w + 1];
}

function describe({ min, max }: Box): string {
  return `[${min}] to [${max}]`;
}

function* positionsIn({ min, max }: Box): Generator<Position> {
  for (let w = min[3]; w < max[3]; w++) {
    for (let z = min[2]; z < max[2]; z++) {
      for (let y = min[1]; y < max[1]; y++) {
        for (let x = min[0]; x < max[0]; x++) yield [x, y, z, w];
      }
    }
  }
}

/** The simplest model of a world of chunks: a map from a position, as text, to its content. */
class FlatModel {
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
