import { type ErrorCode, OrthantError } from "@orthant/core";

/** Returns the code of the `OrthantError` that a call throws; rethrows any other error. */
export function codeOf(call: () => unknown): ErrorCode | "no error" {
  try {
    call();
  } catch (error) {
    return codeOfError(error);
  }
  return "no error";
}

/** Like {@link codeOf}, for a promise or for a call that may also throw synchronously. */
export async function codeOfRejection(
  attempt: Promise<unknown> | (() => unknown),
): Promise<ErrorCode | "no error"> {
  try {
    await (typeof attempt === "function" ? attempt() : attempt);
  } catch (error) {
    return codeOfError(error);
  }
  return "no error";
}

function codeOfError(error: unknown): ErrorCode {
  if (error instanceof OrthantError) return error.code;
  throw error;
}
