import { OrthantError } from "@orthant/core";

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there already",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no machine of that name",
  EAI_AGAIN: "there is no machine of that name",
  EACCES: "this user may not; ports below 1024 often belong to the system",
};

/** Returns the error of a server that cannot listen at an address, with the reason. */
export function listenError(place: string, cause: unknown): OrthantError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new OrthantError(
    "ORT_LISTEN",
    `cannot listen at ${place}: ${why}`,
    { operation: "listen" },
    { cause },
  );
}
