import { type ErrorCode, emptyChunk, type Position } from "@orthant/core";
import { decode, deflateRaw, encode } from "@orthant/core/bytes";
import { comparePositions } from "@orthant/core/lattice";
import type { StoredChunk } from "@orthant/save";
import { realizeStored } from "@orthant/save/content";
import {
  ChunkContent,
  encodePackedBlob,
  openBlob,
  packedBlobCodec,
  packedBytesAtLeast,
  packedBytesAtMost,
  sealBlob,
  wholeChunk,
} from "@orthant/save/internal";
import { codeOfRejection, fromHex, Prng, toHex } from "@orthant/testkit";
import { chunkOf, SHAPE } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const codec = packedBlobCodec(SHAPE.volume, 2);

/** Sixteen voxels of one bit each, all 1 but the fourth: the palette is 1 and then the other block. */
const CHUNK_9 = "02 0100 0900 0800000000000000";
const CHUNK_7 = "02 0100 0700 0800000000000000";
/** From [-1, 0, 0, 0] to [1, 0, 0, 2]: three pairs of x and y, each with three pairs of z and w. */
const VOLUME = "01000000 02000004";
/** The first position, the first of the next pair, the last of that pair, and the two after it. */
const PLACES = "00 02 01 00 00";
const CONTENTS = "02 00 01 03 02";
/** The fourth voxel becomes 5; the fourth voxel becomes 6. */
const CHANGE_5 = "01 01 03 05";
const CHANGE_6 = "01 01 03 06";
const BLOB = `${VOLUME} 05 02 ${PLACES} ${CONTENTS} ${CHUNK_9} ${CHUNK_7} ${CHANGE_5} ${CHANGE_6}`;

const whole = (position: Position, number: number): StoredChunk =>
  wholeChunk(position, ChunkContent.of(chunkOf(number)));
const changeAt = (position: Position, base: "generator" | "air", hex: string): StoredChunk => ({
  kind: "change",
  position,
  base,
  volume: SHAPE.volume,
  change: fromHex(hex),
});
const chunks: readonly StoredChunk[] = [
  whole([-1, 0, 0, 0], 9),
  changeAt([0, 0, 0, 0], "generator", CHANGE_5),
  changeAt([0, 0, 0, 2], "air", CHANGE_6),
  whole([1, 0, 0, 0], 7),
  whole([1, 0, 0, 1], 9),
];

describe("the size of a chunk blob", () => {
  test.each([2, 3] as const)(
    "the size of a chunk blob of version %d is within its bounds, however far apart its chunks are",
    (version) => {
      const prng = new Prng(6);
      for (let round = 0; round < 200; round++) {
        const span = 2 ** prng.below(17);
        const corner = [prng.below(2), prng.below(2)].map((side) =>
          side === 0 ? -0x8000_0000 : 0x7fff_0000,
        );
        const places = Array.from({ length: 1 + prng.below(40) }, (): Position => {
          const [x = 0, z = 0] = corner;
          return [x + prng.below(span), prng.below(span), z + prng.below(span), prng.below(span)];
        });
        const apart = [...new Map(places.map((place) => [place.join(), place])).values()];
        const entries = apart
          .sort((a, b) => comparePositions(a, b))
          .map((place) =>
            prng.below(2) === 0 ? whole(place, prng.below(300)) : changeAt(place, "air", CHANGE_5),
          );
        const { length } = encodePackedBlob(entries, version);
        const least = packedBytesAtLeast(entries);
        expect(least, `round ${round}`).toBeLessThanOrEqual(length);
        expect(packedBytesAtMost(entries, least), `round ${round}`).toBeGreaterThanOrEqual(length);
      }
    },
  );

  test("has no upper bound with parts of chunks", () => {
    const parts = [{ tag: 1, bytes: new Uint8Array(1) }];
    expect(packedBytesAtMost([{ ...changeAt([0, 0, 0, 0], "air", CHANGE_5), parts }], 10)).toBe(Infinity);
  });
});

describe("a chunk blob of version 2", () => {
  test("[S73, S74, S80] consists of volume, positions, contents, chunks and changes, whatever the input order", () => {
    expect(toHex(encode(codec, [...chunks].reverse()))).toBe(toHex(fromHex(BLOB)));
    const read = decode(codec, fromHex(BLOB));
    expect(read.map(({ position, kind }) => [position, kind])).toEqual(
      chunks.map(({ position, kind }) => [position, kind]),
    );
    const generated = () => chunkOf(4);
    expect(read.map((entry) => realizeStored(entry, generated).get(3))).toEqual([9, 5, 6, 7, 9]);
    expect(read.map((entry) => realizeStored(entry, generated).get(0))).toEqual([1, 1, 0, 1, 1]);
  });

  test("[S73, S74, S75, S77] has the bytes of the worked example", () => {
    const few = changeAt([1, 2, 3, 6], "air", "01 02 03 04 05");
    const expected = "02040608 0204060c 02 01 00 01 02 01 02 0100 0900 0800000000000000 01 02 03 04 05";
    expect(toHex(encode(codec, [whole([1, 2, 3, 4], 9), few]))).toBe(toHex(fromHex(expected)));
    const voxels = [...realizeStored(few, undefined).voxels()];
    expect(voxels.flatMap((block, cell) => (block === 5 ? cell : []))).toEqual([3, 8]);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S73", "a volume that is too large", BLOB.replace(VOLUME, "01000000 02000006"), "ORT_BLOB"],
    ["S73", "a volume that ends before it begins", BLOB.replace(VOLUME, "02000000 01000004"), "ORT_BOX"],
    ["S73", "an edge of more than 65,536 chunks", BLOB.replace(VOLUME, "01000000 feff07000004"), "ORT_BLOB"],
    ["S73", "no chunks", `${VOLUME} 00 00`, "ORT_BLOB"],
    ["S73", "more than 65,536 chunks", `${VOLUME} 818004 00`, "ORT_LIMIT"],
    ["S74", "a place outside of the volume", BLOB.replace(PLACES, "00 02 01 00 02"), "ORT_BLOB"],
    ["S74", "places that end before the volume does", BLOB.replace(PLACES, "00 00 00 00 00"), "ORT_BLOB"],
    ["S80", "a chunk twice", BLOB.replace(CHUNK_7, CHUNK_9), "ORT_BLOB"],
    ["S80", "a chunk that is not used", BLOB.replace(CONTENTS, "02 00 01 02 02"), "ORT_BLOB"],
    ["S80", "chunks in another order", BLOB.replace(CONTENTS, "03 00 01 02 02"), "ORT_BLOB"],
    ["S80", "a chunk behind the dictionary", BLOB.replace(CONTENTS, "02 00 01 03 04"), "ORT_BLOB"],
    ["S80", "more chunks than entries", BLOB.replace("05 02", "05 06"), "ORT_LIMIT"],
    [
      "S75",
      "a chunk that is not in its form",
      BLOB.replace(CHUNK_7, "02 0100 0700 0900000000000000"),
      "ORT_CHUNK_PALETTE",
    ],
    ["S77", "a change that leaves the chunk", BLOB.replace(CHANGE_5, "01 01 10 05"), "ORT_BLOB"],
    ["S80", "bytes behind it", `${BLOB} 00`, "ORT_TRAILING_BYTES"],
  ])("[%s] is refused with %s", async (_rule, _name, hex, code) => {
    expect(await codeOfRejection(() => decode(codec, fromHex(hex)))).toBe(code);
  });

  test("[S73] is refused when cut at any byte", async () => {
    const bytes = fromHex(BLOB);
    for (let length = 0; length < bytes.length; length++) {
      expect(await codeOfRejection(() => decode(codec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });

  test("[S74] distinguishes positions in a volume of more than 2^53", () => {
    // Two numbers each: the step in pairs of x and y, and the number of skipped pairs of z and w.
    const positions: Position[] = [
      [0, 0, 0, 0],
      [0, 0, 65_535, 65_535],
      [1, 65_535, 2, 0],
      [65_535, 0, 1, 1],
    ];
    const empty = ChunkContent.of(emptyChunk(SHAPE.volume));
    const bytes = encode(
      codec,
      positions.map((position) => wholeChunk(position, empty)),
    );
    const volume = "00000000 feff07 feff07 feff07 feff07";
    const numbers = "00 00 00 feffffff0f ffff07 808008 8180f4ff0f 818004";
    expect(toHex(bytes.subarray(0, 16))).toBe(toHex(fromHex(volume)));
    expect(toHex(bytes)).toBe(toHex(fromHex(`${volume} 04 01 ${numbers} 02 02 02 02 01 0000`)));
    expect(decode(codec, bytes).map(({ position }) => position)).toEqual(positions);
  });

  test("[S74] costs two bytes per position for chunks scattered one in a thousand", () => {
    const prng = new Prng(3);
    const positions = new Map<string, Position>();
    while (positions.size < 1_000) {
      const position: Position = [prng.below(32), prng.below(32), prng.below(32), prng.below(32)];
      positions.set(position.join(), position);
    }
    const empty = ChunkContent.of(emptyChunk(SHAPE.volume));
    const bytes = encode(
      codec,
      [...positions.values()].map((position) => wholeChunk(position, empty)),
    );
    // One more for the content of each, and some for the head.
    expect(bytes.length / 1_000).toBeLessThan(3.05);
  });

  test("[S73, S74, S80] round-trips, and has no second encoding", async () => {
    const prng = new Prng(4);
    let read = 0;
    for (let round = 0; round < 5_000; round++) {
      const bytes = fromHex(BLOB);
      for (let flips = prng.below(3); flips >= 0; flips--) bytes[prng.below(bytes.length)] = prng.below(8);
      if ((await codeOfRejection(() => decode(codec, bytes))) !== "no error") continue;
      expect(toHex(encode(codec, decode(codec, bytes)))).toBe(toHex(bytes));
      read++;
    }
    expect(read).toBeGreaterThan(50);
  });
});

describe("a blob envelope", () => {
  test("[S70] stores its content unchanged, or deflated if that is shorter", async () => {
    const short = fromHex("0102030405");
    expect(toHex(await sealBlob(short))).toBe(toHex(fromHex("00 05 0102030405")));
    const long = new Uint8Array(1_000).fill(7);
    const sealed = await sealBlob(long);
    expect(toHex(sealed.subarray(0, 3))).toBe(toHex(fromHex("01 e807")));
    expect(sealed.length).toBeLessThan(30);
    expect(await openBlob(sealed, 1_000)).toEqual(long);
    expect(await openBlob(await sealBlob(short), 5)).toEqual(short);
  });

  test("[S70, S72] is refused when its fields are wrong", async () => {
    const deflated = toHex(await deflateRaw(new Uint8Array(1_000)));
    const cases: [hex: string, code: ErrorCode][] = [
      ["02 05 0102030405", "ORT_TAG"],
      ["00 05 01020304", "ORT_TRUNCATED"],
      ["00 05 010203040506", "ORT_TRAILING_BYTES"],
      [`01 01 ${deflated}`, "ORT_BLOB"],
      [`01 e707 ${deflated}`, "ORT_DEFLATE"],
      [`01 e907 ${deflated}`, "ORT_DEFLATE"],
      [`01 e807 ${deflated} 00`, "ORT_DEFLATE"],
      ["00 d10f", "ORT_LIMIT"],
      [`01 8080808010 ${deflated}`, "ORT_LIMIT"],
    ];
    for (const [hex, code] of cases) {
      expect(await codeOfRejection(async () => openBlob(fromHex(hex), 2_000))).toBe(code);
    }
  });

  test("[S72] is refused when cut at any byte", async () => {
    for (const inner of [fromHex("0102030405"), new Uint8Array(500).map((_, at) => at * at)]) {
      const sealed = await sealBlob(inner);
      for (let length = 0; length < sealed.length; length++) {
        const code = await codeOfRejection(async () => openBlob(sealed.subarray(0, length), 500));
        expect(["ORT_TRUNCATED", "ORT_DEFLATE"]).toContain(code);
      }
    }
  });
});
