import { type ErrorCode, type Position, uniformChunk } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import {
  compareSaves,
  createSave,
  DEFAULT_LIMITS,
  openSave,
  type StoredChunk,
  verifySave,
} from "@orthant/save";
import { realizeStored } from "@orthant/save/content";
import {
  allLeaves,
  ChunkContent,
  locatedBlobCodec,
  openBlob,
  packedBlobCodec,
  sealBlob,
  wholeChunk,
} from "@orthant/save/internal";
import { codeOfRejection, fromHex, Prng, toHex } from "@orthant/testkit";
import { chunkOf, GLOBAL, ORIGIN_CELL, SHAPE } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const codec = packedBlobCodec(SHAPE.volume, 3);
const lazy = locatedBlobCodec(SHAPE.volume, 3);

const CHUNK_9 = "02 0100 0900 0800000000000000";
const CHUNK_7 = "02 0100 0700 0800000000000000";
const HEAD = "01000000 02000004 05 02 00 02 01 00 00 02 00 01 03 02";
/** The fourth voxel becomes 5; the fourth voxel becomes 6. */
const CHANGE_5 = "01 01 03 05";
const CHANGE_6 = "01 01 03 06";
const TABLE = "04 04";
/** Data of voxel 3, two bytes, of the second entry; of voxel 0, one byte, of the fourth. */
const DATA = "01 0e 02 01 05 01 04 01 03 02 aabb 01 00 01 cc";
const BARE = `${HEAD} ${TABLE} ${CHUNK_9} ${CHUNK_7} ${CHANGE_5} ${CHANGE_6}`;
const BLOB = `${BARE} ${DATA}`;
/** A section that no program knows yet: one byte for the last entry. */
const UNKNOWN = "82 02 04 01 04 01 77";

const DATA_1 = { tag: 1, bytes: fromHex("01 03 02 aabb") };
const DATA_3 = { tag: 1, bytes: fromHex("01 00 01 cc") };

const whole = (
  position: Position,
  number: number,
  parts: NonNullable<StoredChunk["parts"]> = [],
): StoredChunk => wholeChunk(position, ChunkContent.of(chunkOf(number)), parts);
const changeAt = (
  position: Position,
  base: "generator" | "air",
  hex: string,
  parts: NonNullable<StoredChunk["parts"]> = [],
): StoredChunk => ({ kind: "change", position, base, volume: SHAPE.volume, change: fromHex(hex), parts });
const chunks: readonly StoredChunk[] = [
  whole([-1, 0, 0, 0], 9),
  changeAt([0, 0, 0, 0], "generator", CHANGE_5, [DATA_1]),
  changeAt([0, 0, 0, 2], "air", CHANGE_6),
  whole([1, 0, 0, 0], 7, [DATA_3]),
  whole([1, 0, 0, 1], 9),
];

describe("a chunk blob of version 3", () => {
  test("[S110, S112, S114] has a table of its changes, and sections after them, whatever the input order", () => {
    expect(toHex(encode(codec, [...chunks].reverse()))).toBe(toHex(fromHex(BLOB)));
    for (const read of [decode(codec, fromHex(BLOB)), decode(lazy, fromHex(BLOB))]) {
      const realized = read.map((entry) => realizeStored(entry, () => chunkOf(4)));
      expect(realized.map((chunk) => chunk.get(3))).toEqual([9, 5, 6, 7, 9]);
      expect(realized.map((chunk) => chunk.data.size)).toEqual([0, 1, 0, 1, 0]);
      expect(realized[1]?.dataAt(3)).toEqual(fromHex("aabb"));
      expect(realized[3]?.dataAt(0)).toEqual(fromHex("cc"));
    }
  });

  test("[S115] has one chunk for entries that differ only in their data", () => {
    const positions: readonly Position[] = [
      [0, 0, 0, 0],
      [0, 0, 0, 1],
    ];
    const twins = positions.map((position, index) => whole(position, 9, index === 0 ? [DATA_1] : [DATA_3]));
    const alike = positions.map((position) => whole(position, 9));
    const sections = fromHex("01 0e 02 00 05 00 04 01 03 02 aabb 01 00 01 cc").length;
    expect(encode(codec, twins)).toHaveLength(encode(codec, alike).length + sections);
  });

  test("[S112] takes no byte for data or ticks if no chunk has any", () => {
    const plain = chunks.map(({ parts: _, ...entry }) =>
      entry.kind === "chunk" ? wholeChunk(entry.position, entry.content) : entry,
    );
    expect(toHex(encode(codec, plain))).toBe(toHex(fromHex(BARE)));
    const bytesOfTable = fromHex(TABLE).length;
    expect(encode(codec, plain)).toHaveLength(
      encode(packedBlobCodec(SHAPE.volume, 2), plain).length + bytesOfTable,
    );
  });

  test("[S113] keeps sections of later versions, entry by entry", () => {
    const read = decode(codec, fromHex(`${BLOB} ${UNKNOWN}`));
    expect(read.at(-1)?.parts).toEqual([{ tag: 258, bytes: fromHex("77") }]);
    expect(toHex(encode(codec, read))).toBe(toHex(fromHex(`${BLOB} ${UNKNOWN}`)));
    const without = read.filter(({ position }) => position[0] !== -1);
    expect(decode(codec, encode(codec, without)).at(-1)?.parts).toHaveLength(1);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S110", "a table that ends too early", BLOB.replace("04 04 02", "03 05 02"), "ORT_BLOB"],
    ["S110", "a table that reaches behind the blob", BLOB.replace("04 04 02", "04 7f 02"), "ORT_TRUNCATED"],
    ["S80", "a chunk twice", BLOB.replace(CHUNK_7, CHUNK_9), "ORT_BLOB"],
    [
      "S75",
      "a chunk in another form",
      BLOB.replace(CHUNK_7, "02 0100 0700 0900000000000000"),
      "ORT_CHUNK_PALETTE",
    ],
    ["S77", "a change that leaves the chunk", BLOB.replace(CHANGE_5, "01 01 10 05"), "ORT_BLOB"],
    ["S112", "sections out of order", `${BARE} ${UNKNOWN} ${DATA}`, "ORT_BLOB"],
    ["S112", "section 0", `${BARE} 00 04 01 04 01 77`, "ORT_BLOB"],
    ["S112", "a section of no entry", `${BARE} 01 01 00`, "ORT_BLOB"],
    ["S112", "a section that ends too early", `${BARE} 01 03 01 04 01 77`, "ORT_TRUNCATED"],
    ["S112", "a section that is too long", `${BARE} 01 06 01 04 01 77 00 00`, "ORT_TRAILING_BYTES"],
    ["S112", "a part of an entry that is not there", `${BARE} 01 04 01 05 01 77`, "ORT_BLOB"],
    ["S112", "an empty part", `${BARE} 02 03 01 04 00`, "ORT_BLOB"],
    ["S114", "data of no voxel", `${BARE} 01 04 01 04 01 00`, "ORT_BLOB"],
    ["S114", "data of a voxel that is not there", `${BARE} 01 06 01 04 03 01 10 00`, "ORT_VOXEL_DATA"],
  ])("[%s] is refused with %s", async (_rule, _name, hex, code) => {
    expect(await codeOfRejection(() => decode(codec, fromHex(hex)))).toBe(code);
  });

  test("[S111] is located without checking chunks, and each is checked when it is used", async () => {
    const broken = BLOB.replace(CHUNK_7, "02 0100 0700 0900000000000000").replace(CHANGE_5, "01 01 10 05");
    const read = decode(lazy, fromHex(broken));
    const codes: string[] = [];
    for (const entry of read) codes.push(await codeOfRejection(() => realizeStored(entry, () => chunkOf(4))));
    expect(codes).toEqual(["no error", "ORT_BLOB", "no error", "ORT_CHUNK_PALETTE", "no error"]);
    const data = BLOB.replace("01 03 02 aabb", "01 10 02 aabb");
    const [, bad] = decode(lazy, fromHex(data));
    expect(await codeOfRejection(() => bad && realizeStored(bad, () => chunkOf(4)))).toBe("ORT_VOXEL_DATA");
  });

  test("[S110, S112] is refused when cut at any byte, unless a section ends there", async () => {
    const bytes = fromHex(BLOB);
    const bare = fromHex(BARE).length;
    for (let length = 0; length < bytes.length; length++) {
      const code = await codeOfRejection(() => decode(codec, bytes.subarray(0, length)));
      expect(code, `${length} bytes`).toBe(length === bare ? "no error" : "ORT_TRUNCATED");
    }
  });

  test("[S110 to S114] round-trips, and has no second encoding", async () => {
    const prng = new Prng(4);
    let read = 0;
    const original = fromHex(`${BLOB} ${UNKNOWN}`);
    for (let round = 0; round < 5_000; round++) {
      const bytes = original.slice();
      for (let flips = prng.below(3); flips >= 0; flips--) bytes[prng.below(bytes.length)] = prng.below(8);
      if ((await codeOfRejection(() => decode(codec, bytes))) !== "no error") continue;
      expect(toHex(encode(codec, decode(codec, bytes)))).toBe(toHex(bytes));
      read++;
    }
    expect(read).toBeGreaterThan(50);
  });
});

describe("voxel data in a save", () => {
  const plain = uniformChunk(SHAPE.volume, 4);
  const chest = plain.editData([{ index: 2, data: fromHex("010203") }]);
  const other = plain.editData([{ index: 2, data: fromHex("0102ff") }]);

  test.each([4, 2] as const)(
    "[S114, S116] is stored with its chunk in a world of version %i",
    async (indexVersion) => {
      const disk = new MemoryDisk();
      const writer = await createSave(disk, {
        nowMs: 1,
        global: GLOBAL,
        indexVersion,
        leaves: [
          {
            cube: ORIGIN_CELL,
            chunks: [
              { position: [0, 0, 0, 0], chunk: chest },
              { position: [1, 0, 0, 0], chunk: plain },
            ],
          },
        ],
      });
      const [leaf] = await allLeaves(writer.state.index);
      expect(leaf?.chunkRefs.map(({ blobVersion }) => blobVersion)).toEqual([3]);
      const first = await openSave(disk);
      expect((await verifySave(disk)).filter(({ severity }) => severity === "damage")).toEqual([]);
      const read = await first.readChunks((await allLeaves(first.index))[0] as NonNullable<typeof leaf>);
      expect(read.map(({ chunk }) => chunk.equals(chest))).toEqual([true, false]);
      const changed = [{ position: [0, 0, 0, 0] as const, chunk: other }];
      const second = await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, changed }] });
      const differences = [];
      for await (const difference of compareSaves(first, second)) differences.push(difference);
      expect(differences).toEqual([
        { kind: "chunk", position: [0, 0, 0, 0], before: "content", after: "content", voxels: 1, data: 1 },
      ]);
      await first.close();
      await second.close();
      await writer.close();
    },
  );

  test("[S116] voxel data of the largest size fits a save with the smallest limits", async () => {
    const data = new Uint8Array(32_000).map((_, at) => (at * at * 31 + (at >> 3)) & 255);
    const many = Array.from({ length: 8 }, (_, index) => ({ index, data: data.map((byte) => byte ^ index) }));
    const disk = new MemoryDisk();
    const full = plain.editData(many);
    const writer = await createSave(disk, {
      nowMs: 1,
      global: GLOBAL,
      limits: { ...DEFAULT_LIMITS, chunkBlobHardMaxBytes: 262_144, chunkBlobTargetBytes: 1_024 },
      leaves: [
        {
          cube: ORIGIN_CELL,
          chunks: [
            { position: [0, 0, 0, 0], chunk: full },
            { position: [1, 0, 0, 0], chunk: full },
          ],
        },
      ],
    });
    expect((await verifySave(disk)).filter(({ severity }) => severity === "damage")).toEqual([]);
    await writer.close();
  });
});

test("[S70] a blob of version 3 has the envelope of version 2", async () => {
  const inner = encode(codec, chunks);
  expect(await openBlob(await sealBlob(inner), inner.length)).toEqual(inner);
});
