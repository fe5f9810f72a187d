// Node has the first, every platform the second; ES2022's library declares neither.
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare function setTimeout(callback: () => void, delayMs: number): unknown;

/** Resolves in a later turn of the event loop, so that pending timers and I/O come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
