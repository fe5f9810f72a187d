interface Entry {
  readonly dueMs: number;
  /** What was added first comes first when several fall due at once. */
  readonly order: number;
  readonly action: () => void;
}

/** Things to be done at a time, the earliest first: a binary heap. */
export class DueQueue {
  readonly #heap: Entry[] = [];
  #added = 0;

  /** When the next one falls due; `undefined` when there is none. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  /** Adds something to be done at that time. */
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

  /** Takes out the next one that is due by then; `undefined` when there is none. */
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
