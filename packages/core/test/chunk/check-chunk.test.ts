import { chunkFromVoxels, isOrthantError } from "@orthant/core";
import { ByteReader, ByteWriter, encode } from "@orthant/core/bytes";
import { checkChunk, chunkCodec } from "@orthant/core/chunk";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** Returns the outcome of reading: the end offset, or the code and offset of the error. */
function outcomeOf(bytes: Uint8Array, read: (input: ByteReader) => unknown): string {
  const input = new ByteReader(bytes);
  try {
    read(input);
    return `read ${input.offset}`;
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    return `${error.code} at ${error.context.offset}: ${error.detail}`;
  }
}

/** Returns voxels in layers, so that words repeat, with blocks scattered among them. */
function layeredVoxels(prng: Prng, volume: number): Uint16Array {
  const blocks = Array.from({ length: prng.between(1, 40) }, () =>
    prng.below(prng.chance(0.9) ? 100 : 60_000),
  );
  const layer = Array.from({ length: 64 }, () => prng.pick(blocks));
  const strewn = prng.chance(0.5) ? 0.02 : 0;
  return Uint16Array.from({ length: volume }, (_, cell) =>
    prng.chance(strewn) ? prng.pick(blocks) : (layer[cell % 64] as number),
  );
}

describe("checkChunk", () => {
  test("agrees with chunkCodec on randomly damaged bytes", () => {
    const prng = new Prng(21);
    const codes = new Map<string, number>();
    for (let round = 0; round < 3_000; round++) {
      const volume = prng.pick([1, 16, 63, 64, 65, 128, 250, 512, 4_096]);
      const chunk = chunkFromVoxels(layeredVoxels(prng, volume));
      const bytes = encode(chunkCodec(volume), chunk);
      for (let damage = prng.below(3); damage > 0; damage--)
        bytes[prng.below(bytes.length)] = prng.below(256);
      const cut = prng.chance(0.1) ? bytes.subarray(0, prng.below(bytes.length + 1)) : bytes;
      const read = outcomeOf(cut, (input) => chunkCodec(volume).read(input));
      expect(
        outcomeOf(cut, (input) => checkChunk(input, volume)),
        `round ${round}`,
      ).toBe(read);
      const [word = ""] = read.split(" ");
      codes.set(word, (codes.get(word) ?? 0) + 1);
    }
    for (const word of ["read", "ORT_CHUNK_PALETTE", "ORT_CHUNK_PACKING", "ORT_TRUNCATED"]) {
      expect(codes.get(word) ?? 0, word).toBeGreaterThan(10);
    }
  });
});

describe("varU64Halves", () => {
  const LIMITS = [0n, 1n, 127n, 128n, 0x3fffn, 0x4000n, 0x0fff_ffffn, 0x1000_0000n, 0xffff_ffffn, 1n << 35n];
  const MORE = [
    (1n << 42n) - 1n,
    1n << 49n,
    (1n << 56n) - 1n,
    1n << 56n,
    (1n << 63n) - 1n,
    1n << 63n,
    (1n << 64n) - 1n,
  ];

  test("reads every length of varint as varU64 does, even near the end of the bytes", () => {
    const prng = new Prng(4);
    for (let round = 0; round < 300; round++) {
      const values = Array.from({ length: prng.between(1, 12) }, () => prng.pick([...LIMITS, ...MORE]));
      const out = new ByteWriter();
      for (const value of values) out.varU64(value);
      const halves = new Uint32Array(values.length * 2);
      const input = new ByteReader(out.copy());
      input.varU64Halves(halves, values.length);
      input.end();
      expect([...new BigUint64Array(halves.buffer)]).toEqual(values);
    }
  });

  test.each([
    ["a varint padded by a byte", [0x81, 0x00], "ORT_VARINT_PADDED"],
    ["five bytes of which the last is 0", [0x81, 0x80, 0x80, 0x80, 0x00], "ORT_VARINT_PADDED"],
    ["nine bytes of which the last is 0", [...Array(8).fill(0x80), 0x00], "ORT_VARINT_PADDED"],
    ["more than 64 bits", [...Array(9).fill(0xff), 0x02], "ORT_VARINT_RANGE"],
    ["more than ten bytes", [...Array(10).fill(0xff), 0x01], "ORT_VARINT_RANGE"],
  ])("refuses %s, however many bytes follow", (_name, bytes: readonly number[], code) => {
    for (const room of [0, 32]) {
      const input = new ByteReader(Uint8Array.from([5, ...bytes, ...Array<number>(room).fill(1)]));
      expect(() => input.varU64Halves(new Uint32Array(8), 2)).toThrow(code);
    }
  });
});
