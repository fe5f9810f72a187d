import type { BlockProperties } from "@orthant/core";

/** Returns what tells a type of block with certain values of its properties from all others. */
export function lookKey(name: string, properties: BlockProperties): string {
  return `${name} ${JSON.stringify(properties)}`;
}
