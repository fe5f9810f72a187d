import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { connectReplica } from "@orthant/client/node";
import { OrthantError } from "@orthant/core";
import {
  type AuthOptions,
  issueToken,
  type ServerOptions,
  type TokenClaims,
  tokenVerifier,
} from "@orthant/server";
import { codeOf, codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { PlainClient } from "./plain-client.ts";
import { metric, serve } from "./served-world.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const ADA: TokenClaims & { readonly expiresInSeconds: number } = {
  playerId: 18_446_744_073_709_551_615n,
  role: "admin",
  name: "Ada L.",
  expiresInSeconds: 60,
};

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = (fromNow: number): number => Math.floor(Date.now() / 1000) + fromNow;

/** Signs a token as HS256 with any header and claims, without the code under test. */
function signed(header: object, claims: object, secret: string | Buffer = SECRET): string {
  const text = `${base64(header)}.${base64(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** Joins with a token. Returns the welcome or the goodbye. */
async function joinWith(options: Partial<ServerOptions>, token: string | Uint8Array) {
  const server = await serve(options);
  const client = await PlainClient.join(server.url, { token: Buffer.from(token) });
  const answer = await Promise.race([
    client.next("welcome"),
    client.next("goodbye").catch(() => new Promise<never>(() => undefined)),
  ]);
  return { answer, server, client };
}

async function expectRefused(
  auth: AuthOptions,
  token: string,
  detail = "these credentials are not accepted",
): Promise<void> {
  const { answer, server, client } = await joinWith({ auth }, token);
  expect(answer).toMatchObject({ kind: "goodbye", reason: "credentials", detail });
  expect(await client.closed).toBe(1008);
  expect(await metric(server, 'orthant_goodbyes_total{reason="credentials",limit=""}')).toBe(1);
  expect(server.players).toEqual([]);
}

describe("a token signed with a secret", () => {
  test("carries the player's id, role and name", async () => {
    const { answer, server } = await joinWith(
      { auth: { secret: SECRET } },
      await issueToken(ADA, { secret: SECRET }),
    );
    expect(answer).toMatchObject({ kind: "welcome", playerId: ADA.playerId, role: "admin" });
    expect(server.players[0]?.name).toBe("Ada L.");
  });

  test("is accepted from other issuers who know the secret, and leaves the name to the client", async () => {
    const token = signed({ alg: "HS256" }, { sub: "7", role: "viewer", exp: seconds(60) });
    const { answer, server } = await joinWith({ auth: { secret: Buffer.from(SECRET) } }, token);
    expect(answer).toMatchObject({ kind: "welcome", playerId: 7n, role: "viewer" });
    expect(server.players[0]?.name).toBe("Ada");
  });

  const fine = { sub: "7", role: "viewer", exp: seconds(3600) };
  test.each<[what: string, token: string]>([
    [
      "has expired and was signed with another secret",
      signed({ alg: "HS256" }, { ...fine, exp: seconds(-60) }, "another secret that is quite long"),
    ],
    ["is not valid yet", signed({ alg: "HS256" }, { ...fine, nbf: seconds(60) })],
    ["never expires", signed({ alg: "HS256" }, { sub: "7", role: "viewer" })],
    ["was signed with another secret", signed({ alg: "HS256" }, fine, "another secret that is quite long")],
    ["says that it needs no signature", `${base64({ alg: "none" })}.${base64(fine)}.`],
    ["was changed after it was signed", changed(signed({ alg: "HS256" }, fine))],
    ["names another algorithm of the same family", signed({ alg: "HS512" }, fine)],
    ["has no subject", signed({ alg: "HS256" }, { role: "viewer", exp: fine.exp })],
    ["has a subject that is not a number", signed({ alg: "HS256" }, { ...fine, sub: "ada" })],
    ["has a subject with a leading zero", signed({ alg: "HS256" }, { ...fine, sub: "07" })],
    ["has a subject of 2^64", signed({ alg: "HS256" }, { ...fine, sub: "18446744073709551616" })],
    ["has no role", signed({ alg: "HS256" }, { sub: "7", exp: fine.exp })],
    ["has a role that there is not", signed({ alg: "HS256" }, { ...fine, role: "owner" })],
    ["has a role that objects inherit", signed({ alg: "HS256" }, { ...fine, role: "constructor" })],
    ["has a name that is not text", signed({ alg: "HS256" }, { ...fine, name: 7 })],
    ["has a name that is too long", signed({ alg: "HS256" }, { ...fine, name: "a".repeat(65) })],
    ["is not a token", "let me in"],
  ])("a token that %s is refused, without saying why", async (_what, token) => {
    await expectRefused({ secret: SECRET }, token);
  });

  test.each<[what: string, token: string, detail: string]>([
    ["has expired", signed({ alg: "HS256" }, { ...fine, exp: seconds(-60) }), "the token has expired"],
    ["is missing", "", "this server needs a token"],
  ])("a token that %s is refused, and the player learns that", async (_what, token, detail) => {
    await expectRefused({ secret: SECRET }, token, detail);
  });

  test("a token that has expired and is for another server is refused, without saying why", async () => {
    const token = signed({ alg: "HS256" }, { ...fine, exp: seconds(-60), aud: "north" });
    await expectRefused({ secret: SECRET, audience: "south" }, token);
  });

  test("[N35] a token with a name that terminals act on is refused, and the player learns why", async () => {
    const token = signed({ alg: "HS256" }, { ...fine, name: "Ada\u009b2J" });
    const { answer } = await joinWith({ auth: { secret: SECRET } }, token);
    const detail = expect.stringContaining("U+009B");
    expect(answer).toMatchObject({ kind: "goodbye", reason: "malformed", detail });
  });

  test("is valid at another server only if it names that server", async () => {
    const key = { secret: SECRET, audience: "north" };
    const token = await issueToken(ADA, key);
    const { answer } = await joinWith({ auth: key }, token);
    expect(answer.kind).toBe("welcome");
    await expectRefused({ secret: SECRET, audience: "south" }, token);
  });
});

describe("a token signed with a key", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const pem = (key: KeyObject): string =>
    key.export({ format: "pem", type: key.type === "public" ? "spki" : "pkcs8" }).toString();

  test("is accepted, whether the key is text or an object", async () => {
    const token = await issueToken(ADA, { privateKey: pem(privateKey) });
    for (const key of [publicKey, pem(publicKey)]) {
      const { answer } = await joinWith({ auth: { publicKey: key } }, token);
      expect(answer).toMatchObject({ kind: "welcome", playerId: ADA.playerId });
    }
  });

  test("is refused when another key signed it", async () => {
    const other = generateKeyPairSync("ed25519");
    await expectRefused({ publicKey }, await issueToken(ADA, other));
  });

  test("is refused when it was signed with the public key as a secret", async () => {
    const claims = { sub: "7", role: "admin", exp: seconds(60) };
    await expectRefused({ publicKey }, signed({ alg: "HS256" }, claims, pem(publicKey)));
  });
});

describe("a key", () => {
  test.each<[what: string, auth: AuthOptions]>([
    ["a secret that could be guessed", { secret: "too short" }],
    ["a secret and a key at once", { secret: SECRET, publicKey: generateKeyPairSync("ed25519").publicKey }],
    ["a key of another kind", { publicKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey }],
    ["an invalid key", { publicKey: "-----BEGIN NONSENSE-----" }],
  ])("is rejected when it is %s", async (_what, auth) => {
    expect(await codeOfRejection(serve({ auth }))).toBe("ORT_ARGUMENT");
  });

  test.each<[what: string, change: Partial<typeof ADA>]>([
    ["a player id that does not fit", { playerId: 2n ** 64n }],
    ["a negative player id", { playerId: -1n }],
    ["a name that is too long", { name: "a".repeat(65) }],
    ["a name with a direction mark", { name: "\u202eadA" }],
    ["no time to live", { expiresInSeconds: 0 }],
  ])("signs nothing with %s", async (_what, change) => {
    expect(await codeOfRejection(issueToken({ ...ADA, ...change }, { secret: SECRET }))).toBe("ORT_ARGUMENT");
  });

  test("checks tokens for other servers of a game", async () => {
    const token = Buffer.from(await issueToken(ADA, { secret: SECRET }, 1_000_000));
    // 60 seconds from 1,000, and a clock tolerance of 5.
    const claims = { playerId: ADA.playerId, role: "admin", name: "Ada L.", expiresMs: 1_065_000 };
    expect(await tokenVerifier({ secret: SECRET }, () => 1_059_000)(token)).toEqual(claims);
    await expect(tokenVerifier({ secret: SECRET }, () => 1_066_000)(token)).rejects.toThrow(
      "ORT_CREDENTIALS: the token is not valid",
    );
    expect(codeOf(() => tokenVerifier({ secret: "short" }))).toBe("ORT_ARGUMENT");
  });
});

describe("a player without a token", () => {
  test("is refused unless the operator allows it", async () => {
    await expectRefused({ anonymous: false, secret: SECRET }, "", "this server needs a token");
  });

  test("joins with the role that the operator sets", async () => {
    const { answer, server } = await joinWith({ host: "0.0.0.0", auth: { anonymous: "viewer" } }, "");
    expect(answer).toMatchObject({ kind: "welcome", role: "viewer" });
    expect(server.url, "where a client of this machine reaches it").toBe(`ws://127.0.0.1:${server.port}`);
  });

  test("is refused with a token that the server cannot check", async () => {
    await expectRefused({ anonymous: true }, "let me in");
  });

  test("must be allowed if there is no key: a server that no player could join does not start", async () => {
    expect(await codeOfRejection(serve({ host: "0.0.0.0" }))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(serve({ auth: { anonymous: false } }))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(serve({ proxies: 1 }))).toBe("ORT_ARGUMENT");
  });
});

describe("a game's own decision", () => {
  test("is based on the server's findings, and is final", async () => {
    const asked: unknown[] = [];
    const options: Partial<ServerOptions> = {
      auth: { secret: SECRET },
      authorize: async ({ account, name }) => {
        asked.push(account, name);
        return account && { ...account, role: "viewer" };
      },
    };
    const { answer } = await joinWith(options, await issueToken(ADA, { secret: SECRET }));
    expect(answer).toMatchObject({ kind: "welcome", role: "viewer" });
    expect(asked).toEqual([
      { playerId: ADA.playerId, role: "admin", name: "Ada L.", expiresMs: expect.any(Number) },
      "Ada",
    ]);
  });

  test("may use the game's own tokens", async () => {
    const { answer } = await joinWith(
      {
        authorize: ({ token, tokenBytes }) => ({
          playerId: token === "ticket" ? BigInt(tokenBytes.length) : 0n,
        }),
      },
      "ticket",
    );
    expect(answer).toMatchObject({ kind: "welcome", playerId: 6n });
  });

  test("may leave out the name and the role: the client's name, and builder", async () => {
    const { answer, server } = await joinWith({ authorize: () => ({ playerId: 9n }) }, "ticket");
    expect(answer).toMatchObject({ kind: "welcome", playerId: 9n, role: "builder" });
    expect(server.players[0]?.name).toBe("Ada");
  });

  test("may refuse with a text, which the player reads at once", async () => {
    const authorize = async () => ({ reject: "You are banned until Monday." });
    const { answer, server } = await joinWith({ authorize }, "ticket");
    const detail = "You are banned until Monday.";
    expect(answer).toMatchObject({ kind: "goodbye", reason: "kicked", detail });
    let asked = 0;
    const client = connectReplica(server.url, { token: () => `ticket ${++asked}` });
    await expect(client.ready).rejects.toThrow(
      "ORT_CLOSED: the server did not let this player join: You are banned until Monday.",
    );
    expect(asked, "no other token is tried").toBe(1);
    expect(client.status).toBe("closed");
    expect(await metric(server, "orthant_errors_total")).toBe(0);
  });

  test("a decision without an account tells a client without a token that it needs one", async () => {
    const { answer } = await joinWith({ authorize: () => undefined }, "");
    expect(answer).toMatchObject({ reason: "credentials", detail: "this server needs a token" });
  });

  test.each<[decision: unknown, problem: string]>([
    [null, "the result of authorize is null; it must return an account such as { playerId: 7n }"],
    ["yes", 'the result of authorize is "yes" (a string); it must return an account'],
    [true, "the result of authorize is true (a boolean); it must return an account"],
    [{}, "the playerId that authorize returned is undefined; it is a bigint from 0n"],
    [
      { playerId: 7 },
      "the playerId that authorize returned is 7 (a number); it is a bigint from 0n to 2n ** 64n - 1n: write 7n",
    ],
    [{ playerId: "7" }, 'the playerId that authorize returned is "7" (a string); it is a bigint'],
    [{ playerId: -1n }, "the playerId that authorize returned is -1 (a bigint); it is a bigint from 0n"],
    [{ playerId: 2n ** 64n }, "the playerId that authorize returned is 18446744073709551616 (a bigint)"],
    [{ playerId: 7n, role: "owner" }, "it is one of viewer, builder, admin"],
    [{ playerId: 7n, name: 5 }, "the name that authorize returned is 5 (a number); it is a string"],
    [{ playerId: 7n, name: null }, "the name that authorize returned is null; it is a string"],
    [{ playerId: 7n, isAnonymous: 1 }, "it is true or false"],
    [{ playerId: 7n, tokenId: 1 }, "the tokenId that authorize returned is 1 (a number); it is a string"],
    [{ reject: 5 }, "the reject that authorize returned is 5 (a number); it is a string"],
    [{ reject: undefined }, "the reject that authorize returned is undefined; it is a string"],
  ])("a decision of %o refuses the player, and the log says what is wrong", async (decision, problem) => {
    const lines: string[] = [];
    const streamWrite = (line: string): string => {
      lines.push(line);
      return "";
    };
    const authorize = () => decision as never;
    const { answer } = await joinWith({ authorize, logger: { hooks: { streamWrite } } }, "ticket");
    expect(answer).toMatchObject({ reason: "credentials", detail: "these credentials are not accepted" });
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; err?: { message: string } });
    expect(logged.find(({ msg }) => msg === "authorize failed")?.err?.message).toContain(problem);
  });

  test.each<[what: string, errors: number, authorize: NonNullable<ServerOptions["authorize"]>]>([
    ["says no", 0, () => undefined],
    ["throws a no", 0, () => Promise.reject(new OrthantError("ORT_CREDENTIALS", "Ada is banned"))],
    ["fails", 1, () => Promise.reject(new Error("the database with all the passwords is down"))],
  ])(
    "a decision that %s refuses without saying why, and a fault is counted",
    async (_what, errors, authorize) => {
      const { answer, server } = await joinWith({ authorize }, "ticket");
      expect(answer).toMatchObject({ reason: "credentials", detail: "these credentials are not accepted" });
      expect(await metric(server, "orthant_errors_total")).toBe(errors);
    },
  );

  test("is not asked about a token that the server's key does not accept", async () => {
    const authorize = (): never => {
      throw new Error("must not be asked");
    };
    const asked = { auth: { secret: SECRET }, authorize };
    const { answer } = await joinWith(asked, "let me in");
    expect(answer).toMatchObject({ reason: "credentials" });
  });
});

/** Returns the token with another subject and the old signature. */
function changed(token: string): string {
  const [header, , signature] = token.split(".");
  return `${header}.${base64({ sub: "8", role: "admin", exp: seconds(3600) })}.${signature}`;
}
