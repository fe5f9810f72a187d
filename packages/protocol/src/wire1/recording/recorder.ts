import { encode } from "@orthant/core";
import type { Wire1Address } from "../door/wire1-address.ts";
import { type Wire1Event, wire1EventCodec, wire1RecordingHeaderCodec } from "./recording-codec.ts";

/** A recording ends here, because any sender can fill it. */
export const WIRE1_RECORDING_BYTES_MAX = 268_435_456;

/** Records what a door hears and when it ticks, so that it can be played again. Addresses are numbers in it. */
export class Wire1Recorder {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #addresses = new Map<string, number>();
  #lastMs: number;
  #bytesLeft: number;

  /** `write` gets the bytes of the recording, piece by piece, the first one at once. */
  constructor(
    write: (bytes: Uint8Array) => void,
    nowMs: number,
    bytesMax: number = WIRE1_RECORDING_BYTES_MAX,
  ) {
    this.#write = write;
    this.#lastMs = nowMs;
    this.#bytesLeft = bytesMax;
    this.#add(encode(wire1RecordingHeaderCodec, undefined));
  }

  /** A datagram came, whatever is in it. Call it before the door receives it. */
  datagram(from: Wire1Address, datagram: Uint8Array, nowMs: number): void {
    const address = this.#addresses.get(from.address) ?? this.#addresses.size;
    const { port } = from;
    const event: Wire1Event = { kind: "datagram", afterMs: this.#afterMs(nowMs), address, port, datagram };
    if (this.#add(encode(wire1EventCodec, event))) this.#addresses.set(from.address, address);
  }

  /** The door ticks. Call it before it does. */
  tick(nowMs: number): void {
    this.#add(encode(wire1EventCodec, { kind: "tick", afterMs: this.#afterMs(nowMs) }));
  }

  /** Whole milliseconds since the event before; what is cut off counts for the next one. */
  #afterMs(nowMs: number): number {
    const afterMs = Math.max(0, Math.floor(nowMs - this.#lastMs));
    this.#lastMs += afterMs;
    return afterMs;
  }

  /** False when the recording is full: from then on nothing is added, so that it has no gap. */
  #add(bytes: Uint8Array): boolean {
    if (bytes.length > this.#bytesLeft) {
      this.#bytesLeft = 0;
      return false;
    }
    this.#bytesLeft -= bytes.length;
    this.#write(bytes);
    return true;
  }
}
