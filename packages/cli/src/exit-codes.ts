/** What the exit code of a command says. */
export const EXIT = {
  /** All is well. */
  ok: 0,
  /** It failed, or there is damage. */
  failed: 1,
  /** It was asked for in a way that it does not understand. */
  usage: 2,
  /** It finished, and something was lost on the way. */
  loss: 3,
} as const;

/** One of the four. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
