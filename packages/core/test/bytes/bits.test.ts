import { BitReader, BitWriter, ByteReader, ByteWriter, RICE_VALUE_MAX, riceCost } from "@orthant/core/bytes";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** The bits of a list with a parameter, counted one by one. */
function bitsWith(values: readonly number[], parameter: number): number {
  return values.reduce((sum, value) => sum + 1 + parameter + Math.floor(value / 2 ** parameter), 0);
}

function randomValues(prng: Prng): readonly number[] {
  const top = prng.pick([1, 3, 30, 4_000, 2 ** 20]);
  return Array.from({ length: prng.between(1, 60) }, () =>
    prng.chance(0.02) ? prng.below(2 ** 22) : prng.below(top),
  );
}

describe("[N54] lists of codes", () => {
  test("have the first parameter that the next one does not improve", () => {
    for (let seed = 0; seed < 2_000; seed++) {
      const values = randomValues(new Prng(seed));
      let first = 0;
      while (first < 15 && bitsWith(values, first + 1) < bitsWith(values, first)) first++;
      expect(riceCost(values), `seed ${seed}`).toEqual({ parameter: first, bits: bitsWith(values, first) });
    }
  });

  test("come back as they were, in the bits that they are said to take", () => {
    for (let seed = 0; seed < 500; seed++) {
      const prng = new Prng(seed);
      const lists = Array.from({ length: 3 }, () => randomValues(prng));
      const out = new ByteWriter();
      const bits = new BitWriter(out);
      for (const values of lists) bits.riceList(values);
      bits.end();
      const taken = lists.reduce((sum, values) => sum + 4 + riceCost(values).bits, 0);
      expect(out.length, `seed ${seed}`).toBe(Math.ceil(taken / 8));
      const input = new ByteReader(out.copy());
      const again = new BitReader(input, "ORT_MESSAGE");
      expect(lists.map(({ length }) => again.riceList(length))).toEqual(lists);
      again.end();
      expect(input.remaining).toBe(0);
    }
  });

  test("a list of codes may contain the largest value, and no larger one", () => {
    const out = new ByteWriter();
    const bits = new BitWriter(out);
    bits.riceList([RICE_VALUE_MAX]);
    bits.end();
    const bytes = out.copy();
    expect(new BitReader(new ByteReader(bytes), "ORT_MESSAGE").riceList(1)).toEqual([RICE_VALUE_MAX]);
    const longer = new Uint8Array(bytes.length + 8).fill(0xff);
    expect(codeOf(() => new BitReader(new ByteReader(longer), "ORT_MESSAGE").riceList(1))).toBe("ORT_LIMIT");
  });
});
