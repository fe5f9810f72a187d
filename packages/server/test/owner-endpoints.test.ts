import { once } from "node:events";
import { type OwnerEndpointsOptions, serveOwnerEndpoints } from "@orthant/server";
import { codeOfRejection } from "@orthant/testkit";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";

const COUNTS = { claimed: 2, lost: 1, journalsLost: 0, vacant: [] };
const SHARD = {
  shard: "east",
  term: 3,
  unsavedRecords: 12,
  unsavedBytes: 340,
  savedAgoMs: 1_500,
  isSaveRefused: true,
};

async function endpointsOf(
  options: Partial<OwnerEndpointsOptions> = {},
): Promise<{ readonly url: string; readonly port: number }> {
  const counts = (): ReturnType<OwnerEndpointsOptions["counts"]> => ({ ...COUNTS, owned: [SHARD] });
  const endpoints = await serveOwnerEndpoints({ counts, unready: () => undefined, ...options });
  onTestFinished(() => endpoints.close());
  return endpoints;
}

test("an owner without players exposes the metrics of its shards, and of the process like every server", async () => {
  const { url } = await endpointsOf();
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const line of [
    'orthant_shard_unsaved_records{shard="east"} 12',
    'orthant_shard_saved_ago_seconds{shard="east"} 1.5',
    'orthant_shard_save_refused{shard="east"} 1',
    "orthant_shards_claimed_total 2",
    "orthant_errors_total 0",
    'orthant_refusals_total{name="path"} 0',
  ])
    expect(text.split("\n")).toContain(line);
  expect(text).toContain("process_resident_memory_bytes ");
  expect(text, "it has no players").not.toContain("orthant_gateway");
  expect(text).not.toContain("orthant_players");
});

test("an owner without players reports its health, has no other page, and accepts no connections", async () => {
  let why: string | undefined;
  const { url } = await endpointsOf({ unready: () => why });
  const ask = async (path: string): Promise<readonly [number, string]> => {
    const response = await fetch(url + path);
    return [response.status, await response.text()];
  };
  expect(await ask("/healthz")).toEqual([200, "alive\n"]);
  expect(await ask("/readyz")).toEqual([200, "ready\n"]);
  why = "NATS is away";
  expect(await ask("/readyz")).toEqual([503, "NATS is away\n"]);
  expect((await ask("/"))[0]).toBe(404);
  const socket = new WebSocket(`${url.replace("http", "ws")}/world`);
  const [error] = (await once(socket, "error")) as [Error];
  expect(error.message).toContain("404");
  expect((await ask("/metrics"))[1]).toContain('orthant_refusals_total{name="path"} 2');
});

test("an owner without players can restrict its metrics, and rejects a port in use", async () => {
  const { url, port } = await endpointsOf({ metrics: { bearer: "let me see" } });
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  const headers = { authorization: "Bearer let me see" };
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
  const again = serveOwnerEndpoints({
    port,
    counts: () => ({ ...COUNTS, owned: [] }),
    unready: () => undefined,
  });
  expect(await codeOfRejection(again)).toBe("ORT_LISTEN");
});
