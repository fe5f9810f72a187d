/** A promise with functions to settle it. It may remain without a handler. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | Promise<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns a promise for other code to settle. */
export function deferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>["resolve"] = () => undefined;
  let reject: Deferred<Value>["reject"] = () => undefined;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  // A caller that awaits it still sees the error; without one, it must not crash the program.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Reports a listener's error as an unhandled rejection, so that it stops nothing in the client. */
export function reportUnhandled(error: unknown): void {
  Promise.reject(error);
}
