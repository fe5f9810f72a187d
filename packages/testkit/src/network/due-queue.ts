interface Entry {
  readonly dueMs: number;
  /** Breaks ties: first added, first out. */
  readonly order: number;
  readonly action: () => void;
}

/** A priority queue of timed actions, earliest first: a binary heap. */
export class DueQueue {
  readonly #heap: Entry[] = [];
  #added = 0;

  /** When the next action is due; `undefined` if there is none. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  /** Adds an action that is due at `dueMs`. */
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

  /** Removes and returns the next action that is due by `nowMs`; `undefined` if there is none. */
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
