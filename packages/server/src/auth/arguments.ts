import { U64_MAX } from "@orthant/core/bytes";
import { requireObject, wrongArgument } from "@orthant/core/engine";

// Checks of arguments that may come from a JavaScript program. Each throws `ORT_ARGUMENT` with the argument's name,
// its value and what would be right.

/** Requires the id of a player. */
export function requirePlayerId(name: string, value: unknown): asserts value is bigint {
  if (typeof value === "bigint" && value >= 0n && value <= U64_MAX) return;
  const advice = Number.isSafeInteger(value) && (value as number) >= 0 ? `: write ${value}n` : "";
  throw wrongArgument(name, value, `it must be a bigint from 0n to 2n ** 64n - 1n${advice}`);
}

/** Requires a text, which may be empty. */
export function requireAnyText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw wrongArgument(name, value, "it must be text");
}

/** Requires options for closing a server. */
export function requireCloseOptions(options: unknown): void {
  requireObject("options", options, "it is { detail?, retryAfterMs? }");
  const { detail, retryAfterMs }: { detail?: unknown; retryAfterMs?: unknown } = options;
  if (detail !== undefined) requireAnyText("detail", detail);
  if (retryAfterMs === undefined) return;
  if (Number.isSafeInteger(retryAfterMs) && (retryAfterMs as number) >= 0) return;
  throw wrongArgument("retryAfterMs", retryAfterMs, "it must be a whole number of milliseconds, from 0");
}
