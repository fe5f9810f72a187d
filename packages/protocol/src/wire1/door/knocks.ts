import { TokenBucket } from "@orthant/core";
import type { Wire1Control } from "../message/wire1-message.ts";
import type { Wire1Limits } from "../wire1-limits.ts";
import { CONNECT_MS_MAX, PROBE_MS_MIN } from "../wire1-timing.ts";
import { Allowance } from "./allowance.ts";

/** Bytes of a control datagram. */
const CONTROL_BYTES = 4;

/** The answers to a datagram without a session, and whether its sender has proven its address. */
export interface KnockAnswer {
  readonly answers: readonly Wire1Control[];
  readonly isProven: boolean;
}

interface Knock {
  readonly firstMs: number;
  readonly allowance: Allowance;
  readonly datagrams: TokenBucket;
  /** When we sent our own SYN to the address. */
  askedMs: number | undefined;
}

/**
 * Addresses that request a session and are not proven yet. A SYN is answered by an ACK and a SYN of our own;
 * an ACK to that is the proof. Unproven addresses receive only answers.
 */
export class Knocks {
  readonly #limits: Wire1Limits;
  readonly #rate: TokenBucket;
  /** In order of arrival. */
  readonly #knocks = new Map<string, Knock>();

  constructor(limits: Wire1Limits, nowMs: number) {
    const { wire1KnocksPerSecond } = limits;
    this.#limits = limits;
    this.#rate = new TokenBucket(wire1KnocksPerSecond, wire1KnocksPerSecond, nowMs);
  }

  /** Number of remembered addresses. */
  get size(): number {
    return this.#knocks.size;
  }

  /** Returns true when an address has requested a session. */
  has(key: string): boolean {
    return this.#knocks.has(key);
  }

  /** Returns true when a datagram may be read. Unknown addresses share one rate; others have their own. */
  mayLook(key: string, nowMs: number): boolean {
    return (this.#knocks.get(key)?.datagrams ?? this.#rate).take(1, nowMs);
  }

  /** Handles a control message, or `undefined` for a command, from an address without a session. */
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

  /** Drops addresses that stayed unproven for too long. */
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
    // The oldest one has had time for many answers.
    if (this.#knocks.size > wire1KnocksMax) {
      for (const oldest of this.#knocks.keys()) {
        this.#knocks.delete(oldest);
        break;
      }
    }
    return knock;
  }
}
