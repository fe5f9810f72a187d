import { encode } from "@orthant/core";
import type { Wire1Address } from "../server/wire1-address.ts";
import { type Wire1Event, wire1EventCodec, wire1RecordingHeaderCodec } from "./recording-codec.ts";

/** Maximum bytes of a recording, because any sender can fill it. */
export const WIRE1_RECORDING_BYTES_MAX = 268_435_456;

/** Records the received datagrams and the ticks of a server for replay. Addresses are replaced by numbers. */
export class Wire1Recorder {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #addresses = new Map<string, number>();
  #lastMs: number;
  #bytesLeft: number;

  /** Calls `write` with each piece of the recording, the first one at once. */
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

  /** Records a datagram of any content. Call it before the server receives the datagram. */
  datagram(from: Wire1Address, datagram: Uint8Array, nowMs: number): void {
    const address = this.#addresses.get(from.address) ?? this.#addresses.size;
    const { port } = from;
    const event: Wire1Event = { kind: "datagram", afterMs: this.#afterMs(nowMs), address, port, datagram };
    if (this.#add(encode(wire1EventCodec, event))) this.#addresses.set(from.address, address);
  }

  /** Records a tick. Call it before the tick. */
  tick(nowMs: number): void {
    this.#add(encode(wire1EventCodec, { kind: "tick", afterMs: this.#afterMs(nowMs) }));
  }

  /** Returns whole milliseconds since the previous event. The remainder counts towards the next one. */
  #afterMs(nowMs: number): number {
    const afterMs = Math.max(0, Math.floor(nowMs - this.#lastMs));
    this.#lastMs += afterMs;
    return afterMs;
  }

  /** Returns false once the recording is full. Nothing is added after that, so that it has no gap. */
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
