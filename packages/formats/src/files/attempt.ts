import { isOrthantError, type OrthantError } from "@orthant/core";

/** What an attempt gives, or the `OrthantError` that it ends in. */
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
