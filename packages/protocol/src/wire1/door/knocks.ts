import { TokenBucket } from "@orthant/core";
import type { Wire1Control } from "../message/wire1-message.ts";
import type { Wire1Limits } from "../wire1-limits.ts";
import { CONNECT_MS_MAX, PROBE_MS_MIN } from "../wire1-timing.ts";
import { Allowance } from "./allowance.ts";

/** The bytes of every control datagram. */
const CONTROL_BYTES = 4;

/** What came of a datagram of somebody who has no session: what to answer, and whether they have proven themselves. */
export interface KnockAnswer {
  readonly answers: readonly Wire1Control[];
  readonly isProven: boolean;
}

interface Knock {
  readonly firstMs: number;
  readonly allowance: Allowance;
  readonly datagrams: TokenBucket;
  /** When we asked, by a SYN of our own, whether they are there. */
  askedMs: number | undefined;
}

/**
 * Addresses that want a session and have not proven that they are where they say. Whoever sends a SYN gets an ACK, and
 * a SYN of ours; an ACK to that is the proof. Nothing is ever sent to them but in answer.
 */
export class Knocks {
  readonly #limits: Wire1Limits;
  readonly #rate: TokenBucket;
  /** In the order in which they came. */
  readonly #knocks = new Map<string, Knock>();

  constructor(limits: Wire1Limits, nowMs: number) {
    const { wire1KnocksPerSecond } = limits;
    this.#limits = limits;
    this.#rate = new TokenBucket(wire1KnocksPerSecond, wire1KnocksPerSecond, nowMs);
  }

  /** How many addresses are remembered. */
  get size(): number {
    return this.#knocks.size;
  }

  /** Whether an address has knocked. */
  has(key: string): boolean {
    return this.#knocks.has(key);
  }

  /** Whether another datagram of an address may be looked at: strangers share one rate, the others have their own. */
  mayLook(key: string, nowMs: number): boolean {
    return (this.#knocks.get(key)?.datagrams ?? this.#rate).take(1, nowMs);
  }

  /** Takes a control message, or `undefined` for a command, from an address that knocks or has knocked. */
  hear(key: string, control: Wire1Control | undefined, bytes: number, nowMs: number): KnockAnswer {
    const knock = this.#at(key, nowMs);
    knock.allowance.receive(bytes);
    if (control === "ack" && knock.askedMs !== undefined) {
      this.#knocks.delete(key);
      return { answers: [], isProven: true };
    }
    const answers: Wire1Control[] = [];
    if (control === "syn" && knock.allowance.spend(CONTROL_BYTES)) answers.push("ack");
    const isDue = control === "syn" || nowMs - (knock.askedMs ?? 0) >= PROBE_MS_MIN;
    if (isDue && knock.allowance.spend(CONTROL_BYTES)) {
      knock.askedMs = nowMs;
      answers.push("syn");
    }
    return { answers, isProven: false };
  }

  /** Forgets those who have not proven themselves for too long. */
  clean(nowMs: number): void {
    for (const [key, { firstMs }] of this.#knocks) {
      if (nowMs - firstMs < CONNECT_MS_MAX) return;
      this.#knocks.delete(key);
    }
  }

  #at(key: string, nowMs: number): Knock {
    const known = this.#knocks.get(key);
    if (known !== undefined) return known;
    const { wire1KnocksMax, wire1DatagramsPerSecond, wire1DatagramsBurst } = this.#limits;
    const datagrams = new TokenBucket(wire1DatagramsPerSecond, wire1DatagramsBurst, nowMs);
    const knock: Knock = { firstMs: nowMs, allowance: new Allowance(), datagrams, askedMs: undefined };
    this.#knocks.set(key, knock);
    // The one that has waited for the longest had time for many answers.
    if (this.#knocks.size > wire1KnocksMax) {
      for (const oldest of this.#knocks.keys()) {
        this.#knocks.delete(oldest);
        break;
      }
    }
    return knock;
  }
}
