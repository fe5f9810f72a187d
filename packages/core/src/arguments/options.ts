import { wrongArgument } from "../error/orthant-error.ts";
import { requireObject } from "./checks.ts";

/** For each option, a function that returns its value if it may have it, and throws otherwise. */
export type OptionRules<Options extends object> = {
  readonly [Name in keyof Options]-?: (name: string, value: unknown) => Exclude<Options[Name], undefined>;
};

/**
 * Returns options as an object of our own, without those that are `undefined`. Each rule returns the value of its option
 * or throws; an option without a rule is refused. `what` names the options.
 */
export function ownOptions<Options extends object>(
  what: string,
  options: Options,
  rules: OptionRules<Options>,
): Options {
  requireObject(what, options, `it is an object with some of ${Object.keys(rules).join(", ")}`);
  requireKnownFields(what, options, Object.keys(rules));
  const own: Partial<Options> = {};
  for (const name of Object.keys(rules) as (keyof Options & string)[]) {
    const value = options[name];
    if (value !== undefined) own[name] = rules[name](name, value);
  }
  return own as Options;
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
