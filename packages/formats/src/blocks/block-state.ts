import { bytesEqual } from "@orthant/core/bytes";
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

/** States with more bytes are rarely the same twice. */
const CACHED_BYTES_MAX = 512;
const SLOTS = 4096;

/** The palettes of a world have the same states thousands of times: each slot keeps the last one of its hash. */
const cache: ({ readonly bytes: Uint8Array; readonly text: string | undefined } | undefined)[] = new Array(
  SLOTS,
).fill(undefined);

/** Like {@link blockStateText}, and faster for a state whose bytes were read before. */
export function cachedStateText(entry: NbtCompound): string | undefined {
  const bytes = entry.toBytes();
  if (bytes.length > CACHED_BYTES_MAX) return blockStateText(entry);
  let hash = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    hash = (Math.imul(hash, 31) + (bytes[offset] as number)) | 0;
  }
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
  const cached = cache[slot];
  if (cached !== undefined && bytesEqual(cached.bytes, bytes)) return cached.text;
  const text = blockStateText(entry);
  cache[slot] = { bytes: bytes.slice(), text };
  return text;
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
