import { encode, TokenBucket } from "@orthant/core";
import { wire1Codec } from "../message/datagram-codec.ts";
import type { Wire1Drop } from "./drop-counts.ts";
import type { Wire1GameCommand } from "./wire1-server-options.ts";

/** Maximum number of commands that wait for their player to be seated. */
const WAITING_MAX = 16;

/** Passes a player's commands to the game, each once per tick and at a limited rate. */
export class GameCommands {
  readonly #rate: TokenBucket;
  readonly #seen = new Set<string>();
  #waiting: Wire1GameCommand[] = [];

  constructor(gameMessagesPerSecond: number, nowMs: number) {
    this.#rate = new TokenBucket(gameMessagesPerSecond, gameMessagesPerSecond, nowMs);
  }

  /**
   * Returns why a command does not reach the game, or `undefined` when it may. The original clients repeat
   * commands in every frame they draw, and networks duplicate them, so repetitions within a tick are dropped.
   */
  refusalOf(command: Wire1GameCommand, nowMs: number): Wire1Drop | undefined {
    const bytes = encode(wire1Codec, { kind: "command", playerId: 0, command });
    const key = String.fromCharCode(...bytes);
    if (this.#seen.has(key)) return "repeated";
    if (!this.#rate.take(1, nowMs)) return "rate";
    this.#seen.add(key);
    return undefined;
  }

  /** Holds a command until the player is seated. Returns false if there is no room. */
  wait(command: Wire1GameCommand): boolean {
    if (this.#waiting.length >= WAITING_MAX) return false;
    this.#waiting.push(command);
    return true;
  }

  /** Returns and removes the waiting commands, in order. */
  takeWaiting(): readonly Wire1GameCommand[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** Begins a tick. */
  startTick(): void {
    this.#seen.clear();
  }
}
