import { chunkFromVoxels, type ErrorCode, emptyChunk, type Position, uniformChunk } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { ChunkArray } from "@orthant/core/internal";
import { boxAt, boxBetween, regionBox } from "@orthant/core/lattice";
import {
  type ChangeBase,
  patchBodyBytes,
  type RegionChange,
  type RegionPatch,
  regionPatchCodec,
} from "@orthant/core/tree";
import { codeOf, fromHex, Prng, TREE_GENERATORS, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { change } from "./region-patch-samples.ts";

const VOLUME = 2;
const codec = regionPatchCodec(VOLUME);
const stone = uniformChunk(VOLUME, 7);
const half = chunkFromVoxels(Uint16Array.of(0, 5));
const [flat] = TREE_GENERATORS;
const FLAT_HEX = "04666c6174 01 0b b90a edfd03";
const ORIGIN: Position = [0, 0, 0, 0];
const PAIR = boxBetween([0, 0, 0, 0], [2, 1, 1, 1]);

function patch(...changes: readonly RegionChange[]): RegionPatch {
  return { patchSeq: 7, changes };
}

/** Sequence number 7, epoch 3, no generators, one change, of the region at the origin. */
const HEAD = "07 03 00 01 00000000";
const CLOCKS = "0a 0c";

/**
 * A patch with data of 33 voxels: two of 32,760 bytes in each of cells 0 to 15, which takes 1,048,494 bytes with
 * what comes before, and one of `lastBytes` bytes in cell 16, which takes four more.
 */
function patchWithData(lastBytes: number): string {
  const voxel = `00 f9ff01 ${"ab".repeat(32_760)}`;
  const cells = Array.from(
    { length: 16 },
    (_, cell) => `${cell.toString(16).padStart(2, "0")} 02 ${voxel} ${voxel}`,
  );
  const last = `10 01 00 ${(lastBytes + 1).toString(16).padStart(2, "0")} ${"cd".repeat(lastBytes)}`;
  return `${HEAD} 10 ${CLOCKS} 00 00 11 ${cells.join("")} ${last}`.replaceAll(" ", "");
}

describe("a patch in bytes", () => {
  test("[P8] may have 1,048,576 bytes, and is neither read nor written with one more", () => {
    const whole = fromHex(patchWithData(78));
    expect(whole.length).toBe(1_048_576);
    const fits = decode(codec, whole);
    expect(toHex(encode(codec, fits)) === toHex(whole)).toBe(true);
    const long = fromHex(patchWithData(79));
    expect(codeOf(() => decode(codec, long))).toBe("ORT_LIMIT");
    const { changes } = fits;
    const data = changes.flatMap((each) => each.data);
    const longer = data.map((list, index) =>
      index < 16 ? list : { ...list, edits: [{ index: 0, data: new Uint8Array(79) }] },
    );
    expect(codeOf(() => encode(codec, patch(change({ data: longer }))))).toBe("ORT_LIMIT");
  });

  test("[P8] leaves eight bytes for a number that is written before it", () => {
    // A body has one byte less than the patch above, whose number takes one.
    const bodyOf = (lastBytes: number): Uint8Array =>
      patchBodyBytes(decode(codec, fromHex(patchWithData(lastBytes))), VOLUME);
    expect(bodyOf(71).length + 8).toBe(1_048_576);
    expect(codeOf(() => bodyOf(72))).toBe("ORT_LIMIT");
  });

  test("[P8] a patch of one voxel takes 18 bytes", () => {
    const large = regionPatchCodec(4096);
    const one = patch(change({ edits: [{ chunk: [1, 0, 0, 0], edits: [{ index: 300, block: 9 }] }] }));
    const hex = "07 03 00 01 00000000 00 0a 0c 00 01 40 01 ac02 09".replaceAll(" ", "");
    expect(toHex(encode(large, one))).toBe(hex);
    expect(decode(large, fromHex(hex))).toEqual(one);
  });

  test.each<[rule: string, name: string, value: RegionPatch, hex: string]>([
    ["P8", "nothing but clocks", patch(change({})), `${HEAD} 00 ${CLOCKS} 00 00`],
    ["P10", "a replaced region, with its clock only", patch(change({ base: "air" })), `${HEAD} 01 0c 00 00`],
    ["P10", "a first piece", patch(change({ next: undefined })), `${HEAD} 04 0a 00 00`],
    ["P10", "a later piece", patch(change({ piece: 2, next: undefined })), `${HEAD} 06 02 0a 00 00`],
    [
      "P10",
      "the last piece of a replaced region",
      patch(change({ piece: 1, base: "air" })),
      `${HEAD} 03 01 0c 00 00`,
    ],
    [
      "P10",
      "a region that is replaced over what is generated",
      patch(change({ base: "generated" })),
      `${HEAD} 09 0c 00 00`,
    ],
    [
      "P10",
      "a middle piece over what is generated",
      patch(change({ base: "generated", piece: 3, next: undefined })),
      "07 00 00 01 00000000 0f 03 00 00",
    ],
    [
      "P13",
      "air and edits over what is generated",
      patch(
        change({
          base: "generated",
          leaves: [{ box: PAIR, content: undefined }],
          edits: [{ chunk: [0, 0, 0, 2], edits: [{ index: 1, block: 9 }] }],
        }),
      ),
      `${HEAD} 09 0c 01 00 40 00 01 02 01 01 09`,
    ],
    [
      "P12",
      "air",
      patch(change({ leaves: [{ box: PAIR, content: undefined }] })),
      `${HEAD} 00 ${CLOCKS} 01 00 40 00 00`,
    ],
    [
      "P12",
      "a block",
      patch(change({ leaves: [{ box: PAIR, content: stone }] })),
      `${HEAD} 00 ${CLOCKS} 01 00 40 01 07 00`,
    ],
    [
      "P9",
      "a generator, by its index",
      patch(change({ leaves: [{ box: regionBox(ORIGIN), content: flat }] })),
      `07 03 01 ${FLAT_HEX} 01 00000000 00 ${CLOCKS} 01 00 ff 02 00 00`,
    ],
    [
      "P12",
      "a chunk",
      patch(change({ leaves: [{ box: boxAt([3, 2, 1, 0]), content: half }] })),
      `${HEAD} 00 ${CLOCKS} 01 e4 e4 03 03020005 00`,
    ],
    [
      "P12",
      "an array without its bounds",
      patch(change({ leaves: [{ box: PAIR, content: new ChunkArray(PAIR, [half, stone]) }] })),
      `${HEAD} 00 ${CLOCKS} 01 00 40 04 02 03020005 0107 01 2a 0104 0000 02000000 01000000 01000000 01000000 01000000 0000000000000000 0200 0100 0000 0100 0100 00 00`,
    ],
    [
      "P4",
      "several regions as differences",
      patch(change({ region: [-1, 0, 0, 0], base: 0 }), change({})),
      `07 03 00 02 01000000 00 0103 0c 00 00 02000000 00 ${CLOCKS} 00 00`,
    ],
    [
      "P14",
      "voxels by how many are skipped",
      patch(
        change({
          edits: [
            {
              chunk: [0, 0, 0, 2],
              edits: [
                { index: 0, block: 300 },
                { index: 1, block: 0 },
              ],
            },
          ],
        }),
      ),
      `${HEAD} 00 ${CLOCKS} 00 01 02 02 00 ac02 00 00`,
    ],
    [
      "P24",
      "data that is set, empty or removed",
      patch(
        change({
          edits: [{ chunk: ORIGIN, edits: [{ index: 0, block: 7 }] }],
          data: [
            {
              chunk: ORIGIN,
              edits: [
                { index: 0, data: Uint8Array.of(0xaa, 0xbb) },
                { index: 1, data: undefined },
              ],
            },
            { chunk: [0, 0, 0, 2], edits: [{ index: 1, data: new Uint8Array() }] },
          ],
        }),
      ),
      `${HEAD} 10 ${CLOCKS} 00 01 00 01 00 07 02 00 02 00 03 aabb 00 00 02 01 01 01`,
    ],
    [
      "P24",
      "data over air, and data of a chunk with new content",
      patch(
        change({
          base: "air",
          leaves: [{ box: boxAt([0, 0, 0, 1]), content: stone }],
          data: [
            { chunk: ORIGIN, edits: [{ index: 1, data: Uint8Array.of(1) }] },
            { chunk: [0, 0, 0, 1], edits: [{ index: 0, data: Uint8Array.of(2) }] },
          ],
        }),
      ),
      `${HEAD} 11 0c 01 01 01 01 07 00 02 00 01 01 02 01 01 01 00 02 02`,
    ],
  ])("[%s] encodes %s", (_rule, _name, value, hex) => {
    expect(toHex(encode(codec, value))).toBe(hex.replaceAll(" ", ""));
    const found = decode(codec, fromHex(hex));
    expect(found).toEqual(value);
    expect(toHex(encode(codec, found))).toBe(hex.replaceAll(" ", ""));
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["P8", "no change", "07 00 00 00", "ORT_PATCH_FORM"],
    ["P8", "513 changes", `07 03 00 8104 ${"00".repeat(600)}`, "ORT_LIMIT"],
    ["P2", "an epoch that no clock has", "07 04 00 01 00000000 00 0b01 0d01 00 00", "ORT_CLOCK"],
    [
      "P4",
      "regions out of order",
      `07 03 00 02 00000000 00 ${CLOCKS} 00 00 01000000 00 ${CLOCKS} 00 00`,
      "ORT_REGION_ORDER",
    ],
    [
      "P5",
      "a region off the lattice",
      `07 03 00 01 8080808004000000 00 ${CLOCKS} 00 00`,
      "ORT_POSITION_RANGE",
    ],
    [
      "P9",
      "a generator that nothing names",
      `07 03 01 ${FLAT_HEX} 01 00000000 00 ${CLOCKS} 00 00`,
      "ORT_PATCH_FORM",
    ],
    [
      "P9",
      "a generator twice",
      `07 03 02 ${FLAT_HEX} ${FLAT_HEX} 01 00000000 00 ${CLOCKS} 02 00 00 02 00 01 01 02 01 00`,
      "ORT_PATCH_FORM",
    ],
    ["P9", "a generator that is not there", `${HEAD} 00 ${CLOCKS} 01 00 ff 02 00 00`, "ORT_PATCH_FORM"],
    ["P9", "257 generators", `07 03 8102 ${"00".repeat(2000)}`, "ORT_LIMIT"],
    ["P10", "an unknown bit", `${HEAD} 40 ${CLOCKS} 00 00`, "ORT_TAG"],
    ["P10", "an unknown bit in a replaced region", `${HEAD} 41 0c 00 00`, "ORT_TAG"],
    ["P10", "generated content under a clock", `${HEAD} 08 ${CLOCKS} 00 00`, "ORT_TAG"],
    ["P10", "generated content under a later piece of a clock", `${HEAD} 0a 01 ${CLOCKS} 00 00`, "ORT_TAG"],
    ["P10", "piece 0 as a later piece", `${HEAD} 02 00 ${CLOCKS} 00 00`, "ORT_PATCH_FORM"],
    ["P10", "piece 65,536", `${HEAD} 02 808004 ${CLOCKS} 00 00`, "ORT_PATCH_FORM"],
    ["P11", "a box that ends before it begins", `${HEAD} 00 ${CLOCKS} 01 40 01 01 07 00`, "ORT_BOX"],
    ["P11", "contents out of order", `${HEAD} 00 ${CLOCKS} 02 40 40 01 07 00 00 01 07 00`, "ORT_PATCH_FORM"],
    ["P11", "contents that overlap", `${HEAD} 00 ${CLOCKS} 02 00 40 01 07 40 40 01 08 00`, "ORT_PATCH_FORM"],
    ["P12", "an unknown kind", `${HEAD} 00 ${CLOCKS} 01 00 40 05 00`, "ORT_TAG"],
    ["P12", "air as a block", `${HEAD} 00 ${CLOCKS} 01 00 40 01 00 00`, "ORT_PATCH_FORM"],
    [
      "P12",
      "a uniform chunk as one that is not",
      `${HEAD} 00 ${CLOCKS} 01 00 00 03 0107 00`,
      "ORT_PATCH_FORM",
    ],
    ["P12", "one chunk for two", `${HEAD} 00 ${CLOCKS} 01 00 40 03 03020005 00`, "ORT_PATCH_FORM"],
    [
      "P12",
      "an array of one chunk",
      `${HEAD} 00 ${CLOCKS} 01 00 00 04 01 03020005 01 18 0104 0000 01000000 01000000 01000000 01000000 00000000 01 00 00`,
      "ORT_PATCH_FORM",
    ],
    [
      "P12",
      "an array of uniform chunks",
      `${HEAD} 00 ${CLOCKS} 01 00 40 04 01 0107 01 18 0104 0000 02000000 01000000 01000000 01000000 00000000 01 00 00`,
      "ORT_PATCH_FORM",
    ],
    ["P12", "257 contents", `${HEAD} 00 ${CLOCKS} 8102 ${"00".repeat(600)}`, "ORT_LIMIT"],
    ["P13", "air in a region that is replaced over air", `${HEAD} 01 0c 01 00 40 00 00`, "ORT_PATCH_FORM"],
    [
      "P13",
      "edits in a region that is replaced over air",
      `${HEAD} 01 0c 00 01 00 01 00 05`,
      "ORT_PATCH_FORM",
    ],
    ["P14", "a list of no edits", `${HEAD} 00 ${CLOCKS} 00 01 00 00`, "ORT_PATCH_FORM"],
    [
      "P14",
      "a voxel that the chunk does not have",
      `${HEAD} 00 ${CLOCKS} 00 01 00 01 02 05`,
      "ORT_PATCH_FORM",
    ],
    ["P14", "more edits than voxels", `${HEAD} 00 ${CLOCKS} 00 01 00 03 00 05 00 05 00 05`, "ORT_LIMIT"],
    [
      "P14",
      "edits of chunks out of order",
      `${HEAD} 00 ${CLOCKS} 00 02 01 01 00 05 00 01 00 05`,
      "ORT_PATCH_FORM",
    ],
    ["P14", "edits of a chunk twice", `${HEAD} 00 ${CLOCKS} 00 02 01 01 00 05 01 01 01 05`, "ORT_PATCH_FORM"],
    [
      "P14",
      "edits of a chunk that gets new content",
      `${HEAD} 00 ${CLOCKS} 01 00 00 01 07 01 00 01 00 05`,
      "ORT_PATCH_FORM",
    ],
    ["P24", "data of no chunk", `${HEAD} 10 ${CLOCKS} 00 00 00`, "ORT_PATCH_FORM"],
    ["P24", "data of no voxel", `${HEAD} 10 ${CLOCKS} 00 00 01 00 00`, "ORT_PATCH_FORM"],
    ["P24", "data of voxel 2 of 2", `${HEAD} 10 ${CLOCKS} 00 00 01 00 01 02 01`, "ORT_VOXEL_DATA"],
    ["P24", "more data than voxels", `${HEAD} 10 ${CLOCKS} 00 00 01 00 03 00 00 00 00 00 00`, "ORT_LIMIT"],
    ["P24", "32,770 bytes of data", `${HEAD} 10 ${CLOCKS} 00 00 01 00 01 00 838002`, "ORT_LIMIT"],
    [
      "P24",
      "data of chunks out of order",
      `${HEAD} 10 ${CLOCKS} 00 00 02 01 01 00 01 00 01 00 01`,
      "ORT_PATCH_FORM",
    ],
    [
      "P24",
      "data of a chunk twice",
      `${HEAD} 10 ${CLOCKS} 00 00 02 01 01 00 01 01 01 01 01`,
      "ORT_PATCH_FORM",
    ],
    ["P24", "data removed from air", `${HEAD} 11 0c 00 00 01 00 01 00 00`, "ORT_PATCH_FORM"],
    [
      "P24",
      "data removed from a chunk that gets new content",
      `${HEAD} 10 ${CLOCKS} 01 00 00 01 07 00 01 00 01 00 00`,
      "ORT_PATCH_FORM",
    ],
    ["P15", "a clock that stays", `${HEAD} 00 0a 0a 00 00`, "ORT_CLOCK"],
    ["P15", "a clock that falls", `${HEAD} 00 0c 0a 00 00`, "ORT_CLOCK"],
    [
      "P16",
      "a later piece behind another change",
      `07 03 00 02 01000000 00 ${CLOCKS} 00 00 02000000 02 01 ${CLOCKS} 00 00`,
      "ORT_PATCH_FORM",
    ],
    [
      "P16",
      "another change behind an unfinished one",
      `07 03 00 02 01000000 04 0a 00 00 02000000 00 ${CLOCKS} 00 00`,
      "ORT_PATCH_FORM",
    ],
    ["P8", "bytes behind it", `${HEAD} 00 ${CLOCKS} 00 00 00`, "ORT_TRAILING_BYTES"],
  ])("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex.replaceAll(" ", ""))))).toBe(code);
  });

  test.each<[rule: string, name: string, value: RegionPatch, code: ErrorCode]>([
    [
      "P8",
      "a sequence number that is not a counter",
      { patchSeq: -1, changes: [change({})] },
      "ORT_PATCH_FORM",
    ],
    [
      "P11",
      "contents outside of the region",
      patch(change({ leaves: [{ box: boxAt([4, 0, 0, 0]), content: stone }] })),
      "ORT_PATCH_FORM",
    ],
    [
      "P11",
      "contents in no box",
      patch(change({ leaves: [{ box: { min: [1, 0, 0, 0], max: [0, 1, 1, 1] }, content: stone }] })),
      "ORT_PATCH_FORM",
    ],
    [
      "P14",
      "edits outside of the region",
      patch(change({ edits: [{ chunk: [0, -1, 0, 0], edits: [{ index: 0, block: 1 }] }] })),
      "ORT_PATCH_FORM",
    ],
    [
      "P14",
      "edits out of order",
      patch(
        change({
          edits: [
            {
              chunk: ORIGIN,
              edits: [
                { index: 1, block: 1 },
                { index: 0, block: 1 },
              ],
            },
          ],
        }),
      ),
      "ORT_PATCH_FORM",
    ],
    [
      "P14",
      "an invalid block",
      patch(change({ edits: [{ chunk: ORIGIN, edits: [{ index: 1, block: 65_536 }] }] })),
      "ORT_ARGUMENT",
    ],
    [
      "P12",
      "a chunk of another volume",
      patch(change({ leaves: [{ box: boxAt(ORIGIN), content: uniformChunk(3, 1) }] })),
      "ORT_CHUNK_VOLUME",
    ],
    [
      "P12",
      "air as a chunk",
      patch(change({ leaves: [{ box: boxAt(ORIGIN), content: emptyChunk(VOLUME) }] })),
      "ORT_PATCH_FORM",
    ],
    [
      "P24",
      "a chunk with its data",
      patch(
        change({
          leaves: [{ box: boxAt(ORIGIN), content: half.editData([{ index: 0, data: Uint8Array.of(1) }]) }],
        }),
      ),
      "ORT_PATCH_FORM",
    ],
    [
      "P24",
      "data outside of the region",
      patch(change({ data: [{ chunk: [0, -1, 0, 0], edits: [{ index: 0, data: undefined }] }] })),
      "ORT_PATCH_FORM",
    ],
    ["P10", "an invalid base", patch(change({ base: "water" as unknown as ChangeBase })), "ORT_PATCH_FORM"],
    ["P1", "an invalid clock", patch(change({ base: 1 })), "ORT_CLOCK"],
  ])("[%s] is not written with %s", (_rule, _name, value, code) => {
    expect(codeOf(() => encode(codec, value))).toBe(code);
  });

  test("[P8] is refused when truncated at any byte", () => {
    const array = new ChunkArray(PAIR, [half, stone]);
    const leaves = [
      { box: PAIR, content: array },
      { box: boxAt([2, 0, 0, 0]), content: flat },
    ];
    const edits = [{ chunk: [3, 3, 3, 3] as const, edits: [{ index: 1, block: 500 }] }];
    const data = [{ chunk: [3, 3, 3, 3] as const, edits: [{ index: 1, data: Uint8Array.of(1, 2, 3) }] }];
    const bytes = encode(codec, patch(change({ leaves, edits, data }), change({ region: [1, 2, 3, 4] })));
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(codec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });

  test("[P8] is refused or still encodes to the same bytes after any byte was changed", () => {
    const prng = new Prng(5);
    const leaves = [
      { box: PAIR, content: new ChunkArray(PAIR, [half, stone]) },
      { box: boxAt([2, 0, 0, 0]), content: flat },
      { box: boxAt([2, 1, 0, 0]), content: half },
    ];
    const edits = [{ chunk: [3, 3, 3, 3] as const, edits: [{ index: 1, block: 500 }] }];
    const data = [{ chunk: [3, 3, 3, 3] as const, edits: [{ index: 1, data: Uint8Array.of(1, 2, 3) }] }];
    const bytes = encode(
      codec,
      patch(
        change({ leaves, edits, data }),
        change({ region: [1, 2, 3, 4], base: 0 }),
        change({ region: [2, 2, 3, 4], base: "generated" }),
      ),
    );
    let accepted = 0;
    for (let attempt = 0; attempt < 5000; attempt++) {
      const damaged = bytes.slice();
      damaged[prng.below(bytes.length)] = prng.below(256);
      if (codeOf(() => decode(codec, damaged)) !== "no error") continue;
      accepted++;
      expect(toHex(encode(codec, decode(codec, damaged)))).toBe(toHex(damaged));
    }
    expect(accepted).toBeGreaterThan(100);
  });

  test("[P8] is at most 1,048,576 bytes long", () => {
    const large = regionPatchCodec(65_536);
    const noise = chunkFromVoxels(
      Uint16Array.from({ length: 65_536 }, (_, index) => (index * 7919) & 0xffff),
    );
    const leaves = Array.from({ length: 6 }, (_, index) => ({
      box: boxAt([Math.floor(index / 4), index % 4, 0, 0]),
      content: noise.set(index, 1),
    }));
    expect(codeOf(() => encode(large, patch(change({ leaves }))))).toBe("ORT_LIMIT");
    expect(encode(large, patch(change({ leaves: leaves.slice(1) }))).length).toBeLessThan(1_048_576);
  });

  test("[P8] is its number followed by bytes that do not depend on it", () => {
    const leaves = [{ box: PAIR, content: new ChunkArray(PAIR, [half, stone]) }];
    const changes = [change({ base: "generated", leaves }), change({ region: [1, 2, 3, 4] })];
    const body = patchBodyBytes({ patchSeq: 3, changes }, VOLUME);
    for (const [patchSeq, hex] of [
      [0, "00"],
      [127, "7f"],
      [128, "8001"],
      [Number.MAX_SAFE_INTEGER, "ffffffffffffff0f"],
    ] as const) {
      expect(patchBodyBytes({ patchSeq, changes }, VOLUME)).toEqual(body);
      expect(hex + toHex(body)).toBe(toHex(encode(codec, { patchSeq, changes })));
    }
    expect(toHex(patchBodyBytes(patch(change({})), VOLUME))).toBe("030001" + "00000000" + "000a0c0000");
  });

  test("[P8] is refused even without its number when it would be too long after some number", () => {
    const large = regionPatchCodec(65_536);
    const noise = chunkFromVoxels(
      Uint16Array.from({ length: 65_536 }, (_, index) => (index * 7919) & 0xffff),
    );
    const leaves = Array.from({ length: 7 }, (_, index) => ({
      box: boxAt([Math.floor(index / 4), index % 4, 0, 0]),
      content: noise.set(index, 1),
    }));
    expect(codeOf(() => patchBodyBytes(patch(change({ leaves })), 65_536))).toBe("ORT_LIMIT");
    const fitting = patch(change({ leaves: leaves.slice(0, 5) }));
    expect(patchBodyBytes(fitting, 65_536).length + 1).toBe(encode(large, fitting).length);
  });
});
