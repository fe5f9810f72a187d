/** A file that is open in a worker. TypeScript's library has it for workers alone. */
export interface AccessHandle {
  getSize(): number;
  read(into: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

/** A file of the origin's, with what browsers have and TypeScript's library does not. */
export interface OriginFile extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<AccessHandle>;
  /** Gives the file another name and folder. The browser refuses it while the file, or the one there, is open. */
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
}

/** A worker that just ended may let go of its files a little later than of its claim: a browser promises no order. */
const BUSY_MS = 1_000;
const ASK_AGAIN_MS = 20;

/** Calls, and calls again for a moment while the file is open elsewhere. */
export async function patiently<Result>(call: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (errorName(error) !== "NoModificationAllowedError" || performance.now() > endMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

/** The name of an error of the browser, such as `NotFoundError`; the empty string for any other value. */
export function errorName(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : "";
}
