import { wrongArgument } from "../error/orthant-error.ts";
import type { Codec } from "./codec.ts";
import { requireInteger, U32_MAX } from "./integers.ts";

/** An optional value: one byte 0, or 1 and the value. */
export function option<Value>(codec: Codec<Value>): Codec<Value | undefined> {
  return {
    write(out, value) {
      out.bool(value !== undefined);
      if (value !== undefined) codec.write(out, value);
    },
    read: (input) => (input.bool() ? codec.read(input) : undefined),
  };
}

/** A varint count, at most `limit`, then the items, which take at least one byte each. */
export function list<Item>(codec: Codec<Item>, limit: number): Codec<readonly Item[]> {
  return {
    write(out, items) {
      if (!Array.isArray(items)) throw wrongArgument("the list", items, "it is an array");
      requireInteger(items.length, 0, limit);
      out.varUint(items.length);
      for (const item of items) codec.write(out, item);
    },
    read(input) {
      const count = input.count(limit);
      const items: Item[] = [];
      for (let index = 0; index < count; index++) items.push(codec.read(input));
      return items;
    },
  };
}

/** An object: the values of its fields, in the order given. */
export function record<Value extends object>(
  fields: {
    readonly [Name in keyof Value]-?: Codec<Value[Name]>;
  },
): Codec<Value> {
  const entries = Object.entries<Codec<unknown>>(fields);
  return {
    write(out, value) {
      for (const [name, codec] of entries) codec.write(out, value[name as keyof Value]);
    },
    read(input) {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of entries) value[name] = codec.read(input);
      return value as Value;
    },
  };
}

/** A value that takes no bytes, because it is always the same: the kind of a {@link record}. */
export function constant<const Value extends string>(value: Value): Codec<Value> {
  return { write: () => undefined, read: () => value };
}

/** Exactly `length` items, without a count. */
export function repeated<Item>(codec: Codec<Item>, length: number): Codec<readonly Item[]> {
  return {
    write(out, items) {
      requireInteger(items.length, length, length);
      for (const item of items) codec.write(out, item);
    },
    read: (input) => Array.from({ length }, () => codec.read(input)),
  };
}

/** UTF-8 text of at most `limit` bytes, prefixed with its length. */
export function string(limit: number = U32_MAX): Codec<string> {
  return { write: (out, text) => out.string(text, limit), read: (input) => input.string(limit) };
}

/** Raw bytes, at most `limit`, prefixed with their length. */
export function bytes(limit: number = U32_MAX): Codec<Uint8Array> {
  return { write: (out, value) => out.bytes(value, limit), read: (input) => input.bytes(limit) };
}
