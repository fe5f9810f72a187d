import { type ErrorCode, OrthantError } from "@orthant/core";

/** The code of the `OrthantError` that a call throws or ends in; anything else that it throws is thrown on. */
export async function codeOf(call: () => unknown): Promise<ErrorCode | "no error"> {
  try {
    await call();
  } catch (error) {
    if (error instanceof OrthantError) return error.code;
    throw error;
  }
  return "no error";
}
