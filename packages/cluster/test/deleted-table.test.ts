import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { NatsCluster, TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { afterAll, beforeAll, expect, test } from "vitest";

let nats: NatsCluster;
beforeAll(async () => {
  nats = await NatsCluster.start(1);
}, 60_000);
afterAll(() => nats.dispose());

test("[K35] [K52] a write makes a deleted table again, at later revisions, for watchers of the old one too", async () => {
  const [writer, watcher] = [await nats.connect(), await nats.connect()];
  const seen: (readonly [string, number])[] = [];
  await watcher.table.watch("beat.", ({ key, revision }) => seen.push([key, revision]));
  const before = await writer.table.put("beat.a", new Uint8Array([1]));
  const { user, password: pass } = TEST_CREDENTIALS;
  const connection = await connect({ servers: [...nats.urls], user, pass });
  await (await jetstreamManager(connection)).streams.delete("KV_orthant");
  await connection.close();
  const put = (): Promise<number> => writer.table.put("beat.b", new Uint8Array([2])).catch(() => 0);
  await expect.poll(put, { timeout: 20_000 }).toBeGreaterThan(before);
  const after = (await writer.table.get("beat.b"))?.revision ?? 0;
  expect(await writer.table.get("beat.a")).toBeUndefined();
  await expect
    .poll(() => seen, { timeout: 20_000 })
    .toEqual([
      ["beat.a", before],
      ["beat.b", after],
    ]);
  await writer.close();
  await watcher.close();
});
