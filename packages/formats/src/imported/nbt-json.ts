import type { NbtTag } from "../nbt/nbt-value.ts";

/** Returns NBT as a value of JSON: numbers as numbers where they are exact, else as text. Types are not kept. */
export function jsonOfNbt(fields: ReadonlyMap<string, NbtTag>): object {
  // A field may be named __proto__, which an assignment would lose.
  return Object.fromEntries(Array.from(fields, ([name, tag]) => [name, jsonOfTag(tag)]));
}

function jsonOfTag(tag: NbtTag): unknown {
  switch (tag.type) {
    case "float":
    case "double":
      return Number.isFinite(tag.value) ? tag.value + 0 : String(tag.value);
    case "long":
      return jsonOfLong(tag.value);
    case "byteArray":
    case "intArray":
      return [...tag.value];
    case "longArray":
      return Array.from(tag.value, jsonOfLong);
    case "list":
      return tag.value.map(jsonOfTag);
    case "compound":
      return jsonOfNbt(tag.value);
    default:
      return tag.value;
  }
}

function jsonOfLong(long: bigint): number | string {
  const number = Number(long);
  return Number.isSafeInteger(number) ? number : String(long);
}
