import type { Timer, TimeSource } from "@orthant/core";
import type { EditGroup } from "./shard-journal.ts";

/**
 * Least time between the starts of two appends while several clients edit. An append costs NATS about as much with one
 * edit as with ten, and players see an edit with the next tick of their gateway, which comes every 100 ms.
 */
const APPEND_MS = 40;
/** Edits in a group that are worth an append of their own. */
const EDITS_FOR_APPEND = 64;

/**
 * Decides when a log may append its next group. Edits of one request go together. While several clients edit, their edits
 * share an append every 40 ms; the edits of one client alone never wait.
 */
export class AppendPace {
  readonly #time: TimeSource;
  /** Requests whose edits are being made. */
  #gathering = 0;
  #startedMs = Number.NEGATIVE_INFINITY;
  /** The client of the last group; `undefined` if it had edits of several, or none. */
  #lastClient: bigint | undefined;
  /** Ends the current wait. */
  #wake: (() => void) | undefined;
  #isEnded = false;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** Has the next append wait for edits that are about to be added, until the returned function is called. */
  gather(): () => void {
    this.#gathering++;
    return () => {
      if (--this.#gathering === 0) this.#wake?.();
    };
  }

  /** Resolves when the group that `next` returns may be appended; at once if it returns none. */
  async whenDue(next: () => EditGroup | undefined): Promise<void> {
    await this.#whenGathered();
    const group = next();
    const pauseMs = group === undefined ? 0 : this.#pauseMs(group);
    if (pauseMs <= 0) return;
    await this.#wait(pauseMs, () => false);
    await this.#whenGathered();
  }

  /** Records that a group is appended now. */
  started({ client }: EditGroup): void {
    this.#startedMs = this.#time.nowMs();
    this.#lastClient = client;
  }

  /** Ends all waits. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** An edit may have to wait long for its region or its blocks, and others do not wait for it. */
  async #whenGathered(): Promise<void> {
    if (this.#gathering > 0) await this.#wait(APPEND_MS, () => this.#gathering === 0);
  }

  #pauseMs({ edits, client }: EditGroup): number {
    if (edits === 0 || edits >= EDITS_FOR_APPEND) return 0;
    if (client !== undefined && client === this.#lastClient) return 0;
    // A clock that was set back must not delay an append.
    return APPEND_MS - Math.abs(this.#time.nowMs() - this.#startedMs);
  }

  async #wait(ms: number, isOver: () => boolean): Promise<void> {
    if (this.#isEnded) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      timer = this.#time.wait(ms, resolve);
      this.#wake = () => {
        if (this.#isEnded || isOver()) resolve();
      };
    });
    this.#wake = undefined;
    timer?.cancel();
  }
}
