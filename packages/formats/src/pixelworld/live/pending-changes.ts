import type { PixelBody } from "../records/pixel-body.ts";

/** A change that is not in the file yet. Without content it says that something is gone. */
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
  /** Rises with each place that is added; a newer change of the same place keeps it. */
  readonly number: number;
}

/** Changes on their way to the file: a bounded number of them, each place or body once, and behind them who waits. */
export class PendingChanges {
  readonly #changes = new Map<string, Numbered>();
  readonly #waiting: Waiting[] = [];
  readonly #sizeMax: number;
  #lastNumber = 0;

  /** At most `sizeMax` changes are on their way; the others wait. */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** How many there are, without those that wait. */
  get size(): number {
    return this.#changes.size;
  }

  /** Takes a change at once, in place of an older one of the same thing; `undefined`. Or gives a promise to wait for. */
  offer(change: PendingChange): Promise<void> | undefined {
    const hasRoom = this.#changes.has(keyOf(change)) || this.#changes.size < this.#sizeMax;
    // Whoever waits came first.
    if (this.#waiting.length === 0 && hasRoom) {
      this.#put(change);
      return undefined;
    }
    return new Promise((resolve, reject) => this.#waiting.push({ change, resolve, reject }));
  }

  /** The latest change of a chunk that is on its way or waits. */
  chunk(x: number, y: number): Extract<PendingChange, { kind: "chunk" }> | undefined {
    const change = this.#find(`${x},${y}`);
    return change?.kind === "chunk" ? change : undefined;
  }

  /** The latest change of a body that is on its way or waits. */
  body(id: bigint): Extract<PendingChange, { kind: "body" }> | undefined {
    const change = this.#find(`${id}`);
    return change?.kind === "body" ? change : undefined;
  }

  /** Every change of a body that is on its way or waits, the latest of a body last. */
  *bodies(): Generator<Extract<PendingChange, { kind: "body" }>> {
    for (const { change } of [...this.#changes.values(), ...this.#waiting])
      if (change.kind === "body") yield change;
  }

  /** A number for all that is here now, those that wait too. */
  mark(): number {
    return this.#lastNumber + this.#waiting.length;
  }

  /** The oldest change of those up to a mark. It stays until it is {@link done}. */
  oldest(mark: number): PendingChange | undefined {
    const [first] = this.#changes.values();
    return first !== undefined && first.number <= mark ? first.change : undefined;
  }

  /** The change is in the file. A newer one of the same thing stays where it is. Whoever waited takes the room. */
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

  /** Nothing is taken any more. */
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
