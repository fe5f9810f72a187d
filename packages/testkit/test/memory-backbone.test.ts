import type { BackboneStatus, JournalRecord, TableEntry } from "@orthant/cluster";
import { FakeTime, Prng } from "@orthant/testkit";
import { type MemoryBackbone, MemoryHub, NO_ENGINE_FAULTS, settled } from "@orthant/testkit/cluster";
import { expect, test } from "vitest";

const REGION = { kind: "region", sector: "0_0_0_0", region: "1_0_0_0" } as const;
const record = (byte: number): JournalRecord => ({ subject: REGION, bytes: Uint8Array.of(byte) });
const value = (byte: number): Uint8Array => Uint8Array.of(byte);

interface Setting {
  readonly time: FakeTime;
  readonly hub: MemoryHub;
  readonly backbone: MemoryBackbone;
}

function setting(journalBytesMax?: number): Setting {
  const time = new FakeTime();
  const prng = new Prng(7);
  const hub = new MemoryHub({
    time,
    random: () => prng.fraction(),
    ...(journalBytesMax !== undefined && { journalBytesMax }),
  });
  return { time, hub, backbone: hub.connect() };
}

test("a swap succeeds only at its revision, and watchers see all writes in one order", async () => {
  const { time, hub, backbone } = setting();
  const seen: TableEntry[] = [];
  await settled(time, backbone.table.put("own.a", value(1)));
  await settled(
    time,
    hub.connect().table.watch("own.", (entry) => seen.push(entry)),
  );
  expect(await settled(time, backbone.table.swap("own.a", value(2), 1))).toBe(2);
  expect(await settled(time, backbone.table.swap("own.a", value(3), 1))).toBeUndefined();
  expect(await settled(time, backbone.table.swap("own.b", value(4), 0))).toBe(3);
  await settled(time, backbone.table.put("beat.x", value(5)));
  expect(seen.map(({ key, revision }) => [key, revision])).toEqual([
    ["own.a", 1],
    ["own.a", 2],
    ["own.b", 3],
  ]);
});

test("an append succeeds at the expected end, is stale at any other, and fails as full without room", async () => {
  const { time, backbone } = setting(3);
  const journal = await settled(time, backbone.journal("w", "0", 11));
  expect(await settled(time, journal.state())).toEqual({ first: 11, last: 10, bytes: 0 });
  expect(await settled(time, journal.append([record(1), record(2)], 10))).toEqual({
    kind: "stored",
    last: 12,
  });
  expect(await settled(time, journal.append([record(3)], 10))).toEqual({ kind: "stale" });
  expect(await settled(time, journal.append([record(3), record(4)], 12))).toEqual({ kind: "full" });
  await settled(time, journal.trim(11));
  expect(await settled(time, journal.state())).toEqual({ first: 12, last: 12, bytes: 1 });
});

test("a trimmed record cannot be read, and sequences continue", async () => {
  const { time, backbone } = setting();
  const journal = await settled(time, backbone.journal("w", "0"));
  await settled(time, journal.append([record(1), record(2)], 0));
  await settled(time, journal.trim(9));
  const reading = (async () => {
    for await (const _ of journal.read(2, 2));
  })();
  await expect(settled(time, reading)).rejects.toMatchObject({ code: "ORT_JOURNAL" });
  expect(await settled(time, journal.append([record(3)], 2))).toEqual({ kind: "stored", last: 3 });
});

test("followers get stored records until they unsubscribe", async () => {
  const { time, hub, backbone } = setting();
  const seen: number[] = [];
  const subscription = await hub.connect().follow("w", REGION.sector, ([byte = 0]) => seen.push(byte));
  const journal = await settled(time, backbone.journal("w", "0"));
  await settled(time, journal.append([record(1), { subject: { kind: "control" }, bytes: value(9) }], 0));
  await settled(time, journal.append([record(2)], 2));
  time.advance(10);
  expect(seen).toEqual([1, 2]);
  subscription.end();
  await settled(time, journal.append([record(3)], 3));
  time.advance(10);
  expect(seen).toHaveLength(2);
});

test("a request is answered, or fails with ORT_BACKBONE_NO_RESPONDER without a responder", async () => {
  const { time, hub, backbone } = setting();
  const responder = hub.connect();
  const subscription = await responder.respond("i.w.0", async ([byte = 0]) => value(byte + 1));
  expect(await settled(time, backbone.request("i.w.0", value(4), 100))).toEqual(value(5));
  subscription.end();
  await expect(settled(time, backbone.request("i.w.0", value(4), 100))).rejects.toMatchObject({
    code: "ORT_BACKBONE_NO_RESPONDER",
  });
});

test("without a leader no call is answered, though it may still be executed", async () => {
  const { time, hub, backbone } = setting();
  const journal = await settled(time, backbone.journal("w", "0"));
  const outcomes = new Set<number>();
  for (let round = 0; round < 20; round++) {
    const before = hub.journal("w", "0")?.state.last ?? 0;
    hub.isAway = true;
    await expect(settled(time, journal.append([record(1)], before))).rejects.toMatchObject({
      code: "ORT_BACKBONE_AWAY",
    });
    hub.isAway = false;
    outcomes.add((hub.journal("w", "0")?.state.last ?? 0) - before);
  }
  expect([...outcomes].sort()).toEqual([0, 1]);
});

test("a node that was cut off loses records, is notified of that, and misses no key", async () => {
  const { time, hub, backbone } = setting();
  const node = hub.connect();
  const records: Uint8Array[] = [];
  const entries: TableEntry[] = [];
  const statuses: BackboneStatus[] = [];
  node.onStatus((status) => statuses.push(status));
  await node.follow("w", REGION.sector, (bytes) => records.push(bytes));
  await settled(
    time,
    node.table.watch("own.", (entry) => entries.push(entry)),
  );
  const journal = await settled(time, backbone.journal("w", "0"));
  node.partition = "from backbone";
  await settled(time, journal.append([record(1)], 0));
  await settled(time, backbone.table.put("own.a", value(1)));
  time.advance(2_000);
  await expect(settled(time, node.table.get("own.a"))).rejects.toMatchObject({ code: "ORT_BACKBONE_AWAY" });
  node.partition = "none";
  time.advance(10);
  expect(records).toEqual([]);
  expect(entries).toHaveLength(1);
  expect(statuses).toEqual(["disconnected", "connected", "lagging"]);
});

test("[K35] a node that was cut off when the table was lost sees the new entries, and no revision is reused", async () => {
  const { time, hub, backbone } = setting();
  const cut = hub.connect();
  const seen: TableEntry[] = [];
  await settled(
    time,
    cut.table.watch("own.", (entry) => seen.push(entry)),
  );
  await settled(time, backbone.table.put("own.a", value(1)));
  cut.partition = "both";
  hub.table.lose();
  for (const byte of [2, 3]) await settled(time, backbone.table.put(`own.${byte}`, value(byte)));
  cut.partition = "none";
  await settled(time, backbone.table.put("beat.x", value(4)));
  expect(seen.map(({ key }) => key)).toEqual(["own.a", "own.2", "own.3"]);
  expect(seen.map(({ revision }) => revision)).toEqual([1, 1_002, 1_003]);
});

test("deliveries to a paused node wait and keep their order", async () => {
  const { time, hub, backbone } = setting();
  const node = hub.connect();
  const entries: TableEntry[] = [];
  await settled(
    time,
    node.table.watch("", (entry) => entries.push(entry)),
  );
  node.pause();
  await settled(time, backbone.table.put("a", value(1)));
  await settled(time, backbone.table.put("b", value(1)));
  time.advance(10_000);
  expect(entries).toEqual([]);
  node.resume();
  expect(entries.map(({ key }) => key)).toEqual(["a", "b"]);
});

test("lost requests, answers and deliveries all come from the one random source", async () => {
  const play = async (): Promise<string> => {
    const { time, hub, backbone } = setting();
    const seen: number[] = [];
    await hub.connect().follow("w", REGION.sector, ([byte = 0]) => seen.push(byte));
    const journal = await settled(time, backbone.journal("w", "0"));
    hub.faultPlan = {
      ...NO_ENGINE_FAULTS,
      delayMsMax: 9,
      requestLoss: 0.2,
      answerLoss: 0.2,
      deliveryLoss: 0.3,
    };
    for (let round = 0; round < 30; round++) {
      const last = hub.journal("w", "0")?.state.last ?? 0;
      await settled(time, journal.append([record(round)], last)).catch(() => undefined);
    }
    const stored = hub.journal("w", "0")?.state.last ?? 0;
    expect(stored).toBeLessThan(30);
    expect(seen.length).toBeLessThan(stored);
    return `${stored}: ${seen}`;
  };
  expect(await play()).toBe(await play());
});
