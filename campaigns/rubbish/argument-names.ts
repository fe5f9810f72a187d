import { types } from "node:util";

/** Depth to which fields have names of their own. */
const DEPTH_MAX = 5;
/** Fields of longer lists have no other names than those of the first items. */
const ITEMS_MAX = 4;

/** Returns the names of a function's parameters, or of a constructor's, from its source. */
export function parameterNames(called: unknown): readonly string[] {
  if (typeof called !== "function" || types.isProxy(called)) return [];
  const source = Function.prototype.toString.call(called);
  const start = source.startsWith("class") ? source.search(/\bconstructor\s*\(/) : 0;
  if (start < 0) return [];
  return listOf(source.slice(start)).match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** Adds the names of all fields in `value` to `names`. Runs no code of the value. */
export function namesIn(value: unknown, names: Set<string>, depth = 0): ReadonlySet<string> {
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null || types.isProxy(value)) return names;
  if (ArrayBuffer.isView(value)) return names;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, ITEMS_MAX)) namesIn(item, names, depth + 1);
    return names;
  }
  for (const [name, { value: field }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    names.add(name);
    namesIn(field, names, depth + 1);
  }
  return names;
}

/** Returns what is between the first parentheses. */
function listOf(source: string): string {
  const from = source.indexOf("(");
  let depth = 0;
  for (let index = from; index >= 0 && index < source.length; index++) {
    if (source[index] === "(") depth++;
    if (source[index] === ")" && --depth === 0) return source.slice(from + 1, index);
  }
  return "";
}
