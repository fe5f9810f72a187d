import { isOrthantError } from "orthant";

/** Ends the program with one line about what its user can change, or with the stack of any other error. */
export function endWith(error: unknown): never {
  const isForUser = isOrthantError(error, "ORT_LISTEN") || isOrthantError(error, "ORT_LOCKED");
  console.error(isForUser ? error.message : error);
  process.exit(1);
}
