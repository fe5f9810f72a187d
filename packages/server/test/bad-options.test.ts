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
  expect(message).toContain("the option hosts is [ <4294967295 empty items> ]; ");
});

describe("an invalid option is rejected with its name, its value and what would be valid:", () => {
  test.each<[options: object, message: string]>([
    [{ port: 99_999 }, "the option port is 99999; it must be a whole number from 0 to 65535"],
    [{ port: -1 }, "the option port is -1; "],
    [{ port: "7440" }, "the option port is '7440'; it must be a whole number"],
    [{ port: 74.4 }, "the option port is 74.4; "],
    [{ port: Number.NaN }, "the option port is NaN; "],
    [{ host: "" }, "the option host is ''; it must be an address such as \"0.0.0.0\""],
    [{ host: 7 }, "the option host is 7; "],
    [{ host: null }, "the option host is null; "],
    [
      { hosts: "play.example.org" },
      "the option hosts is 'play.example.org'; it must be a list of host names",
    ],
    [{ hosts: ["https://play.example.org"] }, "without a scheme and a port"],
    [{ hosts: ["play.example.org:443"] }, "without a scheme and a port"],
    [{ hosts: [""] }, "the option hosts is [ '' ]; "],
    [{ tickMs: -1 }, "the option tickMs is -1; it must be a whole number from 1 to 60000"],
    [{ tickMs: 0.5 }, "the option tickMs is 0.5; "],
    [{ tickMs: 2 ** 31 }, "the option tickMs is 2147483648; "],
    [{ proxies: "1" }, "the option proxies is '1'; it must be a whole number from 0 to 16"],
    [
      { limits: { editsPerSecond: "5" } },
      "the option limits.editsPerSecond is '5'; it must be a number above 0",
    ],
    [{ limits: { editsPerSecond: 5n } }, "the option limits.editsPerSecond is 5n; "],
    [{ limits: 5 }, "the option limits is 5; it must be an object"],
    [{ limits: { editsPerHour: 5 } }, "there is no limit editsPerHour"],
    [{ origins: "x" }, "the option origins is 'x'; it must be a list of origins"],
    [{ origins: "https://example.org" }, "the option origins is 'https://example.org'; it must be a list"],
    [{ origins: [7] }, "the option origins is [ 7 ]; "],
    [{ origins: ["example.org"] }, '"example.org" is no origin; one looks like https://example.org'],
    [{ acknowledge: "always" }, 'the option acknowledge is \'always\'; it must be "applied" or "durable"'],
    [{ authorize: "yes" }, "the option authorize is 'yes'; it must be a function"],
    [{ auth: SECRET }, "the option auth is of type string; it must be an object"],
    [{ auth: { secret: 5 } }, "the option auth.secret is of type number; it must be text or bytes"],
    [
      { auth: { anonymous: "everybody" } },
      "the option auth.anonymous is 'everybody'; it must be true, false, viewer",
    ],
    [{ auth: { secret: SECRET, audience: 7 } }, "the option auth.audience is 7; "],
    [
      { auth: { annonymous: true } },
      "there is no option auth.annonymous; there are secret, publicKey, audience",
    ],
    [{ metrics: { bearer: "" } }, "the option metrics.bearer is of type string; "],
    [{ metrics: { bearer: "caf\u00e9" } }, "the option metrics.bearer is of type string; "],
    [{ metrics: { public: "yes" } }, "the option metrics.public is 'yes'; it must be true or false"],
    [{ metrics: true }, "the option metrics is of type boolean; it must be an object"],
    [
      { tls: { certificateFile: "chain.pem" } },
      "it must be { certificateFile, keyFile } or { certificate, key }",
    ],
    [{ tls: { certificate: 1, key: 2 } }, "the option tls.certificate is of type number; it must be PEM"],
    [{ logger: "info" }, "the option logger is 'info'; it must be a pino logger"],
    [{ rules: { beforeEdit: "no" } }, "the option rules.beforeEdit is 'no'; it must be a function"],
    [
      { rules: { onEdit: () => undefined } },
      "there is no rule onEdit; there are beforeEdit, afterEdit, canReach, beforeMove, onMessage, onJoin, onInterest, onLeave",
    ],
    [{ page: 7 }, "the option page is 7; it must be a folder"],
    [{ time: Date }, "the option time is [Function: Date]"],
    [{ time: { nowMs: () => 0 } }, "; it must be a TimeSource"],
    [{ closeWorld: 1 }, "the option closeWorld is 1; it must be true or false"],
    [{ cluster: {} }, "the option cluster is {}; it must be a function"],
    [{ revoked: "7" }, "the option revoked is '7'; it must be a list"],
    [{ wire1: true }, "the option wire1 is true; it must be an object"],
    [
      { wire1: { port: 70_000 } },
      "the option wire1.port is 70000; it must be a whole number from 0 to 65535",
    ],
    [
      { wire1: { allow: "10.0.0.0/24" } },
      "the option wire1.allow is '10.0.0.0/24'; it must be a list of addresses",
    ],
    [{ wire1: { role: "king" } }, "the option wire1.role is 'king'; it must be viewer, builder or admin"],
    [{ world: undefined }, "the option world is undefined; it must be a world that is open"],
    [{ world: "valley" }, "the option world is 'valley'; it must be a world that is open"],
    [{ orgins: ["*"] }, "there is no option orgins; there are port, host"],
    [{ "\u001b[2J": 1 }, "there is no option \\u001b[2J; "],
    [{ host: `${"x".repeat(300)}\u202e`, port: -1 }, "the option port is -1"],
  ])("%o", async (options, message) => {
    const world = await flatWorld();
    const refused = await refusalOf({ world, logger: false, ...options });
    expect(refused).toContain(message);
    expect(refused.length).toBeLessThan(400);
    expect(refused).not.toContain(SECRET);
  });

  test("options that are not an object", async () => {
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
    [{ port: 99_999 }, "the option port is 99999; "],
    [{ metrics: { bearer: 7 } }, "the option metrics.bearer is of type number; "],
    [{ counts: 7 }, "the option counts is 7; it must be a function"],
    [{ world: {} }, "there is no option world; "],
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
