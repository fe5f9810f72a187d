import { TokenBucket } from "@orthant/core";
import type { HostLimits } from "../host-limits.ts";

/** Watches over how much one client sends. */
export class Intake {
  readonly #limits: HostLimits;
  readonly #frames: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #interests: TokenBucket;
  readonly #gameMessages: TokenBucket;
  #bytesBeforeWelcome = 0;
  #heardMs: number;

  constructor(limits: HostLimits, nowMs: number) {
    this.#limits = limits;
    this.#frames = new TokenBucket(limits.framesPerSecond, limits.framesBurst, nowMs);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.bytesBurst, nowMs);
    this.#interests = new TokenBucket(limits.interestsPerSecond, limits.interestsPerSecond, nowMs);
    this.#gameMessages = new TokenBucket(limits.gameMessagesPerSecond, limits.gameMessagesPerSecond, nowMs);
    this.#heardMs = nowMs;
  }

  /** When something came last. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** The limit that a frame breaks, if it does. */
  frame(bytes: number, nowMs: number, isWelcome: boolean): keyof HostLimits | undefined {
    this.#heardMs = nowMs;
    if (bytes > this.#limits.frameBytesMax) return "frameBytesMax";
    if (!this.#frames.take(1, nowMs)) return "framesPerSecond";
    if (!this.#bytes.take(bytes, nowMs)) return "bytesPerSecond";
    if (isWelcome) return undefined;
    this.#bytesBeforeWelcome += bytes;
    return this.#bytesBeforeWelcome > this.#limits.bytesBeforeWelcome ? "bytesBeforeWelcome" : undefined;
  }

  /** The limit that an interest breaks, if it does. */
  interest(nowMs: number): keyof HostLimits | undefined {
    return this.#interests.take(1, nowMs) ? undefined : "interestsPerSecond";
  }

  /** The limit that a game's message breaks, if it does. */
  gameMessage(nowMs: number): keyof HostLimits | undefined {
    return this.#gameMessages.take(1, nowMs) ? undefined : "gameMessagesPerSecond";
  }
}
