import { isOrthantError, type OrthantError } from "@orthant/core";

/** Returns the result of a call, or the `OrthantError` it throws. */
export async function attempt<Value>(
  call: () => Promise<Value>,
): Promise<readonly [Value, undefined] | readonly [undefined, OrthantError]> {
  try {
    return [await call(), undefined];
  } catch (error) {
    if (isOrthantError(error)) return [undefined, error];
    throw error;
  }
}
