import { OrthantError } from "@orthant/core";

/** Returns a folder of the site's private files; with `create`, creates it and its parents. */
export async function originFolder(path: string, create: boolean): Promise<FileSystemDirectoryHandle> {
  let folder = await navigator.storage.getDirectory();
  for (const name of path.split("/").filter((part) => part !== "")) {
    folder = await folder.getDirectoryHandle(name, { create });
  }
  return folder;
}

/** Throws `ORT_DISK_DENIED` where a browser does not allow a program to write files. */
export function requireWorker(path: string): void {
  // The types declare it everywhere, but an insecure page or one outside a worker lacks it.
  const storage = navigator.storage as StorageManager | undefined;
  const isSecure = typeof storage?.getDirectory === "function" && navigator.locks !== undefined;
  if (isSecure && "createSyncAccessHandle" in FileSystemFileHandle.prototype) return;
  const detail = isSecure ? "only a dedicated worker can open files" : "only a secure page has files";
  throw new OrthantError("ORT_DISK_DENIED", detail, { path, operation: "open" });
}
