/** A value to write as NBT; written here by hand, so that the readers are not tested with code of their own. */
export type NbtSample =
  | { readonly byte: number }
  | { readonly short: number }
  | { readonly int: number }
  | { readonly long: bigint }
  | { readonly double: number }
  | { readonly bytes: readonly number[] }
  | { readonly ints: readonly number[] }
  | { readonly longs: readonly bigint[] }
  | { readonly list: readonly NbtSample[] }
  | string
  | { readonly fields: Readonly<Record<string, NbtSample>> };

/** Returns a whole file of NBT without compression: a root with an empty name. */
export function nbtFile(fields: Readonly<Record<string, NbtSample>>): Uint8Array {
  return Uint8Array.from([10, 0, 0, ...payload({ fields })]);
}

function typeOf(value: NbtSample): number {
  if (typeof value === "string") return 8;
  const types = {
    byte: 1,
    short: 2,
    int: 3,
    long: 4,
    double: 6,
    bytes: 7,
    list: 9,
    fields: 10,
    ints: 11,
    longs: 12,
  };
  return types[Object.keys(value)[0] as keyof typeof types];
}

function payload(value: NbtSample): number[] {
  if (typeof value === "string") return text(value);
  if ("byte" in value) return [value.byte & 0xff];
  if ("short" in value) return bigEndian(BigInt(value.short), 2);
  if ("int" in value) return bigEndian(BigInt(value.int), 4);
  if ("long" in value) return bigEndian(value.long, 8);
  if ("double" in value) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value.double);
    return [...new Uint8Array(view.buffer)];
  }
  if ("bytes" in value) return [...bigEndian(BigInt(value.bytes.length), 4), ...value.bytes];
  if ("ints" in value) return counted(value.ints.map((int) => bigEndian(BigInt(int), 4)));
  if ("longs" in value) return counted(value.longs.map((long) => bigEndian(long, 8)));
  if ("list" in value) {
    const [first] = value.list;
    return [first === undefined ? 0 : typeOf(first), ...counted(value.list.map(payload))];
  }
  const fields = Object.entries(value.fields);
  return [...fields.flatMap(([name, field]) => [typeOf(field), ...text(name), ...payload(field)]), 0];
}

function counted(items: readonly (readonly number[])[]): number[] {
  return [...bigEndian(BigInt(items.length), 4), ...items.flat()];
}

function text(value: string): number[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [...bigEndian(BigInt(bytes.length), 2), ...bytes];
}

function bigEndian(value: bigint, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) =>
    Number((value >> BigInt(8 * (bytes - 1 - index))) & 0xffn),
  );
}
