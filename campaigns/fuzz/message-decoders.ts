import { type Codec, encode } from "@orthant/core/bytes";
import { TILES_PER_CHUNK, tileChunkCodec } from "@orthant/core/chunk";
import {
  clientFrameCodec,
  serverFrameCodec,
  type Wire1Message,
  wire1Codec,
} from "@orthant/protocol/internal";
import { describeWire1Datagram, readWire1Recording, Wire1Recorder } from "@orthant/protocol/wire1";
import { Prng } from "@orthant/testkit";
import {
  RANDOM_FRAME_VOLUME,
  randomClientFrame,
  randomServerFrame,
  randomWire1Message,
} from "@orthant/testkit/messages";
import { lenient, strict, type Target } from "./decoders.ts";

/** Valid frames to mutate, enough to hold every kind of message several times. */
const FRAME_SAMPLES = 64;

/** A move of an entity can take two bits, so the shortest frames grow most. */
const SERVER_FRAME_CALL_BYTES = 8_192;
/** Each of the 20 datagrams of a recording may allocate an error. */
const RECORDING_CALL_BYTES = 16_384;

/** All decoders of network frames. */
export const messageTargets: readonly Target[] = [
  framesOf("frame of a client", clientFrameCodec, randomClientFrame),
  {
    ...framesOf("frame of a server", serverFrameCodec(RANDOM_FRAME_VOLUME), randomServerFrame),
    callBytes: SERVER_FRAME_CALL_BYTES,
  },
  {
    ...framesOf("frame of a server before its welcome", serverFrameCodec(undefined), (prng) => {
      const { number, messages } = randomServerFrame(prng);
      return { number, messages: messages.filter(({ kind }) => kind !== "patch") };
    }),
    callBytes: SERVER_FRAME_CALL_BYTES,
  },
];

/** Creates a target for frames, with random samples. */
function framesOf<Value>(name: string, codec: Codec<Value>, random: (prng: Prng) => Value): Target {
  const frames = Array.from({ length: FRAME_SAMPLES }, (_, seed) => random(new Prng(seed)));
  return strict(name, codec, frames);
}

/** Valid datagrams to mutate, enough to hold every command several times. */
const DATAGRAM_SAMPLES = 256;
/** Tile chunks among the samples. A few suffice: most mutations of their 2,000 bytes only change a tile. */
const LONG_DATAGRAM_SAMPLES = 8;
const LONG_BYTES = 100;

const messages = Array.from({ length: DATAGRAM_SAMPLES }, (_, seed) => randomWire1Message(new Prng(seed)));
const isLong = (message: Wire1Message): boolean => encode(wire1Codec, message).length > LONG_BYTES;

/** The decoders of Wire v1. */
export const wire1Targets: readonly Target[] = [
  strict("datagram of Wire v1", wire1Codec, [
    ...messages.filter((message) => !isLong(message)),
    ...messages.filter(isLong).slice(0, LONG_DATAGRAM_SAMPLES),
  ]),
  strict("chunk of tiles", tileChunkCodec, [
    { x: -3, y: 70_000, tiles: new Uint16Array(TILES_PER_CHUNK).fill(300) },
  ]),
  lenient(
    "recording of Wire v1",
    (input) => {
      for (const event of readWire1Recording(input))
        if (event.kind === "datagram") describeWire1Datagram(event.datagram);
    },
    [recordingSample()],
    { callBytes: RECORDING_CALL_BYTES },
  ),
];

/** Returns a recording of 20 datagrams from three addresses. */
function recordingSample(): Uint8Array {
  const pieces: Uint8Array[] = [];
  const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 0);
  for (let index = 0; index < 20; index++) {
    const message = randomWire1Message(new Prng(index));
    const from = { address: `10.0.0.${index % 3}`, port: 7_000 + index };
    if (!isLong(message)) recorder.datagram(from, encode(wire1Codec, message), index * 30);
    recorder.tick(index * 30 + 20);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
