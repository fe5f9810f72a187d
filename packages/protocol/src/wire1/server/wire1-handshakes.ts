import { TokenBucket } from "@orthant/core/time";
import type { Wire1Control } from "../message/wire1-message.ts";
import { CONNECT_MS_MAX, PROBE_MS_MIN, type Wire1Limits } from "../wire1-limits.ts";

/** Bytes that may be sent per byte received while the sender's address is unproven. */
const AMPLIFICATION_MAX = 3;

/** Bytes of a control datagram. */
const CONTROL_BYTES = 4;

/** The answers to a datagram without a session, and whether its sender has proven its address. */
interface HandshakeAnswer {
  readonly answers: readonly Wire1Control[];
  readonly isProven: boolean;
}

interface Handshake {
  readonly firstMs: number;
  /** Bytes that may still be sent to the address. */
  allowance: number;
  readonly datagrams: TokenBucket;
  /** When we sent our own SYN to the address. */
  askedMs: number | undefined;
}

/**
 * Addresses that request a session and are not proven yet. A SYN is answered by an ACK and a SYN of our own;
 * an ACK to that is the proof. Unproven addresses receive only answers.
 */
export class Wire1Handshakes {
  readonly #limits: Wire1Limits;
  readonly #rate: TokenBucket;
  /** In order of arrival. */
  readonly #handshakes = new Map<string, Handshake>();

  constructor(limits: Wire1Limits, nowMs: number) {
    const { wire1HandshakesPerSecond } = limits;
    this.#limits = limits;
    this.#rate = new TokenBucket(wire1HandshakesPerSecond, wire1HandshakesPerSecond, nowMs);
  }

  /** Number of remembered addresses. */
  get size(): number {
    return this.#handshakes.size;
  }

  /** Returns true when an address has requested a session. */
  has(key: string): boolean {
    return this.#handshakes.has(key);
  }

  /** Returns true when a datagram may be read. Unknown addresses share one rate; others have their own. */
  mayRead(key: string, nowMs: number): boolean {
    return (this.#handshakes.get(key)?.datagrams ?? this.#rate).take(1, nowMs);
  }

  /** Handles a control message, or `undefined` for a command, from an address without a session. */
  receive(key: string, control: Wire1Control | undefined, bytes: number, nowMs: number): HandshakeAnswer {
    const handshake = this.#at(key, nowMs);
    handshake.allowance += AMPLIFICATION_MAX * bytes;
    if (control === "ack" && handshake.askedMs !== undefined) {
      this.#handshakes.delete(key);
      return { answers: [], isProven: true };
    }
    const answers: Wire1Control[] = [];
    if (control === "syn" && mayAnswer(handshake)) answers.push("ack");
    const isDue = control === "syn" || nowMs - (handshake.askedMs ?? 0) >= PROBE_MS_MIN;
    if (isDue && mayAnswer(handshake)) {
      handshake.askedMs = nowMs;
      answers.push("syn");
    }
    return { answers, isProven: false };
  }

  /** Drops addresses that stayed unproven for too long. */
  clean(nowMs: number): void {
    for (const [key, { firstMs }] of this.#handshakes) {
      if (nowMs - firstMs < CONNECT_MS_MAX) return;
      this.#handshakes.delete(key);
    }
  }

  #at(key: string, nowMs: number): Handshake {
    const known = this.#handshakes.get(key);
    if (known !== undefined) return known;
    const { wire1HandshakesMax, wire1DatagramsPerSecond, wire1DatagramsBurst } = this.#limits;
    const datagrams = new TokenBucket(wire1DatagramsPerSecond, wire1DatagramsBurst, nowMs);
    const handshake: Handshake = {
      firstMs: nowMs,
      allowance: 0,
      datagrams,
      askedMs: undefined,
    };
    this.#handshakes.set(key, handshake);
    // The oldest one has had time for many answers.
    if (this.#handshakes.size > wire1HandshakesMax) {
      for (const oldest of this.#handshakes.keys()) {
        this.#handshakes.delete(oldest);
        break;
      }
    }
    return handshake;
  }
}

/** Returns true, and counts an answer as sent, if it may be sent. */
function mayAnswer(handshake: Handshake): boolean {
  if (handshake.allowance < CONTROL_BYTES) return false;
  handshake.allowance -= CONTROL_BYTES;
  return true;
}
