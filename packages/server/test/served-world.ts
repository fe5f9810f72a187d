import { request as httpRequest } from "node:http";
import { CUBE_CHUNKS } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer, type ServerOptions } from "@orthant/server";
import { createWorldEngine, type EngineOptions, type WorldEngine } from "@orthant/world/engine";
import { afterEach } from "vitest";

const openServers: OrthantServer[] = [];
const openWorlds: WorldEngine[] = [];

afterEach(async () => {
  // A test may have broken its world on purpose, and has then checked the error of closing.
  for (const server of openServers.splice(0)) await server.close().catch(() => undefined);
  for (const world of openWorlds.splice(0)) await world.close().catch(() => undefined);
});

/** Creates a flat three-dimensional world, which is closed after the test. */
export async function flatWorld(
  disk: Disk = new MemoryDisk(),
  options: EngineOptions = {},
): Promise<WorldEngine> {
  const generator = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
  const world = await createWorldEngine(
    disk,
    { name: "Plain", shape: CUBE_CHUNKS, generator },
    { autosave: false, ...options },
  );
  return closedAfterTest(world);
}

/** Closes a world after the test. */
export function closedAfterTest(world: WorldEngine): WorldEngine {
  openWorlds.push(world);
  return world;
}

/** Starts a server on a free port with short ticks and no logs, closed after the test. */
export async function serve(options: Partial<ServerOptions> = {}): Promise<OrthantServer> {
  const world = options.world ?? (await flatWorld());
  const server = await createServer({ tickMs: 10, logger: false, ...options, world });
  openServers.push(server);
  return server;
}

/** A server's answer to an HTTP request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends an HTTP request. `fetch` would not let a test set `Host` and `Connection`. */
export async function ask(
  { port }: OrthantServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port, path, method, headers, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(parts).toString(),
            headers: response.headers,
          }),
        );
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** Returns the value of one metric, with its labels; `undefined` when it is missing. */
export async function metric(server: OrthantServer, name: string): Promise<number | undefined> {
  const { text } = await ask(server, "/metrics");
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

/** Runs the event loop until the condition holds, or until the test times out. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
