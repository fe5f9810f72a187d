/** A command was asked for in a way that it does not understand. The message is for people. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
