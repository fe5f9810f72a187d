import type { ChunkCopy, CopySender } from "./chunk-copy.ts";

/** Times are rounded up to this: a server's tick is not shorter by much. */
const SLOT_MS = 50;
/** Where a copy waits that is sent as soon as there is room. */
const SOON = -1;
/** The same for one that was sent before as it is: it can wait for those that were not. */
const LATE = -2;

/** When each chunk is sent to each session. What costs time is what is due, not how much there is. */
export class SendSchedule implements CopySender {
  readonly #slots = new Map<number, ChunkCopy[]>();
  /** Where each copy waits. Others that it was put into before do not count. */
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

  /** Sends a chunk again at some time. */
  sendAt(copy: ChunkCopy, dueMs: number): void {
    const slot = Math.max(this.#done + 1, Math.ceil(dueMs / SLOT_MS));
    this.#slotOf.set(copy, slot);
    const copies = this.#slots.get(slot);
    if (copies === undefined) this.#slots.set(slot, [copy]);
    else copies.push(copy);
  }

  /** There was no room for a chunk that was due. */
  putBack(copy: ChunkCopy): void {
    if (copy.isNews) {
      this.sendSoon(copy);
      return;
    }
    this.#slotOf.set(copy, LATE);
    this.#late.push(copy);
  }

  /** All that is due by now: first what the sessions have never got as it is, then what may have been lost. */
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
