import { decode, encode, tileChunkCodec } from "@orthant/core";
import { type Wire1Message, wire1Codec } from "@orthant/protocol";
import { Prng } from "@orthant/testkit";
import { randomWire1Message } from "@orthant/testkit/messages";
import type { Target } from "./decoders.ts";

/** Good datagrams to begin mutations from, enough to hold every command several times. */
const SAMPLES = 256;
/** Chunks take two thousand bytes, in which most changes are just other tiles: a few of them are enough. */
const LONG_SAMPLES = 8;
const LONG_BYTES = 100;

const datagrams = Array.from({ length: SAMPLES }, (_, seed) =>
  encode(wire1Codec, randomWire1Message(new Prng(seed))),
);
const long = datagrams.filter(({ length }) => length > LONG_BYTES).slice(0, LONG_SAMPLES);

/** The decoders of Wire v1. */
export const wire1Targets: readonly Target[] = [
  {
    name: "datagram of Wire v1",
    decode: (input) => decode(wire1Codec, input),
    encode: (message) => encode(wire1Codec, message as Wire1Message),
    samples: [...datagrams.filter(({ length }) => length <= LONG_BYTES), ...long],
  },
  {
    name: "chunk of tiles",
    decode: (input) => decode(tileChunkCodec, input),
    encode: (chunk) => encode(tileChunkCodec, chunk as Parameters<typeof tileChunkCodec.write>[1]),
    samples: [encode(tileChunkCodec, { x: -3, y: 70_000, tiles: new Uint16Array(1_024).fill(300) })],
  },
];
