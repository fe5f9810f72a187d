import { U16_MAX } from "../bytes/integers.ts";
import { wrongArgument } from "../error/orthant-error.ts";

// Checks of arguments that may come from a JavaScript program. Each throws `ORT_ARGUMENT` with the argument's name,
// its value and what would be right.

/** Returns `value` if it is a function. */
export function requireFunction<Wanted>(name: string, value: Wanted): Wanted {
  if (typeof value !== "function") throw wrongArgument(name, value, "it is a function");
  return value;
}

/** Requires an object that is not an array. `advice` says which. */
export function requireObject(name: string, value: unknown, advice: string): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
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

/** Requires an object whose fields are all in `known`; `what` names the object. */
export function requireKnownFields(what: string, value: object, known: readonly string[]): void {
  for (const field of Object.keys(value)) {
    if (!known.includes(field))
      throw wrongArgument(
        `the field ${field} of ${what}`,
        (value as Record<string, unknown>)[field],
        `there are ${known.join(", ")}`,
      );
  }
}
