import { OrthantError } from "@orthant/core";
import { readNbtString } from "./nbt-string.ts";
import { NBT, NBT_BYTES_MIN } from "./nbt-type.ts";

/** A value of NBT with its type, so that it can be written again as it was. */
export type NbtTag =
  | { readonly type: "byte" | "short" | "int" | "float" | "double"; readonly value: number }
  | { readonly type: "long"; readonly value: bigint }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "byteArray"; readonly value: Int8Array }
  | { readonly type: "intArray"; readonly value: Int32Array }
  | { readonly type: "longArray"; readonly value: BigInt64Array }
  | { readonly type: "list"; readonly value: readonly NbtTag[] }
  | { readonly type: "compound"; readonly value: ReadonlyMap<string, NbtTag> };

/** Maximum number of tags in a value that is read as a whole: an empty one takes a byte there and hundreds here. */
export const NBT_TAGS_MAX = 65_536;

/** Tags that may still be read. */
export interface TagBudget {
  left: number;
  readonly max: number;
}

/** Reads a value that was checked before. Throws `ORT_LIMIT` if the budget is spent. */
export function readNbtTag(
  bytes: Uint8Array,
  view: DataView,
  type: number,
  start: number,
  budget: TagBudget,
): NbtTag {
  return new TagReader(bytes, view, start, budget).read(type);
}

class TagReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #budget: TagBudget;
  #offset: number;

  constructor(bytes: Uint8Array, view: DataView, start: number, budget: TagBudget) {
    this.#bytes = bytes;
    this.#view = view;
    this.#offset = start;
    this.#budget = budget;
  }

  read(type: number): NbtTag {
    if (this.#budget.left-- <= 0) {
      throw new OrthantError("ORT_LIMIT", `more than ${this.#budget.max} tags in one value of NBT`, {
        offset: this.#offset,
      });
    }
    const view = this.#view;
    switch (type) {
      case NBT.byte:
        return { type: "byte", value: view.getInt8(this.#take(type)) };
      case NBT.short:
        return { type: "short", value: view.getInt16(this.#take(type)) };
      case NBT.int:
        return { type: "int", value: view.getInt32(this.#take(type)) };
      case NBT.long:
        return { type: "long", value: view.getBigInt64(this.#take(type)) };
      case NBT.float:
        return { type: "float", value: view.getFloat32(this.#take(type)) };
      case NBT.double:
        return { type: "double", value: view.getFloat64(this.#take(type)) };
      case NBT.string:
        return { type: "string", value: this.#string() };
      case NBT.byteArray: {
        const { start, count } = this.#array(1);
        return {
          type: "byteArray",
          value: Int8Array.from({ length: count }, (_, at) => view.getInt8(start + at)),
        };
      }
      case NBT.intArray: {
        const { start, count } = this.#array(4);
        const value = Int32Array.from({ length: count }, (_, at) => view.getInt32(start + at * 4));
        return { type: "intArray", value };
      }
      case NBT.longArray: {
        const { start, count } = this.#array(8);
        const value = BigInt64Array.from({ length: count }, (_, at) => view.getBigInt64(start + at * 8));
        return { type: "longArray", value };
      }
      case NBT.list:
        return { type: "list", value: this.#list() };
      default:
        return { type: "compound", value: this.#compound() };
    }
  }

  #list(): readonly NbtTag[] {
    const type = this.#view.getUint8(this.#offset);
    const count = this.#view.getInt32(this.#offset + 1);
    this.#offset += 5;
    const items: NbtTag[] = [];
    for (let index = 0; index < count; index++) items.push(this.read(type));
    return items;
  }

  #compound(): ReadonlyMap<string, NbtTag> {
    const fields = new Map<string, NbtTag>();
    for (;;) {
      const type = this.#view.getUint8(this.#offset++);
      if (type === NBT.end) return fields;
      const name = this.#string();
      fields.set(name, this.read(type));
    }
  }

  #string(): string {
    const length = this.#view.getUint16(this.#offset);
    const start = this.#offset + 2;
    this.#offset = start + length;
    return readNbtString(this.#bytes, start, length);
  }

  #array(elementBytes: number): { readonly start: number; readonly count: number } {
    const count = this.#view.getInt32(this.#offset);
    const start = this.#offset + 4;
    this.#offset = start + count * elementBytes;
    return { start, count };
  }

  #take(type: number): number {
    const start = this.#offset;
    this.#offset += NBT_BYTES_MIN[type] as number;
    return start;
  }
}
