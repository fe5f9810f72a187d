import type { ErrorCode } from "../error/error-codes.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
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

/** An object whose fields are written by several codecs, one after another. */
export function combined<Parts extends readonly object[]>(
  ...codecs: { readonly [Index in keyof Parts]: Codec<Parts[Index]> }
): Codec<Combined<Parts>> {
  return {
    write(out, value) {
      for (const codec of codecs) codec.write(out, value);
    },
    read: (input) => Object.assign({}, ...codecs.map((codec) => codec.read(input))),
  };
}

type Combined<Parts extends readonly object[]> = Parts extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Combined<Rest>
  : object;

/** A value that takes no bytes, because it is always the same: the kind of a {@link record}. */
export function constant<const Value extends string>(value: Value): Codec<Value> {
  return { write: () => undefined, read: () => value };
}

/** The codec of each variant, by kind. Their order in the source defines their tags. */
export type VariantCodecs<Value extends { readonly kind: string }> = {
  readonly [Kind in Value["kind"]]: Codec<Extract<Value, { readonly kind: Kind }>>;
};

/** A union of kinds: a tag, then the body. */
export function variants<Value extends { readonly kind: string }>(
  codecs: VariantCodecs<Value>,
): Codec<Value> {
  const kinds = Object.keys(codecs);
  const bodies = Object.values<Codec<Value>>(codecs);
  const tags = new Map(kinds.map((kind, tag) => [kind, tag]));
  return {
    write(out, value) {
      const tag = tags.get(value.kind) ?? kinds.length;
      out.tag(tag, kinds.length);
      bodies[tag]?.write(out, value);
    },
    read(input) {
      const body = bodies[input.tag(kinds.length)] as Codec<Value>;
      return body.read(input);
    },
  };
}

/** One of several names: its place among them, as a tag. */
export function oneOf<const Name extends string>(names: readonly Name[]): Codec<Name> {
  return {
    // An unknown name has index -1, which is not a valid tag.
    write: (out, name) => out.tag(names.indexOf(name), names.length),
    read: (input) => names[input.tag(names.length)] as Name,
  };
}

/** A value without faults. Writing one that `faultOf` describes throws `ORT_ARGUMENT`, reading one throws `code`. */
export function checked<Value>(
  codec: Codec<Value>,
  code: ErrorCode,
  faultOf: (value: Value) => string | undefined,
): Codec<Value> {
  return {
    write(out, value) {
      const fault = faultOf(value);
      if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", fault);
      codec.write(out, value);
    },
    read: checkedWhenRead(codec, code, faultOf).read,
  };
}

/** A value that no writer gives the faults that `faultOf` describes. Reading one throws `code`. */
export function checkedWhenRead<Value>(
  codec: Codec<Value>,
  code: ErrorCode,
  faultOf: (value: Value) => string | undefined,
): Codec<Value> {
  return {
    write: (out, value) => codec.write(out, value),
    read(input) {
      const value = codec.read(input);
      const fault = faultOf(value);
      if (fault !== undefined) throw input.fail(code, fault);
      return value;
    },
  };
}

/** A value behind a byte with its version, the only one that is known. */
export function versioned<Value>(version: number, codec: Codec<Value>): Codec<Value> {
  return {
    write(out, value) {
      out.u8(version);
      codec.write(out, value);
    },
    read(input) {
      const found = input.u8();
      if (found === version) return codec.read(input);
      throw input.fail("ORT_VERSION", `unsupported version ${found} (expected ${version})`);
    },
  };
}

/** Four values, one for each of the axes x, y, z and w. */
export function perAxis<Item>(codec: Codec<Item>): Codec<readonly [x: Item, y: Item, z: Item, w: Item]> {
  return {
    write(out, items) {
      for (const item of items) codec.write(out, item);
    },
    read: (input) => [codec.read(input), codec.read(input), codec.read(input), codec.read(input)],
  };
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
