import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { connectReplica } from "@orthant/client/node";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
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

test("a busy port and a locked world are one line on the console each, and exit code 1", async () => {
  const project = await built("server");
  const first = start(project);
  const port = Number(new URL(await addressOf(first)).port);
  const ended = async (server: Running): Promise<unknown> => {
    const [exitCode] = await once(server.process, "close");
    return { exitCode, console: server.console() };
  };
  const locked = { exitCode: 1, console: expect.stringMatching(/^ORT_LOCKED: [^\n]+\n$/) };
  expect(await ended(start(project))).toEqual(locked);
  const other = join(project, "..");
  await symlink(join(project, "dist"), join(other, "dist"));
  await symlink(MODULES, join(other, "node_modules"));
  const listen = new RegExp(`^ORT_LISTEN: cannot listen at 127\\.0\\.0\\.1, port ${port}: [^\\n]+\\n$`);
  expect(await ended(start(other, port))).toEqual({ exitCode: 1, console: expect.stringMatching(listen) });
});

test("a page whose window closes leaves nothing on the console of the server for development", async () => {
  const project = await built("three");
  const address = await addressOf(start(project));
  const vite = spawn(join(MODULES, ".bin/vite"), ["--port", "0", "--host", "127.0.0.1"], {
    cwd: project,
    env: { ...process.env, NO_COLOR: "1", PORT: new URL(address).port },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(vite, "close");
  let text = "";
  for (const stream of [vite.stdout, vite.stderr]) {
    stream.on("data", (part) => {
      text += part;
    });
  }
  await expect.poll(() => text, { timeout: WAIT_MS }).toMatch(/http:\S+\//);
  const { host } = new URL(/http:\S+\//.exec(text)?.[0] ?? "");
  for (let window = 0; window < 5; window++) {
    const socket = new WebSocket(`ws://${host}/world`, { headers: { origin: `http://${host}` } });
    await once(socket, "open");
    const connection: Socket = Reflect.get(socket, "_socket");
    connection.resetAndDestroy(); // as the system does with what a browser has not read when it ends
  }
  vite.kill();
  await ended;
  expect(text).not.toMatch(/error/i);
});

test.each(["three", "tiles", "server"])(
  "the container of %s is built from files that are there, and starts what npm start starts",
  async (template) => {
    const folder = await emptyFolder();
    await create(folder, "game", "--template", template);
    const read = (file: string): Promise<string> => readFile(join(folder, "game", file), "utf8");
    const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(await read("Dockerfile")) ?? [];
    const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
    expect((JSON.parse(command) as string[]).join(" ")).toBe(scripts["start"]);
    expect(await read(".dockerignore")).toContain("node_modules/");
    expect(await read("README.md")).toContain("docker run");
  },
);
