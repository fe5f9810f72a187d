import { decode, type ErrorCode, encode } from "@orthant/core";
import {
  type GlobalRecord,
  globalRecordCodec,
  openSave,
  type PlayerRecord,
  playersCodec,
  verifySave,
  worldDescriptionCodec,
} from "@orthant/formats";
import { codeOfRejection, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { GLOBAL, playerOf, replaceFile, SHAPE, smallWorld } from "./samples.ts";

const GENERATORS = "01 01 0166 02 0102 07 09"; // version, one: "f", two bytes, seed 7, hash 9
const DESCRIPTION = [
  "01 04040101 026869", // version, shape, "hi"
  "000000000000f03f 0000000000000000 0000000000000000 0000000000000000", // spawn
  "05 01 aa", // epoch, one byte of materials
  "01 03 016e", // generation 3 is named "n"
  "01 016b 01 bb", // under "k" one byte
].join(" ");

function sized(hex: string): string {
  return `${toHex(Uint8Array.of(fromHex(hex).length))} ${hex}`;
}
const globalHex = `01 ac02 07 ${sized(GENERATORS)} 0a 02 e807 01 01 01 02 01 00010000 ${sized(DESCRIPTION)}`;
const global: GlobalRecord = {
  base: { kind: "flatFloor", material: 300 },
  worldSeed: 7n,
  generators: [{ generatorId: "f", params: Uint8Array.of(1, 2), seed: 7n, versionHash: 9n }],
  nextEntityId: 10n,
  nextDataFileId: 2,
  lastModifiedMs: 1_000,
  playerEntityHints: [{ playerId: 1n, entityId: 2n, lastRegion: [0, -1, 0, 0] }],
  description: {
    chunkShape: SHAPE,
    name: "hi",
    spawn: [1, 0, 0, 0],
    clockEpoch: 5,
    materials: Uint8Array.of(0xaa),
    namedGenerations: [{ generation: 3, name: "n" }],
    attachments: [{ key: "k", value: Uint8Array.of(0xbb) }],
  },
};

describe("the global payload", () => {
  test("[S14, S16, S17] has its fields in the order of the specification", () => {
    expect(toHex(encode(globalRecordCodec, global))).toBe(toHex(fromHex(globalHex)));
    expect(decode(globalRecordCodec, fromHex(globalHex))).toEqual(global);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S14", "a fourth kind of base", globalHex.replace("01 ac02", "03"), "ORT_TAG"],
    ["S16", "generators of version 2", globalHex.replace("01 01 0166", "02 01 0166"), "ORT_VERSION"],
    [
      "S16",
      "bytes behind the generators",
      globalHex.replace(sized(GENERATORS), sized(`${GENERATORS} 00`)),
      "ORT_TRAILING_BYTES",
    ],
    ["S17", "a description of version 2", globalHex.replace("01 04040101", "02 04040101"), "ORT_VERSION"],
    ["S17", "a chunk of no voxels", globalHex.replace("01 04040101", "01 04040001"), "ORT_CHUNK_VOLUME"],
    ["S14", "bytes behind it", `${globalHex} 00`, "ORT_TRAILING_BYTES"],
  ])("[%s] refuses %s", async (_rule, _name, hex, code) => {
    expect(hex).not.toBe(globalHex);
    expect(await codeOfRejection(() => decode(globalRecordCodec, fromHex(hex)))).toBe(code);
  });

  test("[S17] keeps named generations and attachments in order, each once", async () => {
    const { description } = global;
    const names = [
      { generation: 3, name: "a" },
      { generation: 3, name: "b" },
    ];
    expect(
      await codeOfRejection(() => encode(worldDescriptionCodec, { ...description, namedGenerations: names })),
    ).toBe("ORT_ARGUMENT");
    const twice = DESCRIPTION.replace("01 016b 01 bb", "02 016b 01 bb 016b 01 bb");
    expect(await codeOfRejection(() => decode(worldDescriptionCodec, fromHex(twice)))).toBe("ORT_BLOB");
  });

  test("[S15] agrees with the manifest, or verify says that it does not", async () => {
    const { disk, writer } = await smallWorld();
    const older = disk.image().files.get("global.g0000000000000000.v4g") as Uint8Array;
    await writer.commit({ nowMs: 2 });
    await replaceFile(disk, "global.g0000000000000001.v4g", older);
    const findings = await verifySave(disk);
    expect(findings.map(({ code, file }) => [code, file])).toEqual([
      ["ORT_GENERATION", "global.g0000000000000001.v4g"],
    ]);
  });
});

const player: PlayerRecord = { ...playerOf(300n, 1_000), tags: ["t"], metadata: [["k", Uint8Array.of(1)]] };
const PLAYER = [
  "ac02 01 01 01 03616461", // id, key, name
  "00000000 00000000 00000000 00000000", // position
  "00000000 00000000 00000000 0000803f", // orientation
  "01 0174 01 05", // tags, inventory
  "01 016b 01 01 e807", // metadata, time
].join(" ");

describe("the players payload", () => {
  test("[S18] is a list of players", () => {
    expect(toHex(encode(playersCodec, [player]))).toBe(toHex(fromHex(`01 ${PLAYER}`)));
    expect(decode(playersCodec, fromHex(`01 ${PLAYER}`))).toEqual([player]);
  });

  test.each<[name: string, hex: string]>([
    ["a player twice", `02 ${PLAYER} ${PLAYER}`],
    ["players out of order", `02 ${PLAYER} ${PLAYER.replace("ac02", "01")}`],
  ])("[S18] refuses %s", async (_name, hex) => {
    expect(await codeOfRejection(() => decode(playersCodec, fromHex(hex)))).toBe("ORT_PLAYERS");
  });

  test("[S19] a player who is not in a commit stays, and one who is replaces the old record", async () => {
    const { disk, writer } = await smallWorld();
    await writer.commit({ nowMs: 2, players: [playerOf(2n)] });
    await writer.commit({ nowMs: 3, players: [playerOf(2n, 30)] });
    await writer.commit({ nowMs: 4, global: GLOBAL });
    const { players } = await openSave(disk);
    expect(players.map(({ playerId, lastSavedMs }) => [playerId, lastSavedMs])).toEqual([
      [1n, 1],
      [2n, 30],
    ]);
    await writer.commit({ nowMs: 5, removedPlayers: [1n] });
    expect((await openSave(disk)).players.map(({ playerId }) => playerId)).toEqual([2n]);
  });
});
