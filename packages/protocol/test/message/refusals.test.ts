import type { ErrorCode } from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import {
  type ClientFrame,
  type ClientMessage,
  clientFrameCodec,
  readHelloVersion,
  regionMask,
  type ServerFrame,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import { codeOf, fromHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { CLIENT_SAMPLES, SERVER_SAMPLES, VOLUME } from "./samples.ts";

const serverFrames = serverFrameCodec(VOLUME);
const HELLO = "4f525448 03 00 00 0100000000000000";
const WELCOME = "03 00 0100000000000000";
const EPOCH = "01 0000000000000000";
/** The part of a welcome between the shape and the spawn: a generator, a hash, and a catalog of air. */
const GENERATOR_AND_CATALOG = "01 00000000 00 06dc72bf493d0c55 01 0b 01 01 00 03616972 000000 00";
const END_OF_WELCOME = "00000000 0000000000000000 00 00 01 0000000000000000000000 4001 00000000 00000000";
const POSE = "00000000 00000000";

/** A varint count and that number of bytes. */
function filled(count: string, bytes: number): string {
  return `${count} ${"00".repeat(bytes)}`;
}

describe("client messages that the decoder refuses", () => {
  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["N4", "a message of an unknown kind", "0d", "ORT_TAG"],
    ["N4", "a tag in two bytes", "8000", "ORT_VARINT_PADDED"],
    ["N4", "half a message", "06 02 01", "ORT_TRUNCATED"],
    ["N63", "request 0", "0b 00 00 00 05", "ORT_MESSAGE"],
    ["N63", "a request before the first one that is open", "0b 01 01 00 05", "ORT_MESSAGE"],
    ["N63", "request 0 to be cancelled", "0c 00", "ORT_MESSAGE"],
    ["N63", "an unknown kind of request", "0b 01 00 00 06", "ORT_TAG"],
    ["N64", "a text of 16,385 bytes", `0b 01 00 00 00 ${filled("818001", 16_385)}`, "ORT_LIMIT"],
    ["N65", "nine clipboards", `0b 01 00 00 00 00 ${filled("09", 40)}`, "ORT_LIMIT"],
    ["N65", "a clipboard with an unknown turn", "0b 01 00 00 00 00 01 02 01 16 00 00", "ORT_TAG"],
    ["N65", "a clipboard with 65 turns", `0b 01 00 00 00 00 01 02 ${filled("41", 65)} 00 00`, "ORT_LIMIT"],
    ["N65", "clipboard 0 to be released", "0b 01 00 00 02 00", "ORT_MESSAGE"],
    ["N14", "a hello with other letters", "00 4f525449 01", "ORT_MAGIC"],
    ["N14", "a hello of another version", "00 4f525448 01", "ORT_VERSION"],
    ["N15", "a long token", `00 ${HELLO} ${filled("8120", 4_097)}`, "ORT_LIMIT"],
    ["N15", "a long name", `00 ${HELLO} 00 ${filled("41", 65)}`, "ORT_LIMIT"],
    ["N15", "257 generators", "00 4f525448 03 8102", "ORT_LIMIT"],
    [
      "N15",
      "a generator twice",
      "00 4f525448 03 02 0100000000000000 0100000000000000 00 0100000000000000",
      "ORT_MESSAGE",
    ],
    ["N9", "an epoch of number 0", `00 ${HELLO} 00 00 01 0000000000000000 00`, "ORT_CLOCK"],
    ["N9", "an epoch with too high a number", `00 ${HELLO} 00 00 01 0000000000000000 808040`, "ORT_CLOCK"],
    ["N5", "open edit 0", `00 ${HELLO} 00 00 00 00`, "ORT_MESSAGE"],
    ["N5", "interest 0", `01 00 ${POSE}`, "ORT_MESSAGE"],
    ["N16", "nine boxes", `01 01 ${POSE} ${filled("09", 72)}`, "ORT_LIMIT"],
    ["N16", "a box that ends before it begins", `01 01 ${POSE} 01 02000000 00000000`, "ORT_BOX"],
    ["N17", "too many held regions", `01 01 ${POSE} 00 00 ${filled("8120", 20_485)}`, "ORT_LIMIT"],
    ["N17", "too many masks", `01 01 ${POSE} 00 00 00 ${filled("8120", 4_097)}`, "ORT_LIMIT"],
    [
      "N17",
      "masks of too many regions together",
      `01 01 ${POSE} 00 00 00 02 00000000 8020010101 00 00000000 01010101 00`,
      "ORT_LIMIT",
    ],
    ["N5", "edit 0", "02 00 01 00000000 00", "ORT_MESSAGE"],
    ["N18", "an edit of no voxels", "02 01 00 00", "ORT_MESSAGE"],
    ["N48", "a list with data that has none", "02 01 00 01 00000000 01 09", "ORT_MESSAGE"],
    ["N48", "neither a block nor data", "02 01 00 01 00000000 00", "ORT_TAG"],
    ["N48", "data that is set and removed", "02 01 00 01 00000000 06 00", "ORT_TAG"],
    ["N48", "an unknown flag", "02 01 00 01 00000000 08 00", "ORT_TAG"],
    ["N48", "32,770 bytes of data", "02 01 00 01 00000000 04 828002", "ORT_LIMIT"],
    ["N48", "too many voxels with data", "02 01 00 8120", "ORT_LIMIT"],
    ["N5", "fill 0", "07 00 00000000 01010101 00", "ORT_MESSAGE"],
    ["N36", "a box of no voxels", "07 01 00000000 01010001 00", "ORT_BOX"],
    ["N36", "a box from where no world is", "07 01 80808080808040 000000 01010101 00", "ORT_POSITION_RANGE"],
    ["N36", "a box to where no world is", "07 01 feffffffffff3f 000000 02010101 00", "ORT_POSITION_RANGE"],
    ["N36", "a copy of no voxels", "08 01 00000000 00010101 00000000", "ORT_BOX"],
    [
      "N36",
      "a copy to where no world is",
      "08 01 00000000 02010101 feffffffffff3f 000000",
      "ORT_POSITION_RANGE",
    ],
    ["N36", "half a box", "07 01 00000000 0101", "ORT_TRUNCATED"],
    ["N18", "an edit of too many voxels", `02 01 ${filled("8120", 20_485)}`, "ORT_LIMIT"],
    ["N18", "a voxel that no world has", "02 01 01 80808080808040 00 00 00 00", "ORT_POSITION_RANGE"],
    [
      "N18",
      "a way to a voxel that no world has",
      "02 01 02 feffffffffff3f 00 00 00 00 02 00 00 00 00",
      "ORT_POSITION_RANGE",
    ],
    ["N18", "a block of 17 bits", "02 01 01 00000000 808004", "ORT_VARINT_RANGE"],
    ["N8", "an orientation past -1", "03 00 00000000 80000000", "ORT_MESSAGE"],
    ["N7", "a position past 2^53", "03 80808080808080804000 0000 00000000", "ORT_UNSAFE_INTEGER"],
    ["N5", "a resync that expects 0", "04 00 00 00", "ORT_MESSAGE"],
    ["N19", "a resync of too many regions", `04 01 00 ${filled("8104", 2_565)}`, "ORT_LIMIT"],
    ["N19", "a resync of regions out of order", "04 01 00 02 02000000 00 01000000 00", "ORT_REGION_ORDER"],
    ["N20", "a long message of the game", `06 ${filled("818001", 16_385)}`, "ORT_LIMIT"],
    ["N5", "a confirmation of pose 0", "09 00", "ORT_MESSAGE"],
    ["N41", "a confirmation of no pose", "09", "ORT_TRUNCATED"],
  ])("[%s] %s is refused", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(clientFrameCodec, fromHex(`00 00 ${hex}`)))).toBe(code);
  });
});

describe("server messages that the decoder refuses", () => {
  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["N4", "a message of an unknown kind", "16", "ORT_TAG"],
    ["N67", "a hold of number 0", "14 00", "ORT_MESSAGE"],
    ["N67", "a release of number 0", "15 00", "ORT_MESSAGE"],
    ["N62", "terms of half the limits", "13 01 01 02 03", "ORT_TRUNCATED"],
    ["N63", "progress of request 0", "11 00 00 00", "ORT_MESSAGE"],
    ["N65", "a clipboard of no voxels", "12 07 01 02 04000501", "ORT_MESSAGE"],
    ["N66", "an answer of an unknown kind", "12 07 05", "ORT_TAG"],
    ["N66", "an operation with an unknown status", "12 07 00 03", "ORT_TAG"],
    ["N66", "a refusal for an unknown reason", "12 07 04 09 00 00", "ORT_TAG"],
    ["N66", "an unknown limit", "12 07 04 01 00 01 0d 00 00", "ORT_TAG"],
    ["N66", "257 operations to undo", `12 07 03 ${filled("8102", 300)}`, "ORT_LIMIT"],
    ["N46", "65 tags", "0d 01 01 41", "ORT_LIMIT"],
    ["N46", "a tag of 257 bytes", "0d 01 01 01 8102", "ORT_LIMIT"],
    ["N46", "32,769 bytes of data", "0d 01 01 00 818002", "ORT_LIMIT"],
    ["N21", "a welcome of another version", "00 01", "ORT_VERSION"],
    ["N21", "a long name of a world", `00 ${WELCOME} ${EPOCH} ${filled("8120", 4_097)}`, "ORT_LIMIT"],
    ["N21", "chunks of no voxels", `00 ${WELCOME} ${EPOCH} 00 01000101`, "ORT_LIMIT"],
    ["N21", "chunks of too many voxels", `00 ${WELCOME} ${EPOCH} 00 81800401 0101`, "ORT_LIMIT"],
    [
      "N21",
      "chunks whose extents overflow",
      `00 ${WELCOME} ${EPOCH} 00 ffffffff0f ffffffff0f ffffffff0f ffffffff0f`,
      "ORT_LIMIT",
    ],
    ["N21", "no generator", `00 ${WELCOME} ${EPOCH} 00 01010101 00 00`, "ORT_GENERATOR_MAP"],
    ["N21", "257 generators", `00 ${WELCOME} ${EPOCH} 00 01010101 8102`, "ORT_LIMIT"],
    ["N21", "4,097 boxes", `00 ${WELCOME} ${EPOCH} 00 01010101 01 00000000 8120`, "ORT_LIMIT"],
    [
      "N21",
      "boxes of generators that overlap",
      `00 ${WELCOME} ${EPOCH} 00 01010101 02 00000000 00000001 02 01 00000000 00000000 01 00000000 00000000`,
      "ORT_GENERATOR_MAP",
    ],
    [
      "N21",
      "a long catalog",
      `00 ${WELCOME} ${EPOCH} 00 01010101 01 00000000 00 0000000000000000 01 ${filled("818010", 262_145)}`,
      "ORT_LIMIT",
    ],
    [
      "N21",
      "a catalog with another hash",
      `00 ${WELCOME} ${EPOCH} 00 01010101 01 00000000 00 0000000000000000 01 0b 01 01 00 03616972 000000 00`,
      "ORT_MESSAGE",
    ],
    [
      "N44",
      "a catalog with another hash",
      "0c 0000000000000000 00 0b 01 01 00 03616972 000000 00",
      "ORT_MESSAGE",
    ],
    ["N44", "neither a catalog nor a change", "0c 0000000000000000 03", "ORT_TAG"],
    ["N44", "a long catalog", `0c 0000000000000000 00 ${filled("818010", 262_145)}`, "ORT_LIMIT"],
    [
      "N44",
      "a long change",
      `0c 0000000000000000 01 0000000000000000 ${filled("818010", 262_145)}`,
      "ORT_LIMIT",
    ],
    ["N44", "a change of nothing", "0c 0000000000000000 01 0000000000000000 04 00000000", "ORT_BLOCKS"],
    [
      "N21",
      "a catalog and a byte",
      `00 ${WELCOME} ${EPOCH} 00 01010101 01 00000000 00 0000000000000000 01 0c 01 01 00 03616972 000000 00 00`,
      "ORT_TRAILING_BYTES",
    ],
    [
      "N21",
      "an unknown role",
      `00 ${WELCOME} ${EPOCH} 00 01010101 ${GENERATOR_AND_CATALOG} 00000000 0000000000000000 03`,
      "ORT_TAG",
    ],
    [
      "N5",
      "ticks of no time",
      `00 ${WELCOME} ${EPOCH} 00 01010101 ${GENERATOR_AND_CATALOG} 00000000 0000000000000000 00 00 00`,
      "ORT_MESSAGE",
    ],
    [
      "N37",
      "a limit above all limits",
      `00 ${WELCOME} ${EPOCH} 00 01010101 ${GENERATOR_AND_CATALOG} 00000000 0000000000000000 00 00 01 81808080807d`,
      "ORT_LIMIT",
    ],
    ["N22", "an unknown reason", "01 0b 00 00", "ORT_TAG"],
    ["N5", "pose 0 of a player", `0b 00 ${POSE} 00`, "ORT_MESSAGE"],
    ["N8", "a pose of a player past -1", "0b 01 00000000 80000000 00", "ORT_MESSAGE"],
    ["N41", "a long reason of a pose", `0b 01 ${POSE} 00 ${filled("8108", 1_025)}`, "ORT_LIMIT"],
    ["N22", "a long detail", `01 00 ${filled("8108", 1_025)}`, "ORT_LIMIT"],
    ["N23", "a heartbeat that is half complete", "02 00 02 00", "ORT_TAG"],
    ["N5", "a patch with number 0", "03 00 01 00 01 00000000 01 02 00 00", "ORT_MESSAGE"],
    ["N24", "a patch that changes nothing", "03 01 00 00 00", "ORT_PATCH_FORM"],
    ["N5", "a blank with number 0", "04 00 00 00000000 01010101 00", "ORT_MESSAGE"],
    ["N25", "a blank of unknown content", "04 01 02 00000000 01010101 00", "ORT_TAG"],
    ["N10", "a region beyond the lattice", "05 01 8080808004 000000 01010101 00", "ORT_POSITION_RANGE"],
    ["N10", "a box that leaves the lattice", "05 01 feffffff03 000000 02010101 00", "ORT_POSITION_RANGE"],
    ["N11", "a box of no regions", "05 01 00000000 01000101 00", "ORT_BOX"],
    ["N11", "a box of too many regions", "05 01 00000000 818004 010101 01", "ORT_LIMIT"],
    ["N11", "a box that is not tight", "05 01 00000000 03010101 01 03", "ORT_MESSAGE"],
    ["N11", "a mask of no regions", "05 01 00000000 02010101 01 00", "ORT_MESSAGE"],
    ["N12", "a third form of masks", "05 01 00000000 01010101 02", "ORT_TAG"],
    ["N12", "a bitmap of all regions", "05 01 00000000 02010101 01 03", "ORT_MESSAGE"],
    ["N12", "bits behind the last region", "05 01 00000000 03010101 01 0d", "ORT_MESSAGE"],
    ["N12", "a bitmap that is cut", "05 01 00000000 09010101 01 01", "ORT_TRUNCATED"],
    ["N13", "a mask of too many regions", "05 01 00000000 8120010101 00", "ORT_LIMIT"],
    [
      "N13",
      "a bitmap of too many regions",
      `05 01 00000000 8240010101 01 ${"ff".repeat(1_024)} 02`,
      "ORT_LIMIT",
    ],
    ["N5", "a forget with number 0", "05 00 00000000 01010101 00", "ORT_MESSAGE"],
    ["N5", "a reset to number 0", "06 00", "ORT_MESSAGE"],
    ["N27", "a list of no results", "07 00", "ORT_MESSAGE"],
    ["N27", "too many results", `07 ${filled("8108", 2_050)}`, "ORT_LIMIT"],
    ["N27", "two results for one edit", "07 02 01 00 00 00", "ORT_MESSAGE"],
    ["N27", "a result past 2^53", "07 02 ffffffffffffff0f 00 01 00", "ORT_MESSAGE"],
    ["N27", "an unknown status", "07 01 01 04", "ORT_TAG"],
    ["N27", "an unknown refusal", "07 01 01 03 09 00", "ORT_TAG"],
    [
      "N50",
      "a precision of no steps",
      `00 ${WELCOME} ${EPOCH} 00 01010101 ${GENERATOR_AND_CATALOG} 00000000 0000000000000000 00 00 01 ${"00".repeat(11)} 00 01`,
      "ORT_LIMIT",
    ],
    [
      "N50",
      "a precision of 128 steps of an orientation",
      `00 ${WELCOME} ${EPOCH} 00 01010101 ${GENERATOR_AND_CATALOG} 00000000 0000000000000000 00 00 01 ${"00".repeat(11)} 01 8001`,
      "ORT_LIMIT",
    ],
    [
      "N50",
      "an entity past the steps of the precision",
      "09 01 00 00 00 00 00 00000000 00 00 00000000 40000000",
      "ORT_MESSAGE",
    ],
    ["N51", "no moves", "0e 00", "ORT_MESSAGE"],
    ["N51", "too many moves", "0e 8120", "ORT_LIMIT"],
    ["N51", "moves that are cut", "0e 02 01 01 00 00", "ORT_TRUNCATED"],
    ["N51", "a column of no changes", "0e 01 01 01 00 00", "ORT_MESSAGE"],
    ["N51", "an absolute column that is absent", "0e 01 01 00 01 00", "ORT_MESSAGE"],
    ["N51", "bits behind the last move", "0e 01 01 01 00 90", "ORT_MESSAGE"],
    ["N51", "an entity number past 2^53", "0e 02 ffffffffffffff0f 00 00 00", "ORT_UNSAFE_INTEGER"],
    ["N51", "a turn by more than the whole range", `0e 01 01 10 00 07 ${"ff".repeat(3)} 7f`, "ORT_MESSAGE"],
    ["N52", "places without the least of them", "0e 01 01 01 01 00 10", "ORT_MESSAGE"],
    ["N52", "a place past 2^53", "0e 02 01 01 01 feffffffffffff1f 00 04 00", "ORT_UNSAFE_INTEGER"],
    ["N54", "a code with another parameter than the best", "0e 01 01 01 00 11", "ORT_MESSAGE"],
    ["N54", "a code without end", `0e 01 01 01 00 ${"ff".repeat(9_000)}`, "ORT_LIMIT"],
    ["N57", "too many velocities", "0f 8120", "ORT_LIMIT"],
    ["N57", "a velocity past 2^31", "0f 01 01 8080808010 000000", "ORT_VARINT_RANGE"],
    ["N28", "too many numbers", `08 ${filled("8120", 4_097)}`, "ORT_LIMIT"],
    ["N28", "too many entities", `09 ${filled("8120", 4_097)}`, "ORT_LIMIT"],
    [
      "N28",
      "an entity with a long name",
      `09 01 00 00 00 00 00 00000000 00 ${filled("41", 65)}`,
      "ORT_LIMIT",
    ],
  ])("[%s] %s is refused", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(serverFrames, fromHex(`01 ${hex}`)))).toBe(code);
  });

  test("[N5] frame 0", () => {
    expect(codeOf(() => decode(serverFrames, fromHex("00")))).toBe("ORT_MESSAGE");
  });

  test("[N24] a patch before the welcome, but not one after it in the same frame", () => {
    const patch = "03 01 01 00 01 00000000 01 02 01 0000 01 07 00";
    const shape = "01010101";
    const welcome = `00 ${WELCOME} ${EPOCH} 00 ${shape} ${GENERATOR_AND_CATALOG} ${END_OF_WELCOME}`;
    const unknowing = serverFrameCodec(undefined);
    expect(codeOf(() => decode(unknowing, fromHex(`01 ${patch}`)))).toBe("ORT_MESSAGE");
    const frame = decode(unknowing, fromHex(`01 ${welcome} ${patch}`));
    expect(frame.messages.map(({ kind }) => kind)).toEqual(["welcome", "patch"]);
    expect(encode(unknowing, frame)).toEqual(fromHex(`01 ${welcome} ${patch}`));
  });
});

describe("values that the encoder refuses", () => {
  const client = (message: ClientMessage): (() => unknown) =>
    writing(clientFrameCodec, clientFrame([message]));
  const server = (message: ServerMessage): (() => unknown) => writing(serverFrames, serverFrame([message]));
  const one = regionMask([[0, 0, 0, 0]]);

  test("[N11] a mask whose box is not that of its regions", () => {
    const wide = { box: { min: [0, 0, 0, 0], max: [2, 1, 1, 1] }, regions: one.regions } as const;
    expect(codeOf(server({ kind: "forget", streamNumber: 1, mask: wide }))).toBe("ORT_ARGUMENT");
    const none = { box: one.box, regions: [] };
    expect(codeOf(server({ kind: "forget", streamNumber: 1, mask: none }))).toBe("ORT_ARGUMENT");
  });

  test("[N12] a mask with regions out of order or repeated", () => {
    const { box, regions } = regionMask([
      [0, 0, 0, 0],
      [1, 0, 0, 0],
      [2, 0, 0, 0],
    ]);
    const backwards = { box, regions: [...regions].reverse() };
    expect(codeOf(server({ kind: "forget", streamNumber: 1, mask: backwards }))).toBe("ORT_REGION_ORDER");
    const twice = { box: one.box, regions: [...one.regions, ...one.regions] };
    expect(codeOf(server({ kind: "forget", streamNumber: 1, mask: twice }))).toBe("ORT_REGION_ORDER");
  });

  test("[N27] results out of order", () => {
    const results = [
      { editId: 2, status: "applied" },
      { editId: 2, status: "applied" },
    ] as const;
    expect(codeOf(server({ kind: "editResults", results }))).toBe("ORT_ARGUMENT");
  });

  test("[N18] a voxel outside every world", () => {
    const placements = [{ voxel: [2 ** 47, 0, 0, 0], block: 1 }] as const;
    expect(codeOf(client({ kind: "voxels", editId: 1, placements }))).toBe("ORT_POSITION_RANGE");
    const half = [{ voxel: [0.5, 0, 0, 0], block: 1 }] as const;
    expect(codeOf(client({ kind: "voxels", editId: 1, placements: half }))).toBe("ORT_POSITION_RANGE");
  });

  test("[N7, N8] a pose with an invalid position or orientation", () => {
    const nowhere = { position: [Number.NaN, 0, 0, 0], orientation: [0, 0, 0, 1] } as const;
    expect(codeOf(client({ kind: "move", timeMs: 5, ...nowhere }))).toBe("ORT_ARGUMENT");
    const tooFar = { position: [0, 0, 0, 0], orientation: [0, 0, 0, 1.01] } as const;
    expect(codeOf(client({ kind: "move", timeMs: 5, ...tooFar }))).toBe("ORT_ARGUMENT");
  });

  test("[N24] a patch of unknown chunk volume", () => {
    const patch = SERVER_SAMPLES.filter(({ message }) => message.kind === "patch").map(
      ({ message }) => message,
    );
    expect(patch.length).toBe(1);
    expect(codeOf(writing(serverFrameCodec(undefined), serverFrame(patch)))).toBe("ORT_ARGUMENT");
  });
});

describe("frames", () => {
  test("[N2] frames of a client have at most 65,536 bytes", () => {
    const game = (bytes: number): ClientMessage => ({ kind: "game", payload: new Uint8Array(bytes) });
    const most = clientFrame([game(16_384), game(16_384), game(16_384), game(16_367)]);
    const bytes = encode(clientFrameCodec, most);
    expect(bytes.length).toBe(65_536);
    expect(decode(clientFrameCodec, bytes).messages.length).toBe(4);
    const more = clientFrame([game(16_384), game(16_384), game(16_384), game(16_368)]);
    expect(codeOf(writing(clientFrameCodec, more))).toBe("ORT_LIMIT");
    const longer = new Uint8Array([...bytes, 5]);
    expect(codeOf(() => decode(clientFrameCodec, longer))).toBe("ORT_LIMIT");
  });

  test("[N2] frames of a server have at most 1,114,112 bytes", () => {
    const game: ServerMessage = { kind: "game", payload: new Uint8Array(16_384) };
    const last: ServerMessage = { kind: "game", payload: new Uint8Array(16_112) };
    const most = serverFrame([...Array<ServerMessage>(67).fill(game), last]);
    const bytes = encode(serverFrames, most);
    expect(bytes.length).toBe(1_114_112);
    expect(decode(serverFrames, bytes).messages.length).toBe(68);
    const longer = new Uint8Array(1_114_113).fill(5);
    expect(codeOf(() => decode(serverFrames, longer))).toBe("ORT_LIMIT");
    expect(codeOf(writing(serverFrames, serverFrame(Array<ServerMessage>(68).fill(game))))).toBe("ORT_LIMIT");
  });

  test("[N3] have at most 1,024 messages", () => {
    const lost: ClientMessage = { kind: "entitiesLost" };
    const most = clientFrame(Array<ClientMessage>(1_024).fill(lost));
    const bytes = encode(clientFrameCodec, most);
    expect(decode(clientFrameCodec, bytes)).toEqual(most);
    expect(codeOf(() => decode(clientFrameCodec, new Uint8Array([...bytes, 5])))).toBe("ORT_LIMIT");
    expect(codeOf(writing(clientFrameCodec, clientFrame([...most.messages, lost])))).toBe("ORT_LIMIT");
    const heartbeat: ServerMessage = { kind: "heartbeat", interestId: 0, complete: false, sent: 0 };
    const heartbeats = fromHex(`01 ${"02000000".repeat(1_025)}`);
    expect(codeOf(() => decode(serverFrames, heartbeats))).toBe("ORT_LIMIT");
    expect(codeOf(writing(serverFrames, serverFrame(Array<ServerMessage>(1_025).fill(heartbeat))))).toBe(
      "ORT_LIMIT",
    );
  });
});

describe("a frame of a thousand masks", () => {
  test("[N13] takes little memory until the regions are requested", () => {
    const blank = "04 01 00 00000000 8020010101 00";
    const bytes = fromHex(`01 ${blank.repeat(1_000)}`);
    const before = process.memoryUsage().heapUsed;
    const { messages } = decode(serverFrames, bytes);
    // All regions together would take some hundred bytes each, four million times.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1_048_576);
    const masks = messages.flatMap((message) => (message.kind === "blank" ? [message.mask] : []));
    expect(masks.length).toBe(1_000);
    expect(masks[999]?.regions.length).toBe(4_096);
  });
});

describe("the version in a hello", () => {
  test.each<[name: string, hex: string, version: number | undefined]>([
    ["this one", `00 00 00 ${HELLO} 00 00 00 01`, 3],
    ["another one, whatever is behind it", "00 00 00 4f525448 ac02 ffff", 300],
    ["behind numbers that count something", "05 ac02 00 4f525448 02", 2],
    ["other letters", "00 00 00 4f525449 01", undefined],
    ["another message", "00 00 05", undefined],
    ["a hello that is cut before the version", "00 00 00 4f525448", undefined],
    ["nothing", "", undefined],
  ])("[N14] is read first: %s", (_name, hex, version) => {
    expect(readHelloVersion(fromHex(hex))).toBe(version);
  });

  test("[N14] is read from the samples", () => {
    const hellos = CLIENT_SAMPLES.filter(({ message }) => message.kind === "hello");
    expect(hellos.map(({ hex }) => readHelloVersion(fromHex(`00 00 ${hex}`)))).toEqual([3, 3]);
  });
});

function clientFrame(messages: readonly ClientMessage[]): ClientFrame {
  return { acknowledged: 0, applied: 0, messages };
}

function serverFrame(messages: readonly ServerMessage[]): ServerFrame {
  return { number: 1, messages };
}

function writing<Value>(codec: Codec<Value>, value: Value): () => unknown {
  return () => encode(codec, value);
}
