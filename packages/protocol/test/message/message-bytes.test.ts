import { ByteWriter, decode, encode } from "@orthant/core/bytes";
import { patchBodyBytes } from "@orthant/core/tree";
import {
  type ClientMessage,
  clientFrameCodec,
  type ServerMessage,
  serverFrameCodec,
  writePatchMessage,
  writeServerMessage,
} from "@orthant/protocol/internal";
import { fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { CLIENT_SAMPLES, SERVER_SAMPLES, VOLUME } from "./samples.ts";

const serverFrames = serverFrameCodec(VOLUME);

describe("message bytes, which change only with the version", () => {
  test.each(CLIENT_SAMPLES)("[$rule] $name has exactly these bytes", ({ message, hex }) => {
    const frame = { acknowledged: 2, applied: 300, messages: [message] };
    const bytes = fromHex(`02 ac02 ${hex}`);
    expect(toHex(encode(clientFrameCodec, frame))).toBe(toHex(bytes));
    expect(decode(clientFrameCodec, bytes)).toEqual(frame);
  });

  test.each(SERVER_SAMPLES)("[$rule] $name has exactly these bytes", ({ message, hex }) => {
    const frame = { number: 300, messages: [message] };
    const bytes = fromHex(`ac02 ${hex}`);
    expect(toHex(encode(serverFrames, frame))).toBe(toHex(bytes));
    expect(decode(serverFrames, bytes)).toEqual(frame);
  });

  test("[N1] a frame is a sequence of messages up to its end", () => {
    const messages = CLIENT_SAMPLES.map(({ message }) => message);
    const hex = CLIENT_SAMPLES.map((sample) => sample.hex).join("");
    expect(decode(clientFrameCodec, fromHex(`00 00 ${hex}`))).toEqual({
      acknowledged: 0,
      applied: 0,
      messages,
    });
    expect(decode(serverFrames, fromHex("01"))).toEqual({ number: 1, messages: [] });
  });

  test("[N1] the first frame of the worked example is Ada's hello", () => {
    const hex = `00 00 00 4f 52 54 48 03 01 88 77 66 55 44 33 22 11 01
      08 07 06 05 04 03 02 01 00 03 41 64 61 00 01 00 00 00 00 00 00 00 00`;
    const hello: ClientMessage = {
      kind: "hello",
      version: 3,
      generators: [0x1122_3344_5566_7788n],
      featureBits: 1n,
      clientId: 0x0102_0304_0506_0708n,
      token: new Uint8Array(0),
      name: "Ada",
      kept: undefined,
      openEditId: 1,
      blocksHash: 0n,
    };
    const frame = { acknowledged: 0, applied: 0, messages: [hello] };
    expect(decode(clientFrameCodec, fromHex(hex))).toEqual(frame);
  });

  test("[N1] the second frame of the worked example takes 25 bytes for a patch and a result", () => {
    const bytes = fromHex("ac02 03 07 03 00 01 00000000 00 0a 0c 00 01 40 01 ac02 09 07 01 01 00");
    const patch = SERVER_SAMPLES.map(({ message }) => message).filter(({ kind }) => kind === "patch");
    const results: ServerMessage = { kind: "editResults", results: [{ editId: 1, status: "applied" }] };
    expect(bytes.length).toBe(25);
    expect(decode(serverFrames, bytes)).toEqual({ number: 300, messages: [...patch, results] });
  });

  test("[N4] every kind of message has a sample", () => {
    const clientKinds = new Set(CLIENT_SAMPLES.map(({ message }) => message.kind));
    const serverKinds = new Set(SERVER_SAMPLES.map(({ message }) => message.kind));
    // One entry per kind: leaving one out does not compile.
    const allOfClient: Record<ClientMessage["kind"], true> = {
      hello: true,
      interest: true,
      voxels: true,
      move: true,
      resync: true,
      entitiesLost: true,
      placedSeen: true,
      blocksSeen: true,
      game: true,
      fill: true,
      copy: true,
      operation: true,
      cancelOperation: true,
    };
    const allOfServer: Record<ServerMessage["kind"], true> = {
      welcome: true,
      goodbye: true,
      heartbeat: true,
      patch: true,
      blank: true,
      forget: true,
      reset: true,
      editResults: true,
      entities: true,
      allEntities: true,
      entityDetails: true,
      moves: true,
      motions: true,
      placed: true,
      clock: true,
      blocks: true,
      game: true,
      operationProgress: true,
      operationAnswer: true,
      operationTerms: true,
      hold: true,
      release: true,
    };
    expect([...clientKinds].sort()).toEqual(Object.keys(allOfClient).sort());
    expect([...serverKinds].sort()).toEqual(Object.keys(allOfServer).sort());
  });

  test.each(SERVER_SAMPLES)("$name has the same bytes when it is written alone", ({ message, hex }) => {
    const out = new ByteWriter();
    writeServerMessage(out, message, VOLUME);
    expect(toHex(out.view())).toBe(toHex(fromHex(hex)));
  });

  test("[N24] a patch has the same bytes for all clients except its number", () => {
    expect.assertions(2);
    const body = "03 00 01 00000000 00 0a 0c 00 01 40 01 ac02 09";
    for (const { message } of SERVER_SAMPLES) {
      if (message.kind !== "patch") continue;
      const shared = patchBodyBytes(message.patch, VOLUME);
      expect(toHex(shared)).toBe(toHex(fromHex(body)));
      const out = new ByteWriter();
      writePatchMessage(out, 300, shared);
      expect(toHex(out.view())).toBe(toHex(fromHex(`03 ac02 ${body}`)));
    }
  });
});

test.each([20, 60, 4_096])(
  "[N51] %i neighbours that move a little come back, in less than a byte each",
  (count) => {
    const moves = Array.from({ length: count }, (_, index) => ({
      number: 300 + index,
      steps: [index % 2, 0, 0, 0, 0, 0, 0, 0] as const,
    }));
    const message: ServerMessage = { kind: "moves", absolute: 0, moves };
    const frame = { number: 1, messages: [message] };
    const bytes = encode(serverFrames, frame);
    expect(bytes.length - 9).toBeLessThan(count);
    expect(decode(serverFrames, bytes)).toEqual(frame);
  },
);
