import { PositionMap } from "@orthant/core/lattice";

/** Time between the first and the second attempt; it doubles after each. */
const REPEAT_MS_MIN = 250;
/** Maximum time between two attempts. */
const REPEAT_MS_MAX = 4_000;

interface OpenRequest<Command> {
  readonly command: Command;
  attempts: number;
  dueMs: number;
}

/** Commands that are repeated until they are settled, at most one for each place. */
export class OpenRequests<Command> {
  readonly #open = new PositionMap<OpenRequest<Command>>();
  readonly #attemptsMax: number;

  /** A command without success after `attemptsMax` attempts counts as refused, and is dropped. */
  constructor(attemptsMax: number = Number.POSITIVE_INFINITY) {
    this.#attemptsMax = attemptsMax;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Adds a command. Replaces an earlier one at the same place. */
  add(x: number, y: number, command: Command): void {
    this.#open.set(x, y, 0, 0, { command, attempts: 0, dueMs: Number.NEGATIVE_INFINITY });
  }

  /** Removes what has succeeded or is no longer wanted. */
  settle(x: number, y: number): void {
    this.#open.delete(x, y, 0, 0);
  }

  /** Removes the commands that have succeeded. */
  settleIf(isSettled: (command: Command) => boolean): void {
    for (const [[x, y], { command }] of [...this.#open]) if (isSettled(command)) this.settle(x, y);
  }

  /** Returns at most `countMax` commands to send now. */
  due(nowMs: number, countMax: number): readonly Command[] {
    const due: Command[] = [];
    for (const [[x, y], request] of [...this.#open]) {
      if (due.length >= countMax) break;
      if (nowMs < request.dueMs) continue;
      request.dueMs = nowMs + Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** request.attempts++);
      if (request.attempts <= this.#attemptsMax) due.push(request.command);
      else this.settle(x, y);
    }
    return due;
  }
}
