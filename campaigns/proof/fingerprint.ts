import { hash } from "node:crypto";

/** A short text that is equal for equal values: what a check expects of a disk, for `explorePowerCuts`. */
export function fingerprintOf(...expected: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(expected), "base64url");
}
