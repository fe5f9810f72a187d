import { randomBytes } from "node:crypto";
import { encodeUtf8 } from "@orthant/core/bytes";
import { issueToken } from "@orthant/server";
import { describe, expect, test } from "vitest";
import { PlainClient, requestOrigin } from "./plain-client.ts";
import { metric, serve, until } from "./served-world.ts";

const goodbye = (limit: string): string => `orthant_goodbyes_total{reason="limit",limit="${limit}"}`;

/** Sends edits and returns how many of them were applied. */
async function editsMade(client: PlainClient, count: number): Promise<number> {
  for (let editId = 1; editId <= count; editId++) {
    client.say({ kind: "voxels", editId, placements: [{ voxel: [editId, 40, 1, 0], block: 3 }] });
  }
  // Edits beyond the budget get no answer, and a heartbeat comes every second.
  await client.next("heartbeat");
  await client.next("heartbeat");
  return client.results.filter(({ status }) => status !== "rejected").length;
}

describe("budgets over sockets", () => {
  const proxied = (address: string) => ({ headers: { "x-forwarded-for": address } });
  const limits = { editsPerSecond: 0.001, editsBurst: 4, budgetsPerNetwork: 2 };

  test("anonymous players of one network share the edits of budgetsPerNetwork players", async () => {
    const server = await serve({ proxies: 1, auth: { anonymous: true }, limits });
    const counts: number[] = [];
    for (const [index, address] of ["203.0.113.1", "203.0.113.2", "203.0.113.3", "198.51.100.1"].entries()) {
      const client = await joined(server.url, { clientId: BigInt(index + 1) }, proxied(address));
      counts.push(await editsMade(client, 5));
    }
    expect(counts).toEqual([4, 4, 0, 4]);
  });

  test("players of a server that trusts its machine share no budget", async () => {
    const server = await serve({ limits });
    for (let id = 1n; id <= 4n; id++) {
      expect(await editsMade(await joined(server.url, { clientId: id }), 5)).toBe(4);
    }
  });

  test("an account with fresh client ids can make no more edits than one client", async () => {
    const secret = randomBytes(32);
    const server = await serve({ auth: { secret }, limits });
    const claims = { playerId: 7n, role: "builder", expiresInSeconds: 60 } as const;
    const token = encodeUtf8(await issueToken(claims, { secret }));
    let made = 0;
    for (let id = 1n; id <= 5n; id++) {
      const client = await joined(server.url, { clientId: id, token });
      made += await editsMade(client, 3);
      client.socket.close();
    }
    expect(made).toBe(4);
  });

  test("an account has at most clientsPerPlayer clients, and the metrics name the limit", async () => {
    const secret = randomBytes(32);
    const server = await serve({ auth: { secret }, limits: { clientsPerPlayer: 2 } });
    const claims = { playerId: 7n, role: "viewer", expiresInSeconds: 60 } as const;
    const token = encodeUtf8(await issueToken(claims, { secret }));
    for (let id = 1n; id <= 2n; id++) await joined(server.url, { clientId: id, token });
    const third = await PlainClient.join(server.url, { clientId: 3n, token });
    expect(await third.next("goodbye")).toMatchObject({ reason: "limit", detail: "clientsPerPlayer is 2" });
    expect(await metric(server, goodbye("clientsPerPlayer"))).toBe(1);
  });

  test("the metrics count the regions that clients hold", async () => {
    const server = await serve();
    for (let id = 1n; id <= 2n; id++) {
      const client = await joined(server.url, { clientId: id });
      requestOrigin(client, { boxes: [{ min: [0, 0, 0, 0], max: [8, 4, 4, 1] }] });
      await client.next("blank");
    }
    expect(await metric(server, "orthant_regions_watched")).toBe(2);
    expect(await metric(server, "orthant_regions_held")).toBe(4);
  });

  test("the client with the most waiting bytes is dropped when too many wait for all clients together", async () => {
    const wide = { sendBacklogTotalBytesMax: 262_144, inFlightBytesMax: 2 ** 30 };
    const server = await serve({ limits: wide, tickMs: 1 });
    const deaf = await joined(server.url, { clientId: 1n });
    const quick = await joined(server.url, { clientId: 2n });
    deaf.socket.pause();
    await until(() => {
      server.broadcast(new Uint8Array(16_383));
      return server.connectionCount === 1;
    });
    expect(quick.socket.readyState).toBe(quick.socket.OPEN);
    expect(await metric(server, 'orthant_refusals_total{name="sendBacklogTotalBytesMax"}')).toBe(1);
  });
});

async function joined(...[url, hello, options]: Parameters<typeof PlainClient.join>): Promise<PlainClient> {
  const client = await PlainClient.join(url, hello, options);
  await client.next("welcome");
  return client;
}
