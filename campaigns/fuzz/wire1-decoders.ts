import { encode, TILES_PER_CHUNK, tileChunkCodec } from "@orthant/core";
import { type Wire1Message, wire1Codec } from "@orthant/protocol";
import { Prng } from "@orthant/testkit";
import { randomWire1Message } from "@orthant/testkit/messages";
import { strict, type Target } from "./decoders.ts";

/** Valid datagrams to mutate, enough to hold every command several times. */
const SAMPLES = 256;
/** Tile chunks among the samples. A few suffice: most mutations of their 2,000 bytes only change a tile. */
const LONG_SAMPLES = 8;
const LONG_BYTES = 100;

const messages = Array.from({ length: SAMPLES }, (_, seed) => randomWire1Message(new Prng(seed)));
const isLong = (message: Wire1Message): boolean => encode(wire1Codec, message).length > LONG_BYTES;

/** The decoders of Wire v1. */
export const wire1Targets: readonly Target[] = [
  strict("datagram of Wire v1", wire1Codec, [
    ...messages.filter((message) => !isLong(message)),
    ...messages.filter(isLong).slice(0, LONG_SAMPLES),
  ]),
  strict("chunk of tiles", tileChunkCodec, [
    { x: -3, y: 70_000, tiles: new Uint16Array(TILES_PER_CHUNK).fill(300) },
  ]),
];
