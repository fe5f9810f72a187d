import { type Box, boxesIntersect, unionBox } from "./box.ts";
import { AXES, type Axis } from "./position.ts";

/** Something that occupies a box. */
interface Placed {
  readonly box: Box;
}

/** Boxes that are searched one by one. */
const LEAF_ITEMS = 4;

interface SearchNode<Item> {
  readonly bounds: Box;
  /** Present in a leaf. */
  readonly items?: readonly Item[];
  readonly low?: SearchNode<Item>;
  readonly high?: SearchNode<Item>;
}

/** Finds which of many boxes contain a position or touch another box, without looking at all of them. Immutable. */
export class BoxSearch<Item extends Placed> {
  readonly #root: SearchNode<Item> | undefined;

  constructor(items: readonly Item[]) {
    this.#root = items.length === 0 ? undefined : nodeOf(items);
  }

  /** Returns the first item found at a position; `undefined` if there is none. */
  at(x: number, y: number, z: number, w: number): Item | undefined {
    return this.#root && findIn(this.#root, x, y, z, w);
  }

  /** Yields the items that intersect a box. */
  *touching(box: Box): Generator<Item, void, undefined> {
    const pending = this.#root === undefined ? [] : [this.#root];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (!boxesIntersect(node.bounds, box)) continue;
      for (const item of node.items ?? []) if (boxesIntersect(item.box, box)) yield item;
      if (node.low !== undefined) pending.push(node.low);
      if (node.high !== undefined) pending.push(node.high);
    }
  }
}

/** Cuts the items in halves of equal size, along the axis on which they lie farthest apart. */
function nodeOf<Item extends Placed>(items: readonly Item[]): SearchNode<Item> {
  const bounds = items.map(({ box }) => box).reduce(unionBox);
  if (items.length <= LEAF_ITEMS) return { bounds, items };
  const axis = longestAxis(bounds);
  const sorted = [...items].sort((a, b) => a.box.min[axis] - b.box.min[axis]);
  const middle = sorted.length >> 1;
  return { bounds, low: nodeOf(sorted.slice(0, middle)), high: nodeOf(sorted.slice(middle)) };
}

function longestAxis({ min, max }: Box): Axis {
  return AXES.reduce<Axis>(
    (longest, axis) => (max[axis] - min[axis] > max[longest] - min[longest] ? axis : longest),
    0,
  );
}

function findIn<Item extends Placed>(
  node: SearchNode<Item>,
  x: number,
  y: number,
  z: number,
  w: number,
): Item | undefined {
  if (!isInside(node.bounds, x, y, z, w)) return undefined;
  if (node.items !== undefined) return node.items.find(({ box }) => isInside(box, x, y, z, w));
  const low = node.low && findIn(node.low, x, y, z, w);
  return low ?? (node.high && findIn(node.high, x, y, z, w));
}

/** Like `boxContains`, without a position to allocate. */
function isInside({ min, max }: Box, x: number, y: number, z: number, w: number): boolean {
  return (
    x >= min[0] &&
    x < max[0] &&
    y >= min[1] &&
    y < max[1] &&
    z >= min[2] &&
    z < max[2] &&
    w >= min[3] &&
    w < max[3]
  );
}
