import { type ErrorCode, OrthantError } from "@orthant/core";

/** The code of the `OrthantError` that a call throws; anything else that it throws is thrown on. */
export function codeOf(call: () => unknown): ErrorCode | "no error" {
  try {
    call();
  } catch (error) {
    if (error instanceof OrthantError) return error.code;
    throw error;
  }
  return "no error";
}
