import { OrthantError } from "@orthant/core";
import {
  createServer,
  type OwnerEndpointsOptions,
  type ServerOptions,
  serveOwnerEndpoints,
} from "@orthant/server";
import { describe, expect, test } from "vitest";
import { flatWorld } from "./served-world.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

async function refusalOf(options: object): Promise<string> {
  const refused = createServer(options as ServerOptions).then(
    (server) => server.close().then(() => expect.fail("it listens")),
    (error: unknown) => error,
  );
  const error = await refused;
  expect(error).toBeInstanceOf(OrthantError);
  expect((error as OrthantError).code).toBe("ORT_ARGUMENT");
  return (error as OrthantError).message;
}

// Not in the table below: a title with this list would take minutes.
test("a list with billions of holes is rejected at once", async () => {
  const world = await flatWorld();
  const message = await refusalOf({ world, hosts: new Array(2 ** 32 - 1) });
  expect(message).toContain("hosts is an array of 4294967295; ");
});

describe("an invalid option is rejected with its name, its value and what would be valid", () => {
  test.each<[options: object, message: string]>([
    [{ port: 99_999 }, "port is 99999 (a number); it is a whole number from 0 to 65535"],
    [{ port: -1 }, "port is -1 (a number); "],
    [{ port: "7440" }, 'port is "7440" (a string); it is a whole number'],
    [{ port: 74.4 }, "port is 74.4 (a number); "],
    [{ port: Number.NaN }, "port is NaN (a number); "],
    [{ host: "" }, 'host is "" (a string); it is an address such as "0.0.0.0"'],
    [{ host: 7 }, "host is 7 (a number); "],
    [{ host: null }, "host is null; "],
    [{ hosts: "play.example.org" }, 'hosts is "play.example.org" (a string); it is a list of host names'],
    [{ hosts: ["https://play.example.org"] }, "without a scheme and a port"],
    [{ hosts: ["play.example.org:443"] }, "without a scheme and a port"],
    [{ hosts: [""] }, "hosts is an array of 1; "],
    [{ tickMs: -1 }, "tickMs is -1 (a number); it is a whole number from 1 to 60000"],
    [{ tickMs: 0.5 }, "tickMs is 0.5 (a number); "],
    [{ tickMs: 2 ** 31 }, "tickMs is 2147483648 (a number); "],
    [{ proxies: "1" }, 'proxies is "1" (a string); it is a whole number from 0 to 16'],
    [{ limits: { editsPerSecond: "5" } }, 'limits.editsPerSecond is "5" (a string); it is a number above 0'],
    [{ limits: { editsPerSecond: 5n } }, "limits.editsPerSecond is 5 (a bigint); "],
    [{ limits: 5 }, "limits is 5 (a number); it is an object"],
    [{ limits: { editsPerHour: 5 } }, "there is no limit editsPerHour"],
    [{ origins: "x" }, 'origins is "x" (a string); it is a list of origins'],
    [{ origins: "https://example.org" }, 'origins is "https://example.org" (a string); it is a list'],
    [{ origins: [7] }, "origins is [7]; "],
    [{ origins: ["example.org"] }, '"example.org" is not an origin; write it as https://example.org'],
    [{ acknowledge: "always" }, 'acknowledge is "always" (a string); it is "applied" or "durable"'],
    [{ authorize: "yes" }, 'authorize is "yes" (a string); it is a function'],
    [{ auth: SECRET }, "auth is of type string; it is an object"],
    [{ auth: { secret: 5 } }, "auth.secret is of type number; it is text or bytes"],
    [{ auth: { anonymous: "all" } }, 'auth.anonymous is "all" (a string); it is true, false, viewer'],
    [{ auth: { secret: SECRET, audience: 7 } }, "auth.audience is 7 (a number); "],
    [
      { auth: { annonymous: true } },
      "there is no field annonymous in auth; there are secret, publicKey, audience",
    ],
    [{ metrics: { bearer: "" } }, "metrics.bearer is of type string; "],
    [{ metrics: { bearer: "caf\u00e9" } }, "metrics.bearer is of type string; "],
    [{ metrics: { public: "yes" } }, 'metrics.public is "yes" (a string); it is true or false'],
    [{ metrics: true }, "metrics is of type boolean; it is an object"],
    [{ tls: { certificateFile: "chain.pem" } }, "it is { certificateFile, keyFile } or { certificate, key }"],
    [{ tls: { certificate: 1, key: 2 } }, "tls.certificate is of type number; it is PEM"],
    [{ logger: "info" }, 'logger is "info" (a string); it is a pino logger'],
    [{ rules: { beforeEdit: "no" } }, 'rules.beforeEdit is "no" (a string); it is a function'],
    [
      { rules: { onEdit: () => undefined } },
      "there is no field onEdit in rules; there are beforeEdit, beforeOperation, afterEdit, canReach, beforeMove, onMessage, message, data, onJoin, onInterest, onLeave",
    ],
    [{ page: 7 }, "page is 7 (a number); it is a folder"],
    [{ time: Date }, "time is a function"],
    [{ time: { nowMs: () => 0 } }, "; it is a TimeSource"],
    [{ closeWorld: 1 }, "closeWorld is 1 (a number); it is true or false"],
    [{ cluster: {} }, "cluster is an object; it is a function"],
    [{ revoked: "7" }, 'revoked is "7" (a string); it is a list'],
    [{ wire1: true }, "wire1 is true (a boolean); it is an object"],
    [{ wire1: { port: 70_000 } }, "wire1.port is 70000 (a number); it is a whole number from 0 to 65535"],
    [
      { wire1: { allow: "10.0.0.0/24" } },
      'wire1.allow is "10.0.0.0/24" (a string); it is a list of addresses',
    ],
    [{ wire1: { role: "king" } }, 'wire1.role is "king" (a string); it is "viewer", "builder" or "admin"'],
    [{ world: undefined }, "world is undefined; it is a world that is open"],
    [{ world: "valley" }, 'world is "valley" (a string); it is a world that is open'],
    [{ orgins: ["*"] }, "there is no field orgins in options; there are port, host"],
    [{ "\u001b[2J": 1 }, "there is no field \\u001b[2J in options; "],
    [{ host: `${"x".repeat(300)}\u202e`, port: -1 }, "port is -1 (a number)"],
  ])("invalid options are rejected: %o", async (options, message) => {
    const world = await flatWorld();
    const refused = await refusalOf({ world, logger: false, ...options });
    expect(refused).toContain(message);
    expect(refused.length).toBeLessThan(400);
    expect(refused).not.toContain(SECRET);
  });

  test("options that are not an object are rejected", async () => {
    expect(await refusalOf(undefined as unknown as object)).toContain("options is undefined");
  });

  test("an address that this machine does not have fails to listen, without a raw error", async () => {
    const world = await flatWorld();
    for (const host of ["nonsense.invalid", "192.0.2.1", "not an address"]) {
      const refused = createServer({ world, logger: false, auth: { anonymous: true }, host });
      await expect(refused, host).rejects.toMatchObject({ code: "ORT_LISTEN" });
    }
  });

  test.each<[options: object, message: string]>([
    [{ port: 99_999 }, "port is 99999 (a number); "],
    [{ metrics: { bearer: 7 } }, "metrics.bearer is of type number; "],
    [{ counts: 7 }, "counts is 7 (a number); it is a function"],
    [{ world: {} }, "there is no field world in options; "],
  ])("for the endpoints of an owner: %o", async (options, message) => {
    const given = {
      counts: () => ({}),
      unready: () => undefined,
      ...options,
    } as unknown as OwnerEndpointsOptions;
    await expect(serveOwnerEndpoints(given)).rejects.toMatchObject({
      code: "ORT_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });
});
