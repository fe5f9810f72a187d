import type { ChunkCopy, CopySender } from "./chunk-copy.ts";

/** Times are rounded up to this, which is about the length of a server tick. */
const SLOT_MS = 50;
/** Slot of copies to send as soon as the budget allows. */
const SOON = -1;
/** Slot of copies that were sent before in this state. They yield to those in `SOON`. */
const LATE = -2;

/** Schedules when each chunk is sent to each session. Its cost depends only on the due chunks. */
export class SendSchedule implements CopySender {
  readonly #slots = new Map<number, ChunkCopy[]>();
  /** The slot of each copy. Its entries in other slots are stale. */
  readonly #slotOf = new WeakMap<ChunkCopy, number>();
  #soon: ChunkCopy[] = [];
  #late: ChunkCopy[] = [];
  #done: number;

  constructor(nowMs: number) {
    this.#done = Math.floor(nowMs / SLOT_MS);
  }

  sendSoon(copy: ChunkCopy): void {
    if (this.#slotOf.get(copy) === SOON) return;
    this.#slotOf.set(copy, SOON);
    this.#soon.push(copy);
  }

  /** Schedules a chunk to be sent again. */
  sendAt(copy: ChunkCopy, dueMs: number): void {
    const slot = Math.max(this.#done + 1, Math.ceil(dueMs / SLOT_MS));
    this.#slotOf.set(copy, slot);
    const copies = this.#slots.get(slot);
    if (copies === undefined) this.#slots.set(slot, [copy]);
    else copies.push(copy);
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
