import { type ErrorCode, OrthantError } from "@orthant/core";

/** The code of the `OrthantError` that a call throws; anything else that it throws is thrown on. */
export function codeOf(call: () => unknown): ErrorCode | "no error" {
  try {
    call();
  } catch (error) {
    return codeOfError(error);
  }
  return "no error";
}

/** The same for what ends in a rejection: a promise, or a call that may also throw before it gives one. */
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
