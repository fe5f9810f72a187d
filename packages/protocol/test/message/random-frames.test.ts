import { isOrthantError } from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import { clientFrameCodec, serverFrameCodec } from "@orthant/protocol/internal";
import { Prng, toHex } from "@orthant/testkit";
import { RANDOM_FRAME_VOLUME, randomClientFrame, randomServerFrame } from "@orthant/testkit/messages";
import { describe, expect, test } from "vitest";
import { CLIENT_SAMPLES, SERVER_SAMPLES, VOLUME } from "./samples.ts";

const SEEDS = 300;

interface Frame {
  readonly messages: readonly { readonly kind: string }[];
}

describe.each<[name: string, codec: Codec<Frame>, random: (prng: Prng) => Frame, kinds: number]>([
  ["a client", clientFrameCodec, randomClientFrame, 13],
  ["a server", serverFrameCodec(RANDOM_FRAME_VOLUME), randomServerFrame, 22],
])("random frames of %s", (_name, codec, random, kinds) => {
  test("[N6] are decoded as they were encoded", () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < SEEDS; seed++) {
      const frame = random(new Prng(seed));
      const bytes = encode(codec, frame);
      const again = decode(codec, bytes);
      expect(again, `seed ${seed}`).toEqual(frame);
      expect(toHex(encode(codec, again)), `seed ${seed}`).toBe(toHex(bytes));
      for (const { kind } of frame.messages) seen.add(kind);
    }
    expect(seen.size).toBe(kinds);
  });

  test("[N6] random frames with changed bytes are refused or still have one encoding", () => {
    let taken = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const prng = new Prng(seed);
      const bytes = encode(codec, random(prng));
      for (let change = 0; change < 20; change++) {
        const changed = bytes.slice();
        changed[prng.below(changed.length)] = prng.below(256);
        const frame = decodeOrRefuse(codec, changed);
        if (frame === undefined) continue;
        taken++;
        expect(toHex(encode(codec, frame)), `seed ${seed}`).toBe(toHex(changed));
      }
    }
    expect(taken).toBeGreaterThan(0);
  });
});

describe("[N6] a frame that is cut", () => {
  test.each<[name: string, codec: Codec<Frame>, frame: Frame]>([
    [
      "client",
      clientFrameCodec,
      { acknowledged: 0, applied: 0, messages: CLIENT_SAMPLES.map(({ message }) => message) } as Frame,
    ],
    [
      "server",
      serverFrameCodec(VOLUME),
      { number: 1, messages: SERVER_SAMPLES.map(({ message }) => message) } as Frame,
    ],
  ])(
    "a %s frame of all messages, cut at any byte, is refused or ends with a complete message",
    (_name, codec, frame) => {
      const bytes = encode(codec, frame);
      const whole: number[] = [];
      for (let length = 0; length < bytes.length; length++) {
        const shorter = decodeOrRefuse(codec, bytes.subarray(0, length));
        if (shorter !== undefined) {
          expect(shorter.messages).toEqual(frame.messages.slice(0, shorter.messages.length));
          whole.push(shorter.messages.length);
        }
      }
      expect(whole).toEqual(frame.messages.map((_, index) => index));
    },
  );
});

/** Returns the frame, or `undefined` when it is refused. Rethrows all other errors. */
function decodeOrRefuse(codec: Codec<Frame>, bytes: Uint8Array): Frame | undefined {
  try {
    return decode(codec, bytes);
  } catch (error) {
    if (isOrthantError(error) && error.code !== "ORT_ARGUMENT") return undefined;
    throw error;
  }
}
