import type { Clock, Timer } from "@orthant/core";
import type { Prng } from "../prng.ts";
import { DueQueue } from "./due-queue.ts";
import { CALM_WEATHER, type Weather } from "./weather.ts";

/** Receives the events of a link's end. */
export interface LinkListener {
  receive(frame: Uint8Array): void;
  /** The link is gone, regardless of who ended it. Called once. */
  disconnected(): void;
}

/** One of the two ends of a link. */
export interface LinkEnd {
  /** Sends a frame, which must not be changed afterwards. Does nothing if the link is gone. */
  send(frame: Uint8Array): void;
  /** Ends the link after everything this end has sent. Closing twice is harmless. */
  close(): void;
  /** Sets the listener for incoming events. */
  listen(listener: LinkListener): void;
}

/** A connection between two ends. */
export interface Link {
  readonly ends: readonly [LinkEnd, LinkEnd];
  /** Breaks the link now; frames in flight are lost or still arrive. Each end notices independently. */
  cut(): void;
}

/**
 * A network in one process, on a clock that a test controls. It loses, delays, duplicates and reorders frames
 * and breaks links, according to its weather and its random source. The same seed makes the same network.
 */
export class LossyNetwork {
  /** How frames sent from now on are treated. */
  weather: Weather;
  readonly #clock: Clock;
  readonly #prng: Prng;
  readonly #queue = new DueQueue();
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, prng: Prng, weather: Weather = CALM_WEATHER) {
    this.weather = weather;
    this.#clock = clock;
    this.#prng = prng;
  }

  /** Creates a link, whose ends receive nothing until they have listeners. */
  connect(): Link {
    const left = new End(this);
    const right = new End(this);
    left.other = right;
    right.other = left;
    return {
      ends: [left, right],
      cut: () => this.cut(left),
    };
  }

  /** Sends a frame from one end to the other. */
  transmit(from: End, to: End, frame: Uint8Array): void {
    const prng = this.#prng;
    const { loss, duplication, reordering, cut } = this.weather;
    if (cut > 0 && prng.chance(cut)) {
      this.cut(from);
      return;
    }
    if (loss > 0 && prng.chance(loss)) return;
    const copies = duplication > 0 && prng.chance(duplication) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      let dueMs = this.#clock.nowMs() + this.#delayMs();
      if (reordering === 0 || !prng.chance(reordering)) {
        dueMs = Math.max(dueMs, from.sentUntilMs);
        from.sentUntilMs = dueMs;
      }
      this.#at(dueMs, () => to.arrive(frame));
    }
  }

  /** Ends a link in order: the other end learns of it after everything else has arrived. */
  finish(from: End, to: End): void {
    const nowMs = this.#clock.nowMs();
    this.#at(nowMs, () => from.end());
    this.#at(Math.max(nowMs + this.#delayMs(), from.sentUntilMs), () => to.end());
  }

  /** Breaks a link. */
  cut(end: End): void {
    const { other } = end;
    if (other === undefined || end.isBroken) return;
    const nowMs = this.#clock.nowMs();
    for (const one of [end, other]) {
      one.isBroken = true;
      if (this.#prng.chance(0.5)) one.isDeaf = true;
      this.#at(nowMs + this.#prng.between(0, this.weather.noticeMsMax), () => one.end());
    }
  }

  #delayMs(): number {
    return this.#prng.between(this.weather.delayMsMin, this.weather.delayMsMax);
  }

  #at(dueMs: number, action: () => void): void {
    this.#queue.add(dueMs, action);
    this.#setTimer();
  }

  /** Uses one timer for everything in flight. */
  #setTimer(): void {
    const nextMs = this.#queue.nextMs;
    if (nextMs === undefined || nextMs >= this.#timerMs) return;
    this.#timer?.cancel();
    this.#timerMs = nextMs;
    this.#timer = this.#clock.wait(Math.max(0, nextMs - this.#clock.nowMs()), () => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      const nowMs = this.#clock.nowMs();
      for (let act = this.#queue.take(nowMs); act !== undefined; act = this.#queue.take(nowMs)) act();
      this.#setTimer();
    });
  }
}

class End implements LinkEnd {
  readonly #network: LossyNetwork;
  #listener: LinkListener | undefined;
  #isClosed = false;
  other: End | undefined;
  /** Whether sent frames are lost. */
  isBroken = false;
  /** Whether frames in flight are lost too. */
  isDeaf = false;
  /** Arrival time of the last frame that was sent in order. */
  sentUntilMs = 0;

  constructor(network: LossyNetwork) {
    this.#network = network;
  }

  send(frame: Uint8Array): void {
    if (this.isBroken || this.#isClosed || this.other === undefined) return;
    this.#network.transmit(this, this.other, frame);
  }

  close(): void {
    if (this.isBroken || this.#isClosed || this.other === undefined) return;
    this.isBroken = true;
    this.isDeaf = true;
    this.other.isBroken = true;
    this.#network.finish(this, this.other);
  }

  listen(listener: LinkListener): void {
    this.#listener = listener;
  }

  arrive(frame: Uint8Array): void {
    if (!this.#isClosed && !this.isDeaf) this.#listener?.receive(frame);
  }

  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener?.disconnected();
  }
}
