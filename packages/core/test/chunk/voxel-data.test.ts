import { AIR, chunkFromVoxels, type ErrorCode, emptyChunk, uniformChunk } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  CHUNK_DATA_BYTES_MAX,
  chunkCodec,
  diffVoxelData,
  editBlocks,
  fillBlocks,
  VOXEL_DATA_BYTES_MAX,
  type VoxelDataEdit,
  voxelDataCodec,
  voxelDataEditsCodec,
} from "@orthant/core/chunk";
import { boxBetween } from "@orthant/core/lattice";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const VOLUME = 8;
const SHAPE = { extents: [2, 2, 2, 1], volume: VOLUME } as const;
const CHEST = 5;
const codec = voxelDataCodec(VOLUME);
const small = chunkFromVoxels(Uint16Array.of(0, 0, CHEST, CHEST, 300, 0, CHEST, 0));
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const filled = small.editData([
  { index: 6, data: text("six") },
  { index: 2, data: text("two") },
]);

describe("the data of a chunk", () => {
  test("is there for the voxels that have some, in their order, as a copy", () => {
    expect([...filled.data].map(({ index }) => index)).toEqual([2, 6]);
    expect(filled.dataAt(2)).toEqual(text("two"));
    expect(filled.dataAt(3)).toBeUndefined();
    filled.dataAt(2)?.fill(0);
    expect(filled.dataAt(2)).toEqual(text("two"));
    expect(small.data.size).toBe(0);
    expect(codeOf(() => filled.dataAt(8))).toBe("ORT_ARGUMENT");
  });

  test.each([
    ["a Uint8Array", text("two")],
    // Its `slice` makes no copy.
    ["a Buffer of Node", Buffer.from("two")],
  ])("does not keep the bytes that it was made from: %s", (_kind, bytes) => {
    const chunk = small.editData([{ index: 2, data: bytes }]);
    bytes.fill(0);
    expect(chunk.dataAt(2)).toEqual(text("two"));
  });

  test("stays when blocks are edited, and belongs to the comparison", () => {
    for (const edited of [
      filled.set(2, 9),
      filled.edit([{ index: 2, block: 9 }]),
      filled.edit(Array.from({ length: 8 }, (_, index) => ({ index, block: 9 }))),
      filled.fill(SHAPE, boxBetween([0, 0, 0, 0], [2, 2, 2, 1]), 9),
    ]) {
      expect(edited.dataAt(2)).toEqual(text("two"));
      expect(edited.get(2)).toBe(9);
    }
    expect(filled.equals(small)).toBe(false);
    expect(small.equals(filled)).toBe(false);
    expect(filled.withoutData().equals(small)).toBe(true);
    expect(filled.equals(small.withData(filled.data))).toBe(true);
  });

  test("makes a chunk neither empty nor uniform, and never shared", () => {
    const air = emptyChunk(VOLUME).editData([{ index: 0, data: new Uint8Array() }]);
    expect([air.isEmpty, air.uniformBlock, air.get(0)]).toEqual([false, undefined, AIR]);
    expect(air.withoutData()).toBe(emptyChunk(VOLUME));
    const stone = uniformChunk(VOLUME, 1).editData([{ index: 0, data: text("a") }]);
    expect(stone.set(3, 2).set(3, 1).dataAt(0)).toEqual(text("a"));
    expect(uniformChunk(VOLUME, 1).data.size).toBe(0);
    expect(encode(chunkCodec(VOLUME), stone)).toEqual(encode(chunkCodec(VOLUME), uniformChunk(VOLUME, 1)));
  });

  test("leaves a chunk the same object when an edit changes nothing", () => {
    expect(filled.editData([])).toBe(filled);
    expect(filled.editData([{ index: 2, data: text("two") }])).toBe(filled);
    expect(filled.editData([{ index: 3, data: undefined }])).toBe(filled);
    expect(
      filled.editData([
        { index: 2, data: undefined },
        { index: 2, data: text("two") },
      ]),
    ).toBe(filled);
  });

  test("is limited for a voxel and for a chunk", () => {
    const most = new Uint8Array(VOXEL_DATA_BYTES_MAX);
    const edits = Array.from({ length: 7 }, (_, index): VoxelDataEdit => ({ index, data: most }));
    const full = small.editData(edits);
    expect(full.data.byteLength).toBe(7 * (VOXEL_DATA_BYTES_MAX + 4) + 1);
    expect(codeOf(() => full.editData([{ index: 7, data: most }]))).toBe("ORT_LIMIT");
    const rest = CHUNK_DATA_BYTES_MAX - full.data.byteLength - 4;
    expect(full.editData([{ index: 7, data: most.subarray(0, rest) }]).data.byteLength).toBe(
      CHUNK_DATA_BYTES_MAX,
    );
    expect(codeOf(() => full.editData([{ index: 7, data: most.subarray(0, rest + 1) }]))).toBe("ORT_LIMIT");
    expect(codeOf(() => small.editData([{ index: 0, data: new Uint8Array(most.length + 2) }]))).toBe(
      "ORT_LIMIT",
    );
  });

  test.each<[name: string, edits: unknown]>([
    ["no list", "two"],
    ["nothing in a list", [undefined]],
    ["a voxel that is not there", [{ index: 8, data: undefined }]],
    ["half a voxel", [{ index: 0.5, data: undefined }]],
    ["a text", [{ index: 0, data: "two" }]],
  ])("refuses %s", (_name, edits) => {
    expect(codeOf(() => small.editData(edits as VoxelDataEdit[]))).toBe("ORT_ARGUMENT");
  });

  test("differs by what turns one into the other", () => {
    const prng = new Prng(7);
    for (let attempt = 0; attempt < 200; attempt++) {
      const [before, after] = [0, 1].map(() =>
        small.editData(
          Array.from({ length: prng.below(12) }, () => ({
            index: prng.below(VOLUME),
            data: prng.chance(0.2) ? undefined : prng.bytes(prng.below(3)),
          })),
        ),
      ) as [typeof small, typeof small];
      const edits = diffVoxelData(before.data, after.data);
      expect(before.editData(edits).equals(after)).toBe(true);
      expect(edits.map(({ index }) => index)).toEqual([...new Set(edits.map(({ index }) => index))].sort());
      if (edits.length > 0) {
        const edited = voxelDataEditsCodec(VOLUME);
        expect(decode(edited, encode(edited, edits))).toEqual(edits);
      }
      const bytes = encode(codec, after.data);
      expect(bytes.length).toBe(after.data.byteLength);
      expect(decode(codec, bytes).equals(after.data)).toBe(true);
    }
  });
});

describe("the data of many voxels", () => {
  const volume = 4_096;
  const many = voxelDataCodec(volume);

  test("is what a map of the same edits holds, however they are made", () => {
    const prng = new Prng(11);
    for (let attempt = 0; attempt < 20; attempt++) {
      let chunk = emptyChunk(volume);
      const model = new Map<number, string>();
      for (let round = 0; round < 30; round++) {
        const edits = Array.from(
          { length: 1 + prng.below(prng.chance(0.3) ? 200 : 4) },
          (): VoxelDataEdit => {
            const data = prng.chance(0.4) ? undefined : prng.bytes(prng.chance(0.1) ? 300 : prng.below(4));
            return { index: prng.chance(0.5) ? prng.below(volume) : prng.below(40), data };
          },
        );
        for (const { index, data } of edits) {
          if (data === undefined) model.delete(index);
          else model.set(index, toHex(data));
        }
        chunk = chunk.editData(edits);
        const { data } = chunk;
        const shown = [...data].map((entry) => [entry.index, toHex(entry.data)] as const);
        const wanted = [...model].sort(([a], [b]) => a - b);
        expect(shown, `attempt ${attempt}, round ${round}`).toEqual(wanted);
        expect([data.size, data.lastIndex]).toEqual([model.size, wanted.at(-1)?.[0]]);
        const bytes = encode(many, data);
        expect(bytes.length).toBe(data.byteLength);
        expect(decode(many, bytes).equals(data)).toBe(true);
        const at = Array.from({ length: volume }, (_, index) => chunk.dataAt(index));
        expect(at.flatMap((found, index) => (found === undefined ? [] : [[index, toHex(found)]]))).toEqual(
          wanted,
        );
      }
    }
  });

  test("takes a few bytes of memory for each, and nothing where no voxel has any", () => {
    const one = Uint8Array.of(7);
    const full = emptyChunk(volume).editData(
      Array.from({ length: volume }, (_, index) => ({ index, data: one })),
    );
    expect(full.data.memoryBytes).toBeLessThan(volume * 4);
    expect(full.data.memoryBytes).toBeGreaterThan(full.data.byteLength);
    expect(full.withoutData().data.memoryBytes).toBe(0);
  });

  test("is not changed by one who changes what was read or given", () => {
    const given = Uint8Array.of(1, 2);
    const chunk = emptyChunk(volume).editData([{ index: 9, data: given }]);
    given.fill(0);
    chunk.dataAt(9)?.fill(0);
    chunk.data.at(9)?.fill(0);
    for (const { data } of chunk.data) data.fill(0);
    expect(chunk.dataAt(9)).toEqual(Uint8Array.of(1, 2));
  });
});

describe("data in bytes", () => {
  test("[C26] may have 32,769 bytes for a voxel", () => {
    const bytes = fromHex(`0100818002${"07".repeat(32_769)}`);
    expect(decode(codec, bytes).at(0)?.length).toBe(32_769);
    expect(encode(codec, decode(codec, bytes))).toEqual(bytes);
  });

  test("[C24] is the number of voxels skipped and the bytes, for each voxel that has some", () => {
    expect(toHex(encode(codec, filled.data))).toBe("02" + "02" + "0374776f" + "03" + "03736978");
    expect(toHex(encode(codec, small.data))).toBe("00");
    expect(decode(codec, fromHex("020203" + "74776f0303736978")).equals(filled.data)).toBe(true);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["C25", "a voxel that the chunk does not have", "01 08 00", "ORT_VOXEL_DATA"],
    ["C25", "a later voxel that the chunk does not have", "02 07 00 00 00", "ORT_VOXEL_DATA"],
    ["C25", "more voxels than the chunk has", "09 00 00 00 00 00 00 00 00 00 00", "ORT_LIMIT"],
    ["C26", "32,770 bytes for a voxel", "01 00 828002", "ORT_LIMIT"],
    ["C26", "bytes that are missing", "01 00 03 0102", "ORT_TRUNCATED"],
  ])("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex)))).toBe(code);
  });

  test("[C27] is at most 262,144 bytes long", () => {
    const most = `808002${"00".repeat(VOXEL_DATA_BYTES_MAX)}`;
    const seven = `00${most}`.repeat(7);
    expect(codeOf(() => decode(codec, fromHex(`08${seven}00${most}`)))).toBe("ORT_LIMIT");
    expect(decode(codec, fromHex(`07${seven}`)).size).toBe(7);
  });

  test("[C24] is refused when truncated at any byte", () => {
    const bytes = encode(codec, filled.data);
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(codec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});

describe("an edit of blocks", () => {
  const isSameType = (a: number, b: number): boolean => a % 10 === b % 10;

  test.each<[name: string, block: number, data: Uint8Array | null | undefined, left: string | undefined]>([
    ["that changes the type removes", 4, undefined, undefined],
    ["that changes only properties keeps", 15, undefined, "two"],
    ["that changes nothing keeps", CHEST, undefined, "two"],
    ["with new data replaces", CHEST, text("new"), "new"],
    ["to another type with new data replaces", 4, text("new"), "new"],
    ["with null as data removes", CHEST, null, undefined],
  ])("an edit %s the data of a voxel", (_name, block, data, left) => {
    const edited = editBlocks(filled, [{ index: 2, block, data }], isSameType);
    expect(edited.get(2)).toBe(block);
    expect(edited.dataAt(2)).toEqual(left === undefined ? undefined : text(left));
    expect(edited.dataAt(6)).toEqual(text("six"));
  });

  test("is one of several that follow each other", () => {
    const edit = (...edits: readonly { readonly block?: number; readonly data?: Uint8Array | null }[]) =>
      editBlocks(
        filled,
        edits.map((one) => ({ index: 2, ...one })),
        isSameType,
      );
    expect(edit({ block: 4 }, { block: CHEST }).dataAt(2)).toBeUndefined();
    expect(edit({ block: 4, data: text("new") }, { block: 14 }).dataAt(2)).toEqual(text("new"));
    expect(edit({ block: 4 }, { data: text("new") })).toEqual(edit({ block: 4, data: text("new") }));
    expect(edit({ data: null }, { block: CHEST, data: text("two") })).toBe(filled);
    expect(edit({ data: text("new") }).get(2)).toBe(CHEST);
  });

  test("an edit of a box removes the data of other types inside it", () => {
    const low = boxBetween([0, 0, 0, 0], [2, 2, 1, 1]);
    const other = fillBlocks(filled, SHAPE, low, 4, isSameType);
    expect([other.dataAt(2), other.dataAt(6)]).toEqual([undefined, text("six")]);
    const same = fillBlocks(filled, SHAPE, low, 15, isSameType);
    expect([same.dataAt(2), same.dataAt(6), same.get(2)]).toEqual([text("two"), text("six"), 15]);
  });
});
