import type { Clock } from "@orthant/core";
import { errorName, type OriginFile } from "./access-handle.ts";

/** Where the files lie that have lost their names, in the folder of a disk. */
export const GONE_FOLDER = ".gone";

/** Longer than a system keeps what was written from its drive: 30 seconds on Linux, where it takes longest. */
const LINGER_MS = 60_000;

/**
 * The files that were removed or replaced. They stay for a minute: a browser tells the system to delete a file at once,
 * but writes down what it called it some time later, so that after a power cut the old name may be there again, and must
 * still mean something.
 */
export class GoneFiles {
  readonly folder: FileSystemDirectoryHandle;
  readonly #clock: Clock;
  /** What is to be deleted, the oldest first, and when it lost its name. */
  readonly #lingering: { readonly name: string; readonly sinceMs: number }[] = [];

  private constructor(folder: FileSystemDirectoryHandle, clock: Clock) {
    this.folder = folder;
    this.#clock = clock;
  }

  /** Opens the folder, makes it unless it is there, and finds what an earlier disk left in it. */
  static async open(root: FileSystemDirectoryHandle, clock: Clock): Promise<GoneFiles> {
    const gone = new GoneFiles(await root.getDirectoryHandle(GONE_FOLDER, { create: true }), clock);
    for await (const name of gone.folder.keys()) {
      const sinceMs = Number(LINGERING_NAME.exec(name)?.groups?.["sinceMs"] ?? Number.NaN);
      if (!Number.isNaN(sinceMs)) gone.#lingering.push({ name, sinceMs });
    }
    gone.#lingering.sort((a, b) => a.sinceMs - b.sinceMs);
    return gone;
  }

  /** The name for a file that goes now. */
  newName(): string {
    const sinceMs = this.#clock.nowMs();
    const name = `${sinceMs} ${crypto.randomUUID()}`;
    this.#lingering.push({ name, sinceMs });
    return name;
  }

  /** The name for a file while another takes its place. */
  static nameWhileReplaced(path: string): string {
    return REPLACED + encodeURIComponent(path);
  }

  /** The files whose replacement was begun and not finished, with the paths that they had. */
  async replaced(): Promise<readonly { readonly path: string; readonly file: OriginFile }[]> {
    const found: { path: string; file: OriginFile }[] = [];
    for await (const [name, handle] of this.folder.entries()) {
      if (handle.kind !== "file" || !name.startsWith(REPLACED)) continue;
      found.push({ path: decodeURIComponent(name.slice(REPLACED.length)), file: handle as OriginFile });
    }
    return found;
  }

  /** Deletes what has lingered for long enough. What cannot be deleted, as when it is open, costs room and is left. */
  async sweep(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    // A clock that was set back must not keep a file for ever.
    const due = this.#lingering.filter(({ sinceMs }) => Math.abs(nowMs - sinceMs) > LINGER_MS);
    for (const entry of due) {
      try {
        await this.folder.removeEntry(entry.name);
      } catch (error) {
        if (errorName(error) !== "NotFoundError") continue; // another time
      }
      this.#lingering.splice(this.#lingering.indexOf(entry), 1);
    }
  }
}

const REPLACED = "replaced ";
const LINGERING_NAME = /^(?<sinceMs>\d+) /;
