import { chunkFromVoxels, type ErrorCode } from "@orthant/core";
import { ByteReader, decode, encode } from "@orthant/core/bytes";
import { checkPackedChunk, encodePackedChunk, packedChunkBytes, packedChunkCodec } from "@orthant/core/chunk";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const nothing = new Array<number>(16).fill(0);
/** Indices `0 0 1 1 2 0 1 0` and eight times 0, two bits each, from the lowest bit up: 0x1250. */
const scattered = [0, 0, 5, 5, 300, 0, 5, ...new Array<number>(9).fill(0)];
const SCATTERED = "03 0000 0500 2c01 50120000";
/** Palette and word would take twelve bytes, the voxels take ten. */
const short = [1, 2, 1, 1, 1];

const samples: [rule: string, name: string, voxels: readonly number[], hex: string][] = [
  ["S75", "air", nothing, "01 0000"],
  ["S75", "one block", new Array<number>(16).fill(300), "01 2c01"],
  ["S75", "three blocks in the order of their appearance", scattered, `${SCATTERED} 00000000`],
  ["S76", "few voxels", short, "00 0100 0200 0100 0100 0100"],
];

const refused: [rule: string, name: string, volume: number, hex: string, code: ErrorCode][] = [
  ["S75", "a block twice", 16, `${SCATTERED.replace("2c01", "0500")} 00000000`, "ORT_CHUNK_PALETTE"],
  ["S75", "a palette in another order", 16, "03 0000 2c01 0500 60210000 00000000", "ORT_CHUNK_PALETTE"],
  ["S75", "a block that does not occur", 16, "03 0000 0500 2c01 50100000 00000000", "ORT_CHUNK_PALETTE"],
  [
    "S75",
    "an index behind the palette",
    16,
    `${SCATTERED.replace("5012", "5032")} 00000000`,
    "ORT_CHUNK_PALETTE",
  ],
  ["S75", "bits behind the last voxel", 16, `${SCATTERED} 00000001`, "ORT_CHUNK_PACKING"],
  ["S76", "a palette where none is shorter", 5, "02 0100 0200 0200000000000000", "ORT_CHUNK_FORM"],
  ["S76", "no palette where one is shorter", 16, `00 ${"0000".repeat(16)}`, "ORT_CHUNK_FORM"],
  ["S76", "more blocks than voxels", 5, "06", "ORT_CHUNK_FORM"],
];

describe("a packed chunk", () => {
  test.each(samples)("[%s] a packed chunk of %s has exactly these bytes", (_rule, _name, voxels, hex) => {
    const codec = packedChunkCodec(voxels.length);
    const chunk = chunkFromVoxels(Uint16Array.from(voxels));
    expect(toHex(encode(codec, chunk))).toBe(toHex(fromHex(hex)));
    expect([...decode(codec, fromHex(hex)).voxels()]).toEqual([...voxels]);
  });

  test.each(refused)("[%s] is refused with %s", (_rule, _name, volume, hex, code) => {
    expect(codeOf(() => decode(packedChunkCodec(volume), fromHex(hex)))).toBe(code);
    expect(codeOf(() => checkPackedChunk(new ByteReader(fromHex(hex)), volume))).toBe(code);
  });

  test.each(samples)(
    "[%s] a packed chunk of %s is refused when truncated at any byte",
    (_rule, _name, voxels, hex) => {
      const whole = fromHex(hex);
      for (let length = 0; length < whole.length; length++) {
        const cut = whole.subarray(0, length);
        expect(codeOf(() => decode(packedChunkCodec(voxels.length), cut))).toBe("ORT_TRUNCATED");
        expect(codeOf(() => checkPackedChunk(new ByteReader(cut), voxels.length))).toBe("ORT_TRUNCATED");
      }
    },
  );

  test("[S75, S76] survives a round trip, whatever its blocks, and passes its check", () => {
    const prng = new Prng(1);
    for (let round = 0; round < 300; round++) {
      const volume = prng.pick([1, 2, 7, 16, 64, 256, 1_000, 4_096]);
      const blocks = prng.pick([1, 2, 3, 5, 16, 17, 300, 5_000]);
      const voxels = Uint16Array.from({ length: volume }, () => prng.below(blocks) * 13);
      const chunk = chunkFromVoxels(voxels);
      const bytes = encode(packedChunkCodec(volume), chunk);
      expect(encodePackedChunk(chunk)).toEqual(bytes);
      expect(packedChunkBytes(chunk)).toBe(bytes.length);
      const back = decode(packedChunkCodec(volume), bytes);
      expect(back.equals(chunk)).toBe(true);
      expect([back.byteLength, back.form]).toEqual([chunk.byteLength, chunk.form]);
      expect(back.set(0, 9).equals(chunk.set(0, 9))).toBe(true);
      const input = new ByteReader(bytes);
      checkPackedChunk(input, volume);
      expect(input.remaining).toBe(0);
    }
  });

  test("stays as it was encoded when many others are encoded after it", () => {
    const prng = new Prng(2);
    const chunks = Array.from({ length: 200 }, () => {
      const volume = prng.pick([1, 64, 4_096, 32_768]);
      return chunkFromVoxels(Uint16Array.from({ length: volume }, () => prng.below(20)));
    });
    const encoded = chunks.map(encodePackedChunk);
    for (const [index, chunk] of chunks.entries())
      expect(toHex(encoded[index] as Uint8Array)).toBe(toHex(encode(packedChunkCodec(chunk.volume), chunk)));
  });

  test.each([2, 3, 7, 12, 16, 31, 200, 256])(
    "[S75] a packed chunk of %d blocks is refused with one index behind the palette or before its turn",
    (blocks) => {
      const prng = new Prng(blocks);
      const codec = packedChunkCodec(4_096);
      const bitWidth = Math.ceil(Math.log2(blocks));
      for (let round = 0; round < 40; round++) {
        const voxels = Uint16Array.from({ length: 4_096 }, (_, voxel) => voxel % blocks);
        const bytes = encode(codec, chunkFromVoxels(voxels));
        const start = bytes.length - (4_096 * bitWidth) / 8;
        // All bits of an index set: behind the palette, or its last entry, which is early only before its first voxel.
        const voxel = prng.below(round % 2 === 0 ? 4_096 : blocks - 1);
        for (let bit = voxel * bitWidth; bit < (voxel + 1) * bitWidth; bit++) {
          bytes[start + (bit >> 3)] = (bytes[start + (bit >> 3)] as number) | (1 << (bit & 7));
        }
        const isWrong = 2 ** bitWidth > blocks || voxel < blocks - 1;
        const code = isWrong ? "ORT_CHUNK_PALETTE" : "no error";
        expect(codeOf(() => decode(codec, bytes))).toBe(code);
        expect(codeOf(() => checkPackedChunk(new ByteReader(bytes), 4_096))).toBe(code);
      }
    },
  );

  test("[S75, S76] has a unique encoding: readable bytes are those that would be written", () => {
    const prng = new Prng(2);
    const [volume, codec] = [16, packedChunkCodec(16)];
    let read = 0;
    for (let round = 0; round < 20_000; round++) {
      const sample = fromHex(prng.pick(samples.slice(0, 3))[3]);
      sample[prng.below(sample.length)] = prng.below(256);
      const code = codeOf(() => checkPackedChunk(new ByteReader(sample), volume));
      expect(codeOf(() => codec.read(new ByteReader(sample)))).toBe(code);
      if (code !== "no error") continue;
      const input = new ByteReader(sample);
      const chunk = codec.read(input);
      expect(toHex(encode(codec, chunk))).toBe(toHex(input.since(0)));
      read++;
    }
    expect(read).toBeGreaterThan(100);
  });
});
