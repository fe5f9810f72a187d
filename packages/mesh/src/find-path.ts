import type { Dimensions, Position } from "@orthant/core";
import { callback, choiceOf, fieldsOf, requireObject, whole } from "@orthant/core/arguments";
import type { BlockBox } from "@orthant/core/chunk";
import { PositionMap } from "@orthant/core/lattice";
import { UP } from "./box-sweep.ts";
import type { MoveOptions } from "./move-box.ts";
import { type PointLike, requirePlace, requireSource, type VoxelReader } from "./voxel-reader.ts";

/** How a walker gets along. */
export interface PathOptions extends Omit<MoveOptions, "stepHeight"> {
  /** The voxels that it takes above the ground. Default: 2. */
  readonly height?: number;
  /** The voxels that it may fall. Default: 3. */
  readonly fall?: number;
  /** The voxels that it climbs. Default: 1. */
  readonly climb?: number;
  /** Whether it can also stand in a block: it swims. Default: in none. */
  readonly isLiquid?: (block: number) => boolean;
  /** Voxels to look at: what the search may cost. Default: 2,000. */
  readonly visits?: number;
}

/** A way to walk. */
export interface Path<D extends Dimensions> {
  /** The voxels of the feet, from the one after the start. Empty if there is nothing nearer than the start. */
  readonly steps: readonly Position<D>[];
  /** Whether it ends at the goal, and not only as near as the search has come. */
  readonly isComplete: boolean;
}

const pathOptions = fieldsOf<PathOptions>({
  isSolid: callback,
  unloaded: choiceOf("solid", "air"),
  isLiquid: callback,
  height: whole(1, 16),
  fall: whole(0, 64),
  climb: whole(0, 16),
  visits: whole(1, 100_000),
});

/** A voxel that the search has reached. */
interface Reached {
  readonly voxel: readonly number[];
  readonly before: Reached | undefined;
  /** The steps from the start. */
  readonly length: number;
  /** The least number of steps to the goal. */
  readonly left: number;
}

/**
 * Finds a way from one place to another: a step along one axis at a time, up by `climb` voxels at most and down by `fall`. The
 * walker needs `height` voxels of space, and ground or a liquid; on blocks with shapes it stands and passes where their boxes let it. Costs at most `visits`, which a system of a simulation
 * can afford in a step; the result is the same everywhere.
 *
 * @example
 * const { steps } = findPath(step.world, wolf.position, player.position);
 * const [next] = steps; // walk there with moveBody
 */
export function findPath<D extends Dimensions>(
  world: VoxelReader<D>,
  from: PointLike<D>,
  to: PointLike<D>,
  options: PathOptions = {},
): Path<D> {
  requireSource(world, "voxelAt", 4);
  requireObject("options", options, "it is an object such as { height: 2 }");
  const { dimensions } = world;
  const start = requirePlace("from", from, dimensions).map(Math.floor);
  const goal = requirePlace("to", to, dimensions).map(Math.floor);
  const { visits = 2_000, ...own } = pathOptions("options", options);
  const walker = new Walker(world, own);
  const open = new Frontier();
  const known = new PositionMap<number>();
  let nearest: Reached = { voxel: start, before: undefined, length: 0, left: distance(start, goal) };
  open.add(nearest);
  note(known, nearest);
  for (let visit = 0; visit < visits; visit++) {
    const reached = open.take();
    if (reached === undefined) break;
    if (reached.left < nearest.left) nearest = reached;
    if (reached.left === 0) break;
    for (const voxel of walker.stepsFrom(reached.voxel)) {
      const next = { voxel, before: reached, length: reached.length + 1, left: distance(voxel, goal) };
      if (note(known, next)) open.add(next);
    }
  }
  const steps: Position<D>[] = [];
  for (let at = nearest; at.before !== undefined; at = at.before)
    steps.unshift(at.voxel as unknown as Position<D>);
  return { steps, isComplete: nearest.left === 0 };
}

/** Notes a voxel that was reached. Returns false if it was reached as quickly before. */
function note(known: PositionMap<number>, { voxel, length }: Reached): boolean {
  const [x = 0, y = 0, z = 0, w = 0] = voxel;
  const before = known.get(x, y, z, w);
  if (before !== undefined && before <= length) return false;
  known.set(x, y, z, w, length);
  return true;
}

/** Returns the least number of steps, which lead along one axis each: up and down come for nothing. */
function distance(one: readonly number[], other: readonly number[]): number {
  const flat = one.reduce(
    (sum, at, axis) => (axis === UP ? sum : sum + Math.abs(at - (other[axis] ?? 0))),
    0,
  );
  // Right above or below the goal is not there.
  return flat === 0 && one[UP] !== other[UP] ? 1 : flat;
}

/** Says where a walker can stand and go. */
class Walker<D extends Dimensions> {
  readonly #world: VoxelReader<D>;
  readonly #options: Omit<PathOptions, "visits">;

  constructor(world: VoxelReader<D>, options: Omit<PathOptions, "visits">) {
    this.#world = world;
    this.#options = options;
  }

  /** Yields the voxels that one step leads to. */
  *stepsFrom(voxel: readonly number[]): Generator<readonly number[]> {
    const { fall = 3, climb = 1, height = 2 } = this.#options;
    const { hasShapes } = this.#world.blocks;
    const feet = (voxel[UP] as number) + (this.#groundIn(voxel) ?? 0);
    for (const axis of voxel.keys()) {
      if (axis === UP) continue;
      for (const direction of [-1, 1]) {
        const beside = voxel.map((at, along) => (along === axis ? at + direction : at));
        for (let rise = climb; rise >= -fall; rise--) {
          const there = lifted(beside, rise);
          const ground = this.#groundIn(there);
          if (ground === undefined) continue;
          const to = (there[UP] as number) + ground;
          if (to > feet + climb || to < feet - fall) continue;
          // Up above its place if it climbs, across at the height of the upper one, and down if it falls.
          const upper = Math.max(feet, to);
          const isFree =
            this.#hasSpace(there, to, upper) &&
            this.#hasSpace(there, upper, upper + height, axis, -direction) &&
            this.#hasSpace(voxel, feet + height, upper + height) &&
            // Where it stands it has space, but what is beside it there may be in its way.
            (!hasShapes || this.#hasSpace(voxel, upper, upper + height, axis, direction));
          if (!isFree) continue;
          yield there;
          break;
        }
      }
    }
  }

  /** Whether a walker fits between two heights in the column of a voxel, and up to one of the column's sides. */
  #hasSpace(voxel: readonly number[], low: number, high: number, axis = -1, side = 0): boolean {
    const at = [...voxel];
    for (let y = Math.floor(low); y < high; y++) {
      at[UP] = y;
      const boxes = this.#boxesAt(at);
      if (boxes === undefined) return false;
      for (const box of boxes)
        if (y + bottomOf(box) < high && y + topOf(box) > low && isInWay(box, voxel.length, axis, side))
          return false;
    }
    return true;
  }

  /** Returns how high the ground is in a voxel, from 0 to less than 1; `undefined` if a walker cannot stand there. */
  #groundIn(voxel: readonly number[]): number | undefined {
    const boxes = this.#boxesAt(voxel);
    if (boxes === undefined) return undefined;
    const top = topInWay(boxes, voxel.length);
    if (top > 0) return top < 1 ? top : undefined;
    const block = this.#blockAt(voxel);
    if (block !== undefined && this.#options.isLiquid?.(block) === true) return 0;
    const below = this.#boxesAt(lifted(voxel, -1));
    return below === undefined || topInWay(below, voxel.length) === 1 ? 0 : undefined;
  }

  /** Returns the boxes that stop a walker in a voxel; `undefined` if all of it does. */
  #boxesAt(voxel: readonly number[]): readonly BlockBox[] | undefined {
    const { blocks } = this.#world;
    const { isSolid = (block: number) => blocks.isSolid(block), unloaded } = this.#options;
    const block = this.#blockAt(voxel);
    if (block === undefined) return unloaded === "air" ? NO_BOXES : undefined;
    return isSolid(block) ? blocks.boxesOf(block) : NO_BOXES;
  }

  #blockAt(voxel: readonly number[]): number | undefined {
    return this.#world.voxelAt(voxel as unknown as Position<D>);
  }
}

const NO_BOXES: readonly BlockBox[] = [];
/** Between its sides a walker is this far from those of its voxel, so that it passes a door that is open. */
const [WALKER_LOW, WALKER_HIGH] = [0.2, 0.8];

function bottomOf([min]: BlockBox): number {
  return min[UP] as number;
}

function topOf([, max]: BlockBox): number {
  return max[UP] as number;
}

/** Returns how high the boxes in the middle of a voxel reach; 0 without any. */
function topInWay(boxes: readonly BlockBox[], dimensions: number): number {
  return boxes.reduce((top, box) => (isInWay(box, dimensions) ? Math.max(top, topOf(box)) : top), 0);
}

/** Whether a box is in the way in the middle of its voxel, or between there and a side. */
function isInWay([min, max]: BlockBox, dimensions: number, axis = -1, side = 0): boolean {
  for (let along = 0; along < dimensions; along++) {
    if (along === UP) continue;
    const low = along === axis && side < 0 ? 0 : WALKER_LOW;
    const high = along === axis && side > 0 ? 1 : WALKER_HIGH;
    if ((min[along] as number) >= high || (max[along] as number) <= low) return false;
  }
  return true;
}

function lifted(voxel: readonly number[], rise: number): readonly number[] {
  return voxel.map((at, axis) => (axis === UP ? at + rise : at));
}

/** A voxel that the search has reached, and when. */
interface Waiting {
  readonly reached: Reached;
  readonly order: number;
}

/** What was reached and not left yet, the shortest whole way first; of equal ones that which is nearer to the goal, then the older. */
class Frontier {
  readonly #heap: Waiting[] = [];
  #count = 0;

  add(reached: Reached): void {
    const heap = this.#heap;
    heap.push({ reached, order: this.#count++ });
    for (let at = heap.length - 1; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  take(): Reached | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (heap.length === 0) return first.reached;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < heap.length && this.#isBefore(below, least)) least = below;
      if (least === at) return first.reached;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [{ reached: a, order: first }, { reached: b, order: second }] = [this.#at(one), this.#at(other)];
    const whole = a.length + a.left - b.length - b.left;
    return (whole || a.left - b.left || first - second) < 0;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#at(one), this.#at(other)];
    this.#heap[one] = b;
    this.#heap[other] = a;
  }

  #at(place: number): Waiting {
    return this.#heap[place] as Waiting;
  }
}
