import { OrthantError } from "@orthant/core";

/** Lets work on a shard begin, holds it while the shard is split, and refuses it once the shard is released. */
export class OwnerGate {
  readonly #shard: string;
  #working = 0;
  #isPaused = false;
  #isClosed = false;
  /** Called when work may begin after a pause. */
  #whenResumed: (() => void)[] = [];
  #whenIdle: (() => void)[] = [];

  constructor(shard: string) {
    this.#shard = shard;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when work may begin. Throws `ORT_CLOSED` if the shard is no longer owned here. */
  async whenOpen(): Promise<void> {
    while (this.#isPaused && !this.#isClosed)
      await new Promise<void>((resolve) => this.#whenResumed.push(resolve));
    if (this.#isClosed) throw new OrthantError("ORT_CLOSED", `shard ${this.#shard} is no longer owned here`);
  }

  /** Does work for which `whenIdle` waits. */
  async working<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#working++;
    try {
      return await work();
    } finally {
      this.#working--;
      if (this.#working === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Resolves when no work is being done. */
  async whenIdle(): Promise<void> {
    while (this.#working > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#whenResumed.splice(0)) resolve();
  }

  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#whenResumed.splice(0)) resolve();
  }
}
