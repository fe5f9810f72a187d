import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { readDatagram, type Unreadable, type Wire1Message, wire1Codec } from "@orthant/protocol/internal";
import type { Wire1Command } from "@orthant/protocol/wire1";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { randomWire1Message } from "@orthant/testkit/messages";
import { describe, expect, test } from "vitest";

const NO_TILES = "00".repeat(2_048);
const command = (hex: string): string => {
  const payload = hex.replaceAll(" ", "");
  return `0102${(payload.length / 2).toString(16).padStart(2, "0")}${payload}`;
};

/** Every command of player 1, in bytes that the table of docs/formats/wire-v1.md gives. */
const COMMANDS: readonly (readonly [id: number, command: Wire1Command, hex: string])[] = [
  [1, { kind: "jump" }, "01 02 03 01 01 00"],
  [2, { kind: "attack" }, "01 02 03 01 02 00"],
  [3, { kind: "motionInput", axisMilli: 250, jumps: false }, "01 02 06 01 03 03 f403 00"],
  [10, { kind: "setTile", x: 5, y: -6, material: 300 }, "01 02 07 01 0a 04 0a 0b ac02"],
  [11, { kind: "loadChunk", chunkX: -1, chunkY: 2 }, "01 02 05 01 0b 02 01 04"],
  [12, { kind: "unloadChunk", chunkX: 3, chunkY: -4 }, "01 02 05 01 0c 02 06 07"],
  [20, { kind: "collectResource", resource: 2, amount: 1_000 }, "01 02 06 01 14 03 02 e807"],
  [21, { kind: "spawnDrop", x: -7, y: 8, material: 9, amount: 10 }, "01 02 07 01 15 04 0d 10 09 0a"],
  [22, { kind: "pickupProbe", x: 11, y: -12 }, "01 02 05 01 16 02 16 17"],
  [
    23,
    { kind: "interaction", interaction: 1, x: 2, y: -3, material: 6, result: 7 },
    "01 02 08 01 17 05 01 04 05 06 07",
  ],
  [
    24,
    { kind: "actionPrimary", x: -1, y: 1, hotbarRow: 3, hotbarSlot: 255 },
    "01 02 08 01 18 05 01 02 03 ff01",
  ],
  [25, { kind: "craftRecipe", recipe: 200 }, "01 02 05 01 19 02 c801"],
  [26, { kind: "attackEnemy" }, "01 02 03 01 1a 00"],
  [27, { kind: "attackBoss" }, "01 02 03 01 1b 00"],
  [
    30,
    {
      kind: "fireProjectile",
      x: 1,
      y: -2,
      velocityMilliX: 1_500,
      velocityMilliY: -1_500,
      damage: 7,
      lifetimeTicks: 60,
      faction: 2,
    },
    "01 02 0c 01 1e 09 02 03 b817 b717 07 3c 02",
  ],
];

/** Chunks of air in a row, as a batch names them: x, which is positive, and y, which is 0. */
const airChunks = (count: number): string =>
  Array.from(
    { length: count },
    (_, x) => `${(2 * x).toString(16).padStart(2, "0")}00 8008 8010 ${NO_TILES}`,
  ).join("");

describe("a Wire v1 datagram", () => {
  test.each(COMMANDS)("[W8] has its id and its fields in order: command %i, %o", (id, command, hex) => {
    const message: Wire1Message = { kind: "command", playerId: 1, command };
    const bytes = fromHex(hex);
    expect(bytes[4]).toBe(id);
    expect(toHex(encode(wire1Codec, message))).toBe(toHex(bytes));
    expect(decode(wire1Codec, bytes)).toEqual(message);
  });

  test("[W7] has one of fifteen commands, and no other id below 1,000", () => {
    const known = COMMANDS.map(([id]) => id);
    for (let id = 0; id < 1_000; id++) {
      const varint = id < 128 ? [id] : [(id & 0x7f) | 0x80, id >> 7];
      const datagram = Uint8Array.of(1, 2, 2 + varint.length, 1, ...varint, 0);
      const read = readDatagram(datagram);
      expect("stage" in read && read.stage === "unknownCommand", `id ${id}`).toBe(!known.includes(id));
    }
  });

  test("[W22] may have 31 chunks, and is refused with 32, however well-formed they are", () => {
    const fits = fromHex(`01 04 bbf103 1f ${airChunks(31)}`);
    expect(fits.length).toBe(63_680);
    const batch = decode(wire1Codec, fits);
    expect(batch.kind === "batch" && batch.chunks.map(({ x }) => x)).toEqual(
      Array.from({ length: 31 }, (_, x) => x),
    );
    expect(toHex(encode(wire1Codec, batch)) === toHex(fits)).toBe(true);
    const tooMany = fromHex(`01 04 c18104 20 ${airChunks(32)}`);
    expect(tooMany.length).toBe(65_734);
    expect(readDatagram(tooMany)).toMatchObject({ stage: "chunks" });
    expect(codeOf(() => decode(wire1Codec, tooMany))).toBe("ORT_LIMIT");
  });

  test.each<[rule: string, name: string, message: Wire1Message, hex: string]>([
    ["W1", "a SYN", { kind: "control", control: "syn" }, "01 01 01 01"],
    ["W5", "an ACK", { kind: "control", control: "ack" }, "01 01 01 02"],
    ["W5", "a HEARTBEAT", { kind: "control", control: "heartbeat" }, "01 01 01 03"],
    [
      "W8",
      "a tile",
      {
        kind: "command",
        playerId: 300,
        command: { kind: "setTile", x: -1, y: 64, material: 8 },
      },
      "01 02 08 ac02 0a 04 01 8001 08",
    ],
    [
      "W9",
      "steering",
      { kind: "command", playerId: 1, command: { kind: "motionInput", axisMilli: -1_000, jumps: true } },
      "01 02 06 01 03 03 cf0f 01",
    ],
    [
      "W21",
      "a chunk",
      { kind: "chunk", chunk: { x: 1, y: -1, tiles: Uint16Array.from({ length: 1_024 }, (_, i) => i) } },
      `01 03 8610 02 01 8008 8010 ${Array.from({ length: 1_024 }, (_, i) =>
        ((i & 0xff) * 256 + (i >> 8)).toString(16).padStart(4, "0"),
      ).join("")}`,
    ],
    ["W22", "no chunks", { kind: "batch", chunks: [] }, "01 04 01 00"],
  ])("[%s] has one encoding: %s", (_rule, _name, message, hex) => {
    const bytes = fromHex(hex);
    expect(toHex(encode(wire1Codec, message))).toBe(toHex(bytes));
    expect(decode(wire1Codec, bytes)).toEqual(message);
  });

  test.each<[rule: string, name: string, stage: Unreadable["stage"], hex: string]>([
    ["W1", "nothing", "version", ""],
    ["W1", "a payload that is shorter than announced", "length", "01 01 02 01"],
    ["W1", "a payload that is longer than announced", "length", "01 01 01 01 01"],
    ["W1", "a length of 2^64 - 1", "length", "01 01 ffffffffffffffffff01 01"],
    ["W2", "another version", "version", "02 01 01 01"],
    ["W2", "a text from before", "legacy", "43 54 52 4c 7c 53 59 4e"],
    ["W3", "kind 0", "kind", "01 00 01 01"],
    ["W3", "kind 5", "kind", "01 05 01 01"],
    ["W3", "an unknown kind, whatever follows", "kind", "01 ff 80"],
    ["W4", "a padded length", "length", "01 01 8100 01"],
    ["W4", "a padded player id", "command", command("8100 01 00")],
    ["W4", "a padded material", "payload", command("01 0a 04 00 00 8100")],
    ["W5", "an empty control message", "control", "01 01 00"],
    ["W5", "a control message of two bytes", "control", "01 01 02 01 01"],
    ["W5", "control type 0", "control", "01 01 01 00"],
    ["W5", "control type 4", "control", "01 01 01 04"],
    ["W6", "a command without an id", "command", command("01")],
    ["W6", "a player id of 33 bits", "command", command("8080808010 01 00")],
    ["W6", "a byte behind the command", "command", command("01 01 00 00")],
    ["W7", "command 4", "unknownCommand", command("01 04 00")],
    ["W7", "command 999, whatever its payload", "unknownCommand", command("01 e707 01 80")],
    ["W8", "a jump with a payload", "payload", command("01 01 01 00")],
    ["W8", "a material of 17 bits", "payload", command("01 0a 05 00 00 808004")],
    ["W8", "a coordinate of 33 bits", "payload", command("01 0b 06 8080808010 00")],
    ["W8", "a chunk without y", "payload", command("01 0b 01 00")],
    ["W8", "row 256 of the hotbar", "payload", command("01 18 05 00 00 8002 00")],
    ["W9", "an axis of 1,001", "payload", command("01 03 03 d20f 00")],
    ["W9", "an unknown flag", "payload", command("01 03 02 00 02")],
    ["W10", "resource 0", "payload", command("01 14 02 00 01")],
    ["W10", "none of a resource", "payload", command("01 14 02 01 00")],
    ["W10", "a shot without damage", "payload", command("01 1e 07 00 00 00 00 00 01 01")],
    ["W20", "a chunk of one tile", "chunks", "01 03 06 00 00 01 02 0000"],
    ["W20", "1,024 tiles in 2,046 bytes", "chunks", `01 03 8410 00 00 8008 fe0f ${NO_TILES.slice(4)}`],
    ["W20", "a count of tiles of 2^63", "chunks", "01 03 0d 00 00 80808080808080808001 00"],
    ["W22", "32 chunks", "chunks", `01 04 01 20`],
    ["W23", "a chunk twice", "chunks", `01 04 8d20 02 ${`0000 8008 8010 ${NO_TILES}`.repeat(2)}`],
    [
      "W23",
      "chunks in another order",
      "chunks",
      `01 04 8d20 02 0200 8008 8010 ${NO_TILES} 0002 8008 8010 ${NO_TILES}`,
    ],
  ])("[%s] is refused: %s (%s)", (_rule, _name, stage, hex) => {
    expect(readDatagram(fromHex(hex))).toMatchObject({ stage });
    expect(codeOf(() => decode(wire1Codec, fromHex(hex)))).toMatch(/^ORT_(?!ARGUMENT)/);
  });

  test("[W2] a datagram of the text protocol fails with a message that says what to do", () => {
    expect(readDatagram(new TextEncoder().encode("CMD|1|"))).toMatchObject({
      detail: expect.stringContaining("from before Wire v1; the sender has to be updated"),
    });
  });

  test("[W24] is a bijection on 5,000 random messages: each has its bytes, and only those decode to it", () => {
    const seen = new Map<string, Wire1Message>();
    for (let seed = 0; seed < 5_000; seed++) {
      const message = randomWire1Message(new Prng(seed));
      const bytes = encode(wire1Codec, message);
      const read = decode(wire1Codec, bytes);
      if (!isDeepStrictEqual(read, message)) expect(read, `seed ${seed}`).toEqual(message);
      const hex = toHex(bytes);
      const other = seen.get(hex);
      if (other !== undefined) expect(message).toEqual(other);
      seen.set(hex, message);
    }
    expect(seen.size).toBeGreaterThan(4_000);
  });

  test("[W1] is refused when it is cut at any byte", () => {
    for (let seed = 0; seed < 300; seed++) {
      const bytes = encode(wire1Codec, randomWire1Message(new Prng(seed)));
      for (let length = 0; length < bytes.length; length += bytes.length > 100 ? 97 : 1) {
        expect(readDatagram(bytes.subarray(0, length)), `seed ${seed}, ${length} bytes`).toHaveProperty(
          "stage",
        );
      }
    }
  });

  test.each<[name: string, message: unknown, code: ErrorCode]>([
    ["an unknown control type", { kind: "control", control: "fin" }, "ORT_ARGUMENT"],
    ["an unknown command", { kind: "command", playerId: 1, command: { kind: "fly" } }, "ORT_ARGUMENT"],
    [
      "an axis beyond its range",
      { kind: "command", playerId: 1, command: { kind: "motionInput", axisMilli: 1_001, jumps: false } },
      "ORT_ARGUMENT",
    ],
    [
      "a chunk of ten tiles",
      { kind: "chunk", chunk: { x: 0, y: 0, tiles: new Uint16Array(10) } },
      "ORT_ARGUMENT",
    ],
    [
      "chunks in another order",
      {
        kind: "batch",
        chunks: [
          { x: 0, y: 1, tiles: new Uint16Array(1_024) },
          { x: 0, y: 0, tiles: new Uint16Array(1_024) },
        ],
      },
      "ORT_ARGUMENT",
    ],
  ])("is never encoded with %s", (_name, message, code) => {
    expect(codeOf(() => encode(wire1Codec, message as Wire1Message))).toBe(code);
  });
});
