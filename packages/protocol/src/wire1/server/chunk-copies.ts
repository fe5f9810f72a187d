import type { Position } from "@orthant/core";
import { getOrAdd, PositionMap } from "@orthant/core/lattice";
import type { Wire1Limits } from "../wire1-limits.ts";
import type { ChunkWatcher, TileFeed, WatchedChunk } from "./tile-feed.ts";
import type { Wire1Address } from "./wire1-server-options.ts";

/** The receiver of chunks, with its budget. */
export interface CopyOwner {
  readonly from: Wire1Address;
  /** Whether any of this tick's budget is left. */
  readonly maySend: boolean;
  /** Spends bytes of this tick's budget. */
  spend(bytes: number): void;
}

/** Time between the first and the second sending of a chunk; it doubles after each. */
const REPEAT_MS_MIN = 1_000;
/** Time during which a sent chunk may still be on its way. */
const ON_ITS_WAY_MS = 250;
/** Maximum time between two sendings. They never stop, because clients do not acknowledge chunks. */
const REPEAT_MS_MAX = 60_000;

/** What one session has of one chunk, as far as the server can know. */
class ChunkCopy implements ChunkWatcher {
  /** The session that owns this copy. */
  readonly session: CopyOwner;
  readonly #sender: SendSchedule;
  #chunk: WatchedChunk | undefined;
  /** Number of times that the current state of the chunk was sent. */
  #sends = 0;
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(session: CopyOwner, sender: SendSchedule) {
    this.session = session;
    this.#sender = sender;
  }

  /** The chunk; `undefined` when the session no longer sees it. */
  get chunk(): WatchedChunk | undefined {
    return this.#chunk;
  }

  /** Whether the current state of the chunk was never sent to the session. */
  get isNews(): boolean {
    return this.#sends === 0;
  }

  /** Starts to follow a chunk. */
  follow(chunk: WatchedChunk): void {
    this.#chunk = chunk;
    this.chunkChanged();
  }

  /** Stops following the chunk and returns it. */
  drop(): WatchedChunk | undefined {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    return chunk;
  }

  chunkChanged(): void {
    this.#sends = 0;
    this.#sender.sendSoon(this);
  }

  /** Sends the chunk again on request, unless it may still be on its way. */
  askAgain(nowMs: number): void {
    if (nowMs - this.#sentMs >= ON_ITS_WAY_MS) this.chunkChanged();
  }

  /** Records that the chunk was sent. Returns the time to wait before sending it again. */
  sent(nowMs: number): number {
    this.#sentMs = nowMs;
    return Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** this.#sends++);
  }
}

/** The chunks that one session sees. A chunk beyond the limit or far away displaces the farthest ones. */
export class ChunkInterest {
  readonly #feed: TileFeed;
  readonly #sender: SendSchedule;
  readonly #limits: Wire1Limits;
  readonly #owner: CopyOwner;
  readonly #copies = new PositionMap<ChunkCopy>();

  constructor(feed: TileFeed, sender: SendSchedule, limits: Wire1Limits, owner: CopyOwner) {
    this.#feed = feed;
    this.#sender = sender;
    this.#limits = limits;
    this.#owner = owner;
  }

  /** Number of chunks that the session sees. */
  get size(): number {
    return this.#copies.size;
  }

  /** Adds a chunk, or sends it again if the session sees it already. */
  add(x: number, y: number, nowMs: number): void {
    const known = this.#copies.get(x, y, 0, 0);
    if (known !== undefined) {
      known.askAgain(nowMs);
      return;
    }
    this.#makeRoom(x, y);
    const copy = new ChunkCopy(this.#owner, this.#sender);
    this.#copies.set(x, y, 0, 0, copy);
    copy.follow(this.#feed.watch(x, y, copy));
  }

  /** Sends a chunk again, if the session sees it. */
  repeat(x: number, y: number): void {
    this.#copies.get(x, y, 0, 0)?.chunkChanged();
  }

  remove(x: number, y: number): void {
    const copy = this.#copies.get(x, y, 0, 0);
    if (copy === undefined) return;
    this.#copies.delete(x, y, 0, 0);
    const chunk = copy.drop();
    if (chunk !== undefined) this.#feed.leave(chunk, copy);
  }

  clear(): void {
    for (const [x, y] of [...this.#copies.positions()]) this.remove(x, y);
  }

  /** Removes the chunks too far from a position, then the farthest one if there is still no room. */
  #makeRoom(x: number, y: number): void {
    const { wire1ChunksMax, wire1ChunkRadius } = this.#limits;
    const tooFar: Position[] = [];
    let farthest: Position | undefined;
    let farthestDistance = -1;
    for (const position of this.#copies.positions()) {
      const distance = Math.max(Math.abs(position[0] - x), Math.abs(position[1] - y));
      if (distance > wire1ChunkRadius) tooFar.push(position);
      else if (distance > farthestDistance) [farthest, farthestDistance] = [position, distance];
    }
    for (const position of tooFar) this.remove(position[0], position[1]);
    if (this.#copies.size >= wire1ChunksMax && farthest !== undefined) this.remove(farthest[0], farthest[1]);
  }
}

/** Times are rounded up to this, which is about the length of a server tick. */
const SLOT_MS = 50;
/** Slot of copies to send as soon as the budget allows. */
const SOON = -1;
/** Slot of copies that were sent before in this state. They yield to those in `SOON`. */
const LATE = -2;

/** Schedules when each chunk is sent to each session. Its cost depends only on the due chunks. */
export class SendSchedule {
  readonly #slots = new Map<number, ChunkCopy[]>();
  /** The slot of each copy. Its entries in other slots are stale. */
  readonly #slotOf = new WeakMap<ChunkCopy, number>();
  #soon: ChunkCopy[] = [];
  #late: ChunkCopy[] = [];
  #done: number;

  constructor(nowMs: number) {
    this.#done = Math.floor(nowMs / SLOT_MS);
  }

  /** Sends a chunk as soon as the budget allows. */
  sendSoon(copy: ChunkCopy): void {
    if (this.#slotOf.get(copy) === SOON) return;
    this.#slotOf.set(copy, SOON);
    this.#soon.push(copy);
  }

  /** Schedules a chunk to be sent again. */
  sendAt(copy: ChunkCopy, dueMs: number): void {
    const slot = Math.max(this.#done + 1, Math.ceil(dueMs / SLOT_MS));
    this.#slotOf.set(copy, slot);
    getOrAdd(this.#slots, slot, () => []).push(copy);
  }

  /** Puts back a due chunk that exceeded the budget. */
  putBack(copy: ChunkCopy): void {
    if (copy.isNews) {
      this.sendSoon(copy);
      return;
    }
    this.#slotOf.set(copy, LATE);
    this.#late.push(copy);
  }

  /** Returns all due copies: first those never sent in their current state, then the repetitions. */
  takeDue(nowMs: number): readonly ChunkCopy[] {
    const due: ChunkCopy[] = [];
    const take = (copies: readonly ChunkCopy[], slot: number): void => {
      for (const copy of copies) if (this.#slotOf.get(copy) === slot) due.push(copy);
    };
    take(this.#soon, SOON);
    take(this.#late, LATE);
    this.#soon = [];
    this.#late = [];
    const last = Math.floor(nowMs / SLOT_MS);
    for (let slot = this.#done + 1; slot <= last; slot++) {
      take(this.#slots.get(slot) ?? [], slot);
      this.#slots.delete(slot);
    }
    for (const copy of due) this.#slotOf.delete(copy);
    this.#done = Math.max(this.#done, last);
    return due;
  }
}
