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
