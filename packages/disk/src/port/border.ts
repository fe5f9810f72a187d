import { type ErrorCode, isOrthantError, OrthantError } from "@orthant/core";

/** Runs one call into a platform and turns what it throws into an `OrthantError` that names path and operation. */
export type Border = <Result>(
  operation: string,
  path: string,
  call: () => Promise<Result>,
) => Promise<Result>;

/** The border to a platform whose errors have these codes; `ORT_DISK_IO` where `codeOf` gives none. */
export function borderTo(codeOf: (error: unknown) => ErrorCode | undefined): Border {
  return async (operation, path, call) => {
    try {
      return await call();
    } catch (error) {
      if (isOrthantError(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const code = codeOf(error) ?? "ORT_DISK_IO";
      throw new OrthantError(code, `${operation}: ${reason}`, { path, operation }, { cause: error });
    }
  };
}
