import type { BlockType } from "@orthant/core";
import { type Turn, turnedProperties } from "@orthant/core/operations";

/** Returns a type with the values that its blocks have after a turn, behind those that it has. */
export function turnedType(type: BlockType, turn: Turn): BlockType {
  const first = Object.fromEntries(type.properties.map(({ name, values }) => [name, values[0] as string]));
  const found = new Map(type.properties.map(({ name, values }) => [name, new Set(values)]));
  for (const { name, values } of type.properties)
    for (const value of values)
      for (const [turned, after] of Object.entries(turnedProperties(turn, { ...first, [name]: value })))
        found.get(turned)?.add(after);
  return { ...type, properties: Array.from(found, ([name, values]) => ({ name, values: [...values] })) };
}
