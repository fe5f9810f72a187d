import { requireObject, requireText, wrongArgument } from "@orthant/core/arguments";

/** Requires options for closing a server. */
export function requireCloseOptions(options: unknown): void {
  requireObject("options", options, "it is { detail?, retryAfterMs? }");
  const { detail, retryAfterMs }: { detail?: unknown; retryAfterMs?: unknown } = options;
  if (detail !== undefined) requireText("detail", detail);
  if (retryAfterMs === undefined) return;
  if (Number.isSafeInteger(retryAfterMs) && (retryAfterMs as number) >= 0) return;
  throw wrongArgument("retryAfterMs", retryAfterMs, "it is a whole number of milliseconds, from 0");
}
