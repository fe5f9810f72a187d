import { EditQueue, type EditQueueParts } from "./edit-queue.ts";

/** How long a desk is kept after its client has left. */
const QUEUE_KEPT_MS = 300_000;
/** Maximum number of desks of clients that have left. */
const QUEUES_KEPT_MAX = 4_096;

/** The desks of all clients, and for a while of those that have left. */
export class EditQueues {
  readonly #parts: EditQueueParts;
  readonly #queues = new Map<bigint, EditQueue>();
  /** When each client left, oldest first. */
  readonly #goneMs = new Map<bigint, number>();
  readonly #work = new Set<Promise<void>>();

  constructor(parts: Omit<EditQueueParts, "track">) {
    this.#parts = { ...parts, track: (work) => this.#track(work) };
  }

  /** Returns the desk of a connected client. */
  open(clientId: bigint): EditQueue {
    this.#goneMs.delete(clientId);
    let queue = this.#queues.get(clientId);
    if (queue === undefined) {
      queue = new EditQueue(clientId, this.#parts);
      this.#queues.set(clientId, queue);
    }
    return queue;
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
      if (nowMs - goneMs < QUEUE_KEPT_MS && this.#goneMs.size <= QUEUES_KEPT_MAX) return;
      // A pending edit still has to record its verdict.
      if (this.#queues.get(clientId)?.isIdle === false) continue;
      this.#goneMs.delete(clientId);
      this.#queues.delete(clientId);
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
