import { OrthantError, printable } from "@orthant/core";
import type { Goodbye } from "@orthant/protocol";

/** Returns the error for a goodbye after which retrying is pointless, or `undefined` if it may help. */
export function finalError({ reason, detail, retryAfterMs }: Goodbye): OrthantError | undefined {
  const told = detail === "" ? "" : ` (${printable(detail)})`;
  switch (reason) {
    case "version":
      return new OrthantError(
        "ORT_VERSION",
        `the server speaks another version of the protocol: update this program or the server${told}`,
      );
    case "features":
      return new OrthantError(
        "ORT_VERSION",
        `the server lacks a feature that this program needs, or the other way round: update the older one${told}`,
      );
    case "replaced":
      return new OrthantError(
        "ORT_CLOSED",
        `this client joined again elsewhere: use one connection for each client id${told}`,
      );
    case "kicked":
      return new OrthantError("ORT_CLOSED", `the server sent this player away${told}`);
    default:
      if (retryAfterMs !== undefined) return undefined;
      return new OrthantError("ORT_CLOSED", `the server ended the connection for good: ${reason}${told}`);
  }
}

/** Returns the error for a server fault that will persist, or `undefined` if it may be gone next time. */
export function finalFault(fault: OrthantError): OrthantError | undefined {
  if (fault.code !== "ORT_VERSION") return undefined;
  return new OrthantError("ORT_VERSION", `${fault.detail}: update this program or the server`);
}

/** Returns the error for a refused token when there is no other one to try. */
export function refusedToken(detail: string): OrthantError {
  const told = detail === "" ? "" : ` (${printable(detail)})`;
  return new OrthantError("ORT_CREDENTIALS", `the server refuses the token: connect with a fresh one${told}`);
}
