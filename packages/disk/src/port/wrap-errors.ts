import { type ErrorCode, isOrthantError, OrthantError } from "@orthant/core";

/** Runs one call into a platform and turns its errors into `OrthantError`s that name path and operation. */
export type ErrorWrapper = <Result>(
  operation: string,
  path: string,
  call: () => Promise<Result>,
) => Promise<Result>;

/** Returns a wrapper for calls into a platform. Errors without a code become `ORT_DISK_IO`. */
export function errorWrapper(codeOf: (error: unknown) => ErrorCode | undefined): ErrorWrapper {
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
