import { wrongArgument } from "../error/orthant-error.ts";
import { type BlockBox, fillsVoxel } from "./block-shape.ts";
import { type BlockType, idCountOf } from "./block-type.ts";

/** Values of properties by name. A property that is missing has its first value. */
export type BlockProperties = Readonly<Record<string, string>>;

/** Computes the ids of one type, which never change. */
export class BlockIds {
  readonly type: BlockType;
  readonly count: number;
  /** For each property what each of its values adds to the first id; built when it is first needed. */
  #offsets: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
  /** The boxes of each id, in their order; built when they are first needed. */
  #boxes: readonly (readonly BlockBox[] | undefined)[] | undefined;

  constructor(type: BlockType) {
    this.type = type;
    this.count = idCountOf(type);
  }

  /** Returns the id of a combination of values. Throws `ORT_ARGUMENT` for a property or value that is not there. */
  idOf(given: BlockProperties | undefined): number {
    const { id } = this.type;
    if (given === undefined) return id;
    if (typeof given !== "object" || given === null) {
      throw wrongArgument("properties", given, 'they are an object such as { facing: "east" }');
    }
    this.#offsets ??= offsetsOf(this.type);
    let found = id;
    // The fastest way through few names. It also visits names that `given` inherits, which are properties as well.
    for (const name in given) {
      const value = given[name];
      const offset = this.#offsets.get(name)?.get(value as string);
      if (offset !== undefined) found += offset;
      else if (value !== undefined || !this.#offsets.has(name)) throw this.#wrongProperty(name, value);
    }
    return found;
  }

  /** Returns the values of an id of this type. */
  propertiesOf(id: number): BlockProperties {
    const found: Record<string, string> = {};
    let stride = this.count;
    for (const { name, values } of this.type.properties) {
      stride /= values.length;
      found[name] = values[Math.floor((id - this.type.id) / stride) % values.length] as string;
    }
    return found;
  }

  /** Returns the boxes of an id of this type, or `undefined` if it fills its whole voxel. */
  boxesOf(id: number): readonly BlockBox[] | undefined {
    if (this.type.shape.length === 0) return undefined;
    this.#boxes ??= boxesOfIds(this.type, this.count);
    return this.#boxes[id - this.type.id];
  }

  #wrongProperty(name: string, value: unknown): Error {
    const { name: type, properties } = this.type;
    const property = properties.find((known) => known.name === name);
    if (property !== undefined) {
      const values = property.values.map((known) => JSON.stringify(known)).join(", ");
      return wrongArgument(`the property ${name} of ${type}`, value, `it is one of ${values}`);
    }
    const known = properties.map((each) => each.name).join(", ");
    return wrongArgument(
      `a name in the properties of the block ${type}`,
      name,
      `it has ${known === "" ? "none" : known}`,
    );
  }
}

function offsetsOf({ properties }: BlockType): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const offsets = new Map<string, ReadonlyMap<string, number>>();
  let stride = 1;
  for (const { name, values } of [...properties].reverse()) {
    const step = stride;
    offsets.set(name, new Map(values.map((value, index) => [value, index * step])));
    stride *= values.length;
  }
  return offsets;
}

/** Returns the boxes of each id of a type: those of the first part of its shape that is for the id's values. */
function boxesOfIds(type: BlockType, count: number): readonly (readonly BlockBox[] | undefined)[] {
  const all: (readonly BlockBox[] | undefined)[] = Array.from({ length: count });
  const strides = stridesOf(type, count);
  let left = Array.from(all.keys());
  for (const { when = {}, boxes } of type.shape) {
    // Of the parts behind, none counts.
    if (left.length === 0) break;
    const own = fillsVoxel(boxes) ? undefined : boxes;
    const tests = Object.entries(when).map(([name, value]) => testOf(strides.get(name), value));
    left = left.filter((offset) => {
      const isOther = tests.some((test) => !hasValue(offset, test));
      if (!isOther) all[offset] = own;
      return isOther;
    });
  }
  return all;
}

/** Which value a property must have: `value` of `length`, which changes after `stride` ids. */
interface ValueTest {
  readonly stride: number;
  readonly length: number;
  readonly value: number;
}

/** A property with the number of ids after which its value changes. */
interface Stride {
  readonly stride: number;
  readonly values: readonly string[];
}

function stridesOf({ properties }: BlockType, count: number): ReadonlyMap<string, Stride> {
  let stride = count;
  return new Map(
    properties.map(({ name, values }) => {
      stride /= values.length;
      return [name, { stride, values }];
    }),
  );
}

/** A catalog has only shapes for properties that their type has. */
function testOf(property: Stride | undefined, value: string): ValueTest {
  const { stride = 1, values = [] } = property ?? {};
  return { stride, length: values.length, value: values.indexOf(value) };
}

function hasValue(offset: number, { stride, length, value }: ValueTest): boolean {
  return Math.floor(offset / stride) % length === value;
}
