import { OrthantError } from "@orthant/core";

/** A folder of the site's own files; made with its parents when `create` says so. */
export async function originFolder(path: string, create: boolean): Promise<FileSystemDirectoryHandle> {
  let folder = await navigator.storage.getDirectory();
  for (const name of path.split("/").filter((part) => part !== "")) {
    folder = await folder.getDirectoryHandle(name, { create });
  }
  return folder;
}

/** Throws `ORT_DISK_DENIED` where a browser does not let a program write to files. */
export function requireWorker(path: string): void {
  // The types have it all; a page that is not secure, or is no worker, does not.
  const storage = navigator.storage as StorageManager | undefined;
  const isSecure = typeof storage?.getDirectory === "function" && navigator.locks !== undefined;
  if (isSecure && "createSyncAccessHandle" in FileSystemFileHandle.prototype) return;
  const detail = isSecure ? "only a dedicated worker can open files" : "only a secure page has files";
  throw new OrthantError("ORT_DISK_DENIED", detail, { path, operation: "open" });
}
