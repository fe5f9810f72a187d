import { OrthantError } from "@orthant/core";

/** A folder that is ours alone, among all pages and workers of the origin. */
export interface Claim {
  /** Whether it still is. */
  readonly isHeld: boolean;
  /** Gives it back. Releasing twice is harmless. */
  release(): void;
}

/** How long to wait for a page that is just going away. Chromium lets a worker that is busy go on for two seconds. */
const CLAIM_WAIT_MS = 4_000;

/** Takes a folder by means of the Web Locks; `ORT_LOCKED` when another page or worker has it, and keeps it. */
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
        // Either it was never ours, or somebody stole it; then there is nobody left to reject.
        isHeld = false;
        const detail = "another tab, window or worker of this site has the folder open";
        reject(new OrthantError("ORT_LOCKED", detail, { path: folder, operation: "open" }, { cause }));
      });
  });
}
