import { ByteWriter } from "@orthant/core/bytes";
import { FRAME_MESSAGES_MAX, SERVER_FRAME_BYTES_MAX } from "../message/limits.ts";
import type { Precision } from "../message/precision.ts";
import { startServerFrame, writePatchMessage, writeServerMessage } from "../message/server-frame-codec.ts";
import type { ServerMessage } from "../message/server-message.ts";
import type { CloseReason, Wire } from "../message/wire.ts";
import { ItemStream } from "./item-stream.ts";
import type { SharedPatch } from "./regions/region-changes.ts";

/** Frame statistics over all clients. */
export interface FrameTotals {
  frames: number;
  bytes: number;
  patches: number;
  /** Bytes sent but not acknowledged. */
  inFlightBytes: number;
}

/** Maximum bytes of a patch message besides its body. */
const PATCH_HEAD_BYTES_MAX = 9;

/** Frames share buffers of this size unless they are large: a buffer of its own costs more than the bytes of a small frame. */
const SHARED_BYTES = 8_192;
let shared: Uint8Array = new Uint8Array(SHARED_BYTES);
let sharedUsed = 0;

/** Shared buffers, because only one frame is built at a time. */
const frame: ByteWriter = new ByteWriter(65_536);
const single: ByteWriter = new ByteWriter(4_096);

/** Packs the messages for one client into frames, and tracks the bytes that it has not acknowledged. */
export class Outbox {
  /** The numbers of what the client is sent about regions. */
  readonly stream: ItemStream = new ItemStream();
  readonly #wire: Wire;
  readonly #totals: FrameTotals;
  readonly #precision: Precision;
  /** Bytes of each frame from number `#firstOpen` on. */
  #openBytes: number[] = [];
  #firstOpen = 1;
  #inFlightBytes = 0;
  #messageCount = 0;
  #isClosed = false;

  constructor(wire: Wire, totals: FrameTotals, precision: Precision) {
    this.#wire = wire;
    this.#totals = totals;
    this.#precision = precision;
  }

  /** Bytes in frames that were sent but not acknowledged. */
  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  /** The number of the frame being built, or of the next one. */
  get frameNumber(): number {
    return this.#firstOpen + this.#openBytes.length;
  }

  /** The number of the newest frame that the client has received; 0 before the first. */
  get acknowledged(): number {
    return this.#firstOpen - 1;
  }

  /** Acknowledges all frames up to `number`. Returns false if that frame was never sent. */
  acknowledge(number: number): boolean {
    if (number >= this.frameNumber) return false;
    const count = number - this.#firstOpen + 1;
    if (count <= 0) return true;
    let bytes = 0;
    for (let index = 0; index < count; index++) bytes += this.#openBytes[index] ?? 0;
    this.#countInFlight(-bytes);
    // Most clients acknowledge everything at once.
    if (count === this.#openBytes.length) this.#openBytes.length = 0;
    else this.#openBytes.splice(0, count);
    this.#firstOpen = number + 1;
    return true;
  }

  write(message: ServerMessage): void {
    single.clear();
    writeServerMessage(single, message, undefined, this.#precision);
    this.append(single.view());
  }

  /** Adds the bytes of one or several messages to the frame. */
  append(messages: Uint8Array, count = 1): void {
    this.#makeRoom(messages.length, count);
    frame.raw(messages);
  }

  patch({ body, regions }: SharedPatch): void {
    this.#makeRoom(body.length + PATCH_HEAD_BYTES_MAX);
    writePatchMessage(frame, this.stream.add(regions), body);
    this.#totals.patches++;
  }

  /** Sends what was added, if anything. Must be called before another client's frame is started. */
  flush(): void {
    if (this.#messageCount === 0 || this.#isClosed) return;
    const bytes = copyOf(frame.view());
    this.#messageCount = 0;
    this.#openBytes.push(bytes.length);
    this.#countInFlight(bytes.length);
    this.#totals.frames++;
    this.#totals.bytes += bytes.length;
    this.#wire.send(bytes);
  }

  /** Drops what was added but not sent. */
  discard(): void {
    this.#messageCount = 0;
  }

  /** Stops counting unacknowledged bytes, because the client is gone. */
  abandon(): void {
    this.#countInFlight(-this.#inFlightBytes);
  }

  /** Closes the connection after everything sent so far. */
  close(reason: CloseReason): void {
    this.#isClosed = true;
    this.#wire.close(reason);
  }

  #countInFlight(bytes: number): void {
    this.#inFlightBytes += bytes;
    this.#totals.inFlightBytes += bytes;
  }

  #makeRoom(bytes: number, count = 1): void {
    const isFull =
      frame.length + bytes > SERVER_FRAME_BYTES_MAX || this.#messageCount + count > FRAME_MESSAGES_MAX;
    if (this.#messageCount > 0 && isFull) this.flush();
    if (this.#messageCount === 0) {
      frame.clear();
      startServerFrame(frame, this.frameNumber);
    }
    this.#messageCount += count;
  }
}

/** Returns a copy, as a part of a shared buffer if it is small. */
function copyOf(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (length > SHARED_BYTES / 2) return bytes.slice();
  if (sharedUsed + length > SHARED_BYTES) {
    shared = new Uint8Array(SHARED_BYTES);
    sharedUsed = 0;
  }
  const copy = shared.subarray(sharedUsed, sharedUsed + length);
  copy.set(bytes);
  sharedUsed += length;
  return copy;
}
