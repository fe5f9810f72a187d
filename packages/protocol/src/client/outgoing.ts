import { OrthantError } from "@orthant/core";
import { ByteWriter, encode } from "@orthant/core/bytes";
import { clientFrameCodec } from "../message/client-frame-codec.ts";
import type { ClientMessage } from "../message/client-message.ts";
import { CLIENT_FRAME_BYTES_MAX, FRAME_MESSAGES_MAX } from "../message/limits.ts";
import type { Wire } from "../message/wire.ts";

/** Returns true when `spanMs` has passed since `sinceMs`, or when the clock was set back. */
export function hasElapsed(sinceMs: number | undefined, nowMs: number, spanMs: number): boolean {
  return sinceMs === undefined || nowMs - sinceMs >= spanMs || nowMs < sinceMs;
}

/** Longest time without a frame; even an empty frame acknowledges. */
const SILENCE_MS_MAX = 1_000;
/** Number of received bytes that triggers an acknowledgement at the next tick. */
const ACKNOWLEDGE_BYTES = 65_536;

/** Maximum bytes of the two numbers that a frame begins with. */
const FRAME_HEAD_BYTES_MAX = 16;
/** Maximum bytes of one client message. */
export const CLIENT_MESSAGE_BYTES_MAX: number = CLIENT_FRAME_BYTES_MAX - FRAME_HEAD_BYTES_MAX;
/** Waiting bytes above which a frame is sent at once. */
const WORTH_SENDING_BYTES = CLIENT_FRAME_BYTES_MAX / 2;

/** The acknowledgement that a frame carries. */
interface Receipt {
  readonly acknowledged: number;
  readonly applied: number;
}

/** Encodes one client message without a frame. Throws `ORT_LIMIT` when it does not fit into one. */
export function encodeClientMessage(message: ClientMessage): Uint8Array {
  // The two zeros take one byte each, and the following bytes do not depend on them.
  const bytes = encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [message] }).subarray(2);
  if (bytes.length <= CLIENT_MESSAGE_BYTES_MAX) return bytes;
  throw new OrthantError("ORT_LIMIT", `a message of ${bytes.length} bytes, which no frame can hold`);
}

/** Collects client messages into frames. */
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

  /** Counts received bytes that must be acknowledged. */
  received(bytes: number): void {
    this.#unacknowledgedBytes += bytes;
  }

  /** Queues a message for the next frame. Sends a frame at once when much is waiting. */
  push(message: Uint8Array, nowMs: number): void {
    const isFull =
      this.#waitingBytes + message.length > CLIENT_MESSAGE_BYTES_MAX ||
      this.#waiting.length === FRAME_MESSAGES_MAX;
    if (isFull) this.#send(nowMs);
    this.#waiting.push(message);
    this.#waitingBytes += message.length;
    if (this.#waitingBytes > WORTH_SENDING_BYTES) this.#send(nowMs);
  }

  /** Sends what is waiting, or an empty frame when an acknowledgement or a sign of life is due. */
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
