import { execFileSync, spawn } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { orthantCommand } from "@orthant/testkit/process";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const ORTHANT = orthantCommand();
/** A thread in openat(2), by the system call's number; no other open takes long. */
const OPENING = /^(?:257|56) /;
/** Far longer than any command needs to end, and shorter than the test timeout. */
const PATIENCE_MS = 20_000;

/** Starts a command, sends it one signal once `isReady`, and returns the signal that it died of. */
async function interrupted(
  argv: readonly string[],
  signal: NodeJS.Signals,
  isReady: (pid: number) => Promise<boolean>,
): Promise<string | null> {
  const child = spawn(process.execPath, [ORTHANT, ...argv], {
    stdio: "ignore",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<string | null>((resolve) => child.once("close", (_code, by) => resolve(by)));
  while (child.exitCode === null && child.signalCode === null && !(await isReady(child.pid ?? 0))) await null;
  child.kill(signal);
  return ended;
}

/** Whether a process waits for the other end of a pipe: one of its threads is in the call that opens it. */
async function waitsForPipe(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    const call = await readFile(`/proc/${pid}/task/${thread}/syscall`, "utf8").catch(() => "");
    if (OPENING.test(call)) return true;
  }
  return false;
}

describe.runIf(process.platform === "linux")("a command that receives one signal", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "ends by %s at once while it waits for a file that never comes",
    async (signal) => {
      const folder = await temporaryFolder();
      const pipe = join(folder, "secret");
      execFileSync("mkfifo", [pipe]);
      const ended = await interrupted(["token", "--secret-file", pipe], signal, waitsForPipe);
      expect(ended).toBe(signal);
    },
  );

  test("ends before it has read the secret for a server, and leaves no lock", async () => {
    const folder = await makeSampleWorld();
    const pipe = join(folder, "..", "secret");
    execFileSync("mkfifo", [pipe]);
    const argv = ["serve", folder, "--port", "0", "--secret-file", pipe];
    expect(await interrupted(argv, "SIGTERM", waitsForPipe)).toBe("SIGTERM");
    expect((await readdir(folder)).filter((name) => name.includes("lock"))).toEqual([]);
  });

  test("ends between two steps of writing, and the source world is intact", async () => {
    const folder = await makeSampleWorld();
    const target = `${folder}-copy`;
    const isWriting = async (): Promise<boolean> => {
      const names = await readdir(join(folder, ".."));
      return names.some((name) => name.includes("unfinished") || name === "hills-copy");
    };
    // It may have finished before the signal came.
    expect(["SIGTERM", null]).toContain(await interrupted(["backup", folder, target], "SIGTERM", isWriting));
    expect((await readdir(join(folder, ".."))).filter((name) => name.includes("unfinished"))).toEqual([]);
    expect((await capture(["verify", folder])).exitCode).toBe(0);
  });
});

describe.runIf(process.platform === "linux")("a save with a named pipe in place of a pack", () => {
  test.each(["verify", "info"])("ends %s with exit code 1 and the name of the pipe", async (command) => {
    const folder = await makeSampleWorld();
    const pack = join(folder, "data", "dt-000001.v4dt");
    await rm(pack);
    execFileSync("mkfifo", [pack]);
    const { exitCode, output, errors } = await capture([command, folder]);
    expect([exitCode, `${output}${errors}`]).toEqual([1, expect.stringContaining("dt-000001.v4dt")]);
  });
});

describe("a command", () => {
  test.each<[name: string, words: readonly string[]]>([
    ["info", []],
    ["ls", []],
    ["get", ["0,100,0,0"]],
    ["verify", []],
    ["diff", ["WORLD"]],
    ["log", []],
    ["repair", []],
    ["convert", ["NEW", "--to", "marsminer", "--dry-run"]],
    ["backup", ["NEW", "--dry-run"]],
    ["restore", ["--box", "0,0,0..1,1,1", "--from", "1", "--dry-run"]],
  ])("%s %j only reads, and leaves signals to the system", async (name, words) => {
    expect(await takesSignals(name, words)).toBe(false);
  });

  test.each<[name: string, words: readonly string[]]>([
    ["map", ["--output", "NEW", "--box", "0,100,0..4,104,4"]],
    ["repair", ["--to", "NEW"]],
    ["convert", ["NEW", "--to", "marsminer", "--accept-loss"]],
    ["backup", ["NEW"]],
    ["tag", ["opening-day"]],
    ["compact", []],
    ["restore", ["--box", "0,0,0..1,1,1", "--from", "1"]],
  ])("%s %j writes, and ends by itself when a signal comes", async (name, words) => {
    expect(await takesSignals(name, words)).toBe(true);
  });
});

/** Whether a successful command handles signals itself. */
async function takesSignals(name: string, words: readonly string[]): Promise<boolean> {
  const folder = await makeSampleWorld();
  const named = words.map((word) => (word === "WORLD" ? folder : word === "NEW" ? `${folder}-new` : word));
  let isTaken = false;
  const { exitCode, errors } = await capture([name, folder, ...named], {
    takeSignals: () => {
      isTaken = true;
    },
  });
  expect([0, 3], errors).toContain(exitCode);
  return isTaken;
}
