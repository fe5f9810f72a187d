import type { ChunkCopy, CopySender } from "./chunk-copy.ts";

/** Times are rounded up to this: a server's tick is not shorter by much. */
const SLOT_MS = 50;

/** When each chunk is sent to each session. What costs time is what is due, not how much there is. */
export class SendSchedule implements CopySender {
  readonly #slots = new Map<number, ChunkCopy[]>();
  /** In which slot each copy waits; one that was put into several waits in the first. */
  readonly #slotOf = new WeakMap<ChunkCopy, number>();
  #soon: ChunkCopy[] = [];
  #done: number;

  constructor(nowMs: number) {
    this.#done = Math.floor(nowMs / SLOT_MS);
  }

  /** Sends a chunk next, behind what was to be sent next before; one that could not be sent is put back like this. */
  sendSoon(copy: ChunkCopy): void {
    if (this.#slotOf.get(copy) === this.#done) return;
    this.#slotOf.set(copy, this.#done);
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

  /** All that is due by now, what has waited for the longest first. */
  takeDue(nowMs: number): readonly ChunkCopy[] {
    const due: ChunkCopy[] = [];
    for (const copy of this.#soon) if (this.#slotOf.get(copy) === this.#done) due.push(copy);
    this.#soon = [];
    const last = Math.floor(nowMs / SLOT_MS);
    for (let slot = this.#done + 1; slot <= last; slot++) {
      for (const copy of this.#slots.get(slot) ?? []) if (this.#slotOf.get(copy) === slot) due.push(copy);
      this.#slots.delete(slot);
    }
    for (const copy of due) this.#slotOf.delete(copy);
    this.#done = Math.max(this.#done, last);
    return due;
  }
}
