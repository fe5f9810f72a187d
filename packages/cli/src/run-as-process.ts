import { systemTime } from "@orthant/core";
import type { CommandEnvironment, TextSink } from "./command/environment.ts";
import { EXIT, type ExitCode } from "./command/usage.ts";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A terminal and npx or timeout may both forward one signal; a person takes longer to send a second. */
const SAME_SIGNAL_MS = 500;

/** Runs `work` in the environment of this process, and sets the process's exit code to the result. */
export async function runAsProcess(
  work: (environment: CommandEnvironment) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stop = new AbortController();
  let endedBy: NodeJS.Signals | undefined;
  let endedMs = 0;
  const endBy = (signal: NodeJS.Signals): void => {
    if (endedBy !== undefined) {
      // A second signal means that the user does not want to wait for the clean-up.
      if (performance.now() - endedMs >= SAME_SIGNAL_MS) dieOf(signal);
      return;
    }
    endedBy = signal;
    endedMs = performance.now();
    stop.abort(new Error("interrupted"));
  };
  // The reader of a pipe, such as head, may have stopped reading.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    stop.abort(error);
    if (error.code === "EPIPE") return;
    // Nothing more can be printed there; changes to a world are already complete.
    process.stderr.write(`orthant: what it prints cannot be written: ${error.message}\n`);
    process.exit(EXIT.failed);
  });
  const exitCode = await work({
    output: sinkOf(process.stdout),
    errors: sinkOf(process.stderr),
    variables: process.env,
    time: systemTime,
    signal: stop.signal,
    /** A command that only reads never calls this: it ends at the first signal, even while waiting for a disk. */
    takeSignals() {
      if (process.listenerCount("SIGTERM") > 0) return;
      for (const signal of ENDING_SIGNALS) process.on(signal, () => endBy(signal));
    },
  });
  process.exitCode = exitCode;
  // A shell stops a list of commands only if the interrupted one dies of the signal.
  if (endedBy !== undefined && exitCode !== EXIT.ok) dieOf(endedBy);
  return exitCode;
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
