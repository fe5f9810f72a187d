import type { BlockDefinitions, Dimensions, Position, VoxelBox } from "@orthant/core";
import type { AxisName, Mask, Operation, Pattern, Plane, Selection } from "@orthant/core/operations";
import type { Prng } from "@orthant/testkit";

/** The blocks of the worlds of a campaign, besides air. */
export const BLOCKS = {
  stone: { colour: 0x888888, tags: ["rock"] },
  gravel: { colour: 0x777777, tags: ["rock", "loose"] },
  pond: { colour: 0x2244ff, solid: false },
  log: { colour: 0x664422, properties: { axis: ["x", "y", "z", "w"] } },
  stairs: {
    colour: 0x998877,
    properties: { facing: ["north", "east", "south", "west"], half: ["bottom", "top"] },
  },
} as const satisfies BlockDefinitions;

const NAMES = ["air", ...Object.keys(BLOCKS)];
const AXES: readonly AxisName[] = ["x", "y", "z", "w"];
/** Coordinates of the lowest corners, from minus this. */
const REACH = 8;
/** The edge of a chunk. */
export const CHUNK_EDGE = 4;

/** A random operation, and a box that contains everything that it changes. */
export interface SmallOperation {
  readonly operation: Operation;
  readonly box: VoxelBox;
}

/** An operation that depends on voxels beside its own, and where these are. */
export interface DependentOperation extends SmallOperation {
  readonly depends: VoxelBox;
}

/** Makes operations on few voxels near the origin, whose every part a plain model knows. */
export class SmallOperations {
  readonly #prng: Prng;
  readonly #dimensions: Dimensions;
  readonly #sizeMax: number;
  readonly #moveMax: number;
  readonly #stepMax: number;
  #min: readonly number[] = [];
  #size: readonly number[] = [];

  constructor(prng: Prng, dimensions: Dimensions) {
    this.#prng = prng;
    this.#dimensions = dimensions;
    // A box of four dimensions soon has many voxels.
    this.#sizeMax = dimensions === 4 ? 3 : 6;
    this.#moveMax = dimensions === 4 ? 2 : 4;
    this.#stepMax = dimensions === 4 ? 1 : 2;
  }

  /** Returns another one. */
  next(): SmallOperation {
    const prng = this.#prng;
    this.#min = this.#list(() => prng.between(-REACH, REACH));
    this.#size = this.#list(() => prng.between(1, this.#sizeMax));
    const kind = prng.pick(this.#kinds)();
    return { ...kind, operation: kind.operation };
  }

  /** Returns one of which every voxel depends on others: on those below, in other chunks, or on all that are connected. */
  nextDependent(): DependentOperation {
    const prng = this.#prng;
    this.#min = this.#list(() => CHUNK_EDGE * prng.between(-2, 1));
    this.#size = this.#list(() => (this.#dimensions === 4 ? CHUNK_EDGE + 2 : 2 * CHUNK_EDGE));
    const pattern: Pattern = { block: prng.pick(["gravel", "log"]) };
    if (prng.chance(0.5)) {
      this.#size = this.#size.map((size, axis) => (axis === 1 ? 1 : 2 * size));
      const box = this.#box;
      const below = { ...box, min: moved(box.min, 1, -1), max: moved(box.max, 1, -1) };
      return {
        operation: { replace: { above: { block: "stone" } }, with: pattern, in: box },
        box,
        depends: below,
      };
    }
    const box = this.#box;
    const through: Mask = { all: [{ not: { block: "stone" } }, { inside: box }] };
    const connected: Selection = { connected: this.#place(), through, limit: 5_000 };
    return { operation: { set: pattern, in: { intersection: [box, connected] } }, box, depends: box };
  }

  readonly #kinds: readonly (() => SmallOperation)[] = [
    () => this.#inPlace({ set: this.#pattern() }),
    () => this.#inPlace({ set: this.#pattern() }),
    () => this.#inPlace({ replace: this.#mask(2), with: this.#pattern() }),
    () => this.#inPlace({ replace: this.#mask(2), with: this.#pattern() }),
    () => this.#inPlace({ drain: this.#mask(1) }),
    () => this.#inPlace({ outline: this.#pattern(), thickness: this.#prng.between(1, 2) }),
    () => this.#inPlace({ walls: this.#pattern(), thickness: this.#prng.between(1, 2) }),
    () => this.#inPlace({ hollow: this.#pattern(), thickness: this.#prng.between(1, 2) }),
    () => this.#inPlace({ overlay: this.#pattern(), depth: this.#prng.between(1, 3) }),
    () =>
      this.#inPlace({
        naturalize: [this.#pattern(), this.#pattern(), this.#pattern()],
        depth: this.#prng.between(1, 3),
      }),
    () => this.#inPlace({ regenerate: true }),
    () => this.#line(),
    () => this.#move(),
    () => this.#stack(),
    () => this.#turn(),
  ];

  #inPlace(kind: Operation): SmallOperation {
    return { operation: { ...kind, in: this.#selection(2) } as Operation, box: this.#box };
  }

  #line(): SmallOperation {
    const points = Array.from({ length: this.#prng.between(2, 3) }, () => this.#place());
    const radius = this.#prng.between(0, 1);
    const operation: Operation = { line: points, with: this.#pattern(), radius };
    return { operation, box: grown(this.#box, radius) };
  }

  #move(): SmallOperation {
    const by = this.#list(() =>
      this.#prng.between(-this.#moveMax, this.#moveMax),
    ) as unknown as Position<Dimensions>;
    const leave = this.#prng.chance(0.5) ? { leave: this.#pattern() } : {};
    const operation: Operation = { move: by, ...leave, in: this.#selection(1) };
    return { operation, box: grown(this.#box, this.#moveMax) };
  }

  #stack(): SmallOperation {
    const by = this.#list(() =>
      this.#prng.between(-this.#stepMax, this.#stepMax),
    ) as unknown as Position<Dimensions>;
    const operation: Operation = { stack: this.#prng.between(1, 3), by, in: this.#selection(1) };
    return { operation, box: grown(this.#box, 3 * this.#stepMax) };
  }

  #turn(): SmallOperation {
    const axes = AXES.slice(0, this.#dimensions);
    const box = grown(this.#box, this.#sizeMax);
    if (this.#prng.chance(0.3)) return { operation: { mirror: this.#prng.pick(axes), in: this.#box }, box };
    const second = this.#prng.between(1, axes.length - 1);
    const rotate = `${axes[this.#prng.below(second)]}${axes[second]}` as Plane;
    return { operation: { rotate, turns: this.#prng.between(1, 3), in: this.#box }, box };
  }

  #selection(depth: number): Selection {
    const prng = this.#prng;
    if (depth === 0 || prng.chance(0.4)) return this.#box;
    const inner = (): Selection => this.#selection(depth - 1);
    const kinds: readonly (() => Selection)[] = [
      () => this.#within({ sphere: this.#place(), radius: prng.between(0, 3) }),
      () =>
        this.#within({
          sphere: this.#place(),
          radius: this.#list(() => prng.between(0, 3)) as unknown as Position<Dimensions>,
        }),
      () =>
        this.#within({
          cylinder: this.#place(),
          radius: prng.between(0, 2),
          height: prng.between(1, 4),
          along: prng.pick(AXES.slice(0, this.#dimensions)),
        }),
      () => ({ prism: this.#corners(), within: this.#box }),
      () =>
        this.#within({
          connected: this.#place(),
          through: { all: [this.#mask(1), { inside: this.#box }] },
          limit: 5_000,
        }),
      () => ({ union: [inner(), inner()] }),
      () => this.#within(inner()),
      () => ({ difference: [this.#box, inner()] }),
    ];
    return prng.pick(kinds)();
  }

  #within(selection: Selection): Selection {
    return { intersection: [this.#box, selection] };
  }

  #corners(): readonly (readonly [number, number])[] {
    return Array.from({ length: this.#prng.between(3, 5) }, () => {
      const place = this.#place();
      return [place[0] as number, place[this.#dimensions === 2 ? 1 : 2] as number] as const;
    });
  }

  #mask(depth: number): Mask {
    const prng = this.#prng;
    const inner = (): Mask => this.#mask(depth - 1);
    const simple: readonly (() => Mask)[] = [
      () => ({ block: prng.pick(NAMES) }),
      () => ({ block: "stairs", properties: { half: prng.pick(["bottom", "top"]) } }),
      () => ({ tag: prng.pick(["rock", "loose"]) }),
      () => ({ is: prng.pick(["solid", "surface", "data"]) }),
    ];
    if (depth === 0 || prng.chance(0.3)) return prng.pick(simple)();
    const kinds: readonly (() => Mask)[] = [
      () => ({ all: [inner(), inner()] }),
      () => ({ any: [inner(), inner()] }),
      () => ({ not: inner() }),
      () => ({ above: inner() }),
      () => ({ below: inner() }),
      () => ({
        shifted: inner(),
        by: this.#list(() => prng.between(-2, 2)) as unknown as Position<Dimensions>,
      }),
      () => ({ nextTo: inner(), least: prng.between(0, 2), most: prng.between(2, 4) }),
      () => ({ inside: this.#selection(0) }),
    ];
    return prng.pick(kinds)();
  }

  #pattern(): Pattern {
    const prng = this.#prng;
    return prng.pick<() => Pattern>([
      () => ({ block: prng.pick(NAMES) }),
      () => ({ block: prng.pick(NAMES) }),
      () => ({ block: "stairs", properties: { facing: prng.pick(["north", "east", "south", "west"]) } }),
      () => ({ block: "stairs", keep: true }),
      () => ({ properties: { half: prng.pick(["bottom", "top"]) } }),
      () => ({ block: "log", properties: { axis: prng.pick(AXES) } }),
    ])();
  }

  get #box(): VoxelBox {
    const [min, size] = [this.#min, this.#size];
    const max = min.map((at, axis) => at + (size[axis] as number));
    return {
      unit: "voxels",
      min: min as unknown as Position<Dimensions>,
      max: max as unknown as Position<Dimensions>,
    };
  }

  #place(): Position<Dimensions> {
    const place = this.#min.map((at, axis) => at + this.#prng.below(this.#size[axis] as number));
    return place as unknown as Position<Dimensions>;
  }

  #list(number: () => number): readonly number[] {
    return Array.from({ length: this.#dimensions }, number);
  }
}

function moved(position: Position<Dimensions>, axis: number, by: number): Position<Dimensions> {
  return position.map((at, each) => (each === axis ? at + by : at)) as unknown as Position<Dimensions>;
}

/** Returns a box that is larger on each side. */
export function grown({ min, max }: VoxelBox, by: number): VoxelBox {
  return {
    unit: "voxels",
    min: min.map((at) => at - by) as unknown as Position<Dimensions>,
    max: max.map((at) => at + by) as unknown as Position<Dimensions>,
  };
}
