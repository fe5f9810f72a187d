import { OrthantError } from "@orthant/core";

/** Exclusive ownership of a folder among all pages and workers of the origin. */
export interface Claim {
  /** Whether the folder is still ours. */
  readonly isHeld: boolean;
  /** Releases the folder. Releasing twice is harmless. */
  release(): void;
}

/** How long to wait for a page that is closing. Chromium lets a busy worker run for two more seconds. */
const CLAIM_WAIT_MS = 4_000;

/** Claims a folder with Web Locks. Throws `ORT_LOCKED` when another page or worker has it and keeps it. */
export function takeClaim(folder: string): Promise<Claim> {
  return new Promise((resolve, reject) => {
    let isHeld = false;
    const hold = (): Promise<void> =>
      new Promise((letGo) => {
        isHeld = true;
        const release = (): void => {
          isHeld = false;
          letGo();
        };
        resolve({
          get isHeld() {
            return isHeld;
          },
          release,
        });
      });
    navigator.locks
      .request(`orthant disk ${folder}`, { signal: AbortSignal.timeout(CLAIM_WAIT_MS) }, hold)
      .catch((cause: unknown) => {
        // Either it was never ours, or it was stolen after the promise had resolved.
        isHeld = false;
        const detail = "another tab, window or worker of this site has the folder open";
        reject(new OrthantError("ORT_LOCKED", detail, { path: folder, operation: "open" }, { cause }));
      });
  });
}

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
