/** An open file in a worker. TypeScript's library declares it for workers only. */
export interface AccessHandle {
  getSize(): number;
  read(into: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

/** A file of the origin, with methods that browsers have but TypeScript's library lacks. */
export interface OriginFile extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<AccessHandle>;
  /** Moves the file to another folder and name. The browser refuses while either file is open. */
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
}

/** A worker that just ended may release its files after its claim: browsers guarantee no order. */
const BUSY_MS = 1_000;
const ASK_AGAIN_MS = 20;

/** Makes a call, and retries for a moment while the file is open elsewhere. */
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

/** Returns the name of a browser error, such as `NotFoundError`; the empty string for any other value. */
export function errorName(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : "";
}
