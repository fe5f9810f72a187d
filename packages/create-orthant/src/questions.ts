import { createInterface } from "node:readline";

/** Asks a question. Returns the answer, or the usual one for an empty line. */
export type Ask = (question: string, usual: string) => Promise<string>;

/** Calls `work` with a function that asks on the terminal. Throws when the user ends it instead of answering. */
export async function withQuestions<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const lines = terminal[Symbol.asyncIterator]();
  try {
    return await work(async (question, usual) => {
      terminal.setPrompt(`${question} (${usual}): `);
      terminal.prompt();
      const { value, done } = await lines.next();
      if (done === true) throw new Error("stopped; nothing was made");
      return value.trim() || usual;
    });
  } finally {
    terminal.close();
  }
}
