import { type DeskParts, EditDesk } from "./edit-desk.ts";

/** How long a desk is kept after its client has left. */
const DESK_KEPT_MS = 300_000;
/** Maximum number of desks of clients that have left. */
const DESKS_KEPT_MAX = 4_096;

/** The desks of all clients, and for a while of those that have left. */
export class EditDesks {
  readonly #parts: DeskParts;
  readonly #desks = new Map<bigint, EditDesk>();
  /** When each client left, oldest first. */
  readonly #goneMs = new Map<bigint, number>();
  readonly #work = new Set<Promise<void>>();

  constructor(parts: Omit<DeskParts, "track">) {
    this.#parts = { ...parts, track: (work) => this.#track(work) };
  }

  /** Returns the desk of a connected client. */
  open(clientId: bigint): EditDesk {
    this.#goneMs.delete(clientId);
    let desk = this.#desks.get(clientId);
    if (desk === undefined) {
      desk = new EditDesk(clientId, this.#parts);
      this.#desks.set(clientId, desk);
    }
    return desk;
  }

  /** Records that a client has left. */
  leave(clientId: bigint, nowMs: number): void {
    this.#goneMs.delete(clientId);
    this.#goneMs.set(clientId, nowMs);
    this.clean(nowMs);
  }

  /** Drops the desks of clients that left long ago, or beyond the limit. */
  clean(nowMs: number): void {
    for (const [clientId, goneMs] of this.#goneMs) {
      if (nowMs - goneMs < DESK_KEPT_MS && this.#goneMs.size <= DESKS_KEPT_MAX) return;
      // A pending edit still has to record its verdict.
      if (this.#desks.get(clientId)?.isIdle === false) continue;
      this.#goneMs.delete(clientId);
      this.#desks.delete(clientId);
    }
  }

  /** Resolves when no edit is pending. */
  async whenIdle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #track(work: Promise<void>): void {
    // A failure here is a bug, and must stop neither the program nor the wait for other edits.
    const done = work
      .catch((error: unknown) => this.#parts.events?.onFailure?.(error))
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}
