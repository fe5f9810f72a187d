import { types } from "node:util";
import type { Prng } from "@orthant/testkit";
import { rubbish } from "./rubbish-values.ts";

/** Depth to which arguments are damaged. */
const DEPTH_MAX = 5;
/** Longer lists are replaced as a whole. */
const LENGTH_MAX = 10_000;

/** Returns arguments that are right but for one part, or two: the whole of one, a field, an item or a coordinate. */
export function damaged(args: readonly unknown[], prng: Prng): readonly unknown[] {
  let result: readonly unknown[] = args;
  for (let changes = prng.chance(0.15) ? 2 : 1; changes > 0; changes--) {
    result = args.length === 0 || prng.chance(0.03) ? [...result, rubbish(prng)] : damagedList(result, prng);
  }
  return result;
}

/** Changes lists, bytes and fields of objects in place, as a caller may do after a call. */
export function spoil(value: unknown, prng: Prng, depth = 0): void {
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  if (value instanceof Uint8Array) {
    if (value.length > 0) value[prng.below(value.length)] = prng.below(256);
  } else if (Array.isArray(value)) {
    if (value.length > LENGTH_MAX) return;
    for (const item of value) spoil(item, prng, depth + 1);
    if (value.length > 0 && prng.chance(0.5)) value[prng.below(value.length)] = rubbish(prng);
    else value.push(rubbish(prng));
  } else if (isPlain(value)) {
    for (const key of Object.keys(value)) {
      if (Object.getOwnPropertyDescriptor(value, key)?.writable !== true) continue;
      spoil(value[key], prng, depth + 1);
      if (prng.chance(0.3)) value[key] = rubbish(prng);
    }
  }
}

/** Freezes constants that calls share, so that {@link spoil} leaves them alone. */
export function freeze(...constants: readonly object[]): void {
  for (const constant of constants) {
    for (const value of Object.values(constant)) {
      if (Array.isArray(value) || isPlain(value)) freeze(value);
    }
    Object.freeze(constant);
  }
}

function damagedList(list: readonly unknown[], prng: Prng): readonly unknown[] {
  const at = prng.below(list.length);
  return list.map((item, index) => (index === at ? damagedValue(item, prng, 1) : item));
}

function damagedValue(value: unknown, prng: Prng, depth: number): unknown {
  const isWhole = depth > DEPTH_MAX || prng.chance(depth === 1 ? 0.35 : 0.25);
  if (isWhole) return rubbish(prng);
  if (Array.isArray(value) && value.length < LENGTH_MAX) return damagedArray(value, prng, depth);
  if (isPlain(value)) return damagedObject(value, prng, depth);
  return rubbish(prng);
}

function damagedArray(list: readonly unknown[], prng: Prng, depth: number): unknown {
  const at = prng.below(list.length + 1);
  switch (prng.below(7)) {
    case 0:
      return list.slice(0, at);
    case 1:
      return [...list.slice(0, at), rubbish(prng), ...list.slice(at)];
    case 2:
      return withHole(list, at);
    case 3:
      return list.length > 0 && list.every((item) => typeof item === "number")
        ? Float64Array.from(list as readonly number[])
        : [...list, ...list];
    default:
      return list.map((item, index) => (index === at ? damagedValue(item, prng, depth + 1) : item));
  }
}

function withHole(list: readonly unknown[], at: number): unknown {
  const copy = [...list];
  delete copy[at];
  return copy;
}

function damagedObject(value: Readonly<Record<string, unknown>>, prng: Prng, depth: number): unknown {
  const keys = Object.keys(value);
  if (keys.length === 0 || prng.chance(0.05)) return { ...value, [prng.pick(NEW_FIELDS)]: rubbish(prng) };
  const key = prng.pick(keys);
  switch (prng.below(8)) {
    case 0: {
      const { [key]: _, ...others } = value;
      return others;
    }
    case 1:
      // A method that changes after it was checked is the business of its object.
      return typeof value[key] === "function" ? { ...value } : fickle(value, key, rubbish(prng));
    default:
      return { ...value, [key]: damagedValue(value[key], prng, depth + 1) };
  }
}

const NEW_FIELDS = ["unknown", "toString", "length", "then", "seed", "id"] as const;

/** Returns an object of which one field is right when it is first read, and then something else. */
function fickle(value: Readonly<Record<string, unknown>>, key: string, later: unknown): unknown {
  let reads = 0;
  const get = (): unknown => (reads++ === 0 ? value[key] : later);
  return Object.defineProperty({ ...value }, key, { get, enumerable: true, configurable: true });
}

/** Whether a value is an object of fields, which is damaged field by field, and not an instance of a class. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(({ get }) => get === undefined);
}
