import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";

const TEMPORARY = ".tmp";

/** A disk that remembers what was asked of it. */
export class RecordingDisk extends GatedDisk {
  #calls: DiskCall[] = [];

  constructor(disk: Disk) {
    super(disk, (call, happen) => {
      this.#calls.push(call);
      return happen();
    });
  }

  /** What was asked since the last time, in order. */
  takeCalls(): readonly DiskCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }
}

/** Makes the same writes, syncs, renames and removals as a commit did, in a folder of its own, and nothing else. */
export class BareCommits {
  readonly #root: string;
  readonly #files = new Map<string, FileHandle>();

  private constructor(root: string) {
    this.#root = root;
  }

  /** Begins in a new folder with these folders in it. */
  static async in(root: string, folders: readonly string[]): Promise<BareCommits> {
    for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
    return new BareCommits(root);
  }

  async repeat(calls: readonly DiskCall[]): Promise<void> {
    for (const call of calls) await this.#repeat(call);
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
    // What is removed to make sure that it is not there takes no removal.
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

/** How many bytes a commit wrote into files that are not in this folder. */
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
