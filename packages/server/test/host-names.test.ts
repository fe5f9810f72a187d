import { hostname } from "node:os";
import type { ServerOptions } from "@orthant/server";
import { FakeTime } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { PlainClient } from "./plain-client.ts";
import { ask, metric, serve } from "./served-world.ts";

const EVERYWHERE: Partial<ServerOptions> = { host: "0.0.0.0", auth: { anonymous: true } };
const FORWARDED = { "X-Forwarded-For": "203.0.113.9" };

/** Returns the statuses of a page request and a connection with this `Host`. */
async function statuses(
  options: Partial<ServerOptions>,
  host: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly number[]> {
  const server = await serve({ limits: { httpRequestsBurst: 1_000 }, ...options });
  const sent = { ...headers, Host: host };
  const connection = await PlainClient.connect(server.url, { headers: sent }).then(
    () => 101,
    (error: Error) => Number(/response: (\d+)/.exec(error.message)?.[1]),
  );
  return [(await ask(server, "/absent", sent)).status, connection];
}

describe("a request for a host name", () => {
  test.each([
    "127.0.0.1",
    "192.168.7.20:7440",
    "[::1]:7440",
    "[2001:db8::7]",
    "localhost",
    "LOCALHOST:7440",
    "localhost.",
    "world.localhost",
    hostname(),
    `${hostname().split(".")[0]}.local:7440`,
  ])(
    "a request for a name of this machine, %s, is answered when the server listens at all addresses",
    async (host) => {
      expect(await statuses(EVERYWHERE, host)).toEqual([404, 101]);
    },
  );

  test.each([
    "evil.example",
    "evil.example:7440",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "1.2.3",
    "a b",
  ])(
    "a request for a name that is not ours, %s, is answered with 421, whatever address the server listens at",
    async (host) => {
      expect(await statuses(EVERYWHERE, host)).toEqual([421, 421]);
      expect(await statuses({ auth: { anonymous: true } }, host)).toEqual([421, 421]);
      expect(await statuses({ ...EVERYWHERE, origins: ["*"] }, host)).toEqual([421, 421]);
    },
  );

  test("a request for a name that the operator gave is answered, and then no other, even through a proxy", async () => {
    const hosts = ["Play.Example.org"];
    expect(await statuses({ ...EVERYWHERE, hosts }, "play.example.org")).toEqual([404, 101]);
    expect(await statuses({ ...EVERYWHERE, hosts }, "PLAY.example.org:443")).toEqual([404, 101]);
    expect(await statuses({ ...EVERYWHERE, hosts }, "example.org")).toEqual([421, 421]);
    const behind = { auth: { anonymous: true }, proxies: 1, hosts };
    expect(await statuses(behind, "play.example.org", FORWARDED)).toEqual([404, 101]);
    expect(await statuses(behind, "evil.example", FORWARDED)).toEqual([421, 421]);
  });

  test("is left to the proxy to check, with the page's origin, as the guide sets it up", async () => {
    const behind = { auth: { anonymous: true }, proxies: 1 };
    const page = { ...FORWARDED, Origin: "https://play.example.org" };
    expect(await statuses(behind, "play.example.org", page)).toEqual([404, 101]);
    expect(
      await statuses(behind, "play.example.org", { ...FORWARDED, Origin: "https://evil.example" }),
    ).toEqual([404, 403]);
    // A direct request to the port does not come through a proxy.
    expect(await statuses(behind, "play.example.org")).toEqual([421, 421]);
  });

  test("a request of a page that pointed its own name at this machine never reaches the metrics or the world", async () => {
    const server = await serve({ auth: { anonymous: true } });
    const rebound = { Host: `evil.example:${server.port}`, Origin: `http://evil.example:${server.port}` };
    const { status, text } = await ask(server, "/metrics", rebound);
    expect([status, text]).toEqual([421, expect.stringContaining("orthant serve --host-name (host)")]);
    expect(text).not.toContain("orthant_players");
    expect((await ask(server, "/healthz", rebound)).text, "probes come by any name").toBe("alive\n");
    expect((await ask(server, "/readyz", rebound)).text).toBe("ready\n");
    expect(await metric(server, 'orthant_refusals_total{name="host"}')).toBe(1);
  });

  test("a request that is refused is logged with the option to set, at most once a minute", async () => {
    const lines: string[] = [];
    const streamWrite = (line: string): string => {
      lines.push(line);
      return "";
    };
    const time = new FakeTime();
    const server = await serve({ ...EVERYWHERE, time, logger: { hooks: { streamWrite } } });
    const refused = (): readonly string[] => lines.filter((line) => line.includes("--host-name"));
    for (let count = 0; count < 3; count++) await ask(server, "/", { Host: "evil.example" });
    expect(refused().length).toBe(1);
    expect(JSON.parse(refused()[0] ?? "")).toMatchObject({ level: 40, host: "evil.example" });
    time.advance(60_000);
    await ask(server, "/", { Host: "evil.example" });
    expect(refused().length).toBe(2);
  });
});

describe("the metrics", () => {
  test("are readable for programs of this machine that come through no proxy", async () => {
    const server = await serve(EVERYWHERE);
    expect((await ask(server, "/metrics")).status).toBe(200);
    for (const header of ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"]) {
      const { status, text } = await ask(server, "/metrics", { [header]: "203.0.113.9" });
      expect([status, text], header).toEqual([
        403,
        expect.stringContaining("metrics.bearer or metrics.public"),
      ]);
    }
    expect(await metric(server, 'orthant_refusals_total{name="metrics"}')).toBe(4);
  });

  test("are public if the operator says so, or readable for clients that send the bearer", async () => {
    const open = await serve({ ...EVERYWHERE, metrics: { public: true } });
    expect((await ask(open, "/metrics", FORWARDED)).status).toBe(200);
    const closed = await serve({ ...EVERYWHERE, metrics: { public: true, bearer: "let me see" } });
    expect((await ask(closed, "/metrics")).status, "a bearer is asked of this machine, too").toBe(401);
    const authorization = "Bearer let me see";
    expect((await ask(closed, "/metrics", { ...FORWARDED, authorization })).status).toBe(200);
  });
});
