import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { connectReplica } from "@orthant/client/node";
import { expect, onTestFinished, test } from "vitest";
import { create, emptyFolder, MODULES, run } from "./created-project.ts";

const WAIT_MS = 60_000;

/** Creates a project, and builds its server, with options that its game does not have. */
async function built(template: string, options = ""): Promise<string> {
  const folder = await emptyFolder();
  await create(folder, "game", "--template", template);
  const project = join(folder, "game");
  await symlink(MODULES, join(project, "node_modules"));
  const game = join(project, "src/server/game.ts");
  const source = await readFile(game, "utf8");
  await writeFile(
    game,
    source.replace(/^ +logger,$/m, (line) => `${line}\n${options}`),
  );
  const vite = ["vite", "build", "--ssr", "src/server/main.ts", "--outDir", "dist/server"];
  expect(await run("npx", vite, project)).toMatchObject({ exitCode: 0 });
  return project;
}

/** A server of a project, and all that it has written to its console. */
interface Running {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  readonly console: () => string;
}

function start(project: string, port = 0): Running {
  const child = spawn(process.execPath, ["dist/server/main.js"], {
    cwd: project,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part) => {
      text += part;
    });
  }
  return { process: child, console: () => text };
}

/** Waits until a server listens, and returns its address. */
async function addressOf(server: Running): Promise<string> {
  await expect.poll(server.console, { timeout: WAIT_MS }).toContain("The world is at ws:");
  return /ws:\S+/.exec(server.console())?.[0] ?? "";
}

test("a rule that throws is on the console of a new project, as text with its stack", async () => {
  const rule = 'rules: { onJoin() { throw new Error("no \\u001b[31m room"); } },';
  const server = start(await built("three", rule));
  const client = connectReplica(await addressOf(server), { name: "Ada" });
  onTestFinished(() => client.close());
  await client.ready;
  await expect
    .poll(server.console, { timeout: WAIT_MS })
    .toMatch(/^a rule of the game failed: onJoin: Error: no \?\[31m room\n +at .*main\.js/m);
});

test("a player who comes and goes leaves nothing on the console of a new project", async () => {
  const server = start(await built("server"));
  const client = connectReplica(await addressOf(server), { name: "Ada" });
  await client.ready;
  const before = server.console();
  await client.close();
  server.process.kill();
  await once(server.process, "close");
  expect(server.console()).toBe(before);
});
