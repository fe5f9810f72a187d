import { connect as connectSocket, type Socket } from "node:net";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { PlainClient } from "./plain-client.ts";
import { metric, serve, until } from "./served-world.ts";

const refused = (name: string): string => `orthant_refusals_total{name="${name}"}`;
const from = (address: string) => ({ headers: { "X-Forwarded-For": address } });

/** Returns the server's status for an upgrade request; 101 when it accepts the connection. */
async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  return PlainClient.connect(url, { headers }).then(
    () => 101,
    (error: Error) => Number(/response: (\d+)/.exec(error.message)?.[1]),
  );
}

describe("a web page", () => {
  test("may connect to its own host, and no other", async () => {
    const server = await serve({ auth: { anonymous: true } });
    const host = `127.0.0.1:${server.port}`;
    expect(await statusOf(server.url, { Origin: `http://${host}` })).toBe(101);
    const named = await serve({ auth: { anonymous: true }, hosts: ["example.org"] });
    expect(await statusOf(named.url, { Origin: "http://example.org", Host: "example.org" })).toBe(101);
    expect(await statusOf(named.url, { Origin: "https://example.org", Host: "example.org:443" })).toBe(101);
    for (const origin of [
      "http://example.org",
      `http://${host}0`,
      "http://127.0.0.1",
      "null",
      "",
      "file://",
    ]) {
      expect(await statusOf(server.url, { Origin: origin }), origin).toBe(403);
    }
    expect(await metric(server, refused("origin"))).toBe(6);
  });

  test("may connect when the operator lists its origin, or allows all", async () => {
    const listed = await serve({ origins: ["https://play.example.org"] });
    expect(await statusOf(listed.url, { Origin: "https://play.example.org" })).toBe(101);
    expect(await statusOf(listed.url, { Origin: "https://example.org" })).toBe(403);
    expect(await statusOf(listed.url, { Origin: `http://127.0.0.1:${listed.port}` })).toBe(403);
    const open = await serve({ origins: ["*"] });
    expect(await statusOf(open.url, { Origin: "https://example.org" })).toBe(101);
  });

  test("a web page that points its own name at this machine is refused, even where all programs of this machine may join", async () => {
    const server = await serve();
    const host = `evil.example:${server.port}`;
    expect(await statusOf(server.url, { Origin: `http://${host}`, Host: host })).toBe(421);
    const local = `localhost:${server.port}`;
    expect(await statusOf(server.url, { Origin: `http://${local}`, Host: local })).toBe(101);
  });
});

describe("a server that accepts every program of its machine", () => {
  test.each(["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])(
    "refuses clients that come through a proxy, by %s",
    async (header) => {
      const server = await serve();
      expect(await statusOf(server.url, { [header]: "203.0.113.9" })).toBe(403);
      expect(await metric(server, refused("forwarded"))).toBe(1);
      const direct = await serve({ auth: { anonymous: true } });
      expect(await statusOf(direct.url, { [header]: "203.0.113.9" })).toBe(101);
    },
  );
});

test("a limit that reaches beyond the lattice is rejected before the server listens", async () => {
  expect(await codeOfRejection(serve({ limits: { chunkCoordinateMax: 2 ** 31 } }))).toBe("ORT_ARGUMENT");
});

describe("connections", () => {
  test("are limited in total", async () => {
    const server = await serve({ limits: { connectionsMax: 2 } });
    const first = await PlainClient.connect(server.url);
    await PlainClient.connect(server.url);
    expect(await statusOf(server.url)).toBe(503);
    expect(await metric(server, refused("connectionsMax"))).toBe(1);
    first.socket.close();
    await first.closed;
    await until(() => server.connectionCount === 1);
    expect(await statusOf(server.url)).toBe(101);
  });

  test.each<[what: string, inside: string, same: readonly string[], other: readonly string[]]>([
    ["the first 24 bits of IPv4", "203.0.113.9", ["203.0.113.200", "::ffff:203.0.113.1"], ["203.0.114.9"]],
    [
      "the first 64 bits of IPv6",
      "2001:db8::1",
      ["2001:0db8:0:0:ffff::2", "2001:DB8::203.0.113.9", "2001:db8:0:0:1:2:3:4"],
      ["2001:db8:0:1::1", "2001:db9::1"],
    ],
  ])("are limited by network: %s", async (_what, inside, same, other) => {
    const server = await serve({
      proxies: 1,
      auth: { anonymous: true },
      limits: { connectionsPerAddress: 1, httpRequestsBurst: 100 },
    });
    const client = await PlainClient.connect(server.url, from(inside));
    for (const address of same) expect(await statusOf(server.url, from(address).headers), address).toBe(429);
    for (const address of other) expect(await statusOf(server.url, from(address).headers), address).toBe(101);
    expect(await metric(server, refused("connectionsPerAddress"))).toBe(same.length);
    const open = server.connectionCount;
    client.socket.close();
    await until(() => server.connectionCount < open);
    expect(await statusOf(server.url, from(same[0] ?? "").headers)).toBe(101);
  });

  test("have the address that the operator's own proxies report, whatever a client claims", async () => {
    const server = await serve({
      proxies: 2,
      auth: { anonymous: true },
      limits: { connectionsPerAddress: 1 },
    });
    const chain = (claimed: string, client: string) => from(`${claimed}, ${client}, 10.0.0.1`);
    await PlainClient.connect(server.url, chain("1.1.1.1", "203.0.113.9"));
    expect(await statusOf(server.url, chain("2.2.2.2", "203.0.113.9").headers)).toBe(429);
    expect(await statusOf(server.url, chain("1.1.1.1", "198.51.100.1").headers)).toBe(101);
  });

  test("connections without a proxy have their own address, whatever a client claims", async () => {
    const server = await serve({ auth: { anonymous: true }, limits: { connectionsPerAddress: 1 } });
    await PlainClient.connect(server.url, from("203.0.113.9"));
    expect(await statusOf(server.url, from("198.51.100.1").headers)).toBe(429);
  });

  test("are limited by network before they send anything", async () => {
    const limits = { connectionsPerAddress: 1, httpSocketsPerAddress: 2 };
    const server = await serve({ limits });
    const sockets: Socket[] = [];
    const closed: number[] = [];
    for (let index = 0; index < 4; index++) {
      const socket = connectSocket(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.on("close", () => closed.push(index));
      await new Promise((resolve) => socket.once("connect", resolve));
      sockets.push(socket);
    }
    await until(() => closed.length > 0);
    expect(closed).toEqual([3]);
    sockets[0]?.destroy();
    sockets[1]?.destroy();
    await until(() => closed.length === 3);
    await until(() => server.connectionCount === 0);
    expect(await metric(server, refused("httpSocketsPerAddress"))).toBe(1);
    sockets[2]?.destroy();
  });

  test.each<[what: string, path: string, status: number, name: string]>([
    ["at another path", "/admin", 404, "path"],
    ["at a path that contains the right one", "/world/", 404, "path"],
  ])("are refused %s", async (_what, path, status, name) => {
    const server = await serve();
    expect(await statusOf(`${server.url}${path}`)).toBe(status);
    expect(await metric(server, refused(name))).toBe(1);
  });

  test("connections that are not a WebSocket are refused", async () => {
    const server = await serve();
    const socket = connectSocket(server.port, "127.0.0.1");
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    expect(await answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(await metric(server, refused("webSocket"))).toBe(1);
    await until(() => socket.destroyed || socket.readableEnded);
    socket.destroy();
    expect(await statusOf(server.url)).toBe(101);
  });
});
