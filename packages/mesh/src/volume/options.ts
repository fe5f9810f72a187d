import { requireFunction, requireKnownFields, requireObject, wrongArgument } from "@orthant/core/arguments";

// Checks of options, which may come from a JavaScript program.

/** Throws `ORT_ARGUMENT` unless `options` is an object without other fields than these. */
export function requireOptions(options: unknown, known: readonly string[]): void {
  requireObject("options", options, "it is an object, or left out");
  requireKnownFields("options", options, known);
}

/** Returns an option that is a function or, without one, `standard`. */
export function functionOption<Wanted>(name: string, value: Wanted | undefined, standard: Wanted): Wanted {
  return value === undefined ? standard : requireFunction(`options.${name}`, value);
}

/** Returns an option that is one of some choices or, without one, the first choice. */
export function choiceOption<Choice extends string>(
  name: string,
  value: Choice | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  if (value === undefined) return choices[0];
  if (choices.includes(value)) return value;
  const list = choices.map((choice) => `"${choice}"`).join(" or ");
  throw wrongArgument(`options.${name}`, value, `it is ${list}`);
}

/** Returns an option that is true or false; without one, true. */
export function flagOption(name: string, value: boolean | undefined): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? true;
  throw wrongArgument(`options.${name}`, value, "it is true or false");
}
