import { NBT_DEPTH_MAX, readNbt, readNbtCompound } from "@orthant/formats/readers";
import { codeOf, fromHex, nbtFile, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** Written by hand: a root named `r` with a short `a` of -2, a list `l` of two strings, and an int array `i`. */
const SMALL = fromHex(
  "0a 0001 72  02 0001 61 fffe  09 0001 6c 08 00000002 0001 78 0000  0b 0001 69 00000001 0000000a  00",
);

describe("NBT", () => {
  test("[IM1] reads a file written by hand", () => {
    const { name, root } = readNbt(SMALL);
    expect(name).toBe("r");
    expect(root.names).toEqual(["a", "l", "i"]);
    expect(root.integer("a")).toBe(-2);
    expect(Object.fromEntries(root.toMap())).toEqual({
      a: { type: "short", value: -2 },
      l: {
        type: "list",
        value: [
          { type: "string", value: "x" },
          { type: "string", value: "" },
        ],
      },
      i: { type: "intArray", value: Int32Array.of(10) },
    });
  });

  test("[IM1] keeps the type and every bit of a value", () => {
    const fields = {
      low: { long: -(2n ** 63n) },
      double: { double: -0.1 },
      longs: { longs: [1n, -1n] },
      bytes: { bytes: [255, 0] },
      nested: { fields: { at: { ints: [1, 2, 3] } } },
    };
    const { root } = readNbt(nbtFile(fields));
    expect(root.long("low")).toBe(-(2n ** 63n));
    expect(root.longs("longs")?.getBigInt64(8)).toBe(-1n);
    expect(root.bytes("bytes")).toEqual(Uint8Array.of(255, 0));
    expect(root.compound("nested")?.triple("at")).toEqual([1, 2, 3]);
    expect(root.toMap().get("double")).toEqual({ type: "double", value: -0.1 });
    const nested = root.compound("nested")?.toBytes() ?? new Uint8Array(0);
    expect(readNbtCompound(nested).triple("at")).toEqual([1, 2, 3]);
  });

  test("[IM1] treats a field of another type as missing", () => {
    const { root } = readNbt(nbtFile({ a: { int: 1 }, b: "text" }));
    expect([root.text("a"), root.integer("b"), root.compound("a"), root.bytes("b"), root.long("b")]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([...root.compounds("a")]).toEqual([]);
  });

  test("[IM2] reads the text of Java: characters beyond 16 bits as two halves, and NUL as two bytes", () => {
    // U+1F30D as the surrogates D83C and DF0D of three bytes each, then C0 80.
    const root = readNbt(fromHex("0a 0000 08 0001 61 0008 eda0bc edbc8d c080 00")).root;
    expect(root.text("a")).toBe("\u{1f30d}\0");
    expect(readNbt(fromHex("0a 0000 08 0001 61 0004 f09f8c8d 00")).root.text("a")).toBe("\u{1f30d}");
  });

  test.each([
    ["a byte that begins no character", "ff"],
    ["a character that is cut", "e4b8"],
    ["a character whose second byte begins another", "c3 41"],
  ])("[IM2] refuses text with %s", (_name, hex) => {
    const text = fromHex(hex);
    const root = readNbt(Uint8Array.of(10, 0, 0, 8, 0, 1, 0x61, 0, text.length, ...text, 0)).root;
    expect(codeOf(() => root.text("a"))).toBe("ORT_NBT");
  });

  test("[IM3] refuses a file cut at any byte", () => {
    for (let length = 0; length < SMALL.length; length++) {
      expect(codeOf(() => readNbt(SMALL.subarray(0, length)))).toBe("ORT_NBT");
    }
  });

  test.each([
    ["a root that is not a compound", "09 0000 00 00000000"],
    ["a tag of type 13", "0a 0000 0d 0000 00"],
    ["a list of type 13", "0a 0000 09 0000 0d 00000001 00"],
    ["a list of end tags", "0a 0000 09 0000 00 7fffffff 00"],
    ["a list longer than the file", "0a 0000 09 0000 03 7fffffff 00"],
    ["an array of a negative length", "0a 0000 0c 0000 80000000 00"],
    ["an array longer than the file", "0a 0000 07 0000 00000009 00"],
  ])("[IM3] refuses %s", (_name, hex) => {
    expect(codeOf(() => readNbt(fromHex(hex)))).toBe("ORT_NBT");
  });

  test("[IM4] reads 512 levels and refuses one more, however many there are", () => {
    const nested = (levels: number): Uint8Array => {
      const bytes = [10, 0, 0];
      for (let level = 1; level < levels; level++) bytes.push(10, 0, 0);
      return Uint8Array.from([...bytes, ...new Array(levels).fill(0)]);
    };
    expect(readNbt(nested(NBT_DEPTH_MAX)).root.has("")).toBe(true);
    expect(codeOf(() => readNbt(nested(NBT_DEPTH_MAX + 1)))).toBe("ORT_NBT");
    // Lists of lists: five bytes a level, and far more levels than the stack has room for.
    const lists = new Uint8Array(6 + 5 * 200_000);
    lists.set([10, 0, 0, 9, 0, 0]);
    for (let level = 0; level < 200_000; level++) lists.set([9, 0, 0, 0, 1], 6 + level * 5);
    expect(codeOf(() => readNbt(lists))).toBe("ORT_NBT");
  });

  test("[IM5] builds at most as many values as its limit allows", () => {
    const { root } = readNbt(nbtFile({ l: { list: new Array(1_000).fill({ fields: {} }) } }));
    expect(root.toMap(1_001).get("l")?.type).toBe("list");
    expect(codeOf(() => root.toMap(1_000))).toBe("ORT_LIMIT");
  });

  test("[IM3] answers any bytes with a value or an error of its own", () => {
    const prng = new Prng(7);
    for (let round = 0; round < 5_000; round++) {
      const bytes = SMALL.slice();
      for (let change = 0; change <= prng.below(3); change++)
        bytes[prng.below(bytes.length)] = prng.below(256);
      try {
        readNbt(bytes).root.toMap();
      } catch (error) {
        expect((error as { name: string }).name).toBe("OrthantError");
      }
    }
  });
});
