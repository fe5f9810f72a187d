import type { PixelBody } from "../format/body.ts";

/** A change that is not in the file yet. Without content it is a removal. */
export type PendingChange =
  | {
      readonly kind: "chunk";
      readonly x: number;
      readonly y: number;
      readonly pixels: Uint8Array | undefined;
    }
  | { readonly kind: "body"; readonly id: bigint; readonly body: PixelBody | undefined };

interface Waiting {
  readonly change: PendingChange;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Numbered {
  readonly change: PendingChange;
  /** Increases with each added chunk or body; a newer change of the same one keeps it. */
  readonly number: number;
}

/**
 * Changes that are not in the file yet: a bounded queue with at most one change per chunk or body, and behind
 * it the callers that wait for room.
 */
export class PendingChanges {
  readonly #changes = new Map<string, Numbered>();
  readonly #waiting: Waiting[] = [];
  readonly #sizeMax: number;
  #lastNumber = 0;

  /** Queues at most `sizeMax` changes; others wait. */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** Number of queued changes, excluding those that wait for room. */
  get size(): number {
    return this.#changes.size;
  }

  /**
   * Queues a change, replacing an older one of the same chunk or body, and returns `undefined`. If there is
   * no room, returns a promise that resolves when the change is queued.
   */
  offer(change: PendingChange): Promise<void> | undefined {
    const hasRoom = this.#changes.has(keyOf(change)) || this.#changes.size < this.#sizeMax;
    // Earlier callers that wait go first.
    if (this.#waiting.length === 0 && hasRoom) {
      this.#put(change);
      return undefined;
    }
    return new Promise((resolve, reject) => this.#waiting.push({ change, resolve, reject }));
  }

  /** Returns the latest change of a chunk, queued or waiting. */
  chunk(x: number, y: number): Extract<PendingChange, { kind: "chunk" }> | undefined {
    const change = this.#find(`${x},${y}`);
    return change?.kind === "chunk" ? change : undefined;
  }

  /** Returns the latest change of a body, queued or waiting. */
  body(id: bigint): Extract<PendingChange, { kind: "body" }> | undefined {
    const change = this.#find(`${id}`);
    return change?.kind === "body" ? change : undefined;
  }

  /** All changes of bodies, queued or waiting; the latest change of a body comes last. */
  *bodies(): Generator<Extract<PendingChange, { kind: "body" }>> {
    for (const { change } of [...this.#changes.values(), ...this.#waiting])
      if (change.kind === "body") yield change;
  }

  /** Returns a number that covers all current changes, including those that wait. */
  mark(): number {
    return this.#lastNumber + this.#waiting.length;
  }

  /** Returns the oldest queued change up to `mark`. It stays in the queue until {@link done}. */
  oldest(mark: number): PendingChange | undefined {
    const [first] = this.#changes.values();
    return first !== undefined && first.number <= mark ? first.change : undefined;
  }

  /** Removes a change that is now in the file, unless a newer one replaced it, and queues waiting ones. */
  done(change: PendingChange): void {
    const key = keyOf(change);
    if (this.#changes.get(key)?.change === change) this.#changes.delete(key);
    while (this.#waiting.length > 0 && this.#changes.size < this.#sizeMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#put(next.change);
      next.resolve();
    }
  }

  /** Rejects all waiting changes. */
  fail(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #find(key: string): PendingChange | undefined {
    return (
      this.#waiting.filter(({ change }) => keyOf(change) === key).at(-1)?.change ??
      this.#changes.get(key)?.change
    );
  }

  #put(change: PendingChange): void {
    const key = keyOf(change);
    const number = this.#changes.get(key)?.number ?? ++this.#lastNumber;
    this.#changes.set(key, { change, number });
  }
}

function keyOf(change: PendingChange): string {
  return change.kind === "chunk" ? `${change.x},${change.y}` : `${change.id}`;
}
