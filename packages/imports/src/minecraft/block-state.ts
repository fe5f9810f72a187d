import type { NbtCompound } from "../nbt/nbt-compound.ts";

/** Returns the text of a state in a palette: `minecraft:oak_log[axis=y]`. `undefined` if it has no name. */
export function blockStateText(entry: NbtCompound): string | undefined {
  const name = entry.text("Name");
  if (name === undefined) return undefined;
  const properties = entry.compound("Properties");
  if (properties === undefined || properties.names.length === 0) return name;
  const pairs = properties.names.map((property) => `${property}=${properties.text(property) ?? ""}`);
  return `${name}[${pairs.length === 1 ? pairs[0] : pairs.sort(byName).join(",")}]`;
}

/** Returns a state that a file writes as text, with its properties sorted. */
export function sortedStateText(text: string): string {
  const open = text.indexOf("[");
  if (open < 0 || !text.endsWith("]")) return text;
  const inside = text.slice(open + 1, -1);
  if (inside === "") return text.slice(0, open);
  return `${text.slice(0, open)}[${inside.split(",").sort(byName).join(",")}]`;
}

function byName(a: string, b: string): number {
  const first = a.slice(0, a.indexOf("="));
  const second = b.slice(0, b.indexOf("="));
  return first < second ? -1 : first > second ? 1 : 0;
}
