/** When it is the turn of a job: the lowest number first, such as a distance. A function is asked again when jobs are sorted. */
export type Priority = number | (() => number);

interface Entry<Job> {
  readonly job: Job;
  readonly priority: Priority;
  rank: number;
  readonly order: number;
}

/** Jobs that wait, in the order of their priorities; those of the same priority in the order of the requests. */
export class WaitingJobs<Job> {
  /** The next one is the last one. */
  #entries: Entry<Job>[] = [];
  #count = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** Adds a job; without a priority as if it were 0. */
  add(job: Job, priority: Priority = 0): void {
    const entry = { job, priority, rank: rankOf(priority), order: this.#count++ };
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#entries[middle] as Entry<Job>, entry)) high = middle;
      else low = middle + 1;
    }
    this.#entries.splice(low, 0, entry);
  }

  /** Adds a job before all others. */
  addFirst(job: Job): void {
    this.#entries.push({ job, priority: -Infinity, rank: -Infinity, order: -this.#count++ });
  }

  /** Removes and returns the job whose turn it is. */
  take(): Job | undefined {
    return this.#entries.pop()?.job;
  }

  /** Removes and returns the jobs that match, in their order. */
  takeAll(matches: (job: Job) => boolean = () => true): readonly Job[] {
    const taken = this.#entries.filter(({ job }) => matches(job)).map(({ job }) => job);
    if (taken.length > 0) this.#entries = this.#entries.filter(({ job }) => !matches(job));
    return taken.reverse();
  }

  /** Asks for all priorities again. */
  sort(): void {
    for (const entry of this.#entries) entry.rank = rankOf(entry.priority);
    this.#entries.sort((a, b) => (isBefore(a, b) ? 1 : -1));
  }
}

function rankOf(priority: Priority): number {
  const rank = typeof priority === "function" ? priority() : priority;
  // One priority that is not a number must not break the order of the others.
  return Number.isNaN(rank) ? Infinity : rank;
}

function isBefore<Job>(one: Entry<Job>, other: Entry<Job>): boolean {
  return one.rank === other.rank ? one.order < other.order : one.rank < other.rank;
}
