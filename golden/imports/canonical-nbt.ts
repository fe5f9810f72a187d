import { createHash } from "node:crypto";
import type { NbtTag } from "@orthant/formats/readers";

/** Returns the hash of a compound's canonical JSON, as the README of the golden files defines it. */
export function hashCompound(fields: ReadonlyMap<string, NbtTag>): string {
  return createHash("sha256").update(canonicalCompound(fields)).digest("hex");
}

function canonicalCompound(fields: ReadonlyMap<string, NbtTag>): string {
  const names = [...fields.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields.get(name) as NbtTag)}`).join(",")}}`;
}

function canonical(tag: NbtTag): string {
  switch (tag.type) {
    case "byte":
    case "short":
    case "int":
      return String(tag.value);
    case "long":
      return `"${tag.value}"`;
    case "float": {
      const bits = Buffer.alloc(4);
      bits.writeFloatBE(tag.value);
      return `"f:${bits.toString("hex")}"`;
    }
    case "double": {
      const bits = Buffer.alloc(8);
      bits.writeDoubleBE(tag.value);
      return `"d:${bits.toString("hex")}"`;
    }
    case "string":
      return JSON.stringify(tag.value);
    case "byteArray":
    case "intArray":
      return `[${tag.value.join(",")}]`;
    case "longArray":
      return `[${Array.from(tag.value, (long) => `"${long}"`).join(",")}]`;
    case "list":
      return `[${tag.value.map(canonical).join(",")}]`;
    case "compound":
      return canonicalCompound(tag.value);
  }
}
