import { systemTime } from "@orthant/core";
import type { TextSink } from "./environment.ts";
import { run } from "./program.ts";
import { EXIT } from "./usage.ts";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A terminal and npx or timeout may both forward one signal; a person takes longer to send a second. */
const SAME_SIGNAL_MS = 500;

const stop = new AbortController();
let endedBy: NodeJS.Signals | undefined;
let endedMs = 0;

// The reader of a pipe, such as head, may have stopped reading.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  stop.abort(error);
  if (error.code === "EPIPE") return;
  // Nothing more can be printed there; changes to a world are already complete.
  process.stderr.write(`orthant: what it prints cannot be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

const exitCode = await run(process.argv.slice(2), {
  output: sinkOf(process.stdout),
  errors: sinkOf(process.stderr),
  variables: process.env,
  time: systemTime,
  signal: stop.signal,
  takeSignals,
});

process.exitCode = exitCode;
// A shell stops a list of commands only if the interrupted one dies of the signal.
if (endedBy !== undefined && exitCode !== 0) dieOf(endedBy);

/** A command that only reads never calls this: it ends at the first signal, even while waiting for a disk. */
function takeSignals(): void {
  if (process.listenerCount("SIGTERM") > 0) return;
  for (const signal of ENDING_SIGNALS) process.on(signal, () => endBy(signal));
}

function endBy(signal: NodeJS.Signals): void {
  if (endedBy !== undefined) {
    // A second signal means that the user does not want to wait for the clean-up.
    if (performance.now() - endedMs >= SAME_SIGNAL_MS) dieOf(signal);
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
