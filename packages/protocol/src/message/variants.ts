import type { Codec } from "@orthant/core";

/** The codec of each variant, by kind. Their order in the source defines their tags. */
export type VariantCodecs<Value extends { readonly kind: string }> = {
  readonly [Kind in Value["kind"]]: Codec<Extract<Value, { readonly kind: Kind }>>;
};

/** Returns a codec for a union of kinds: a tag, then the body. */
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

/** Returns a codec for one of several names, encoded as its index. */
export function oneOf<const Name extends string>(names: readonly Name[]): Codec<Name> {
  return {
    // An unknown name has index -1, which is not a valid tag.
    write: (out, name) => out.tag(names.indexOf(name), names.length),
    read: (input) => names[input.tag(names.length)] as Name,
  };
}
