import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll } from "vitest";

// Fails a test file that loses a file handle without closing it. Node closes one when its memory is collected, which is
// at some moment or never, and warns. Here memory is collected at the end of each file that has opened any.

const LOST = /^Closing file descriptor (\d+) on garbage collection/;

/** Where each file descriptor was opened last. */
const places = new Map<number, string>();
const lost: string[] = [];

/** Bun and Deno neither warn nor let a program collect its memory in this way. */
const isNode = process.versions["bun"] === undefined && !("Deno" in globalThis);
if (isNode) watchFiles();

function watchFiles(): void {
  const { open } = promises;
  promises.open = async (...parameters) => {
    const { stack = "" } = new Error(`opened ${parameters[0].toString()}`);
    const handle = await open(...parameters);
    places.set(handle.fd, stack);
    return handle;
  };
  syncBuiltinESMExports();
  const onWarning = ({ message }: Error): void => {
    const descriptor = LOST.exec(message)?.[1];
    if (descriptor !== undefined) lost.push(`${message}\n${places.get(Number(descriptor)) ?? ""}`);
  };
  process.on("warning", onWarning);
  afterAll(async () => {
    if (places.size > 0) await collectGarbage();
    process.off("warning", onWarning);
    promises.open = open;
    syncBuiltinESMExports();
    if (lost.length > 0) throw new Error(`a file handle was lost without being closed:\n${lost.join("\n")}`);
  });
}

/** Collects memory a few times: handles are closed, and warnings sent, in later turns of the loop. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round++) {
    collect();
    await turn();
  }
}
