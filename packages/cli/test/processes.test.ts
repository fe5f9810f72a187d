import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { NodeDisk } from "@orthant/disk/node";
import { orthantCommand } from "@orthant/testkit/process";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld, NEWEST_TWO } from "./sample-world.ts";

const ORTHANT = orthantCommand();

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the program as a user does. Calls `onLine` with each printed line. */
function start(
  argv: readonly string[],
  onLine: (line: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [ORTHANT, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  createInterface(child.stdout).on("line", (line) => {
    output += `${line}\n`;
    onLine(line, (signal) => child.kill(signal));
  });
  child.stderr.on("data", (bytes) => {
    errors += String(bytes);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, output, errors }));
  });
}

describe("the program", () => {
  test.each<[code: number, argv: readonly string[]]>([
    [0, ["--version"]],
    [1, ["info", "/no/such/folder"]],
    [2, ["info"]],
  ])("exits with code %i after %j", async (code, argv) => {
    expect((await start(argv)).code).toBe(code);
  });

  test("compacts an edited world in a separate process and prints the freed space", async () => {
    const folder = await makeSampleWorld();
    for (let round = 1; round <= 3; round++) {
      const world = await openWorldEngine(new NodeDisk(folder), { autosave: false, retention: NEWEST_TWO });
      await world.fill({ min: [0, 100, 0, 0], max: [64, 116, 16, 1] }, round);
      await world.close();
    }
    const ended = await start(["compact", folder]);
    expect(ended).toMatchObject({ code: 0, errors: "" });
    expect(ended.output).toMatch(/1 pack rewritten/);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "serves until %s, then saves and exits with 0",
    async (signal) => {
      const folder = await makeSampleWorld();
      const { code, output, errors } = await start(["serve", folder, "--port", "0"], (line, kill) => {
        if (line.startsWith("player")) kill(signal);
      });
      expect(code).toBe(0);
      expect(output).toMatch(
        /^address {2}ws:\/\/127\.0\.0\.1:\d+\npage {5}\S+\ntoken {4}\S+\nplayer {3}\d+, builder, for 1d\nstopped; /,
      );
      expect(errors).toBe("press Ctrl-C to stop\n");
      expect((await readdir(folder)).filter((name) => name.includes("lock"))).toEqual([]);
      expect((await capture(["verify", folder])).exitCode).toBe(0);
    },
  );

  test("treats two simultaneous signals as one, and still saves", async () => {
    const folder = await makeSampleWorld();
    const { code, output } = await start(["serve", folder, "--port", "0"], (line, kill) => {
      if (!line.startsWith("player")) return;
      kill("SIGINT");
      kill("SIGTERM");
    });
    expect(code).toBe(0);
    expect(output).toContain("stopped; the world is saved");
  });

  test("cleans up and dies of the signal that interrupts it, so that a shell stops too", async () => {
    const folder = await temporaryFolder();
    const child = spawn(process.execPath, [ORTHANT, "bench", folder], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (bytes) => {
      errors += String(bytes);
    });
    const ended = new Promise<string | null>((resolve) =>
      child.once("close", (_code, signal) => resolve(signal)),
    );
    // The command has started when its folder exists.
    while ((await readdir(folder)).length === 0) await null;
    child.kill("SIGINT");
    expect(await ended).toBe("SIGINT");
    expect(errors).toBe("orthant: interrupted\n");
    expect(await readdir(folder)).toEqual([]);
  });

  test("prints no error when the reader of its output is gone", async () => {
    const folder = await makeSampleWorld();
    // The reader has gone before the program prints its first line.
    const shell = spawn("bash", ["-c", `"$0" "$1" ls "$2" files | true`, process.execPath, ORTHANT, folder], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    shell.stderr.on("data", (bytes) => {
      errors += String(bytes);
    });
    expect(await new Promise((resolve) => shell.once("close", resolve))).toBe(0);
    expect(errors).toBe("");
  });
});
