import type { FakeTime, Prng } from "@orthant/testkit";

/** How a connection treats what is sent. */
export interface TcpConditions {
  readonly oneWayMs: number;
  /** Added to the delay of each packet, at random from 0. */
  readonly jitterMs: number;
  /** Probability that a packet is lost, and has to be sent again. */
  readonly loss: number;
  /**
   * When the sender sends a lost packet again: one round trip after it, or, as a sender does that learns of it only from
   * the answer to the next packet, one round trip after that.
   */
  readonly resend: "roundTrip" | "nextPacket";
}

interface Packet {
  readonly frame: Uint8Array;
  /** When it arrives; infinity while it is lost and not sent again. */
  arrivesMs: number;
}

/**
 * One direction of a TCP connection: frames arrive in order, each as one packet. A lost one is sent again when the
 * sender learns of it, after two round trips at the latest. All later ones wait.
 */
export class TcpDirection {
  readonly #time: FakeTime;
  readonly #prng: Prng;
  readonly #conditions: TcpConditions;
  readonly #receive: (frame: Uint8Array) => void;
  readonly #waiting: Packet[] = [];
  /** Packets that are lost, and when their sender sends them again at the latest. */
  #lost: { readonly packet: Packet; readonly byMs: number }[] = [];

  constructor(time: FakeTime, prng: Prng, conditions: TcpConditions, receive: (frame: Uint8Array) => void) {
    this.#time = time;
    this.#prng = prng;
    this.#conditions = conditions;
    this.#receive = receive;
  }

  send(frame: Uint8Array): void {
    const nowMs = this.#time.nowMs();
    const roundTripMs = 2 * this.#conditions.oneWayMs;
    for (const { packet, byMs } of this.#lost) this.#sendAgain(packet, Math.min(byMs, nowMs + roundTripMs));
    this.#lost = [];
    const packet: Packet = { frame: frame.slice(), arrivesMs: Number.POSITIVE_INFINITY };
    this.#waiting.push(packet);
    this.#sendNow(packet);
  }

  #sendAgain(packet: Packet, atMs: number): void {
    this.#time.after(Math.max(0, atMs - this.#time.nowMs()), () => {
      if (packet.arrivesMs === Number.POSITIVE_INFINITY) this.#sendNow(packet);
    });
  }

  #sendNow(packet: Packet): void {
    const nowMs = this.#time.nowMs();
    const { oneWayMs, jitterMs, loss, resend } = this.#conditions;
    if (this.#prng.chance(loss)) {
      const byMs = nowMs + (resend === "roundTrip" ? 2 : 4) * oneWayMs;
      this.#lost.push({ packet, byMs });
      this.#sendAgain(packet, byMs);
      return;
    }
    packet.arrivesMs = nowMs + oneWayMs + (this.#prng.below(1_000) / 1_000) * jitterMs;
    this.#time.after(packet.arrivesMs - nowMs, () => this.#deliver());
  }

  #deliver(): void {
    const nowMs = this.#time.nowMs();
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || first.arrivesMs > nowMs) return;
      this.#waiting.shift();
      this.#receive(first.frame);
    }
  }
}
