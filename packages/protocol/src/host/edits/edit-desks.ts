import { type DeskParts, EditDesk } from "./edit-desk.ts";

/** A desk is kept for so long after its client has gone. */
const DESK_KEPT_MS = 300_000;
/** So many desks are kept of clients that have gone. */
const DESKS_KEPT_MAX = 4_096;

/** The desks of all clients, and for a while of those that have gone. */
export class EditDesks {
  readonly #parts: DeskParts;
  readonly #desks = new Map<bigint, EditDesk>();
  /** When each client went, the one that has been away for the longest first. */
  readonly #goneMs = new Map<bigint, number>();
  readonly #work = new Set<Promise<void>>();

  constructor(parts: Omit<DeskParts, "track">) {
    this.#parts = { ...parts, track: (work) => this.#track(work) };
  }

  /** The desk of a client who is here. */
  open(clientId: bigint): EditDesk {
    this.#goneMs.delete(clientId);
    let desk = this.#desks.get(clientId);
    if (desk === undefined) {
      desk = new EditDesk(clientId, this.#parts);
      this.#desks.set(clientId, desk);
    }
    return desk;
  }

  /** The client has gone. */
  leave(clientId: bigint, nowMs: number): void {
    this.#goneMs.delete(clientId);
    this.#goneMs.set(clientId, nowMs);
    this.clean(nowMs);
  }

  /** Gives up the desks of clients that have been gone for long, or are too many. */
  clean(nowMs: number): void {
    for (const [clientId, goneMs] of this.#goneMs) {
      if (nowMs - goneMs < DESK_KEPT_MS && this.#goneMs.size <= DESKS_KEPT_MAX) return;
      // Where an edit is in work its verdict has yet to be written down.
      if (this.#desks.get(clientId)?.isIdle === false) continue;
      this.#goneMs.delete(clientId);
      this.#desks.delete(clientId);
    }
  }

  /** Resolves when no edit is in work. */
  async whenIdle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #track(work: Promise<void>): void {
    // What fails here is a bug, and must end neither the program nor the wait for the rest.
    const done = work
      .catch((error: unknown) => this.#parts.events?.onFailure?.(error))
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}
