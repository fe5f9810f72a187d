import { ByteWriter, encode, OrthantError } from "@orthant/core";
import { clientFrameCodec } from "../message/client-frame-codec.ts";
import type { ClientMessage } from "../message/client-message.ts";
import { CLIENT_FRAME_BYTES_MAX, FRAME_MESSAGES_MAX } from "../message/limits.ts";
import type { Wire } from "../message/wire.ts";
import { hasElapsed } from "./elapsed.ts";

/** The longest silence of a guest: a frame that says nothing still acknowledges. */
const SILENCE_MS_MAX = 1_000;
/** So many bytes that came are acknowledged at the next tick. */
const ACKNOWLEDGE_BYTES = 65_536;

/** Bytes of the longest two numbers that a frame begins with. */
const FRAME_HEAD_BYTES_MAX = 16;
/** The most bytes of one message of a guest. */
const CLIENT_MESSAGE_BYTES_MAX: number = CLIENT_FRAME_BYTES_MAX - FRAME_HEAD_BYTES_MAX;
/** More than this is not worth waiting for company. */
const WORTH_SENDING_BYTES = CLIENT_FRAME_BYTES_MAX / 2;

/** What a frame tells about what came, when it leaves. */
export interface Receipt {
  readonly acknowledged: number;
  readonly applied: number;
}

/** The bytes of one message of a guest, without a frame; `ORT_LIMIT` when they are too many for one. */
export function encodeClientMessage(message: ClientMessage): Uint8Array {
  // Two zeros take a byte each, and nothing behind them depends on them.
  const bytes = encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [message] }).subarray(2);
  if (bytes.length <= CLIENT_MESSAGE_BYTES_MAX) return bytes;
  throw new OrthantError("ORT_LIMIT", `a message of ${bytes.length} bytes, which no frame can hold`);
}

/** Gathers what a guest says into frames. */
export class Outgoing {
  readonly #wire: Wire;
  readonly #receipt: () => Receipt;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #sentMs: number | undefined;
  #unacknowledgedBytes = 0;

  constructor(wire: Wire, receipt: () => Receipt) {
    this.#wire = wire;
    this.#receipt = receipt;
  }

  /** Bytes came that have to be acknowledged. */
  received(bytes: number): void {
    this.#unacknowledgedBytes += bytes;
  }

  /** Sends a message with the next frame; at once when there is much to send. */
  push(message: Uint8Array, nowMs: number): void {
    const isFull =
      this.#waitingBytes + message.length > CLIENT_MESSAGE_BYTES_MAX ||
      this.#waiting.length === FRAME_MESSAGES_MAX;
    if (isFull) this.#send(nowMs);
    this.#waiting.push(message);
    this.#waitingBytes += message.length;
    if (this.#waitingBytes > WORTH_SENDING_BYTES) this.#send(nowMs);
  }

  /** Sends what waits, and an empty frame when it is time to acknowledge or to be heard of. */
  flush(nowMs: number): void {
    const isDue =
      this.#waiting.length > 0 ||
      this.#unacknowledgedBytes >= ACKNOWLEDGE_BYTES ||
      hasElapsed(this.#sentMs, nowMs, SILENCE_MS_MAX);
    if (isDue) this.#send(nowMs);
  }

  #send(nowMs: number): void {
    const { acknowledged, applied } = this.#receipt();
    const out = new ByteWriter();
    out.varUint(acknowledged);
    out.varUint(applied);
    for (const message of this.#waiting) out.raw(message);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#unacknowledgedBytes = 0;
    this.#sentMs = nowMs;
    this.#wire.send(out.copy());
  }
}
