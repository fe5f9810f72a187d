import { type FileHandle, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

/** How many bytes one commit puts where. */
export interface CommitBytes {
  readonly record: number;
  readonly files: readonly { readonly folder: string; readonly bytes: number }[];
  readonly manifest: number;
}

/** The same writes, syncs, renames and removals as a commit makes, and nothing else. */
export class BareCommits {
  readonly #root: string;
  readonly #pack: FileHandle;
  #count = 0;

  private constructor(root: string, pack: FileHandle) {
    this.#root = root;
    this.#pack = pack;
  }

  /** Begins in a folder that has the folders of a save. */
  static async in(root: string): Promise<BareCommits> {
    return new BareCommits(root, await open(join(root, "data", "pack"), "a"));
  }

  async commit({ record, files, manifest }: CommitBytes): Promise<void> {
    const number = ++this.#count;
    await this.#pack.write(new Uint8Array(record));
    await this.#pack.datasync();
    const names = files.map(({ folder }, index) => join(this.#root, folder, `file-${index}`));
    for (const [index, { bytes }] of files.entries())
      await writeSynced(`${names[index]}.${number}.tmp`, bytes);
    for (const name of names) await rename(`${name}.${number}.tmp`, `${name}.${number}`);
    await syncFolder(join(this.#root, "index"));
    await syncFolder(this.#root);
    await writeSynced(join(this.#root, "manifest.tmp"), manifest);
    await rename(join(this.#root, "manifest.tmp"), join(this.#root, "manifest"));
    await syncFolder(this.#root);
    await readdir(this.#root);
    await readdir(join(this.#root, "index"));
    if (number > 2) for (const name of names) await unlink(`${name}.${number - 2}`);
  }

  async close(): Promise<void> {
    await this.#pack.close();
  }
}

/** What the newest commit of a save has written, given the size of its pack before. */
export async function measureCommit(
  root: string,
  generation: number,
  packBefore: number,
): Promise<CommitBytes> {
  const suffix = `g${String(generation).padStart(16, "0")}`;
  const sizeOf = async (...path: string[]): Promise<number> => (await stat(join(root, ...path))).size;
  return {
    record: (await packBytes(root)) - packBefore,
    files: [
      { folder: "index", bytes: await sizeOf("index", `ix-main.${suffix}.v4ix`) },
      { folder: "", bytes: await sizeOf(`global.${suffix}.v4g`) },
      { folder: "", bytes: await sizeOf(`players.${suffix}.v4p`) },
    ],
    manifest: await sizeOf("manifest.json"),
  };
}

/** Bytes in all packs of a save. */
export async function packBytes(root: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(join(root, "data"))) bytes += (await stat(join(root, "data", name))).size;
  return bytes;
}

async function writeSynced(path: string, bytes: number): Promise<void> {
  const file = await open(path, "wx");
  await file.write(new Uint8Array(bytes));
  await file.datasync();
  await file.close();
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync();
  await folder.close();
}
