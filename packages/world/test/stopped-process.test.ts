import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { NodeDisk } from "@orthant/disk/node";
import { verifySave } from "@orthant/formats";
import { createWorld, openWorld } from "@orthant/world";
import { expect, test } from "vitest";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Edits a world as fast as it can, with a journal, saves and compaction, and prints each edit that is durable. It says
 * that it runs in another container, so that no other process can tell whether it lives.
 */
const WRITER = `
  import promises from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  const readlink = promises.readlink;
  promises.readlink = async (path) => path === "/proc/self/ns/pid" ? "pid:[" + process.argv[2] + "]" : readlink(path);
  syncBuiltinESMExports();
  const { NodeDisk } = await import("@orthant/disk/node");
  const { openWorld } = await import("@orthant/world");
  const [folder, space, line] = process.argv.slice(1);
  const world = await openWorld(new NodeDisk(folder), {
    durability: "journal", autosave: false, retention: { newest: 1, hours: 0, days: 0 },
  });
  console.log("open");
  for (let x = 0; x < 100000; x++) {
    await world.set([x, Number(line), 0, 0], 5);
    console.log(x);
    if (x % 3 === 2) await world.save();
    if (x % 50 === 49) await world.compact();
  }
`;

interface Writer {
  readonly process: ChildProcess;
  /** The last edit that it said was durable; -1 before the first. */
  last(): number;
  /** Resolves when it has printed this many edits. */
  reached(count: number): Promise<void>;
}

async function startWriter(folder: string, space: number, line: number): Promise<Writer> {
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", WRITER, folder, String(space), String(line)],
    { cwd: REPOSITORY, stdio: ["ignore", "pipe", "pipe"] },
  );
  let last = -1;
  const lines = createInterface(child.stdout);
  const opened = once(lines, "line");
  lines.on("line", (text) => {
    if (text !== "open") last = Number(text);
  });
  await Promise.race([opened, once(child, "exit")]);
  return {
    process: child,
    last: () => last,
    async reached(count) {
      while (last < count) await once(lines, "line");
    },
  };
}

test("[S98] a process that was stopped, lost the lock after 15 silent seconds and goes on loses no edit of either", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orthant-stopped-"));
  await (await createWorld(new NodeDisk(folder), { name: "stopped" })).close();
  const first = await startWriter(folder, 111, 1);
  await first.reached(60);
  first.process.kill("SIGSTOP");

  const second = await startWriter(folder, 222, 2);
  await second.reached(20);
  const ended = once(first.process, "exit");
  first.process.kill("SIGCONT");
  const [code] = await ended;
  expect(code, "the one that lost the lock fails").toBe(1);
  await second.reached(second.last() + 20);
  second.process.kill("SIGKILL");
  await once(second.process, "exit");

  const world = await openWorld(new NodeDisk(folder), { durability: "journal" });
  for (const [line, { last }] of [first, second].entries())
    for (let x = 0; x <= last(); x++) expect(await world.get([x, line + 1, 0, 0]), `edit ${x}`).toBe(5);
  await world.close();
  const findings = await verifySave(new NodeDisk(folder));
  expect(findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  expect((await readdir(folder)).filter((name) => name.includes("lock"))).toEqual([]);
}, 120_000);
