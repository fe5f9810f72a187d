import { U16_MAX, U64_MAX } from "../bytes/integers.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import type { Timer, TimeSource } from "../time/time-source.ts";
import { nameFault, printable } from "./printable.ts";

// Checks of arguments that may come from a JavaScript program. Each throws `ORT_ARGUMENT` with the argument's name,
// its value and what would be right.

/** Returns `value` if it is a function. */
export function requireFunction<Wanted>(name: string, value: Wanted): Wanted {
  if (typeof value !== "function") throw wrongArgument(name, value, "it is a function");
  return value;
}

/** With the u flag a whole surrogate pair is one character outside of this class, so only halves match. */
const HALF_PAIR = /\p{Cs}/u;

/** Returns `value` if it is a text that UTF-8 can hold. `advice` says which. */
export function requireText(name: string, value: unknown, advice = "it is a string"): string {
  if (typeof value !== "string") throw wrongArgument(name, value, advice);
  if (HALF_PAIR.test(value)) throw wrongArgument(name, value, "it has half a surrogate pair");
  return value;
}

/** Returns `value` if it is a name that can be shown to others: see {@link nameFault}. */
export function requirePrintableName(name: string, value: unknown): string {
  const text = requireText(name, value);
  const fault = nameFault(text);
  if (fault !== undefined) throw wrongArgument(name, printable(text), fault);
  return text;
}

/** Requires an object that is not an array. `advice` says which. */
export function requireObject(name: string, value: unknown, advice: string): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    throw wrongArgument(name, value, advice);
}

/** Requires an array. `advice` says of what. */
export function requireList(
  name: string,
  value: unknown,
  advice: string,
): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw wrongArgument(name, value, advice);
}

/**
 * Returns whether a value is an array of items that are accepted. Unlike `every` it also visits holes, so that a sparse
 * array is refused at its first one.
 */
export function isListOf(value: unknown, accepts: (item: unknown) => boolean): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index++) if (!accepts(value[index])) return false;
  return true;
}

/**
 * Returns what `convert` returns for each item of an array. Unlike `map` it also visits holes, so that a sparse array
 * is refused at its first one. `advice` says what the items are.
 */
export function convertList<Item>(
  name: string,
  value: unknown,
  advice: string,
  convert: (item: unknown, index: number) => Item,
): Item[] {
  requireList(name, value, advice);
  // Most edits set one voxel; pushing it would reserve room for many.
  if (value.length === 1) return [convert(value[0], 0)];
  const items: Item[] = [];
  for (let index = 0; index < value.length; index++) items.push(convert(value[index], index));
  return items;
}

/** Returns `value` if it can be the block of a voxel. */
export function requireBlock(name: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= U16_MAX)
    return value as number;
  throw wrongArgument(
    name,
    value,
    `it is the id of a block, from 0 to ${U16_MAX}: see world.blocks.id(name)`,
  );
}

/**
 * Throws `ORT_LIMIT` if `count` exceeds `max`. Call it before listing what is counted, such as the positions of a caller's
 * box. `advice` says how to ask for less.
 */
export function requireAtMost(count: number, max: number, things: string, advice: string): void {
  if (count <= max) return;
  throw new OrthantError("ORT_LIMIT", `${count} ${things} exceed the limit of ${max}: ${advice}`);
}

/** Returns `value` if it is the id of a player or an entity. */
export function requireId(name: string, value: unknown): bigint {
  if (typeof value === "bigint" && value >= 0n && value <= U64_MAX) return value;
  const advice = Number.isSafeInteger(value) && (value as number) >= 0 ? `: write ${value}n` : "";
  throw wrongArgument(name, value, `it is a bigint from 0n to 2n ** 64n - 1n${advice}`);
}

/** Returns `value` if it is bytes. */
export function requireBytes(name: string, value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw wrongArgument(name, value, "it is a Uint8Array");
  return value;
}

/** Returns `value` if it is true or false. */
export function requireFlag(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw wrongArgument(name, value, "it is true or false");
  return value;
}

/** Returns `value` if it is a whole number from `min` to `max`. */
export function requireWhole(name: string, value: unknown, min: number, max: number): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw wrongArgument(name, value, `it is a whole number from ${min} to ${max}`);
}

/** Returns `value` if it is one of `choices`. */
export function requireChoice<Choice extends string>(
  name: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  if (choices.includes(value as Choice)) return value as Choice;
  const [last, ...others] = [...choices].reverse().map((choice) => JSON.stringify(choice));
  throw wrongArgument(name, value, `it is ${others.reverse().join(", ")} or ${last}`);
}

/** Returns `value` if it is a source of time: its methods exist, and each of them returns what it should once. */
export function requireTime(name: string, value: unknown): TimeSource {
  const time = (typeof value === "object" ? (value ?? {}) : {}) as TimeSource;
  if (![time.nowMs, time.after, time.wait].every((method) => typeof method === "function")) {
    throw wrongArgument(name, value, "it has the methods nowMs, after and wait");
  }
  const nowMs: unknown = time.nowMs();
  if (!Number.isSafeInteger(nowMs) || (nowMs as number) < 0) {
    throw wrongArgument(`${name}.nowMs()`, nowMs, "it returns whole milliseconds since 1970");
  }
  for (const method of ["after", "wait"] as const) {
    const timer: Partial<Timer> | null | undefined = time[method](0, () => undefined);
    if (typeof timer?.cancel !== "function") {
      throw wrongArgument(`${name}.${method}()`, timer, "it returns a timer with the method cancel");
    }
    timer.cancel();
  }
  return time;
}
