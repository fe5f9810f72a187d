import type { Dimensions, Position, VoxelBox } from "@orthant/core";
import type {
  AxisName,
  BlockMask,
  Mask,
  Operation,
  OperationKind,
  Pattern,
  Plane,
  Selection,
} from "@orthant/core/operations";
import type { Prng } from "@orthant/testkit";

/** What random operations are made of. */
export interface OperationParts {
  readonly dimensions: Dimensions;
  /** Names of blocks. */
  readonly blocks: readonly string[];
  readonly tags: readonly string[];
  /** Names of properties, each with some of its values. */
  readonly properties: Readonly<Record<string, readonly string[]>>;
  /** How far from the origin they reach, in voxels. */
  readonly reach: number;
}

const DEPTH_MAX = 4;
const AXES: readonly AxisName[] = ["x", "y", "z", "w"];

/**
 * Makes operations, masks, patterns and selections in their simplest form, as `checkedOperation` returns them: without what
 * is a default, and without lists of one part where the part means the same.
 */
export class RandomOperations {
  readonly #prng: Prng;
  readonly #parts: OperationParts;
  #depth = 0;

  constructor(prng: Prng, parts: OperationParts) {
    this.#prng = prng;
    this.#parts = parts;
  }

  /** Returns an operation of any kind that has a text. */
  operation(): Operation {
    return {
      ...this.#kind(),
      ...this.#maybe("in", () => this.selection()),
      ...this.#maybe("seed", () => this.#prng.between(1, 2 ** 32 - 1)),
    };
  }

  /** Returns a mask. */
  mask(): Mask {
    const prng = this.#prng;
    const kinds: readonly (() => Mask)[] = [
      () => ({ all: this.#some(() => this.mask(), 2) }),
      () => ({ any: this.#some(() => this.mask(), 2) }),
      () => ({ not: this.mask() }),
      () => ({ above: this.mask() }),
      () => ({ below: this.mask() }),
      () => ({ inside: this.selection() }),
      () => ({ shifted: this.mask(), by: this.#position() }),
      () => this.#nextTo(),
      () => ({ tag: prng.pick(this.#parts.tags) }),
      () => ({ is: prng.pick(["solid", "surface", "data"]) }),
      () => ({ chance: this.#share() }),
      () => ({ noise: this.#patch(), share: this.#share() }),
    ];
    return this.#nested((): BlockMask => this.#block(), kinds);
  }

  /** Returns a pattern. */
  pattern(): Pattern {
    const prng = this.#prng;
    const block = (): Pattern => this.#blockPattern();
    return this.#nested(block, [
      block,
      () => ({ mixed: this.#some(() => ({ weight: 1, pattern: this.pattern() }), 2) }),
      () => ({ mixed: this.#some(() => ({ weight: this.#weight(), pattern: this.pattern() }), 2) }),
      () => ({ noise: this.#patch(), of: this.#some(() => this.pattern(), prng.between(1, 2)) }),
    ]);
  }

  /** Returns a selection. */
  selection(): Selection {
    const { dimensions } = this.#parts;
    return this.#nested<Selection>(
      () => this.#box(),
      [
        () => ({ sphere: this.#position(), radius: this.#radius() }),
        () => ({ sphere: this.#position(), radius: this.#tuple(() => this.#radius()) }),
        () => ({
          cylinder: this.#position(),
          radius: this.#radius(),
          height: this.#prng.between(1, 40),
          ...this.#maybe("along", () =>
            this.#prng.pick(AXES.slice(0, dimensions).filter((axis) => axis !== "y")),
          ),
        }),
        () => ({
          prism: this.#some(() => [this.#coordinate(), this.#coordinate()] as const, 3),
          within: this.#box(),
        }),
        () => ({
          connected: this.#position(),
          through: this.mask(),
          limit: this.#prng.between(1, 16_777_216),
        }),
        () => ({ union: this.#some(() => this.selection(), 1) }),
        () => ({ intersection: this.#some(() => this.selection(), 1) }),
        () => ({ difference: this.#some(() => this.selection(), 1) }),
      ],
    );
  }

  #kind(): OperationKind {
    const prng = this.#prng;
    const axes = AXES.slice(0, this.#parts.dimensions);
    const thickness = () => this.#maybe("thickness", () => prng.between(2, 255));
    const pen = () => this.#maybe("radius", () => prng.between(1, 99) / prng.pick([1, 2, 3]));
    const depth = (min: number) => this.#maybe("depth", () => prng.between(min, 255));
    const kinds: readonly (() => OperationKind)[] = [
      () => ({ set: this.pattern() }),
      () => ({ replace: this.mask(), with: this.pattern() }),
      () => ({ outline: this.pattern(), ...thickness() }),
      () => ({ walls: this.pattern(), ...thickness() }),
      () => ({ hollow: prng.chance(0.3) ? { block: "air" } : this.pattern(), ...thickness() }),
      () => ({ line: this.#some(() => this.#position(), 2), with: this.pattern(), ...pen() }),
      () => ({ curve: this.#some(() => this.#position(), 2), with: this.pattern(), ...pen() }),
      () => ({ overlay: this.pattern(), ...depth(2) }),
      () => ({ naturalize: [this.pattern(), this.pattern(), this.pattern()], ...depth(4) }),
      () => ({ smooth: prng.between(1, 64) }),
      () => ({ drain: this.mask() }),
      () => ({ move: this.#position(), ...this.#maybe("leave", () => this.#notAir()) }),
      () => ({ stack: prng.between(1, 65_535), by: this.#position() }),
      () => ({ rotate: this.#plane(axes), ...this.#maybe("turns", () => prng.between(2, 3)) }),
      () => ({ mirror: prng.pick(axes) }),
      () => ({ regenerate: true }),
    ];
    return prng.pick(kinds)();
  }

  #plane(axes: readonly AxisName[]): Plane {
    const second = this.#prng.between(1, axes.length - 1);
    return `${axes[this.#prng.below(second)]}${axes[second]}` as Plane;
  }

  #notAir(): Pattern {
    const pattern = this.pattern();
    return (pattern as BlockMask).block === "air" ? { properties: {} } : pattern;
  }

  #nextTo(): Mask {
    const faces = 2 * this.#parts.dimensions;
    const least = this.#prng.between(0, faces);
    return {
      nextTo: this.mask(),
      ...(least === 1 ? {} : { least }),
      ...this.#maybe("most", () => this.#prng.between(least, faces)),
    };
  }

  #block(): BlockMask {
    const block = this.#prng.pick(this.#parts.blocks);
    return this.#prng.chance(0.6) ? { block } : { block, properties: this.#properties(1) };
  }

  #blockPattern(): Pattern {
    if (this.#prng.chance(0.15)) return { properties: this.#properties(0) };
    const block = this.#block();
    return this.#prng.chance(0.2) ? { ...block, keep: true } : block;
  }

  #properties(least: number): Readonly<Record<string, string>> {
    const names = Object.keys(this.#parts.properties).filter(() => this.#prng.chance(0.4));
    if (names.length < least) names.push(this.#prng.pick(Object.keys(this.#parts.properties)));
    return Object.fromEntries(
      names.map((name) => [name, this.#prng.pick(this.#parts.properties[name] ?? [])]),
    );
  }

  #box(): VoxelBox {
    const min = this.#position();
    const max = min.map((coordinate) => coordinate + this.#prng.between(1, 40));
    return { unit: "voxels", min, max: max as unknown as Position<Dimensions> };
  }

  #position(): Position<Dimensions> {
    return this.#tuple(() => this.#coordinate());
  }

  #coordinate(): number {
    return this.#prng.between(-this.#parts.reach, this.#parts.reach);
  }

  #tuple(number: () => number): Position<Dimensions> {
    return Array.from({ length: this.#parts.dimensions }, number) as unknown as Position<Dimensions>;
  }

  #radius(): number {
    const prng = this.#prng;
    return prng.pick([() => prng.below(20), () => prng.below(40) / 2, () => prng.fraction() * 20])();
  }

  #patch(): number {
    return this.#prng.chance(0.7) ? this.#prng.between(1, 99) : 1 + this.#prng.fraction() * 65_534;
  }

  #share(): number {
    const prng = this.#prng;
    return prng.pick([
      () => prng.below(101) / 100,
      () => prng.fraction(),
      () => prng.fraction() ** 9 / prng.between(1, 9),
    ])();
  }

  #weight(): number {
    const prng = this.#prng;
    return prng.pick([
      () => prng.between(1, 99),
      () => 0.001 + prng.fraction(),
      () => 10 ** prng.between(-20, 30) / 3,
    ])();
  }

  #some<Item>(make: () => Item, least: number): readonly Item[] {
    return Array.from({ length: this.#prng.between(least, 3) }, make);
  }

  #maybe<Name extends string, Value>(name: Name, make: () => Value): { readonly [Key in Name]?: Value } {
    return this.#prng.chance(0.4) ? ({ [name]: make() } as { readonly [Key in Name]: Value }) : {};
  }

  /** Returns a part, which deeper inside of others is mostly a simple one. */
  #nested<Part>(simple: () => Part, kinds: readonly (() => Part)[]): Part {
    if (this.#prng.fraction() < 0.3 + this.#depth / DEPTH_MAX) return simple();
    this.#depth++;
    const part = this.#prng.pick(kinds)();
    this.#depth--;
    return part;
  }
}
