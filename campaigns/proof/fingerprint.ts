import { hash } from "node:crypto";

/** Returns a short text that is equal for equal expectations of a disk, for `explorePowerCuts`. */
export function fingerprintOf(...expected: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(expected), "base64url");
}
