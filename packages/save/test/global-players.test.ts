import { chunkShape, type ErrorCode } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  type GlobalRecord,
  openSave,
  type StoredPlayer,
  verifySave,
  type WorldDescription,
} from "@orthant/save";
import {
  CLIENT_EDITS_MAX,
  DESCRIPTION_EPOCHS_MAX,
  generatorMapOf,
  playersCodec,
  storedGenerators,
  worldDescriptionCodec,
} from "@orthant/save/content";
import { globalRecordCodec } from "@orthant/save/internal";
import { codeOfRejection, fromHex, toHex } from "@orthant/testkit";
import { GLOBAL, playerOf, replaceFile, smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const GENERATORS = "01 01 0166 02 0102 07 09"; // version, one: "f", two bytes, seed 7, hash 9
const DESCRIPTION = [
  "03 04040101 026869", // version, shape, "hi"
  "000000000000f03f 0000000000000000 0000000000000000 0000000000000000", // spawn
  "05 01 aa", // epoch, one byte of blocks
  "01 03 016e", // generation 3 is named "n"
  "01 016b 01 bb", // under "k" one byte
  "efcdab8967452301", // the world's id
  "02 04 0100000000000000 05 00000000000000ff", // epochs 4 and 5, with their ids
  "02 ffffffffffffffff ac02 00 0900000000000000 03 01 0600000000000000", // last edits: 300 of a client without a
  // player, then 3 of client 9, which is player 6's
].join(" ");
/** Version 5 without clients and records, but with the length and checksum of the players file. */
const DESCRIPTION_5 = DESCRIPTION.replace("03 04040101", "05 04040101").replace(
  /02 ffffffffffffffff.*/,
  "00 00 00 ac02 78563412",
);
/** Version 2 has clients in order of ids, without their players. */
const DESCRIPTION_2 = DESCRIPTION.replace("03 04040101", "02 04040101").replace(
  /02 ffffffffffffffff.*/,
  "02 0900000000000000 03 ffffffffffffffff ac02",
);
/** The same without what version 2 added. */
const DESCRIPTION_1 = DESCRIPTION.replace("03 04040101", "01 04040101").replace(/ efcdab.*/, "");

function sized(hex: string): string {
  return `${toHex(Uint8Array.of(fromHex(hex).length))} ${hex}`;
}
const globalHex = `01 ac02 07 ${sized(GENERATORS)} 0a 02 e807 01 01 01 02 01 00010000 ${sized(DESCRIPTION)}`;
const global: GlobalRecord = {
  base: { kind: "flatFloor", block: 300 },
  worldSeed: 7n,
  generators: [{ generatorId: "f", params: Uint8Array.of(1, 2), seed: 7n, versionHash: 9n }],
  nextEntityId: 10n,
  nextDataFileId: 2,
  lastModifiedMs: 1_000,
  playerEntityHints: [{ playerId: 1n, entityId: 2n, lastRegion: [0, -1, 0, 0] }],
  description: {
    chunkShape: chunkShape([4, 4, 1, 1]),
    name: "hi",
    spawn: [1, 0, 0, 0],
    clockEpoch: 5,
    blocks: Uint8Array.of(0xaa),
    namedGenerations: [{ generation: 3, name: "n" }],
    attachments: [{ key: "k", value: Uint8Array.of(0xbb) }],
    worldId: 0x0123_4567_89ab_cdefn,
    epochs: [
      { number: 4, id: 1n },
      { number: 5, id: 0xff00_0000_0000_0000n },
    ],
    edits: [
      { clientId: 0xffff_ffff_ffff_ffffn, lastEditId: 300 },
      { clientId: 9n, lastEditId: 3, playerId: 6n },
    ],
  },
};

describe("the global payload", () => {
  test("[S14, S16, S17] has its fields in the order of the specification", () => {
    expect(toHex(encode(globalRecordCodec, global))).toBe(toHex(fromHex(globalHex)));
    expect(decode(globalRecordCodec, fromHex(globalHex))).toEqual(global);
  });

  test("[S17, S95] has the seal of the players file at the end of a description of version 5", () => {
    const hex = globalHex.replace(sized(DESCRIPTION), sized(DESCRIPTION_5));
    const sealed = {
      ...global,
      description: { ...global.description, edits: [] },
      playersSeal: { bytes: 300, crc32: 0x1234_5678 },
    };
    expect(toHex(encode(globalRecordCodec, sealed))).toBe(toHex(fromHex(hex)));
    expect(decode(globalRecordCodec, fromHex(hex))).toEqual(sealed);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["S14", "a fourth kind of base", globalHex.replace("01 ac02", "03"), "ORT_TAG"],
    ["S16", "generators of version 3", globalHex.replace("01 01 0166", "03 01 0166"), "ORT_VERSION"],
    [
      "S16",
      "bytes behind the generators",
      globalHex.replace(sized(GENERATORS), sized(`${GENERATORS} 00`)),
      "ORT_TRAILING_BYTES",
    ],
    ["S17", "a description of version 6", globalHex.replace("03 04040101", "06 04040101"), "ORT_VERSION"],
    ["S17", "a description of version 0", globalHex.replace("03 04040101", "00 04040101"), "ORT_VERSION"],
    ["S17", "a chunk of no voxels", globalHex.replace("03 04040101", "03 04040001"), "ORT_CHUNK_VOLUME"],
    ["S14", "bytes behind it", `${globalHex} 00`, "ORT_TRAILING_BYTES"],
  ])("[%s] refuses %s", async (_rule, _name, hex, code) => {
    expect(hex).not.toBe(globalHex);
    expect(await codeOfRejection(() => decode(globalRecordCodec, fromHex(hex)))).toBe(code);
  });

  const MAPPED = "02 02 0166 02 0102 07 09 0167 00 07 0a"; // version, two: "f" as above, "g" with seed 7 and hash 10
  const BOX = "01 03010000 01020000"; // of "g": from [-2, -1, 0, 0], 2 by 3 by 1 by 1
  const withGenerators = (hex: string): string => globalHex.replace(sized(GENERATORS), sized(hex));

  test("[S140] has boxes of other generators in version 2 of its generators", () => {
    const hex = withGenerators(`${MAPPED} 01 ${BOX}`);
    const mapped: GlobalRecord = {
      ...global,
      generators: [
        ...global.generators,
        { generatorId: "g", params: new Uint8Array(0), seed: 7n, versionHash: 10n },
      ],
      generatorRegions: [{ generator: 1, box: { min: [-2, -1, 0, 0], max: [0, 2, 1, 1] } }],
    };
    expect(toHex(encode(globalRecordCodec, mapped))).toBe(toHex(fromHex(hex)));
    expect(decode(globalRecordCodec, fromHex(hex))).toEqual(mapped);
    const generated: GlobalRecord = { ...mapped, base: { kind: "generated" } };
    const map = generatorMapOf(generated);
    expect([map.ofRegion([-1, 1, 0, 0]), map.ofRegion([0, 0, 0, 0])].map((ref) => ref.generatorId)).toEqual([
      "g",
      "f",
    ]);
    expect(storedGenerators(map)).toEqual({
      base: generated.base,
      generators: mapped.generators,
      generatorRegions: mapped.generatorRegions,
    });
  });

  test("[S140] the global payload with one generator has version 1, whatever else it lists", () => {
    const unused: GlobalRecord = {
      ...global,
      base: { kind: "generated" },
      generators: [...global.generators, ...global.generators],
    };
    expect(decode(globalRecordCodec, encode(globalRecordCodec, unused))).toEqual(unused);
    expect(generatorMapOf(unused).isSingle).toBe(true);
  });

  test.each<[name: string, hex: string, code: ErrorCode]>([
    ["no box", `${MAPPED} 00`, "ORT_GENERATOR_MAP"],
    ["a generator that is not listed", `${MAPPED} 01 02 00000000 00000000`, "ORT_GENERATOR_MAP"],
    ["a box of the first generator", `${MAPPED} 01 00 00000000 00000000`, "ORT_GENERATOR_MAP"],
    ["boxes that overlap", `${MAPPED} 02 ${BOX} 01 02000000 00000000`, "ORT_GENERATOR_MAP"],
    ["boxes out of order", `${MAPPED} 02 ${BOX} 01 01000000 00000000`, "ORT_GENERATOR_MAP"],
    ["4,097 boxes", `${MAPPED} 8120`, "ORT_LIMIT"],
    ["a box that is cut off", `${MAPPED} 01 01 030100`, "ORT_TRUNCATED"],
  ])("[S141] refuses %s in version 2 of its generators", async (_name, hex, code) => {
    expect(await codeOfRejection(() => decode(globalRecordCodec, fromHex(withGenerators(hex))))).toBe(code);
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

  test("[S17] reads and writes a description without an id as version 1, which has no epochs and no edits", async () => {
    const plain: WorldDescription = { ...global.description, worldId: 0n, epochs: [], edits: [] };
    expect(decode(worldDescriptionCodec, fromHex(DESCRIPTION_1))).toEqual(plain);
    expect(toHex(encode(worldDescriptionCodec, plain))).toBe(toHex(fromHex(DESCRIPTION_1)));
    const { epochs, edits } = global.description;
    for (const more of [{ epochs }, { edits }]) {
      expect(await codeOfRejection(() => encode(worldDescriptionCodec, { ...plain, ...more }))).toBe(
        "ORT_ARGUMENT",
      );
    }
  });

  test("[S17] reads a description of version 2, whose clients are in order of ids and have no players", async () => {
    const { edits } = decode(worldDescriptionCodec, fromHex(DESCRIPTION_2));
    expect(edits).toEqual([
      { clientId: 9n, lastEditId: 3 },
      { clientId: 0xffff_ffff_ffff_ffffn, lastEditId: 300 },
    ]);
    const disordered = DESCRIPTION_2.replace("ffffffffffffffff ac02", "0800000000000000 ac02");
    expect(await codeOfRejection(() => decode(worldDescriptionCodec, fromHex(disordered)))).toBe("ORT_BLOB");
  });

  test.each<[name: string, from: string, to: string]>([
    ["an id of 0", "efcdab8967452301", "0000000000000000"],
    ["an epoch 0", "02 04 01", "02 00 01"],
    ["an epoch listed twice", "02 04 01", "02 05 01"],
    ["epochs out of order", "05 00000000000000ff", "03 00000000000000ff"],
    ["an epoch after the world's last", "05 00000000000000ff", "06 00000000000000ff"],
    ["a client twice", "ffffffffffffffff ac02", "0900000000000000 ac02"],
    ["a last edit of 0", "0900000000000000 03", "0900000000000000 00"],
  ])("[S17] refuses %s", async (_name, from, to) => {
    const hex = DESCRIPTION.replace(from, to);
    expect(hex).not.toBe(DESCRIPTION);
    expect(await codeOfRejection(() => decode(worldDescriptionCodec, fromHex(hex)))).toBe("ORT_BLOB");
  });

  test("[S17] holds at most 64 epochs and 4,096 clients with edits", async () => {
    const full: WorldDescription = {
      ...global.description,
      clockEpoch: 100,
      epochs: Array.from({ length: DESCRIPTION_EPOCHS_MAX }, (_, index) => ({ number: index + 1, id: 1n })),
      edits: Array.from({ length: CLIENT_EDITS_MAX }, (_, index) => ({
        clientId: BigInt(index),
        lastEditId: 1,
      })),
    };
    expect([DESCRIPTION_EPOCHS_MAX, CLIENT_EDITS_MAX]).toEqual([64, 4_096]);
    expect(decode(worldDescriptionCodec, encode(worldDescriptionCodec, full))).toEqual(full);
    const epochs = [...full.epochs, { number: 100, id: 1n }];
    const edits = [...full.edits, { clientId: 5_000n, lastEditId: 1 }];
    for (const over of [{ epochs }, { edits }]) {
      expect(await codeOfRejection(() => encode(worldDescriptionCodec, { ...full, ...over }))).toBe(
        "ORT_ARGUMENT",
      );
    }
    for (const [from, to] of [
      ["02 04 01", "41 04 01"],
      ["02 ffff", "8120 ffff"],
    ] as const) {
      const hex = DESCRIPTION.replace(from, to);
      expect(await codeOfRejection(() => decode(worldDescriptionCodec, fromHex(hex)))).toBe("ORT_LIMIT");
    }
  });

  test("[S17] refuses the description cut at any byte", async () => {
    const bytes = fromHex(DESCRIPTION);
    for (let length = 0; length < bytes.length; length++) {
      expect(
        await codeOfRejection(() => decode(worldDescriptionCodec, bytes.subarray(0, length))),
        `${length} bytes`,
      ).toBe("ORT_TRUNCATED");
    }
  });

  test("[S15] agrees with the manifest, or verify reports that it does not", async () => {
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

const player: StoredPlayer = { ...playerOf(300n, 1_000), tags: ["t"], metadata: [["k", Uint8Array.of(1)]] };
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

  test("[S19] keeps a player who is not in a commit, and replaces the record of one who is", async () => {
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
