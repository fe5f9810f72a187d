import { connectReplica } from "@orthant/client/node";
import { systemTime } from "@orthant/core";
import { anonymousPlayerId, issueToken, type Revocation, type ServerOptions } from "@orthant/server";
import { codeOf, codeOfRejection, FakeTime } from "@orthant/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { PlainClient } from "./plain-client.ts";
import { ask, serve, until } from "./served-world.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const START_MS = 1_800_000_000_000;
/** Tolerated difference between the clocks of the server and of the token issuer. */
const TOLERANCE_MS = 5_000;

async function tokenFor(
  playerId: bigint,
  expiresInSeconds: number,
  { tokenId, nowMs = START_MS }: { tokenId?: string; nowMs?: number } = {},
): Promise<string> {
  return issueToken({ playerId, role: "builder", tokenId, expiresInSeconds }, { secret: SECRET }, nowMs);
}

/** A server with a fake clock, which does not disconnect idle clients for a year. */
async function patientServer(options: Partial<ServerOptions> = {}) {
  const time = new FakeTime(START_MS);
  const limits = { idleMs: 1e12 };
  const server = await serve({ time, tickMs: 100, limits, auth: { secret: SECRET }, ...options });
  const join = async (token: string, clientId = 1n): Promise<PlainClient> => {
    const { length } = server.players;
    const client = await PlainClient.join(server.url, { token: Buffer.from(token), clientId, name: "Ada" });
    // A goodbye comes at once, a welcome with the next tick.
    await until(() => client.messages.length > 0 || server.players.length > length);
    time.advance(100);
    await until(() => client.messages.length > 0);
    return client;
  };
  return { time, server, join };
}

describe("a token that expires", () => {
  test("ends its own connection at its expiry with that reason, and no other connection", async () => {
    const { time, server, join } = await patientServer();
    const short = await join(await tokenFor(1n, 60), 1n);
    const long = await join(await tokenFor(2n, 3_600), 2n);
    time.advance(START_MS + 60_000 + TOLERANCE_MS - 1 - time.nowMs());
    expect(server.players.length, "before").toBe(2);
    time.advance(101);
    expect(server.players.map(({ playerId }) => playerId)).toEqual([2n]);
    expect(await short.next("goodbye")).toMatchObject({
      reason: "credentials",
      detail: "the token has expired",
    });
    expect(await short.closed).toBe(1008);
    expect(long.socket.readyState).toBe(long.socket.OPEN);
  });

  test("may expire in a century: the connection stays, and no timer waits for it", async () => {
    const { time, server, join } = await patientServer();
    await join(await tokenFor(1n, 100 * 365 * 86_400));
    // Delays of 2^31 ms and more would make a timer of Node fire at once.
    const realServer = await serve({ auth: { secret: SECRET } });
    const token = await tokenFor(1n, 100 * 365 * 86_400, { nowMs: Date.now() });
    const client = await PlainClient.join(realServer.url, { token: Buffer.from(token) });
    await client.next("heartbeat");
    time.advance(60_000);
    expect([server.players.length, realServer.players.length]).toEqual([1, 1]);
    expect(time.nextDueMs ?? 0, "only the next tick is planned").toBeLessThanOrEqual(time.nowMs() + 100);
  });

  test("is replaced by the client, which resumes without losing its regions or an edit", async () => {
    let aheadMs = 0;
    const time = { ...systemTime, nowMs: () => Date.now() + aheadMs };
    const server = await serve({ time, auth: { secret: SECRET } });
    let issued = 0;
    const client = connectReplica(server.url, {
      token: () => tokenFor(7n, 5, { tokenId: `token ${++issued}`, nowMs: time.nowMs() }),
      interest: { center: [0, 8, 0, 0], radiusChunks: 2 },
    });
    onTestFinished(() => client.close());
    await client.complete();
    const { heldRegions, patches } = client.counts;
    const lost = new Promise<string | undefined>((resolve) => {
      client.onStatus((status, { goodbye }) => status === "waiting" && resolve(goodbye?.detail));
    });
    aheadMs = 12_000;
    expect(await lost).toBe("the token has expired");
    expect(client.voxelAt([0, 0, 0, 0]), "the replica stays readable").toBeDefined();
    expect(await client.setVoxel([1, 40, 1, 0], 3)).toEqual({ status: "applied" });
    expect([client.status, issued, client.counts.heldRegions]).toEqual(["joined", 2, heldRegions]);
    expect(client.counts.patches, "only the edit was sent").toBeLessThanOrEqual(patches + 1);
    expect(server.players[0]?.playerId).toBe(7n);
  });

  test("keeps its expiry when a game decides about the account, unless the game sets its own", async () => {
    const { time, server, join } = await patientServer({
      authorize: ({ account }) =>
        account && {
          playerId: account.playerId,
          role: "builder",
          name: "x",
          ...(account.playerId === 2n && { expiresMs: START_MS + 10_000 }),
          ...(account.playerId === 3n && { expiresMs: Number.POSITIVE_INFINITY }),
        },
    });
    for (const id of [1n, 2n, 3n]) await join(await tokenFor(id, 60), id);
    const present = (): readonly bigint[] => server.players.map(({ playerId }) => playerId);
    time.advance(10_000);
    expect(present()).toEqual([1n, 3n]);
    time.advance(60_000);
    expect(present()).toEqual([3n]);
  });

  test.each([Number.NaN, "soon", 5n])(
    "is a fault of the game when the game sets its expiry to %s",
    async (expiresMs) => {
      const { server, join } = await patientServer({
        authorize: () => ({ playerId: 1n, role: "builder", name: "x", expiresMs: expiresMs as number }),
      });
      const client = await join(await tokenFor(1n, 60));
      expect(await client.next("goodbye")).toMatchObject({ reason: "credentials" });
      expect((await ask(server, "/metrics")).text).toContain("orthant_errors_total 1");
    },
  );
});

describe("a revoked player", () => {
  test("is disconnected at once with the reason, on every connection, and refused until allowed", async () => {
    const { server, join } = await patientServer();
    const token = await tokenFor(1n, 3_600);
    const clients = [await join(token, 1n), await join(token, 2n)];
    const other = await join(await tokenFor(2n, 3_600), 3n);
    server.revoke({ playerId: 1n, reason: "griefing" });
    expect(
      server.players.map(({ playerId }) => playerId),
      "without waiting for a tick",
    ).toEqual([2n]);
    const goodbye = { reason: "kicked", detail: "you may not join: griefing" };
    for (const client of clients) expect(await client.next("goodbye")).toMatchObject(goodbye);
    expect(await (await join(token, 4n)).next("goodbye")).toMatchObject(goodbye);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    expect(server.revoked).toEqual([{ playerId: 1n, reason: "griefing" }]);
    expect([server.allow({ playerId: 1n }), server.allow({ playerId: 1n })]).toEqual([true, false]);
    expect((await (await join(token, 5n)).next("welcome")).playerId).toBe(1n);
  });

  test("is refused from the start if the options say so, and the list can be replaced as a whole", async () => {
    const { server, join } = await patientServer({ revoked: [{ playerId: 1n }] });
    expect(await (await join(await tokenFor(1n, 60))).next("goodbye")).toMatchObject({
      reason: "kicked",
      detail: "you may not join",
    });
    const bo = await join(await tokenFor(2n, 60), 2n);
    server.replaceRevoked([{ playerId: 2n }]);
    expect((await bo.next("goodbye")).reason).toBe("kicked");
    expect((await (await join(await tokenFor(1n, 60), 3n)).next("welcome")).playerId).toBe(1n);
    expect(codeOf(() => server.replaceRevoked([{ playerId: 3n }, { playerId: -1n }]))).toBe("ORT_ARGUMENT");
    expect(server.revoked, "a bad list changes nothing").toEqual([{ playerId: 2n }]);
  });

  test("may have no token, or be revoked between the token and the welcome", async () => {
    let decide: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      decide = resolve;
    });
    const { server } = await patientServer({
      auth: { anonymous: true },
      authorize: async ({ account }) => {
        await asked;
        return account;
      },
    });
    const client = await PlainClient.join(server.url, { clientId: 9n });
    server.revoke({ playerId: anonymousPlayerId(9n) });
    decide();
    await until(() => client.messages.length > 0);
    expect(client.messages).toMatchObject([{ kind: "goodbye", reason: "kicked" }]);
  });
});

describe("a revoked token", () => {
  test("ends only its own connections, and its player can return with another token", async () => {
    const { server, join } = await patientServer();
    const [stolen, own] = [
      await tokenFor(1n, 60, { tokenId: "a" }),
      await tokenFor(1n, 60, { tokenId: "b" }),
    ];
    const [thief, owner] = [await join(stolen, 1n), await join(own, 2n)];
    server.revoke({ tokenId: "a", reason: "it was stolen" });
    expect(await thief.next("goodbye")).toMatchObject({
      reason: "credentials",
      detail: "this token was revoked: it was stolen",
    });
    expect(owner.socket.readyState).toBe(owner.socket.OPEN);
    expect(await (await join(stolen, 3n)).next("goodbye")).toMatchObject({ reason: "credentials" });
    expect((await (await join(own, 4n)).next("welcome")).playerId).toBe(1n);
  });
});

describe("an invalid revocation", () => {
  test.each<[what: string, revocation: unknown]>([
    ["nothing", undefined],
    ["neither a player nor a token", {}],
    ["a number for a player", { playerId: 1 }],
    ["a player id above 64 bits", { playerId: 2n ** 64n }],
    ["a token without a name", { tokenId: "" }],
    ["a player and a token", { playerId: 1n, tokenId: "a" }],
    ["a reason that is not text", { playerId: 1n, reason: 5 }],
  ])("is rejected: %s", async (_what, revocation) => {
    const server = await serve();
    expect(codeOf(() => server.revoke(revocation as Revocation))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(serve({ revoked: [revocation as Revocation] }))).toBe("ORT_ARGUMENT");
  });
});
