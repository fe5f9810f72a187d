import { UsageError } from "../usage-error.ts";
import { parsePosition } from "./position.ts";

/**
 * Returns a generator's parameters: its defaults, changed by words like `relief=32`. The default determines
 * the kind of value: a whole number, `true` or `false`, or a position. `none` removes an optional value.
 */
export function withParameters<Parameters extends object>(
  defaults: Parameters,
  words: readonly string[],
): Parameters {
  const values: Record<string, unknown> = Object.fromEntries(Object.entries(defaults));
  for (const word of words) {
    const [name = "", text, ...rest] = word.split("=");
    if (text === undefined || rest.length > 0) {
      throw new UsageError(`--set: "${word}" is not of the form name=value`);
    }
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ");
      throw new UsageError(`--set: there is no parameter "${name}"; there are ${known}`);
    }
    values[name] = parameterValue(name, text, values[name]);
  }
  return values as Parameters;
}

function parameterValue(name: string, text: string, before: unknown): unknown {
  if (Array.isArray(before)) return parsePosition(text);
  if (typeof before === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new UsageError(`--set: ${name} is true or false, not "${text}"`);
  }
  if (text === "none" && name === "waterLevel") return undefined;
  if (!/^[-+]?\d{1,15}$/.test(text)) throw new UsageError(`--set: ${name} is a whole number, not "${text}"`);
  return Number(text);
}
