import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { memoryCache } from "@orthant/client";
import { connectReplica } from "@orthant/client/node";
import type { ReplicaOptions } from "@orthant/client/replica";
import { isOrthantError, type OrthantError } from "@orthant/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { builtWorld, serve } from "./served-world.ts";

/** Listens at a free port of this machine until the test ends. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Creates a self-signed certificate and its key. */
function selfSigned(): { readonly cert: Buffer; readonly key: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "orthant-certificate-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
  const about = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...made, ...about], { stdio: "ignore" });
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  rmSync(folder, { recursive: true });
  return pair;
}

/** Connects, and returns the error with which the client ends. */
async function failureAt(url: string, options: ReplicaOptions = {}): Promise<OrthantError> {
  const client = connectReplica(url, { timeoutMs: 700, ...options });
  const error: unknown = await client.ready.catch((reason: unknown) => reason);
  expect(client.status).toBe("closed");
  if (!isOrthantError(error)) throw new Error(`not our error: ${String(error)}`);
  return error;
}

describe("a client that is not welcomed in time", () => {
  test("a client at a port where nothing listens says so", async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const { code, detail } = await failureAt(`ws://127.0.0.1:${port}`);
    expect(code).toBe("ORT_TIMEOUT");
    expect(detail).toContain(`no welcome from ws://127.0.0.1:${port} within 700 ms`);
    expect(detail).toContain(`nothing listens at 127.0.0.1:${port}: start the server, or correct the port`);
    expect((await failureAt(`ws://localhost:${port}`)).detail).toContain("nothing listens at localhost");
  });

  test("a client at a host name that leads nowhere says so", async () => {
    const { code, detail } = await failureAt("ws://no-such-host.invalid");
    expect(code).toBe("ORT_TIMEOUT");
    expect(detail).toMatch(/the host name no-such-host.invalid leads nowhere|the connection has not opened/);
  });

  test("a client at a program that accepts the connection and says nothing says what it waited for", async () => {
    const port = await listening(
      createTcpServer((socket) => void onTestFinished(() => void socket.destroy())),
    );
    const { code, detail } = await failureAt(`ws://127.0.0.1:${port}`);
    expect([code, detail]).toEqual([
      "ORT_TIMEOUT",
      `no welcome from ws://127.0.0.1:${port} within 700 ms: the connection has not opened`,
    ]);
  });

  test("a client at a WebSocket that says nothing says what it waited for", async () => {
    const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => void sockets.close());
    await new Promise((resolve) => sockets.once("listening", resolve));
    const { port } = sockets.address() as AddressInfo;
    const { code, detail } = await failureAt(`ws://127.0.0.1:${port}`);
    expect(code).toBe("ORT_TIMEOUT");
    expect(detail).toContain("connected, but no welcome came");
  });

  test.each([200, 404, 503])("a client at an HTTP server that answers %i says so", async (status) => {
    const port = await listening(
      createHttpServer((_request, response) => response.writeHead(status).end("hello")),
    );
    const { code, detail } = await failureAt(`ws://127.0.0.1:${port}`);
    expect(code).toBe("ORT_TIMEOUT");
    expect(detail).toContain(`127.0.0.1:${port} answers with HTTP ${status} instead of a WebSocket`);
  });

  test("a client at a TLS server whose certificate is not trusted, or at one without TLS, says so", async () => {
    const port = await listening(createTlsServer(selfSigned()));
    const { code, detail } = await failureAt(`wss://127.0.0.1:${port}`);
    expect(code).toBe("ORT_TIMEOUT");
    expect(detail).toContain(`the certificate of 127.0.0.1:${port} is not trusted`);
    const plain = await listening(createHttpServer());
    expect((await failureAt(`wss://127.0.0.1:${plain}`)).detail).toContain("use ws: instead of wss:");
  });

  test("a client whose token does not come, or whose cache does not open, says which of them it waited for", async () => {
    const token = (): Promise<string> => new Promise(() => undefined);
    const without = await failureAt("ws://127.0.0.1:1", { token });
    expect(without.detail).toContain("the function of the option token has not answered");
    const cache = Object.assign(memoryCache(), { claim: () => new Promise<boolean>(() => undefined) });
    const { code, detail } = await failureAt("ws://127.0.0.1:1", { cache });
    expect([code, detail]).toEqual([
      "ORT_TIMEOUT",
      "the cache has not opened within 700 ms: connect without it",
    ]);
  });
});

test("a server that starts within the time is joined, and one that goes away later is waited for", async () => {
  const world = await builtWorld();
  onTestFinished(() => world.close());
  const first = await serve(world);
  const { port } = first;
  await first.close();
  const client = connectReplica(`ws://127.0.0.1:${port}`, { timeoutMs: 8_000, random: () => 0n });
  onTestFinished(() => client.close());
  const server = await serve(world, { port });
  await client.ready;
  await server.close({ retryAfterMs: 0 });
  const again = await serve(world, { port });
  onTestFinished(() => again.close());
  expect(client.status).not.toBe("closed");
});

test("a refused token fails at once, not after the timeout", async () => {
  const world = await builtWorld();
  onTestFinished(() => world.close());
  const server = await serve(world, { auth: { secret: "0123456789abcdef0123456789abcdef" } });
  onTestFinished(() => server.close());
  const { code, detail } = await failureAt(server.url, { timeoutMs: 3_600_000 });
  expect(code).toBe("ORT_CREDENTIALS");
  expect(detail).toContain("this server needs a token");
});

describe("invalid arguments of connect", () => {
  test.each<[url: unknown, problem: string]>([
    [undefined, "server is undefined; write it as ws://127.0.0.1:7440"],
    ["", 'server is "" (a string); write it as'],
    [7440, "server is 7440 (a number); write it as"],
    ["my server", "it is not a URL"],
    ["127.0.0.1:7440", "it is not a URL"],
    ["http://127.0.0.1:7440", "use ws: or wss: (ws: here)"],
    ["https://example.org", "use ws: or wss: (wss: here)"],
    ["localhost:7440", "use ws: or wss:"],
    ["ws://127.0.0.1:7440/#spawn", "leave out #spawn: a WebSocket takes no fragment"],
    [[], "a list has 1 to 1000 addresses"],
    [["ws://127.0.0.1:7440", "http://127.0.0.1:7441"], 'server[1] is "http://127.0.0.1:7441"'],
    [["ws://127.0.0.1:7440", undefined], "server[1] is undefined"],
  ])("the address %o is refused, and the error says why", (url, problem) => {
    expect(() => connectReplica(url as string)).toThrow(problem);
  });

  test.each([0, -1, Number.NaN, "10", null])("a timeoutMs of %o is refused", (timeoutMs) => {
    expect(() => connectReplica("ws://127.0.0.1:1", { timeoutMs: timeoutMs as number })).toThrow(
      "it is a number of milliseconds above 0, or Infinity",
    );
  });
});
