import { type Codec, decode, encode } from "@orthant/core";
import { clientFrameCodec, serverFrameCodec } from "@orthant/protocol";
import { Prng } from "@orthant/testkit";
import { RANDOM_FRAME_VOLUME, randomClientFrame, randomServerFrame } from "@orthant/testkit/messages";
import type { Target } from "./decoders.ts";

/** Good frames to begin mutations from, enough to hold every kind of message several times. */
const SAMPLES = 64;

/** The decoders of everything that comes over the network. */
export const messageTargets: readonly Target[] = [
  target("frame of a client", clientFrameCodec, randomClientFrame),
  target("frame of a server", serverFrameCodec(RANDOM_FRAME_VOLUME), randomServerFrame),
  target("frame of a server before its welcome", serverFrameCodec(undefined), (prng) => {
    const { number, messages } = randomServerFrame(prng);
    return { number, messages: messages.filter(({ kind }) => kind !== "patch") };
  }),
];

function target<Value>(name: string, codec: Codec<Value>, random: (prng: Prng) => Value): Target {
  return {
    name,
    decode: (input) => decode(codec, input),
    encode: (value) => encode(codec, value as Value),
    samples: Array.from({ length: SAMPLES }, (_, seed) => encode(codec, random(new Prng(seed)))),
  };
}
