import type { Timer, TimeSource } from "@orthant/core";
import type { Prng } from "./base/prng.ts";

/** How a {@link LossyNetwork} treats frames. Probabilities are from 0 to 1, per frame. */
export interface NetworkConditions {
  /** Probability that a frame never arrives. */
  readonly loss: number;
  /** Probability that a frame arrives twice. */
  readonly duplication: number;
  /** Probability that a frame is delivered out of order. */
  readonly reordering: number;
  /** Probability that the link breaks when a frame is sent. */
  readonly cut: number;
  /** Bounds of a frame's delay. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Maximum time until an end notices that its link broke. */
  readonly noticeMsMax: number;
}

/** Every frame arrives, once, in order, after a short delay. */
export const RELIABLE_NETWORK: NetworkConditions = {
  loss: 0,
  duplication: 0,
  reordering: 0,
  cut: 0,
  delayMsMin: 5,
  delayMsMax: 5,
  noticeMsMax: 0,
};

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
 * and breaks links, according to its conditions and its random source. The same seed makes the same network.
 */
export class LossyNetwork {
  /** How frames sent from now on are treated. */
  conditions: NetworkConditions;
  readonly #time: TimeSource;
  readonly #prng: Prng;
  readonly #queue = new DueQueue();
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(time: TimeSource, prng: Prng, conditions: NetworkConditions = RELIABLE_NETWORK) {
    this.conditions = conditions;
    this.#time = time;
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
    const { loss, duplication, reordering, cut } = this.conditions;
    if (cut > 0 && prng.chance(cut)) {
      this.cut(from);
      return;
    }
    if (loss > 0 && prng.chance(loss)) return;
    const copies = duplication > 0 && prng.chance(duplication) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      let dueMs = this.#time.nowMs() + this.#delayMs();
      if (reordering === 0 || !prng.chance(reordering)) {
        dueMs = Math.max(dueMs, from.sentUntilMs);
        from.sentUntilMs = dueMs;
      }
      this.#at(dueMs, () => to.arrive(frame));
    }
  }

  /** Ends a link in order: the other end learns of it after everything else has arrived. */
  finish(from: End, to: End): void {
    const nowMs = this.#time.nowMs();
    this.#at(nowMs, () => from.end());
    this.#at(Math.max(nowMs + this.#delayMs(), from.sentUntilMs), () => to.end());
  }

  /** Breaks a link. */
  cut(end: End): void {
    const { other } = end;
    if (other === undefined || end.isBroken) return;
    const nowMs = this.#time.nowMs();
    for (const one of [end, other]) {
      one.isBroken = true;
      if (this.#prng.chance(0.5)) one.isDeaf = true;
      this.#at(nowMs + this.#prng.between(0, this.conditions.noticeMsMax), () => one.end());
    }
  }

  #delayMs(): number {
    return this.#prng.between(this.conditions.delayMsMin, this.conditions.delayMsMax);
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
    this.#timer = this.#time.wait(Math.max(0, nextMs - this.#time.nowMs()), () => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      const nowMs = this.#time.nowMs();
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

interface Entry {
  readonly dueMs: number;
  /** Breaks ties: first added, first out. */
  readonly order: number;
  readonly action: () => void;
}

/** A priority queue of timed actions, earliest first: a binary heap. */
class DueQueue {
  readonly #heap: Entry[] = [];
  #added = 0;

  /** When the next action is due; `undefined` if there is none. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  /** Adds an action that is due at `dueMs`. */
  add(dueMs: number, action: () => void): void {
    const heap = this.#heap;
    const entry: Entry = { dueMs, order: this.#added++, action };
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!comesBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  /** Removes and returns the next action that is due by `nowMs`; `undefined` if there is none. */
  take(nowMs: number): (() => void) | undefined {
    const heap = this.#heap;
    const [first] = heap;
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return first.action;
  }

  #sink(entry: Entry): void {
    const heap = this.#heap;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      const right = heap[child + 1];
      if (right !== undefined && comesBefore(right, heap[child] as Entry)) child++;
      const below = heap[child] as Entry;
      if (comesBefore(entry, below)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = entry;
  }
}

function comesBefore(a: Entry, b: Entry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
