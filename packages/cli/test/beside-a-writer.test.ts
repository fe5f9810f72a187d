import { cpSync, rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { EXIT, type ExitCode } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const COMMITS_MIN = 30;
/** Enough commits to remove files of the first generation. */
const COMMITS_BETWEEN = 4;

test("read-only commands find the world intact while a writer keeps saving it", async () => {
  const folder = await makeSampleWorld();
  const world = await openWorldEngine(new NodeDisk(folder), { autosave: false });
  const first = world.generation;
  let isDone = false;
  const writing = (async () => {
    for (let turn = 0; !isDone; turn++) {
      await world.set([turn % 100, 120, 0, 0], 1 + (turn % 10));
      await world.save();
    }
    await world.close();
  })();
  const lines = [
    ["verify", folder],
    ["info", folder, "--count"],
    ["get", folder, "0,120,0"],
    ["ls", folder, "generations"],
    ["ls", folder, "files"],
  ];
  try {
    while (world.generation - first < COMMITS_MIN) {
      for (const line of lines) {
        const { exitCode, output, errors } = await capture(line);
        expect(exitCode, `${line[0]}: ${output}${errors}`).toBe(EXIT.ok);
      }
    }
  } finally {
    isDone = true;
    await writing;
  }
});

describe("a world that is saved several times between two operations of a command", () => {
  let earlier: string;
  let later: string;
  let folder: string;

  beforeAll(async () => {
    earlier = await makeSampleWorld();
    const work = await temporaryFolder();
    later = join(work, "later");
    folder = join(work, "world");
    await cp(earlier, later, { recursive: true });
    const world = await openWorldEngine(new NodeDisk(later), { autosave: false });
    for (let turn = 0; turn < COMMITS_BETWEEN; turn++) {
      await world.set([turn, 120, 0, 0], 1);
      await world.save();
    }
    await world.close();
  });

  /** Runs a command; before its n-th disk operation, replaces the world with a version some saves later. */
  async function disturbed(
    line: readonly string[],
    at: number,
  ): Promise<{ operations: number; said: string; exitCode: ExitCode }> {
    rmSync(folder, { recursive: true, force: true });
    cpSync(earlier, folder, { recursive: true });
    let operations = 0;
    const { signal } = new AbortController();
    const throwIfAborted = (): void => {
      if (operations++ !== at) return;
      rmSync(folder, { recursive: true });
      cpSync(later, folder, { recursive: true });
    };
    Object.defineProperty(signal, "throwIfAborted", { value: throwIfAborted });
    const { exitCode, output, errors } = await capture(line, { signal });
    return { operations, said: output + errors, exitCode };
  }

  test.each<[ExitCode, string, ...string[]]>([
    [EXIT.ok, "get", "0,120,0"],
    [EXIT.ok, "log"],
    [EXIT.ok, "map", "--output", "MAP", "--force", "--box", "0,112,0..8,120,8"],
    [EXIT.failed, "diff", "OTHER"],
    [EXIT.loss, "convert", "NEW", "--to", "marsminer", "--dry-run"],
    [EXIT.ok, "backup", "NEW", "--dry-run"],
  ])("does not look damaged: exit code %i of %s", async (expected, name, ...rest) => {
    const work = await temporaryFolder();
    const other = join(work, "other");
    await capture(["create", other]);
    const names: Readonly<Record<string, string>> = {
      MAP: join(work, "map.png"),
      NEW: join(work, "new"),
      OTHER: other,
    };
    const line = [name, folder, ...rest.map((word) => names[word] ?? word)];
    const { operations } = await disturbed(line, Number.POSITIVE_INFINITY);
    expect(operations).toBeGreaterThan(3);
    for (let at = 0; at < operations; at++) {
      const { exitCode, said } = await disturbed(line, at);
      expect(exitCode, `before operation ${at}: ${said}`).toBe(expected);
      expect(said, `before operation ${at}`).not.toContain("orthant:");
    }
  });
});
