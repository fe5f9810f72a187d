/** Exit codes of commands. */
export const EXIT = {
  /** Success. */
  ok: 0,
  /** The command failed, or the world is damaged. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The command finished, but something was lost. */
  loss: 3,
} as const;

/** One of the four exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An invalid command line. The message is for people. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
