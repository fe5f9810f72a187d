import type { TimeSource } from "@orthant/core";
import { errorName, type OriginFile } from "./access-handle.ts";

/** Folder for files that have lost their names, inside the folder of a disk. */
export const GONE_FOLDER = ".gone";

/** Longer than a system delays writing data to its drive: at most 30 seconds, on Linux. */
const LINGER_MS = 60_000;

/**
 * The files that were removed or replaced. They are kept for a minute: a browser deletes a file at once but
 * writes its names later, so after a power cut the old name may be back and must still refer to a valid file.
 */
export class GoneFiles {
  readonly folder: FileSystemDirectoryHandle;
  readonly #time: TimeSource;
  /** Files to delete, oldest first, and when they lost their names. */
  readonly #lingering: { readonly name: string; readonly sinceMs: number }[] = [];

  private constructor(folder: FileSystemDirectoryHandle, time: TimeSource) {
    this.folder = folder;
    this.#time = time;
  }

  /** Opens the folder, creating it if needed, and finds what an earlier session left in it. */
  static async open(root: FileSystemDirectoryHandle, time: TimeSource): Promise<GoneFiles> {
    const gone = new GoneFiles(await root.getDirectoryHandle(GONE_FOLDER, { create: true }), time);
    for await (const name of gone.folder.keys()) {
      const sinceMs = Number(LINGERING_NAME.exec(name)?.groups?.["sinceMs"] ?? Number.NaN);
      if (!Number.isNaN(sinceMs)) gone.#lingering.push({ name, sinceMs });
    }
    gone.#lingering.sort((a, b) => a.sinceMs - b.sinceMs);
    return gone;
  }

  /** Returns the name for a file that is removed now. */
  newName(): string {
    const sinceMs = this.#time.nowMs();
    const name = `${sinceMs} ${crypto.randomUUID()}`;
    this.#lingering.push({ name, sinceMs });
    return name;
  }

  /** Returns the name for a file while another replaces it. */
  static nameWhileReplaced(path: string): string {
    return REPLACED + encodeURIComponent(path);
  }

  /** Returns the files whose replacement was begun but not finished, with their original paths. */
  async replaced(): Promise<readonly { readonly path: string; readonly file: OriginFile }[]> {
    const found: { path: string; file: OriginFile }[] = [];
    for await (const [name, handle] of this.folder.entries()) {
      if (handle.kind !== "file" || !name.startsWith(REPLACED)) continue;
      found.push({ path: decodeURIComponent(name.slice(REPLACED.length)), file: handle as OriginFile });
    }
    return found;
  }

  /**
   * Deletes files that were kept long enough. A file that cannot be deleted, for example because it is open,
   * stays and takes up space.
   */
  async sweep(): Promise<void> {
    const nowMs = this.#time.nowMs();
    // A clock that was set back must not keep a file forever.
    const due = this.#lingering.filter(({ sinceMs }) => Math.abs(nowMs - sinceMs) > LINGER_MS);
    for (const entry of due) {
      try {
        await this.folder.removeEntry(entry.name);
      } catch (error) {
        if (errorName(error) !== "NotFoundError") continue; // retried later
      }
      this.#lingering.splice(this.#lingering.indexOf(entry), 1);
    }
  }
}

const REPLACED = "replaced ";
const LINGERING_NAME = /^(?<sinceMs>\d+) /;
