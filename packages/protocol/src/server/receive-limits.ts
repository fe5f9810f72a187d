import { TokenBucket } from "@orthant/core/engine";
import type { SyncLimits } from "./sync-limits.ts";

/** Enforces the limits on what one client sends. */
export class ReceiveLimits {
  readonly #limits: SyncLimits;
  readonly #frames: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #interests: TokenBucket;
  readonly #gameMessages: TokenBucket;
  #bytesBeforeWelcome = 0;
  #receivedMs: number;

  constructor(limits: SyncLimits, nowMs: number) {
    this.#limits = limits;
    this.#frames = new TokenBucket(limits.framesPerSecond, limits.framesBurst, nowMs);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.bytesBurst, nowMs);
    this.#interests = new TokenBucket(limits.interestsPerSecond, limits.interestsPerSecond, nowMs);
    this.#gameMessages = new TokenBucket(limits.gameMessagesPerSecond, limits.gameMessagesPerSecond, nowMs);
    this.#receivedMs = nowMs;
  }

  /** When the last frame arrived. */
  get receivedMs(): number {
    return this.#receivedMs;
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
    return this.#interests.take(1, nowMs) ? undefined : "interestsPerSecond";
  }

  /** Counts a game message. Returns the limit that it exceeds, if any. */
  gameMessage(nowMs: number): keyof SyncLimits | undefined {
    return this.#gameMessages.take(1, nowMs) ? undefined : "gameMessagesPerSecond";
  }
}
