import { isOrthantError, OrthantError } from "@orthant/core";
import { type Finding, findingOf, noticeOf } from "@orthant/disk/files";

/** Maximum number of findings of one file; the last one says how many more there are. */
const FINDINGS_MAX = 1_000;

/** Collects what is wrong with a file while the rest of it is read. */
export class FindingLog {
  readonly #file: string;
  readonly #findings: Finding[] = [];
  #count = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** All findings, in their order. */
  list(): readonly Finding[] {
    const more = this.#count - this.#findings.length;
    return more === 0 ? this.#findings : [...this.#findings, noticeOf(this.#file, `${more} more findings`)];
  }

  /** Notes that something is lost. */
  damage(code: OrthantError["code"], message: string, offset?: number): void {
    // Errors cost much more than a count, and a hostile file has millions.
    if (this.#isFull()) return;
    const context = offset === undefined ? {} : { offset };
    this.#findings.push(findingOf(new OrthantError(code, message, context), this.#file));
  }

  /** Notes something harmless. */
  notice(message: string, offset?: number): void {
    if (!this.#isFull()) this.#findings.push(noticeOf(this.#file, message, offset));
  }

  /** Notes an error that made a part unreadable; rethrows what is not an `OrthantError`. */
  lost(what: string, error: unknown, offset?: number): void {
    if (!isOrthantError(error)) throw error;
    this.damage(error.code, `${what}: ${error.detail}`, offset);
  }

  #isFull(): boolean {
    return this.#count++ >= FINDINGS_MAX;
  }
}
