import { type Chunk, chunkFromVoxels, type ErrorCode, emptyChunk } from "@orthant/core";
import { ByteReader } from "@orthant/core/bytes";
import { applyChunkChange, checkChunkChange } from "@orthant/core/chunk";
import { encodeChunkChange } from "@orthant/core/internal";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const VOLUME = 300;
const air = emptyChunk(VOLUME);

/** Returns air with some blocks in some cells. */
const withCells = (cells: Readonly<Record<number, number>>): Chunk =>
  air.edit(Object.entries(cells).map(([index, block]) => ({ index: Number(index), block })));
const withRun = (start: number, length: number, block: number): Chunk =>
  air.edit(Array.from({ length }, (_, at) => ({ index: start + at, block })));

const samples: [rule: string, name: string, after: Chunk, hex: string][] = [
  ["S79", "one cell", withCells({ 7: 300 }), "01 01 07 ac02"],
  ["S79", "the last cell", withCells({ 299: 1 }), "01 01 ab02 01"],
  ["S79", "cells of one block", withCells({ 0: 4, 2: 4, 9: 4 }), "01 03 00 01 06 04"],
  ["S79", "cells of several blocks", withCells({ 0: 4, 2: 5 }), "00 02 00 01 04 05"],
  ["S79", "two cells side by side, as short as a run", withRun(3, 2, 4), "01 02 03 00 04"],
  ["S79", "a run of one block", withRun(3, 3, 4), "03 01 03 02 04"],
  [
    "S78",
    "runs of two blocks side by side",
    withRun(3, 3, 4).edit([{ index: 6, block: 5 }]),
    "02 02 03 00 02 00 04 05",
  ],
];

const refused: [rule: string, name: string, hex: string, code: ErrorCode][] = [
  ["S77", "a fifth form", "04 01 00 01", "ORT_TAG"],
  ["S77", "no cells", "01 00 04", "ORT_BLOB"],
  ["S77", "a cell behind the last", "01 01 ac02 01", "ORT_BLOB"],
  ["S77", "a run behind the last cell", "03 01 a902 03 04", "ORT_BLOB"],
  ["S77", "more cells than there are", `01 ad02 ${"00".repeat(301)} 04`, "ORT_LIMIT"],
  ["S77", "a block past 65,535", "01 01 07 808004", "ORT_VARINT_RANGE"],
  ["S78", "one run as two", "03 02 03 00 02 02 04", "ORT_BLOB"],
  ["S79", "a block each where one is enough", "00 02 00 01 04 04", "ORT_BLOB"],
  ["S79", "runs where cells are as short", "03 01 03 01 04", "ORT_BLOB"],
  ["S79", "cells where runs are shorter", "01 03 03 00 00 04", "ORT_BLOB"],
];

const check = (bytes: Uint8Array): void => {
  const input = new ByteReader(bytes);
  checkChunkChange(input, VOLUME);
  input.end();
};

describe("a change of a chunk", () => {
  test.each(samples)("[%s] a change of a chunk in %s has exactly these bytes", (_rule, _name, after, hex) => {
    expect(toHex(encodeChunkChange(air, after) ?? new Uint8Array(0))).toBe(toHex(fromHex(hex)));
    check(fromHex(hex));
    expect(applyChunkChange(air, fromHex(hex)).equals(after)).toBe(true);
  });

  test.each(refused)("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => check(fromHex(hex)))).toBe(code);
  });

  test.each(samples)(
    "[%s] a change of a chunk in %s is refused when truncated at any byte",
    (_rule, _name, _after, hex) => {
      const whole = fromHex(hex);
      for (let length = 0; length < whole.length; length++) {
        expect(codeOf(() => check(whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
      }
    },
  );

  test("[S77] a change of nothing has no bytes", () => {
    expect(encodeChunkChange(air, emptyChunk(VOLUME))).toBeUndefined();
  });

  test("[S77, S78, S79] turns one chunk into the other, whatever they are, and passes its check", () => {
    const prng = new Prng(1);
    for (let round = 0; round < 500; round++) {
      const blocks = prng.pick([1, 2, 300]);
      const before = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, () => prng.below(blocks)));
      const voxels = before.voxels();
      for (let edit = prng.below(20); edit >= 0; edit--) {
        const start = prng.below(VOLUME);
        voxels.fill(
          prng.pick([prng.below(blocks + 1), prng.below(70), 200]),
          start,
          start + prng.pick([1, 1, 2, 9, 200]),
        );
      }
      const after = chunkFromVoxels(voxels);
      const change = encodeChunkChange(before, after);
      if (change === undefined) expect(after.equals(before)).toBe(true);
      else {
        check(change);
        const changed = applyChunkChange(before, change);
        expect(changed.equals(after)).toBe(true);
        expect([changed.form, changed.byteLength]).toEqual([after.form, after.byteLength]);
      }
    }
  });

  test("[S79] has a unique encoding: accepted bytes are those that would be written", () => {
    const prng = new Prng(2);
    let taken = 0;
    // A block that the changes do not use, so that each of their cells differs.
    const before = chunkFromVoxels(new Uint16Array(VOLUME).fill(60_000));
    for (let round = 0; round < 20_000; round++) {
      const sample = fromHex(prng.pick(samples)[3]);
      for (let flips = prng.below(3); flips >= 0; flips--) sample[prng.below(sample.length)] = prng.below(12);
      if (codeOf(() => check(sample)) !== "no error") continue;
      const again = encodeChunkChange(before, applyChunkChange(before, sample));
      expect(toHex(again ?? new Uint8Array(0))).toBe(toHex(sample));
      taken++;
    }
    expect(taken).toBeGreaterThan(100);
  });
});
