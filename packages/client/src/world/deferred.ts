/** A promise, and the two ways to settle it. Nobody needs to listen to it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | Promise<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/** A promise that somebody else will settle. */
export function deferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>["resolve"] = () => undefined;
  let reject: Deferred<Value>["reject"] = () => undefined;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  // Who awaits it is told all the same; who does not must not be brought down by it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
