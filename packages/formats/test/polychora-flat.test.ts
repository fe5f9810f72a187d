import { chunkFromVoxels, type ErrorCode, emptyChunk, HYPERCUBE_CHUNKS, uniformChunk } from "@orthant/core";
import { crc32, decode, encode } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { openFlatSave } from "@orthant/formats";
import {
  type FlatSaveContent,
  flatChunkBlobCodec,
  flatEntityBlobCodec,
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
  isFlatSave,
  readLegacyWorld,
  verifyFlatSave,
  worldOverrideCodec,
  writeFlatSave,
} from "@orthant/formats/internal";

import { openSave, verifySave } from "@orthant/save";
import { flatIndexPayloadFile, isFlatIndex } from "@orthant/save/files";
import { encodeIndexFile } from "@orthant/save/internal";

import { codeOfRejection, fromHex, toHex } from "@orthant/testkit";
import { entityAt, playerOf, replaceFile, smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const { volume: VOLUME } = HYPERCUBE_CHUNKS;
const bare = (id: bigint): ReturnType<typeof playerOf> => ({
  ...playerOf(id),
  authKey: new Uint8Array(0),
  name: undefined,
});
const content: FlatSaveContent = {
  base: { kind: "flatFloor", block: 11 },
  worldSeed: 1337n,
  nextEntityId: 5n,
  players: [bare(7n), bare(3n)],
  chunks: [
    { position: [-1, 2, 0, 12], chunk: uniformChunk(VOLUME, 9) },
    { position: [0, 0, 0, 0], chunk: emptyChunk(VOLUME) },
    { position: [1, 0, 0, 0], chunk: uniformChunk(VOLUME, 255) },
  ],
  entities: [entityAt(2n, [-0.5, 0, 0, 0]), entityAt(1n, [40, 0, 0, 0])],
  nowMs: 1_771_200_000_000,
};

async function flatDisk(change: Partial<FlatSaveContent> = {}): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await writeFlatSave(disk, { ...content, ...change });
  return disk;
}

describe("a flat save", () => {
  test("[S36, S37, S38] writes an empty world with the bytes of the original", async () => {
    const nothing = {
      base: { kind: "empty" },
      worldSeed: 0n,
      nextEntityId: 1n,
      players: [],
      chunks: [],
      entities: [],
    } as const;
    const { files } = (await flatDisk(nothing)).image();
    expect(toHex(files.get("global.g0000000000000000.v4g") as Uint8Array)).toBe(
      toHex(fromHex("56344730 01000000 0c000000 ca76b7d4 00 00 01 02 80e0fc9dc633 00 00")),
    );
    expect(toHex(files.get("index/ix-main.g0000000000000000.v4ix") as Uint8Array)).toBe(
      toHex(fromHex("56344958 01000000 03000000 1a539837 00 08 00")),
    );
    expect(toHex(files.get("players.g0000000000000000.v4p") as Uint8Array)).toBe(
      toHex(fromHex("56345030 01000000 01000000 8def02d2 00")),
    );
    expect(toHex(files.get("data/dt-000001.v4dt") as Uint8Array)).toBe("563444540100000001000000");
  });

  test("[S36, S37] reads back equal, with players in their stored order", async () => {
    const save = await openFlatSave(await flatDisk());
    expect(save.players.map(({ playerId }) => playerId)).toEqual([7n, 3n]);
    expect(save.global).toMatchObject({
      base: content.base,
      worldSeed: 1337n,
      nextEntityId: 5n,
      generators: [],
    });
    expect(save.global.description.chunkShape).toEqual(HYPERCUBE_CHUNKS);
    const chunks = (await Promise.all(save.leaves.map((leaf) => save.readChunks(leaf)))).flat();
    expect(chunks).toEqual(content.chunks);
    expect(await verifyFlatSave(await flatDisk())).toMatchObject([{ severity: "notice" }]);
  });

  test("[S9] is distinguished from a tree by length and checksum, even if a tree is as long as its generation", async () => {
    const flat = (await flatDisk()).image().files.get("index/ix-main.g0000000000000000.v4ix") as Uint8Array;
    expect(isFlatIndex(flat)).toBe(true);
    expect(isFlatIndex(flat.map((byte, at) => (at === flat.length - 1 ? byte ^ 1 : byte)))).toBe(true);
    const tree = encodeIndexFile({ version: 1, generation: 46, leaves: [] });
    expect(tree.length).toBe(16 + 46);
    expect(isFlatIndex(tree)).toBe(false);
    expect(isFlatIndex(encodeIndexFile({ version: 2, generation: 46, leaves: [] }))).toBe(false);
    expect(await codeOfRejection(() => isFlatIndex(fromHex("56344957 01000000 00000000 00000000")))).toBe(
      "ORT_MAGIC",
    );
    expect(await isFlatSave(await flatDisk())).toBe(true);
    expect(await isFlatSave((await smallWorld()).disk)).toBe(false);
    expect(await isFlatSave(new MemoryDisk())).toBe(false);
  });

  test.each<[rule: string, name: string, change: Partial<FlatSaveContent>]>([
    ["S39", "a block above 255", { chunks: [{ position: [4, 0, 0, 0], chunk: uniformChunk(VOLUME, 256) }] }],
    ["S39", "a chunk of another shape", { chunks: [{ position: [4, 0, 0, 0], chunk: uniformChunk(16, 1) }] }],
    ["S36", "generators", { base: { kind: "generated" } }],
    ["S37", "a player with a name", { players: [playerOf(1n)] }],
    [
      "S40",
      "an entity of a kind that the original did not know",
      { entities: [{ ...entityAt(1n, [0, 0, 0, 0]), kind: 7 }] },
    ],
  ])("[%s] cannot hold %s", async (_rule, _name, change) => {
    const disk = new MemoryDisk();
    expect(await codeOfRejection(() => writeFlatSave(disk, { ...content, ...change }))).toBe("ORT_DIALECT");
    expect(await codeOfRejection(() => openFlatSave(disk))).toBe("ORT_NOT_FOUND");
  });

  test("[S39] names the positions that it cannot hold before anything is written", async () => {
    const disk = new MemoryDisk();
    const chunks = Array.from({ length: 7 }, (_, x) => ({
      position: [x, 0, 0, 0] as const,
      chunk: uniformChunk(VOLUME, 300),
    }));
    const attempt = writeFlatSave(disk, { ...content, chunks });
    await expect(attempt).rejects.toThrow(/7 chunks .* \[0,0,0,0\], .*\[4,0,0,0\] \.\.\./);
    expect(disk.image().files.size).toBe(0);
  });

  test("[S39] accepts a dictionary in any order", () => {
    const chunk = "8020".concat("05".repeat(VOLUME));
    const other = "8020".concat("06".repeat(VOLUME));
    const hex = `00000000 08 02 ${chunk} ${other} 02 00000000 02 01 00000001 02 00`;
    const { chunks } = decode(flatChunkBlobCodec, fromHex(hex));
    expect(chunks.map((entry) => entry.chunk?.uniformBlock)).toEqual([6, 5]);
  });

  test.each<[rule: string, name: string, read: () => unknown, code: ErrorCode]>([
    [
      "S36",
      "a third kind of base",
      () => decode(flatGlobalCodec, fromHex("02 00 01 02 00 00 00")),
      "ORT_TAG",
    ],
    ["S37", "players cut short", () => decode(flatPlayersCodec, fromHex("01 01")), "ORT_TRUNCATED"],
    ["S38", "regions of no edge", () => decode(flatIndexCodec, fromHex("00 00 00")), "ORT_INDEX"],
    [
      "S39",
      "a chunk of 5 voxels",
      () => decode(flatChunkBlobCodec, fromHex("00000000 08 01 05 0101010101 00")),
      "ORT_CHUNK_VOLUME",
    ],
    [
      "S39",
      "a chunk outside of its region",
      () => decode(flatChunkBlobCodec, fromHex("00000000 08 00 01 04000000 01 00")),
      "ORT_BLOB",
    ],
    ["S40", "an entity of a fourth class", () => decode(flatEntityBlobCodec, encodeEntity(3)), "ORT_TAG"],
  ])("[%s] refuses %s", async (_rule, _name, read, code) => {
    expect(await codeOfRejection(read)).toBe(code);
  });

  test("[S38] refuses regions out of order", async () => {
    const ref = "01 0c 10 00 01 01";
    const index = decode(flatIndexCodec, fromHex(`00 08 02 02000000 01 ${ref} 00 00000000 01 ${ref} 00`));
    const disk = await flatDisk();
    const payload = encode(flatIndexCodec, index);
    const header = encode(flatIndexPayloadFile.header, {
      magic: "V4IX",
      version: 1,
      payloadBytes: payload.length,
      payloadCrc32: crc32(payload),
    });
    await replaceFile(disk, "index/ix-main.g0000000000000000.v4ix", Uint8Array.of(...header, ...payload));
    expect(await codeOfRejection(() => openFlatSave(disk))).toBe("ORT_INDEX");
  });

  test("[S41] returns the chunks in the global file separately", async () => {
    const chunks = [
      { position: [0, -1, 0, 0], chunk: emptyChunk(VOLUME) },
      { position: [1, 1, 1, 1], chunk: uniformChunk(VOLUME, 3) },
    ] as const;
    const customPayload = encode(worldOverrideCodec, chunks);
    expect(toHex(customPayload)).toBe(toHex(fromHex("01 02 00010000 01 00 02020202 01 03")));
    const save = await openFlatSave(await flatDisk({ customPayload }));
    expect(save.globalChunks).toEqual(chunks);
    expect(save.customPayload).toEqual(customPayload);
  });

  test("is refused by openSave and verifySave, which say that it has to be converted", async () => {
    const disk = await flatDisk();
    await expect(openSave(disk)).rejects.toThrow(/orthant convert/);
    expect(await codeOfRejection(() => openSave(disk))).toBe("ORT_DIALECT");
    const damage = (await verifySave(disk)).filter(({ severity }) => severity === "damage");
    expect(damage).toMatchObject([{ code: "ORT_DIALECT", file: "index/ix-main.g0000000000000000.v4ix" }]);
  });
});

const LEGACY = [
  "56344457 02000000 01 0b", // magic, version, floor of block 11
  "02000000 03000000", // two entries, three payloads
  "00 02", // uniform
  "01 0200 03 0008 00 0008", // runs: 2048 of 3, 2048 of 0
  `02 ${"07".repeat(VOLUME)}`, // raw
  "05000000 05000000 05000000 05000000 00000000",
  "ffffffff 00000000 00000000 00000000 01000000",
].join(" ");

describe("a .v4dw file", () => {
  test("[S42] is read with base, uniform chunks, runs and raw voxels", () => {
    const world = readLegacyWorld("world.v4dw", fromHex(LEGACY));
    const runs = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, at) => (at < 2_048 ? 3 : 0)));
    expect(world.base).toEqual({ kind: "flatFloor", block: 11 });
    expect(world.chunks).toEqual([
      { position: [-1, 0, 0, 0], chunk: runs },
      { position: [5, 5, 5, 5], chunk: uniformChunk(VOLUME, 2) },
    ]);
  });

  test.each<[name: string, hex: string, code: ErrorCode]>([
    ["another version", LEGACY.replace("02000000 01 0b", "03000000 01 0b"), "ORT_VERSION"],
    ["a third base", LEGACY.replace("01 0b", "02 0b"), "ORT_TAG"],
    ["more entries than bytes", LEGACY.replace("02000000 03000000", "ffffff7f 03000000"), "ORT_TRUNCATED"],
    ["runs that are too short", LEGACY.replace("03 0008 00 0008", "03 0008 00 0007"), "ORT_CHUNK_VOLUME"],
    ["runs that are too long", LEGACY.replace("03 0008 00 0008", "03 0008 00 0009"), "ORT_CHUNK_VOLUME"],
    ["a fourth encoding", LEGACY.replace("00 02 01", "03 02 01"), "ORT_TAG"],
    ["a payload that is not there", `${LEGACY.slice(0, -8)}03000000`, "ORT_BLOB"],
    [
      "two chunks at one position",
      LEGACY.replace("ffffffff 00000000 00000000 00000000", "05000000 05000000 05000000 05000000"),
      "ORT_BLOB",
    ],
    ["bytes behind it", `${LEGACY} 00`, "ORT_TRAILING_BYTES"],
  ])("[S42] is refused with %s", async (_name, hex, code) => {
    expect(hex).not.toBe(LEGACY);
    expect(await codeOfRejection(() => readLegacyWorld("world.v4dw", fromHex(hex)))).toBe(code);
  });
});

function encodeEntity(entityClass: number): Uint8Array {
  const good = encode(flatEntityBlobCodec, {
    region: [0, 0, 0, 0],
    regionChunkEdge: 4,
    entities: [entityAt(1n, [0, 0, 0, 0])],
  });
  // Region, edge and count take six bytes, the id one.
  return good.map((byte, at) => (at === 7 ? entityClass : byte));
}
