// Node has the first, every platform the second; ES2022's own library declares neither.
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare function setTimeout(callback: () => void, delayMs: number): unknown;

/** Resolves in a later turn of the event loop, so that all who wait for time or for bytes come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
