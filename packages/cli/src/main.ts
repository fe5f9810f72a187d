import { systemClock } from "@orthant/core";
import { EXIT } from "./exit-codes.ts";
import { run } from "./program.ts";
import type { TextSink } from "./surroundings.ts";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A terminal and a program such as npx or timeout may both pass on one wish; a person needs longer for a second. */
const SAME_WISH_MS = 500;

const stop = new AbortController();
let endedBy: NodeJS.Signals | undefined;
let endedMs = 0;

// The reader of a pipe, such as head, may have seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  stop.abort(error);
  if (error.code === "EPIPE") return;
  // Nothing more can be said there; what was done to a world is done.
  process.stderr.write(`orthant: what it prints cannot be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

const exitCode = await run(process.argv.slice(2), {
  output: sinkOf(process.stdout),
  errors: sinkOf(process.stderr),
  environment: process.env,
  clock: systemClock,
  signal: stop.signal,
  takeSignals,
});

process.exitCode = exitCode;
// A shell that runs a list of commands stops it only if the one that was interrupted says so.
if (endedBy !== undefined && exitCode !== 0) dieOf(endedBy);

/** A command that only reads never calls this: it ends at the first signal, also while it waits for a disk. */
function takeSignals(): void {
  if (process.listenerCount("SIGTERM") > 0) return;
  for (const signal of ENDING_SIGNALS) process.on(signal, () => endBy(signal));
}

function endBy(signal: NodeJS.Signals): void {
  if (endedBy !== undefined) {
    // A second signal means that the user does not want to wait until all is tidied up.
    if (performance.now() - endedMs >= SAME_WISH_MS) dieOf(signal);
    return;
  }
  endedBy = signal;
  endedMs = performance.now();
  stop.abort(new Error("interrupted"));
}

function dieOf(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function sinkOf(stream: NodeJS.WriteStream): TextSink {
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
  };
}
