import type { ServerOptions } from "orthant";

/** The server's warnings and errors, as text for the console. Without `hooks` they are lines of JSON. */
export const logger = {
  level: "warn",
  hooks: { streamWrite: textOf },
} satisfies ServerOptions["logger"];

/** Returns the message of a line of the log, with the stack of its error. Control characters could change the console. */
function textOf(line: string): string {
  const { msg, rule, err } = JSON.parse(line);
  const text = [msg, rule, err?.stack].filter(Boolean).join(": ");
  return `${text.replace(/[^\n\P{C}]/gu, "?")}\n`;
}
