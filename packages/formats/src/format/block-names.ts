import { type Check, requireObject, requireText } from "@orthant/core/arguments";

/** Requires names of blocks by other names of them. */
export const requireNames: Check<Readonly<Record<string, string>>> = (name, value) => {
  requireObject(name, value, 'it has names, such as { "minecraft:oak_planks": "planks" }');
  const entries = Object.entries(value);
  for (const [from, to] of entries) requireText(`${name}["${from}"]`, to, "it is the name of a block");
  return Object.fromEntries(entries);
};
