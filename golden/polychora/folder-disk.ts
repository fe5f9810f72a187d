import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryDisk } from "@orthant/disk";

/** Copies a folder into memory, so that golden files cannot be changed by mistake. */
export async function copyFolderToMemory(folder: string): Promise<MemoryDisk> {
  const directories: string[] = [];
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll("\\", "/");
    if (entry.isDirectory()) directories.push(path);
    else files.set(path, new Uint8Array(await readFile(join(folder, path))));
  }
  return new MemoryDisk({ directories, files });
}
