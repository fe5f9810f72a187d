/** An invalid command line. The message is for people. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
