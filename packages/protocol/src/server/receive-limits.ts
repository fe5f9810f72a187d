import { TokenBucket } from "@orthant/core/time";
import type { SyncLimits } from "./sync-limits.ts";

/** Enforces the limits on what one client sends, and on how long it may take. */
export class ReceiveLimits {
  readonly #limits: SyncLimits;
  readonly #frames: TokenBucket;
  readonly #bytes: TokenBucket;
  /** From the first interest on, and from the first game message on. */
  #interests: TokenBucket | undefined;
  #gameMessages: TokenBucket | undefined;
  #bytesBeforeWelcome = 0;
  #startedMs: number;
  /** When the last frame arrived. */
  #receivedMs: number;
  /** Since when too many bytes have been in flight to the client. */
  #fullSinceMs: number | undefined;

  constructor(limits: SyncLimits, nowMs: number) {
    this.#limits = limits;
    this.#frames = new TokenBucket(limits.framesPerSecond, limits.framesBurst, nowMs);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.bytesBurst, nowMs);
    this.#startedMs = nowMs;
    this.#receivedMs = nowMs;
  }

  /** Whether the client has been silent for too long. */
  isIdle(nowMs: number): boolean {
    return nowMs - this.#receivedMs >= this.#limits.idleMs;
  }

  /** Whether the client should have joined by now. */
  isHandshakeOver(nowMs: number): boolean {
    return nowMs - this.#startedMs >= this.#limits.handshakeMs;
  }

  /** Whether the client has had no room for more bytes for too long. Called in every tick. */
  isSlow(hasRoom: boolean, nowMs: number): boolean {
    if (hasRoom) this.#fullSinceMs = undefined;
    else this.#fullSinceMs ??= nowMs;
    return this.#fullSinceMs !== undefined && nowMs - this.#fullSinceMs >= this.#limits.slowMs;
  }

  /** Does not count a pause of the server as the client's silence, nor what arrives after it as a flood. */
  excuse(pauseMs: number, nowMs: number): void {
    this.#startedMs += pauseMs;
    this.#receivedMs += pauseMs;
    if (this.#fullSinceMs !== undefined) this.#fullSinceMs += pauseMs;
    for (const bucket of [this.#frames, this.#bytes, this.#interests, this.#gameMessages])
      bucket?.excuse(pauseMs, nowMs);
  }

  /** Counts a frame. Returns the limit that it exceeds, if any. */
  frame(bytes: number, nowMs: number, isWelcome: boolean): keyof SyncLimits | undefined {
    this.#receivedMs = nowMs;
    if (bytes > this.#limits.frameBytesMax) return "frameBytesMax";
    if (!this.#frames.take(1, nowMs)) return "framesPerSecond";
    if (!this.#bytes.take(bytes, nowMs)) return "bytesPerSecond";
    if (isWelcome) return undefined;
    this.#bytesBeforeWelcome += bytes;
    return this.#bytesBeforeWelcome > this.#limits.bytesBeforeWelcome ? "bytesBeforeWelcome" : undefined;
  }

  /** Counts an interest. Returns the limit that it exceeds, if any. */
  interest(nowMs: number): keyof SyncLimits | undefined {
    const { interestsPerSecond } = this.#limits;
    this.#interests ??= new TokenBucket(interestsPerSecond, interestsPerSecond, nowMs);
    return this.#interests.take(1, nowMs) ? undefined : "interestsPerSecond";
  }

  /** Counts a game message. Returns the limit that it exceeds, if any. */
  gameMessage(nowMs: number): keyof SyncLimits | undefined {
    const { gameMessagesPerSecond } = this.#limits;
    this.#gameMessages ??= new TokenBucket(gameMessagesPerSecond, gameMessagesPerSecond, nowMs);
    return this.#gameMessages.take(1, nowMs) ? undefined : "gameMessagesPerSecond";
  }
}
