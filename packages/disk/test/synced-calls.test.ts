import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../../build/packages/disk/test/synced-calls.js", import.meta.url));
const CALLS = "trace=openat,fsync,fdatasync,pwrite64,rename,renameat,renameat2";
const hasStrace = spawnSync("strace", ["--version"]).status === 0;

describe.runIf(hasStrace)("the system calls of a disk", () => {
  /** Runs the program on this runtime, and returns its calls on files of the folder, in their order. */
  function callsOf(folder: string): readonly string[] {
    const log = join(folder, "calls.txt");
    // Other runtimes than Node and Bun need a word before the script, and permissions.
    const parameters = "Deno" in globalThis ? ["run", "-A", "--no-lock"] : [];
    const disk = join(folder, "disk");
    const traced = [process.execPath, ...parameters, PROGRAM, disk];
    execFileSync("strace", ["-f", "-y", "-e", CALLS, "-o", log, ...traced], { stdio: "ignore" });
    return finishedCalls(readFileSync(log, "utf8")).filter((call) => call.includes(folder));
  }

  test("make content, a durable write and names reach the disk before they return", () => {
    const folder = mkdtempSync(join(tmpdir(), "orthant-calls-"));
    try {
      const calls = callsOf(folder);
      const kinds = calls.map(kindOf).filter((kind) => kind !== "");
      expect(kinds).toEqual([
        "sync of the parent", // of the new folder
        "write",
        "sync of the file",
        "durable write",
        "rename",
        "sync of the folder",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Joins calls that strace split because another thread made one in between. */
function finishedCalls(log: string): readonly string[] {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of log.split("\n")) {
    const [thread = "", ...rest] = line.split(/ +/);
    const call = rest.join(" ");
    if (call.endsWith("<unfinished ...>")) begun.set(thread, call);
    else calls.push(call.startsWith("<...") ? (begun.get(thread) ?? "") + call : call);
  }
  return calls;
}

/** File descriptors that write durably, by their number: strace shows the name of a file, not how it was opened. */
const durable = new Set<string>();

function kindOf(call: string): string {
  const opened = /^openat\(.*O_DSYNC.*= (?<descriptor>\d+)/.exec(call)?.groups?.["descriptor"];
  if (opened !== undefined) durable.add(opened);
  const written = /^pwrite64\((?<descriptor>\d+)</.exec(call)?.groups?.["descriptor"];
  if (written !== undefined) return durable.has(written) ? "durable write" : "write";
  if (/^rename/.test(call)) return "rename";
  const synced = /^(?:fsync|fdatasync)\(\d+<(?<path>[^>]*)>/.exec(call)?.groups?.["path"];
  if (synced === undefined) return "";
  if (synced.endsWith("/page")) return "sync of the file";
  return synced.endsWith("/disk") ? "sync of the folder" : "sync of the parent";
}
