import { gunzipSync, gzipSync } from "node:zlib";
import { BlockCatalog } from "@orthant/core";
import { Clipboard, decodeClipboard, encodeClipboard, NOT_COPIED } from "@orthant/core/operations";
import { codeOfRejection, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const BLOCKS = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  { id: 1, name: "stone", colour: 0x8a8d91, solid: true },
  {
    id: 7,
    name: "chest",
    colour: 0x112233,
    solid: true,
    properties: [{ name: "facing", values: ["north", "east", "south", "west"] }],
    tags: ["wooden"],
  },
]);
const STONE = { type: "stone", properties: {} };
const AIR = { type: "air", properties: {} };
const CHEST = { type: "chest", properties: { facing: "east" } };

/** The worked example of docs/formats/clipboard.md before compression. */
const HEX =
  "4f5254434c49500102" +
  "0201" +
  "160102" +
  "00036169720000000001" +
  "0573746f6e658a8d9101" +
  "020001" +
  "00000100" +
  "010101aa";

const pair = new Clipboard(2, {
  extents: [2, 1, 1, 1],
  blocks: new BlockCatalog(BLOCKS.types.slice(0, 2)),
  palette: [AIR, STONE],
  voxels: Uint16Array.of(0, 1),
  data: new Map([[1, Uint8Array.of(0xaa)]]),
});

const read = (hex: string) => decodeClipboard(gzipSync(fromHex(hex)));

describe("the file of a clipboard", () => {
  test("[CB8] has the bytes of the worked example", async () => {
    expect(toHex(gunzipSync(await encodeClipboard(pair)))).toBe(HEX);
    expect((await read(HEX)).content).toEqual(pair.content);
  });

  test.each([
    [2, [5, 3, 1, 1]],
    [3, [4, 3, 2, 1]],
    [4, [3, 2, 2, 3]],
  ] as const)(
    "[CB4] [CB6] [CB7] holds blocks with properties, data and gaps in %i dimensions",
    async (dimensions, extents) => {
      const prng = new Prng(dimensions);
      const volume = (extents as readonly number[]).reduce((product, extent) => product * extent, 1);
      const clipboard = new Clipboard(dimensions, {
        extents,
        blocks: BLOCKS,
        palette: [AIR, STONE, CHEST, 4711],
        // All of them occur first, in their order.
        voxels: Uint16Array.from({ length: volume }, (_, index) =>
          index < 4 ? index : ([0, 1, 2, 3, NOT_COPIED][prng.below(5)] as number),
        ),
        data: new Map([
          [0, new Uint8Array(0)],
          [2, Uint8Array.of(1, 2, 3)],
        ]),
      });
      const found = await decodeClipboard(await encodeClipboard(clipboard));
      expect(found.content).toEqual(clipboard.content);
      expect(found.size).toEqual(extents.slice(0, dimensions));
    },
  );

  test("[CB4] holds the properties of a turned clipboard", async () => {
    const chest = new Clipboard(3, { ...pair.content, blocks: BLOCKS, palette: [CHEST, STONE] });
    const turned = await decodeClipboard<3>(await encodeClipboard(chest.rotate("xz")));
    expect([turned.size, turned.content.palette[0]]).toEqual([
      [1, 1, 2],
      { type: "chest", properties: { facing: "south" } },
    ]);
    expect(turned.rotate("xz", 3).content).toEqual(chest.content);
  });

  test("[CB5] lists each block once, in the order in which they occur", async () => {
    const untidy = new Clipboard(2, {
      ...pair.content,
      palette: [STONE, STONE, AIR],
      voxels: Uint16Array.of(2, 1),
    });
    expect(toHex(gunzipSync(await encodeClipboard(untidy)))).toBe(HEX);
  });

  test.each<[rule: string, name: string, from: string, to: string, code: string]>([
    ["CB2", "another version", "500102", "500202", "ORT_VERSION"],
    ["CB2", "one dimension", "500102", "500101", "ORT_TAG"],
    ["CB2", "five dimensions", "500102", "500105", "ORT_TAG"],
    ["CB3", "an extent of none", "0201160102", "0200160102", "ORT_LIMIT"],
    ["CB3", "more voxels than a clipboard has", "0201160102", "81808008011601", "ORT_LIMIT"],
    ["CB5", "a block listed twice", "020001", "020101", "ORT_CHUNK_PALETTE"],
    ["CB5", "a block that does not occur", "020001", "03000105", "ORT_CHUNK_PALETTE"],
    ["CB5", "a block out of order", "00000100", "01000000", "ORT_CHUNK_PALETTE"],
    ["CB5", "a block beyond the palette", "00000100", "00000200", "ORT_CHUNK_PALETTE"],
    ["CB7", "data behind the last voxel", "010101aa", "010201aa", "ORT_VOXEL_DATA"],
    ["CB8", "trailing bytes", "010101aa", "010101aa00", "ORT_TRAILING_BYTES"],
  ])("[%s] is refused with %s", async (_rule, _name, from, to, code) => {
    expect(HEX).toContain(from);
    expect(await codeOfRejection(read(HEX.replace(from, to)))).toBe(code);
  });

  test("[CB7] is refused with data of a voxel that was not selected", async () => {
    const gap = HEX.replace("020001", "0100").replace("00000100", "0000ffff");
    expect(await codeOfRejection(read(gap))).toBe("ORT_VOXEL_DATA");
  });

  test("[CB8] is refused when it is cut at any byte, before and after compression", async () => {
    const whole = fromHex(HEX);
    for (let length = 0; length < whole.length; length++)
      expect(await codeOfRejection(decodeClipboard(gzipSync(whole.subarray(0, length))))).toBe(
        "ORT_TRUNCATED",
      );
    const file = await encodeClipboard(pair);
    for (let length = 0; length < file.length; length++)
      expect(await codeOfRejection(decodeClipboard(file.subarray(0, length)))).toBe("ORT_DEFLATE");
  });

  test("[CB1] is not inflated beyond its limit", async () => {
    const bomb = gzipSync(new Uint8Array(67_108_865));
    expect(await codeOfRejection(decodeClipboard(bomb))).toBe("ORT_LIMIT");
  });
});

describe("missingIn", () => {
  test("returns definitions of the types that a world lacks", () => {
    const clipboard = new Clipboard(3, {
      extents: [1, 1, 1, 1],
      blocks: BLOCKS,
      palette: [CHEST],
      voxels: new Uint16Array(1),
      data: new Map(),
    });
    expect(clipboard.missingIn(BLOCKS)).toEqual({});
    expect(Object.keys(clipboard.missingIn(pair.blocks))).toEqual(["chest"]);
    expect(clipboard.missingIn(pair.blocks)["chest"]).toMatchObject({ colour: 0x112233, tags: ["wooden"] });
  });
});
