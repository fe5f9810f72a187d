import { type ErrorCode, emptyChunk } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { cubeAt } from "@orthant/core/lattice";
import type { StoredEntity } from "@orthant/save";
import { chunkBlobCodec, entityBlobCodec } from "@orthant/save/internal";
import { codeOfRejection, fromHex, toHex } from "@orthant/testkit";
import { chunkOf, entityAt, SHAPE } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const blobCodec = chunkBlobCodec(SHAPE.volume);

/** Sixteen voxels of one bit each, all 1 but the fourth. The palette is 1 and then the other block. */
const CHUNK_9 = "02 02 01 09 01 01 08";
const CHUNK_7 = "02 02 01 07 01 01 08";
/** From [-1, 0, 0, 0] to [1, 0, 0, 2]. */
const VOLUME = "01000000 02000004";
const AT_MINUS_1 = "00 00 00 00 02 00";
const AT_0_EMPTY = "01 00 00 00 01 00";
const AT_0_0_0_2_VIRGIN = "01 00 00 02 00 00";
const AT_1 = "02 00 00 00 02 01";
const AT_1_0_0_1 = "02 00 00 01 02 00";
const blob = `${VOLUME} 02 ${CHUNK_9} ${CHUNK_7} 05 ${AT_MINUS_1} ${AT_0_EMPTY} ${AT_0_0_0_2_VIRGIN} ${AT_1} ${AT_1_0_0_1}`;
const chunks = [
  { position: [-1, 0, 0, 0], chunk: chunkOf(9) },
  { position: [0, 0, 0, 0], chunk: emptyChunk(SHAPE.volume) },
  { position: [0, 0, 0, 2], chunk: undefined },
  { position: [1, 0, 0, 0], chunk: chunkOf(7) },
  { position: [1, 0, 0, 1], chunk: chunkOf(9) },
] as const;

describe("a chunk blob", () => {
  test("[S29, S30, S31] consists of volume, dictionary and assignments, whatever the input order", () => {
    expect(toHex(encode(blobCodec, [...chunks].reverse()))).toBe(toHex(fromHex(blob)));
    const read = decode(blobCodec, fromHex(blob));
    expect(read.map(({ position }) => position)).toEqual(chunks.map(({ position }) => position));
    expect(read.map(({ chunk }) => chunk?.get(3))).toEqual([9, 0, undefined, 7, 9]);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S29", "a volume that is too large", blob.replace(VOLUME, "03000000 02000004"), "ORT_BLOB"],
    ["S29", "a volume that is too small", blob.replace(VOLUME, "01000000 00000004"), "ORT_BLOB"],
    ["S29", "a volume that ends before it begins", blob.replace(VOLUME, "02000000 01000004"), "ORT_BOX"],
    ["S29", "no chunks", `${VOLUME} 00 00`, "ORT_BLOB"],
    ["S29", "a chunk in the dictionary twice", blob.replace(CHUNK_7, CHUNK_9), "ORT_BLOB"],
    ["S29", "an empty chunk in the dictionary", blob.replace(CHUNK_7, "00"), "ORT_BLOB"],
    ["S29", "a chunk that is not used", blob.replace(AT_1, "02 00 00 00 02 00"), "ORT_BLOB"],
    ["S29", "a dictionary in another order", blob.replace(AT_MINUS_1, "00 00 00 00 02 01"), "ORT_BLOB"],
    ["S29", "an index behind the dictionary", blob.replace(AT_1, "02 00 00 00 02 02"), "ORT_BLOB"],
    [
      "S30",
      "chunks out of order",
      blob.replace(AT_0_EMPTY, AT_1).replace(`${AT_1} ${AT_1_0_0_1}`, `${AT_0_EMPTY} ${AT_1_0_0_1}`),
      "ORT_BLOB",
    ],
    ["S30", "a chunk twice", blob.replace(AT_0_0_0_2_VIRGIN, AT_0_EMPTY), "ORT_BLOB"],
    ["S31", "a fourth state", blob.replace(AT_0_EMPTY, "01 00 00 00 03 00"), "ORT_TAG"],
    [
      "S31",
      "a dictionary index of an empty chunk",
      blob.replace(AT_0_EMPTY, "01 00 00 00 01 01"),
      "ORT_BLOB",
    ],
    ["S29", "bytes behind it", `${blob} 00`, "ORT_TRAILING_BYTES"],
  ])("[%s] refuses %s", async (_rule, _name, hex, code) => {
    expect(await codeOfRejection(() => decode(blobCodec, fromHex(hex)))).toBe(code);
  });

  test("[S29] is refused when cut at any byte", async () => {
    const whole = fromHex(blob);
    for (let length = 0; length < whole.length; length++) {
      expect(await codeOfRejection(() => decode(blobCodec, whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});

const entity: StoredEntity = {
  ...entityAt(300n, [1, -2, 0.5, 0]),
  displayName: "Ada",
  tags: ["a", ""],
  payload: Uint8Array.of(7),
  lastSavedMs: 1_000,
};
const ENTITY = [
  "ac02 02 04", // id, class, kind
  "0000803f 000000c0 0000003f 00000000", // position
  "00000000 00000000 0000803f 00000000", // orientation
  "00000000 00000000 00000000 00000000", // velocity
  "0000803f 03", // scale, block
  "01 03416461", // display name
  "02 0161 00", // tags
  "01 07", // payload
  "e807", // time
].join(" ");
const CELL = "00000000 06060606";

describe("an entity blob", () => {
  test("[S32, S33] consists of the cube of its leaf and its entities", () => {
    const value = { volume: cubeAt([0, 0, 0, 0], 4), entities: [entity] };
    expect(toHex(encode(entityBlobCodec, value))).toBe(toHex(fromHex(`${CELL} 01 ${ENTITY}`)));
    expect(decode(entityBlobCodec, fromHex(`${CELL} 01 ${ENTITY}`))).toEqual(value);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S32", "no entities", `${CELL} 00`, "ORT_BLOB"],
    ["S32", "an entity twice", `${CELL} 02 ${ENTITY} ${ENTITY}`, "ORT_BLOB"],
    ["S32", "entities out of order", `${CELL} 02 ${ENTITY} ${ENTITY.replace("ac02", "01")}`, "ORT_BLOB"],
    [
      "S32",
      "a player",
      `${CELL} 01 ${ENTITY.replace("02 02 04", "02 00 04")}`.replace("ac02 02", "ac02 00"),
      "ORT_BLOB",
    ],
    ["S33", "a class past 255", `${CELL} 01 ${ENTITY.replace("ac02 02", "ac02 8002")}`, "ORT_TAG"],
    [
      "S33",
      "a NaN of other bits",
      `${CELL} 01 ${ENTITY.replace("0000803f 000000c0", "0100c07f 000000c0")}`,
      "ORT_NAN",
    ],
  ])("[%s] refuses %s", async (_rule, _name, hex, code) => {
    expect(await codeOfRejection(() => decode(entityBlobCodec, fromHex(hex)))).toBe(code);
  });

  test("[S32] is never written with a player in it", async () => {
    const value = { volume: cubeAt([0, 0, 0, 0], 4), entities: [{ ...entity, entityClass: 0 }] };
    expect(await codeOfRejection(() => encode(entityBlobCodec, value))).toBe("ORT_ARGUMENT");
  });
});
