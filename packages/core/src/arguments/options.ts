import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { requireChoice, requireFunction, requireObject, requireWhole } from "./checks.ts";
import { printable } from "./printable.ts";

/** Returns `value` if an argument or option may have it. Otherwise throws `ORT_ARGUMENT`, which shows the value. */
export type Check<Value> = (name: string, value: unknown) => Value;

/** The options of a function, each with its check. An option that is not listed does not exist. */
export type OptionTable<Options extends object> = {
  readonly [Name in keyof Options]-?: Check<Exclude<Options[Name], undefined>>;
};

/**
 * Returns the options of a caller as an object of our own, which no getter can change, without those that are
 * `undefined`: defaults can be spread in front of it. `what` names the options.
 */
export function checkedOptions<Options extends object>(
  what: string,
  options: Options,
  table: OptionTable<Options>,
): Options {
  return checkedFields(what, options, table, "");
}

/** Options inside an option. Errors name both, as in `cadence.worldMs`. */
export function fieldsOf<Options extends object>(table: OptionTable<Options>): Check<Options> {
  return (name, value) => checkedFields(name, value, table, `${name}.`);
}

function checkedFields<Options extends object>(
  what: string,
  value: unknown,
  table: OptionTable<Options>,
  prefix: string,
): Options {
  const names = Object.keys(table) as (keyof Options & string)[];
  requireObject(what, value, `it is an object with some of ${names.join(", ")}`);
  requireKnownFields(what, value, names);
  const checked: Partial<Options> = {};
  for (const name of names) {
    const given = (value as Options)[name];
    if (given !== undefined) checked[name] = table[name](prefix + name, given);
  }
  return checked as Options;
}

/** Requires an object whose fields are all in `known`; `what` names the object. */
export function requireKnownFields(what: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  // Without its value, which may be a secret under a wrong name.
  const detail = `there is no field ${printable(unknown)} in ${what}; there are ${known.join(", ")}`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

/** A whole number. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return (name, value) => requireWhole(name, value, min, max);
}

/** A number of at least 0. */
export function upTo(max: number): Check<number> {
  const advice =
    max === Number.POSITIVE_INFINITY ? "it is a number from 0" : `it is a number from 0 to ${max}`;
  return matching(advice, (value) => typeof value === "number" && value >= 0 && value <= max);
}

/** One of several texts. */
export function choiceOf<Choice extends string>(...choices: readonly Choice[]): Check<Choice> {
  return (name, value) => requireChoice(name, value, choices);
}

/** A function that is called later, whose arguments TypeScript checks. */
export function callback<Wanted>(name: string, value: unknown): Wanted {
  return requireFunction(name, value) as Wanted;
}

/** A value that is checked elsewhere, together with others. */
export function unchecked<Wanted>(_name: string, value: unknown): Wanted {
  return value as Wanted;
}

/** A value that a test accepts. `advice` says what would be right. */
export function matching<Wanted>(advice: string, accepts: (value: unknown) => boolean): Check<Wanted> {
  return (name, value) => {
    if (accepts(value)) return value as Wanted;
    throw wrongArgument(name, value, advice);
  };
}

/** A value that a test accepts and that no error may show, such as a key. */
export function secret<Wanted>(advice: string, accepts: (value: unknown) => boolean): Check<Wanted> {
  return (name, value) => {
    if (accepts(value)) return value as Wanted;
    throw new OrthantError("ORT_ARGUMENT", `${name} is of type ${typeof value}; ${advice}`);
  };
}

/** An object with methods of these names. */
export function withMethods<Wanted extends object>(
  advice: string,
  ...methods: readonly (keyof Wanted & string)[]
): Check<Wanted> {
  return matching(
    advice,
    (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((method) => typeof (value as Wanted)[method] === "function"),
  );
}
