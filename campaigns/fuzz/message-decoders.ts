import type { Codec } from "@orthant/core";
import { clientFrameCodec, serverFrameCodec } from "@orthant/protocol";
import { Prng } from "@orthant/testkit";
import { RANDOM_FRAME_VOLUME, randomClientFrame, randomServerFrame } from "@orthant/testkit/messages";
import { strict, type Target } from "./decoders.ts";

/** Valid frames to mutate, enough to hold every kind of message several times. */
const SAMPLES = 64;

/** All decoders of network frames. */
export const messageTargets: readonly Target[] = [
  framesOf("frame of a client", clientFrameCodec, randomClientFrame),
  framesOf("frame of a server", serverFrameCodec(RANDOM_FRAME_VOLUME), randomServerFrame),
  framesOf("frame of a server before its welcome", serverFrameCodec(undefined), (prng) => {
    const { number, messages } = randomServerFrame(prng);
    return { number, messages: messages.filter(({ kind }) => kind !== "patch") };
  }),
];

/** Creates a target for frames, with random samples. */
function framesOf<Value>(name: string, codec: Codec<Value>, random: (prng: Prng) => Value): Target {
  const frames = Array.from({ length: SAMPLES }, (_, seed) => random(new Prng(seed)));
  return strict(name, codec, frames);
}
