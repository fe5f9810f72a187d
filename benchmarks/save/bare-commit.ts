import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";

const TEMPORARY = ".tmp";

/** A disk that records its calls. */
export class RecordingDisk extends GatedDisk {
  #calls: DiskCall[] = [];

  constructor(disk: Disk) {
    super(disk, (call, happen) => {
      this.#calls.push(call);
      return happen();
    });
  }

  /** Returns the calls since the last time, in order. */
  takeCalls(): readonly DiskCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }
}

/** Repeats only the writes, syncs, renames and removals of a commit, in a separate folder. */
export class BareCommits {
  readonly #root: string;
  readonly #files = new Map<string, FileHandle>();

  private constructor(root: string) {
    this.#root = root;
  }

  /** Starts in a new folder with these subfolders. */
  static async in(root: string, folders: readonly string[]): Promise<BareCommits> {
    for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
    return new BareCommits(root);
  }

  /** Repeats calls in their order, except that temporary files are written and synced at once, as a commit does. */
  async repeat(calls: readonly DiskCall[]): Promise<void> {
    let files = new Map<string, DiskCall[]>();
    const writeFiles = async (): Promise<void> => {
      const writing = [...files.values()];
      files = new Map();
      await Promise.all(
        writing.map(async (ofFile) => {
          for (const call of ofFile) await this.#repeat(call);
        }),
      );
    };
    for (const call of calls) {
      if (call.path.endsWith(TEMPORARY) && call.operation !== "rename") {
        files.set(call.path, [...(files.get(call.path) ?? []), call]);
      } else {
        await writeFiles();
        await this.#repeat(call);
      }
    }
    await writeFiles();
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.close();
  }

  async #repeat({ operation, path, bytes }: DiskCall): Promise<void> {
    const absolute = join(this.#root, path);
    if (operation === "append") await (await this.#file(absolute)).write(new Uint8Array(bytes));
    if (operation === "sync") await (await this.#file(absolute)).datasync();
    if (operation === "close") await this.#close(absolute);
    if (operation === "rename") await rename(absolute, absolute.slice(0, -TEMPORARY.length));
    if (operation === "syncDirectory") await syncFolder(absolute);
    // Removing a file that is not there costs no removal.
    if (operation === "remove" && !path.endsWith(TEMPORARY)) await rm(absolute, { force: true });
  }

  async #file(path: string): Promise<FileHandle> {
    const file = this.#files.get(path) ?? (await open(path, "a"));
    this.#files.set(path, file);
    return file;
  }

  async #close(path: string): Promise<void> {
    await this.#files.get(path)?.close();
    this.#files.delete(path);
  }
}

/** Returns the bytes that a commit wrote into files outside this folder. */
export function bytesBeside(folder: string, calls: readonly DiskCall[]): number {
  return calls
    .filter(({ operation, path }) => operation === "append" && dirname(path) !== folder)
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync();
  await folder.close();
}
