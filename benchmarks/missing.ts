import { canOpenBrowser } from "@orthant/testkit/browser";

/** Thrown by a suite that needs a program or files that this machine lacks. The message says what to do. */
export class MissingError extends Error {
  override readonly name = "MissingError";
}

/** Throws without a browser. */
export function requireBrowser(): void {
  if (!canOpenBrowser()) throw new MissingError("no Chromium here; install Debian's package chromium");
}

/** Calls `find` and returns its result. What it throws becomes a {@link MissingError}. */
export function required<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new MissingError(reason, { cause });
  }
}
