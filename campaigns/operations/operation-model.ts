import { AIR, type BlockCatalog, type BlockProperties, type Dimensions } from "@orthant/core";
import type { AxisName, Mask, Operation, Pattern, Plane, Selection } from "@orthant/core/operations";

/** A position with as many coordinates as the world has dimensions. */
type Place = readonly number[];

/** The block and the data of a voxel. */
export interface ModelVoxel {
  readonly block: number;
  readonly data: string | undefined;
}

/** What a model does not know: which voxels chance chooses. */
export class ChanceError extends Error {}

const NAMES: readonly AxisName[] = ["x", "y", "z", "w"];
const UP = 1;
/** Farther than any operation of a campaign reaches. */
const FLOOD_MAX = 100_000;

/** Operations of a campaign change nothing that is farther from the origin on an axis. */
const KEY_REACH = 64;

/** Returns a small number for each place near the origin. */
function keyOf(place: Place): number | undefined {
  let key = 0;
  for (const at of place) {
    if (at < -KEY_REACH || at >= KEY_REACH) return undefined;
    key = key * 2 * KEY_REACH + at + KEY_REACH;
  }
  return key;
}

/** Does operations to a plain map of voxels, as simply as they can be said. */
export class OperationModel {
  readonly #dimensions: Dimensions;
  readonly #generated: (place: Place) => number;
  readonly #voxels = new Map<number, ModelVoxel>();
  /** Voxels as they are generated. */
  readonly #ground = new Map<number, ModelVoxel>();
  /** What was set since {@link remember}, and what was there before; `undefined` as long as nothing remembers it. */
  #changed: [key: number, before: ModelVoxel | undefined][] | undefined;
  /** What is connected, during one operation. */
  readonly #floods = new Map<Selection, ReadonlySet<string>>();
  catalog: BlockCatalog;

  constructor(dimensions: Dimensions, catalog: BlockCatalog, generated: (place: Place) => number) {
    this.#dimensions = dimensions;
    this.catalog = catalog;
    this.#generated = generated;
  }

  /** Returns a voxel. */
  at(place: Place): ModelVoxel {
    const key = keyOf(place);
    if (key === undefined) return { block: this.#generated(place), data: undefined };
    const known = this.#voxels.get(key) ?? this.#ground.get(key);
    if (known !== undefined) return known;
    const ground = { block: this.#generated(place), data: undefined };
    this.#ground.set(key, ground);
    return ground;
  }

  /** Sets a voxel; its data goes unless the type of its block stays. */
  set(place: Place, block: number, data?: string): void {
    const before = this.at(place);
    const kept = this.catalog.byId(before.block) === this.catalog.byId(block) ? before.data : undefined;
    this.#put(place, { block, data: data ?? kept });
  }

  /** Does an operation, and returns what takes it back where it still stands. */
  applyAndUndo(operation: Operation, arena: readonly Place[]): () => number {
    const before = arena.map((place) => this.at(place));
    this.apply(operation, arena);
    const after = arena.map((place) => this.at(place));
    return () => {
      let count = 0;
      for (const [index, place] of arena.entries()) {
        const [old, left] = [before[index] as ModelVoxel, after[index] as ModelVoxel];
        if (isSame(old, left) || !isSame(this.at(place), left)) continue;
        this.#put(place, old);
        count++;
      }
      return count;
    };
  }

  /** Remembers everything. Returns what takes it back. */
  remember(): () => void {
    const changed: [key: number, before: ModelVoxel | undefined][] = [];
    this.#changed = changed;
    return () => {
      for (const [key, before] of changed.splice(0).reverse())
        if (before === undefined) this.#voxels.delete(key);
        else this.#voxels.set(key, before);
    };
  }

  #put(place: Place, voxel: ModelVoxel): void {
    const key = keyOf(place);
    if (key === undefined) throw new RangeError(`[${place}] is too far from the origin for this model`);
    this.#changed?.push([key, this.#voxels.get(key)]);
    this.#voxels.set(key, voxel);
  }

  /** Does an operation to all voxels of a box that contains everything that it changes. */
  apply(operation: Operation, arena: Iterable<Place>): void {
    this.#floods.clear();
    const changes: [place: Place, voxel: ModelVoxel][] = [];
    for (const place of arena) {
      const voxel = this.#after(operation, place);
      if (voxel !== undefined) changes.push([place, voxel]);
    }
    for (const [place, voxel] of changes) this.#put(place, voxel);
  }

  #after(operation: Operation, place: Place): ModelVoxel | undefined {
    const selection = operation.in as Selection;
    const isIn = (at: Place): boolean => operation.in === undefined || this.selects(selection, at);
    const before = this.at(place);
    const become = (pattern: Pattern): ModelVoxel => this.#patterned(pattern, place, before);
    const moved = (from: Place): ModelVoxel => this.at(from);
    if ("line" in operation || "curve" in operation) {
      const points = ("line" in operation ? operation.line : operation.curve) as readonly Place[];
      if (!isIn(place)) return undefined;
      const isUnder = this.#trail(points, "curve" in operation).some((point) =>
        isInBall(point, operation.radius ?? 0, place),
      );
      return isUnder ? become(operation.with) : undefined;
    }
    if ("set" in operation) return isIn(place) ? become(operation.set as Pattern) : undefined;
    if ("replace" in operation)
      return isIn(place) && this.accepts(operation.replace, place)
        ? become(operation.with as Pattern)
        : undefined;
    if ("drain" in operation)
      return isIn(place) && this.accepts(operation.drain, place) ? this.#kept(AIR, before) : undefined;
    if ("outline" in operation)
      return isIn(place) && this.#isNearEdge(isIn, place, operation.thickness ?? 1, this.#axes)
        ? become(operation.outline)
        : undefined;
    if ("walls" in operation) {
      const level = this.#axes.filter((axis) => axis !== UP);
      return isIn(place) && this.#isNearEdge(isIn, place, operation.thickness ?? 1, level)
        ? become(operation.walls)
        : undefined;
    }
    if ("hollow" in operation)
      return isIn(place) && !this.#isNearEdge(isIn, place, operation.thickness ?? 1, this.#axes)
        ? become(operation.hollow)
        : undefined;
    if ("overlay" in operation) {
      if (!isIn(place) || before.block !== AIR) return undefined;
      return this.#some(operation.depth ?? 1, (down) => this.at(shift(place, UP, -down)).block !== AIR)
        ? become(operation.overlay)
        : undefined;
    }
    if ("naturalize" in operation) {
      if (!isIn(place) || before.block === AIR) return undefined;
      const depth = operation.depth ?? 3;
      let covered = 0;
      while (covered <= depth && this.at(shift(place, UP, covered + 1)).block !== AIR) covered++;
      const [top, soil, rock] = operation.naturalize;
      return become(covered === 0 ? top : covered <= depth ? soil : rock);
    }
    if ("regenerate" in operation)
      return isIn(place) ? { block: this.#generated(place), data: undefined } : undefined;
    if ("move" in operation) {
      const from = place.map((at, axis) => at - (operation.move[axis] as number));
      if (isIn(from)) return moved(from);
      if (!isIn(place)) return undefined;
      return { ...become(operation.leave ?? { block: "air" }), data: undefined };
    }
    if ("stack" in operation) {
      for (let copy = operation.stack; copy > 0; copy--) {
        const from = place.map((at, axis) => at - copy * (operation.by[axis] as number));
        if (isIn(from)) return moved(from);
      }
      return undefined;
    }
    if ("rotate" in operation || "mirror" in operation) return this.#turned(operation, place, isIn);
    throw new ChanceError(JSON.stringify(operation));
  }

  /** Turns step by step: a number of single quarter turns about the lowest corner. */
  #turned(
    operation: Extract<Operation, { rotate: Plane } | { mirror: AxisName }>,
    place: Place,
    isIn: (at: Place) => boolean,
  ): ModelVoxel | undefined {
    const { min, max } = this.#bounds(operation.in as Selection);
    let relative = place.map((at, axis) => at - (min[axis] as number));
    let size = max.map((end, axis) => end - (min[axis] as number));
    let turnBlock = (properties: BlockProperties): BlockProperties => properties;
    if ("mirror" in operation) {
      const axis = NAMES.indexOf(operation.mirror);
      relative = relative.map((at, each) => (each === axis ? (size[axis] as number) - 1 - at : at));
      turnBlock = (properties) => mirrored(properties, operation.mirror);
    } else {
      const [a, b] = [...operation.rotate].map((name) => NAMES.indexOf(name as AxisName)) as [number, number];
      const turns = operation.turns ?? 1;
      // From where it is now back to where it was: the sizes after all turns first.
      for (let turn = 0; turn < turns; turn++) size = swap(size, a, b);
      for (let turn = 0; turn < turns; turn++) {
        size = swap(size, a, b);
        // A quarter turn took [u, v] to [sizeB - 1 - v, u].
        const [u, v] = [relative[b] as number, (size[b] as number) - 1 - (relative[a] as number)];
        relative = relative.map((at, axis) => (axis === a ? u : axis === b ? v : at));
      }
      turnBlock = (properties) => {
        let turned = properties;
        for (let turn = 0; turn < turns; turn++) turned = quarterTurned(turned, operation.rotate);
        // Upside down after two of them; after one, neither half is at the top.
        return turns === 2 && operation.rotate.includes("y") ? upsideDown(turned) : turned;
      };
    }
    const isInside = relative.every((at, axis) => at >= 0 && at < (size[axis] as number));
    const from = relative.map((at, axis) => at + (min[axis] as number));
    if (isInside && isIn(from)) {
      const { block, data } = this.at(from);
      const described = this.catalog.describe(block);
      if (described === undefined) return { block, data };
      return { block: this.#blockWith(described.type, turnBlock(described.properties)), data };
    }
    return isIn(place) ? { block: AIR, data: undefined } : undefined;
  }

  #bounds(selection: Selection): { readonly min: Place; readonly max: Place } {
    if ("unit" in selection) return selection;
    throw new ChanceError("only boxes are turned by this model");
  }

  get #axes(): readonly number[] {
    return NAMES.slice(0, this.#dimensions).map((_, axis) => axis);
  }

  #isNearEdge(
    isIn: (at: Place) => boolean,
    place: Place,
    thickness: number,
    axes: readonly number[],
  ): boolean {
    return axes.some((axis) =>
      [1, -1].some((sign) => this.#some(thickness, (far) => !isIn(shift(place, axis, sign * far)))),
    );
  }

  #some(count: number, test: (number: number) => boolean): boolean {
    return Array.from({ length: count }, (_, at) => at + 1).some(test);
  }

  /** The points under the middle of a pen. */
  #trail(points: readonly Place[], isCurve: boolean): readonly Place[] {
    if (isCurve) throw new ChanceError("curves are not in this model");
    if (points.length === 1) return points;
    return points.slice(1).flatMap((to, at) => {
      const from = points[at] as Place;
      const steps = Math.max(1, ...to.map((end, axis) => Math.abs(end - (from[axis] as number))));
      return Array.from({ length: steps + 1 }, (_, step) =>
        to.map((end, axis) =>
          Math.round((from[axis] as number) + ((end - (from[axis] as number)) * step) / steps),
        ),
      );
    });
  }

  /** Whether a selection has a voxel. */
  selects(selection: Selection, place: Place): boolean {
    if ("unit" in selection)
      return place.every(
        (at, axis) => at >= (selection.min[axis] as number) && at < (selection.max[axis] as number),
      );
    if ("sphere" in selection) return isInBall(selection.sphere, selection.radius, place);
    if ("cylinder" in selection) {
      const axis = NAMES.indexOf(selection.along ?? "y");
      const height = (place[axis] as number) - (selection.cylinder[axis] as number);
      if (height < 0 || height >= selection.height) return false;
      const base = place.map((at, each) => (each === axis ? (selection.cylinder[axis] as number) : at));
      return isInBall(selection.cylinder, selection.radius, base);
    }
    if ("prism" in selection)
      return (
        this.selects(selection.within, place) &&
        isInPolygon(selection.prism, place[0] as number, place[this.#dimensions === 2 ? 1 : 2] as number)
      );
    if ("union" in selection) return selection.union.some((part) => this.selects(part, place));
    if ("intersection" in selection) return selection.intersection.every((part) => this.selects(part, place));
    if ("difference" in selection) {
      const [first, ...others] = selection.difference;
      return this.selects(first as Selection, place) && !others.some((part) => this.selects(part, place));
    }
    const known = this.#floods.get(selection);
    const flood = known ?? this.#flood(selection.connected, selection.through);
    this.#floods.set(selection, flood);
    return flood.has(place.join());
  }

  #flood(start: Place, mask: Mask): ReadonlySet<string> {
    const found = new Set<string>();
    const open: Place[] = [start];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (found.has(place.join()) || !this.accepts(mask, place)) continue;
      found.add(place.join());
      if (found.size > FLOOD_MAX) throw new ChanceError("too many connected voxels");
      for (const axis of this.#axes) for (const sign of [1, -1]) open.push(shift(place, axis, sign));
    }
    return found;
  }

  /** Whether a mask accepts a voxel. */
  accepts(mask: Mask, place: Place): boolean {
    const { block, data } = this.at(place);
    if (typeof mask === "string") throw new ChanceError("texts are parsed before");
    if ("block" in mask) {
      const described = this.catalog.describe(block);
      const wanted = Object.entries(mask.properties ?? {});
      return (
        described?.type === mask.block &&
        wanted.every(([name, value]) => described.properties[name] === value)
      );
    }
    if ("tag" in mask) return this.catalog.byId(block)?.tags.includes(mask.tag) ?? false;
    if ("is" in mask) {
      if (mask.is === "solid") return this.catalog.isSolid(block);
      if (mask.is === "data") return data !== undefined;
      return block !== AIR && this.at(shift(place, UP, 1)).block === AIR;
    }
    if ("above" in mask) return this.accepts(mask.above, shift(place, UP, -1));
    if ("below" in mask) return this.accepts(mask.below, shift(place, UP, 1));
    if ("shifted" in mask)
      return this.accepts(
        mask.shifted,
        place.map((at, axis) => at + (mask.by[axis] as number)),
      );
    if ("nextTo" in mask) {
      const near = this.#axes.flatMap((axis) => [shift(place, axis, 1), shift(place, axis, -1)]);
      const count = near.filter((at) => this.accepts(mask.nextTo, at)).length;
      return count >= (mask.least ?? 1) && count <= (mask.most ?? near.length);
    }
    if ("inside" in mask) return this.selects(mask.inside, place);
    if ("all" in mask) return mask.all.every((part) => this.accepts(part, place));
    if ("any" in mask) return mask.any.some((part) => this.accepts(part, place));
    if ("not" in mask) return !this.accepts(mask.not, place);
    throw new ChanceError("chance");
  }

  #patterned(pattern: Pattern, _place: Place, before: ModelVoxel): ModelVoxel {
    if (typeof pattern !== "object" || "mixed" in pattern || "of" in pattern || "repeated" in pattern)
      throw new ChanceError("chance");
    const { block: name, properties = {}, keep = name === undefined } = pattern;
    const described = this.catalog.describe(before.block);
    if (!keep) return this.#kept(this.catalog.id(name ?? "air", properties), before);
    if (described === undefined) return before;
    return this.#kept(
      this.#blockWith(name ?? described.type, { ...described.properties, ...properties }),
      before,
    );
  }

  /** A block in the place of another, with its data if the type is the same. */
  #kept(block: number, before: ModelVoxel): ModelVoxel {
    const isSame = this.catalog.byId(block) === this.catalog.byId(before.block);
    return { block, data: isSame || block === before.block ? before.data : undefined };
  }

  #blockWith(name: string, properties: BlockProperties): number {
    const known = this.catalog.byName(name)?.properties ?? [];
    const fitting = known.flatMap((property) => {
      const value = properties[property.name];
      return value !== undefined && property.values.includes(value) ? [[property.name, value] as const] : [];
    });
    return this.catalog.id(name, Object.fromEntries(fitting));
  }
}

function isSame(a: ModelVoxel, b: ModelVoxel): boolean {
  return a.block === b.block && a.data === b.data;
}

function shift(place: Place, axis: number, by: number): Place {
  return place.map((at, each) => (each === axis ? at + by : at));
}

function swap(values: Place, a: number, b: number): number[] {
  return values.map((value, axis) =>
    axis === a ? (values[b] as number) : axis === b ? (values[a] as number) : value,
  );
}

/** Whole radii only: then no centre lies exactly on the surface. */
function isInBall(center: Place, radius: number | readonly number[], place: Place): boolean {
  const far = place.map((at, axis) => {
    const own = typeof radius === "number" ? radius : (radius[axis] as number);
    return (at - (center[axis] as number)) / (own + 0.5);
  });
  return far.reduce((sum, distance) => sum + distance * distance, 0) < 1;
}

/** By the winding number; points on an edge are inside. */
function isInPolygon(corners: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let winding = 0;
  for (const [at, [fromX, fromY]] of corners.entries()) {
    const [toX, toY] = corners[(at + 1) % corners.length] as readonly [number, number];
    const side = (toX - fromX) * (y - fromY) - (x - fromX) * (toY - fromY);
    const isBetween =
      x >= Math.min(fromX, toX) &&
      x <= Math.max(fromX, toX) &&
      y >= Math.min(fromY, toY) &&
      y <= Math.max(fromY, toY);
    if (side === 0 && isBetween) return true;
    // Counts crossings, whichever way round the corners go: the rule is even and odd.
    if (fromY <= y && toY > y && side > 0) winding++;
    if (fromY > y && toY <= y && side < 0) winding++;
  }
  return winding % 2 === 1;
}

const FACES: readonly (readonly [string, string])[] = [
  ["west", "east"],
  ["down", "up"],
  ["north", "south"],
  ["kata", "ana"],
];

function quarterTurned(properties: BlockProperties, plane: Plane): BlockProperties {
  const [a, b] = [...plane].map((name) => NAMES.indexOf(name as AxisName)) as [number, number];
  const [[backA, aheadA], [backB, aheadB]] = [FACES[a], FACES[b]] as [[string, string], [string, string]];
  const next: Readonly<Record<string, string>> = {
    [aheadA]: aheadB,
    [aheadB]: backA,
    [backA]: backB,
    [backB]: aheadA,
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      if (name === "axis") {
        const axis = NAMES.indexOf(value as AxisName);
        return [name, axis === a ? NAMES[b] : axis === b ? NAMES[a] : value];
      }
      return [name, next[value] ?? value];
    }),
  ) as BlockProperties;
}

function upsideDown(properties: BlockProperties): BlockProperties {
  const { half } = properties;
  return half === undefined ? properties : { ...properties, half: half === "top" ? "bottom" : "top" };
}

function mirrored(properties: BlockProperties, axis: AxisName): BlockProperties {
  const [back, ahead] = FACES[NAMES.indexOf(axis)] as readonly [string, string];
  const turned = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      if (value === back) return [name, ahead];
      return [name, value === ahead ? back : value];
    }),
  );
  return axis === "y" ? upsideDown(turned) : turned;
}
