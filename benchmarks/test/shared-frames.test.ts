import { HYPERCUBE_CHUNKS } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { clockFrom } from "@orthant/core/tree";
import { type ServerMessage, serverFrameCodec } from "@orthant/protocol/internal";
import { describe, expect, test } from "vitest";
import { SharedFrames } from "../server/shared-frames.ts";

const codec = serverFrameCodec(HYPERCUBE_CHUNKS.volume);
const CLOCK: ServerMessage = { kind: "clock", timeMs: 700 };

function patch(patchSeq: number, step = 8): ServerMessage {
  const edits = [{ chunk: [4, 0, 0, 0] as const, edits: [{ index: 5, block: 2 }] }];
  const clocks = { base: clockFrom(1, 7), next: clockFrom(1, step) };
  const change = { region: [1, 0, 0, 0] as const, ...clocks, piece: 0, leaves: [], edits, data: [] };
  return { kind: "patch", patch: { patchSeq, changes: [change] } };
}

function frame(number: number, ...messages: readonly ServerMessage[]): Buffer {
  return Buffer.from(encode(codec, { number, messages }));
}

describe("frames that many clients share", () => {
  test("read like those of one client, with the numbers of each", () => {
    const frames = new SharedFrames();
    const own = [
      frame(1, patch(1), CLOCK),
      frame(300, patch(200), CLOCK),
      frame(2, patch(1, 9), CLOCK),
      frame(4, CLOCK),
      frame(5, CLOCK),
      frame(6, { kind: "reset", streamNumber: 3 }, patch(3)),
      frame(7, { kind: "heartbeat", interestId: 1, complete: true, sent: 3 }),
    ];
    for (const bytes of own) expect(frames.read(codec, bytes)).toEqual(decode(codec, bytes));
  });

  test("are decoded once if only their numbers differ", () => {
    const frames = new SharedFrames();
    const [first] = frames.read(codec, frame(4, CLOCK)).messages;
    const [second] = frames.read(codec, frame(5, CLOCK)).messages;
    expect(second).toBe(first);
  });

  test("are refused when they are cut", () => {
    const frames = new SharedFrames();
    const bytes = frame(1, patch(1), CLOCK);
    frames.read(codec, bytes);
    // Without its last message, or without both, it is a whole frame.
    const whole = [frame(1).length, frame(1, patch(1)).length];
    for (let length = 0; length < bytes.length; length++) {
      if (!whole.includes(length)) expect(() => frames.read(codec, bytes.subarray(0, length))).toThrow();
    }
  });
});
