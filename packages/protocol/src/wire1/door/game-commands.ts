import { encode, TokenBucket } from "@orthant/core";
import { wire1Codec } from "../message/datagram-codec.ts";
import type { Wire1GameCommand } from "./door-options.ts";
import type { Wire1Drop } from "./drop-counts.ts";

/** Commands that wait for their player to be seated. */
const WAITING_MAX = 16;

/** Lets a player's commands through to the game: each once a tick, and not too many. */
export class GameCommands {
  readonly #rate: TokenBucket;
  readonly #seen = new Set<string>();
  #waiting: Wire1GameCommand[] = [];

  constructor(gameMessagesPerSecond: number, nowMs: number) {
    this.#rate = new TokenBucket(gameMessagesPerSecond, gameMessagesPerSecond, nowMs);
  }

  /**
   * Why a command does not reach the game; `undefined` when it may. The original's clients say the same in every frame
   * they draw, and networks say things twice: what was said in this tick already is not said again.
   */
  refusalOf(command: Wire1GameCommand, nowMs: number): Wire1Drop | undefined {
    const bytes = encode(wire1Codec, { kind: "command", playerId: 0, command });
    const key = String.fromCharCode(...bytes);
    if (this.#seen.has(key)) return "repeated";
    if (!this.#rate.take(1, nowMs)) return "rate";
    this.#seen.add(key);
    return undefined;
  }

  /** Keeps a command until the player is seated; tells whether there was room. */
  wait(command: Wire1GameCommand): boolean {
    if (this.#waiting.length >= WAITING_MAX) return false;
    this.#waiting.push(command);
    return true;
  }

  /** The commands that waited, in their order. */
  takeWaiting(): readonly Wire1GameCommand[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** Begins another tick. */
  startTick(): void {
    this.#seen.clear();
  }
}
