import {
  type CacheChange,
  type CacheEntry,
  memoryCache,
  type ReplicaCache,
  type ReplicaOptions,
} from "@orthant/client/replica";
import { type Position, uniformChunk } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { clockFrom, GeneratorMap } from "@orthant/core/tree";
import type { Hello } from "@orthant/protocol";
import type { InterestMessage, PatchMessage } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { brokenPromises } from "./cache-contract.ts";
import { ScriptedServer } from "./scripted-server.ts";

const INTEREST = { boxes: [boxBetween([0, 0, 0, 0], [16, 4, 4, 4])] };
/** A memory cache that records what is stored, and fails on request. */
class WatchedCache implements ReplicaCache {
  readonly #inner = memoryCache();
  readonly stores: (readonly CacheChange[])[] = [];
  failure: Error | undefined;

  async claim(): Promise<boolean> {
    return this.#inner.claim();
  }

  async load(): Promise<readonly CacheEntry[]> {
    return this.#inner.load();
  }

  async store(changes: readonly CacheChange[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.stores.push(changes);
    return this.#inner.store(changes);
  }

  async release(): Promise<void> {
    return this.#inner.release();
  }

  /** Returns the keys written and removed since the last call. */
  written(): readonly string[] {
    return this.stores
      .splice(0)
      .flatMap((changes) => changes.map(({ key, value }) => (value === undefined ? `-${key}` : key)));
  }
}

/** Returns a patch that replaces a region by one block, with its clock. */
function full(patchSeq: number, region: Position, block: number, step: number): PatchMessage {
  const [x, y, z, w] = region;
  const box = boxBetween([x * 4, y * 4, z * 4, w * 4], [x * 4 + 4, y * 4 + 4, z * 4 + 4, w * 4 + 4]);
  const change = {
    region,
    base: "generated",
    next: clockFrom(3, step),
    piece: 0,
    leaves: [{ box, content: uniformChunk(4096, block) }],
    edits: [],
    data: [],
  } as const;
  return { kind: "patch", patch: { patchSeq, changes: [change] } };
}

async function joined(options: ReplicaOptions, change = {}): Promise<ScriptedServer> {
  const server = new ScriptedServer({ interest: INTEREST, ...options });
  await server.join(change);
  await server.pass(50);
  return server;
}

async function helloAndInterest(
  server: ScriptedServer,
): Promise<{ hello: Hello; interest: InterestMessage }> {
  const received = server.received();
  const hello = received.find((message) => message.kind === "hello");
  const interest = received.find((message) => message.kind === "interest");
  if (hello?.kind !== "hello" || interest?.kind !== "interest") throw new Error("no hello or no interest");
  return { hello, interest };
}

/** Leaves two regions in a cache: an edited one and a generated one. */
async function fillCache(cache: ReplicaCache): Promise<Hello> {
  const server = await joined({ cache });
  const { hello } = await helloAndInterest(server);
  server.say(full(1, [0, 0, 0, 0], 7, 1), {
    kind: "blank",
    streamNumber: 2,
    content: "generated",
    mask: { box: boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), regions: [[1, 0, 0, 0]] },
  });
  await server.world.close();
  return hello;
}

describe("a cache", () => {
  test("gives the next client the regions of the previous one, and the same identity", async () => {
    const cache = memoryCache();
    const first = await fillCache(cache);
    expect(first.kept).toBeUndefined();
    const again = await joined({ cache }, { resumed: true });
    const { hello, interest } = await helloAndInterest(again);
    expect(hello.clientId).toBe(first.clientId);
    expect(hello.kept).toEqual({ worldId: 77n, epoch: { number: 3, id: 9n } });
    expect(interest.held).toEqual([{ region: [0, 0, 0, 0], clock: clockFrom(3, 1) }]);
    expect(interest.heldBlank.flatMap(({ regions }) => regions)).toEqual([[1, 0, 0, 0]]);
    expect(again.world.voxelAt([0, 0, 0, 0])).toBe(7);
    expect(again.world.voxelAt([40, 0, 0, 0])).toBeDefined();
    expect(again.world.voxelAt([80, 0, 0, 0])).toBeUndefined();
  });

  test("never lets an edit id be used twice, however a client ends", async () => {
    const cache = memoryCache();
    const first = await joined({ cache });
    first.world.setVoxel([0, 0, 0, 0], 1);
    await first.pass(50);
    // The program ends here without closing the cache, and its claim ends with it.
    await cache.release();
    const second = await joined({ cache });
    second.world.setVoxel([0, 0, 0, 0], 2);
    await second.pass(50);
    const idOf = (server: ScriptedServer): number =>
      server.received().flatMap((message) => (message.kind === "voxels" ? [message.editId] : []))[0] ?? 0;
    const [firstId, secondId] = [idOf(first), idOf(second)];
    expect(firstId).toBe(1);
    expect(secondId).toBeGreaterThan(firstId);
  });

  test("is written two seconds after a change, with only what changed", async () => {
    const cache = new WatchedCache();
    const server = await joined({ cache });
    expect(cache.written()).toEqual(["identity"]);
    server.say(full(1, [0, 0, 0, 0], 7, 1), full(2, [1, 0, 0, 0], 7, 1));
    await server.pass(1900);
    expect(cache.written()).toEqual([]);
    server.say({ kind: "heartbeat", interestId: 1, complete: true, sent: 2 });
    await server.pass(100);
    expect(cache.written()).toEqual(["world", "blocks", "region 0 0 0 0", "region 1 0 0 0"]);
    server.say(full(3, [1, 0, 0, 0], 8, 2));
    await server.pass(2000);
    expect(cache.written()).toEqual(["region 1 0 0 0"]);
    server.say({
      kind: "forget",
      streamNumber: 4,
      mask: { box: boxBetween([0, 0, 0, 0], [1, 1, 1, 1]), regions: [[0, 0, 0, 0]] },
    });
    await server.world.close();
    expect(cache.written()).toEqual(["-region 0 0 0 0"]);

    const again = await joined({ cache }, { resumed: true });
    await again.world.close();
    // Regions that came from the cache unchanged are not written again.
    expect(cache.written()).toEqual(["identity", "world"]);
  });

  test("loses the regions of a world that the server does not resume, in the same step", async () => {
    const cache = new WatchedCache();
    await fillCache(cache);
    cache.written();
    const server = await joined({ cache }, { worldId: 78n });
    server.say(full(1, [2, 0, 0, 0], 7, 1));
    await server.pass(2000);
    expect(cache.stores.length).toBe(2);
    expect([...cache.written()].sort()).toEqual([
      "-region 0 0 0 0",
      "-region 1 0 0 0",
      "identity",
      "region 2 0 0 0",
      "world",
    ]);
  });

  test("does not take an equal clock for equal content when the server has a different history", async () => {
    const cache = memoryCache();
    await fillCache(cache);
    // The server lost its last epoch to a crash and a rollback, and issues the same clock for something else.
    const epoch = { number: 3, id: 10n };
    const server = await joined({ cache }, { epoch });
    server.say(full(1, [0, 0, 0, 0], 9, 1));
    await server.world.close();
    const again = await joined({ cache }, { epoch, resumed: true });
    const { hello, interest } = await helloAndInterest(again);
    expect(hello.kept?.epoch).toEqual(epoch);
    expect(interest.held).toEqual([{ region: [0, 0, 0, 0], clock: clockFrom(3, 1) }]);
    expect(again.world.voxelAt([0, 0, 0, 0])).toBe(9);
  });

  test("is rewritten when the server's generators differ, even if the clocks are equal", async () => {
    const cache = new WatchedCache();
    await fillCache(cache);
    cache.written();
    const server = await joined(
      { cache },
      { generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 5n, 1n)), resumed: true },
    );
    const { patch } = full(1, [0, 0, 0, 0], 9, 1);
    const changes = patch.changes.map((change) => ({ ...change, base: "air" as const }));
    server.say({ kind: "patch", patch: { ...patch, changes } });
    expect(server.world.voxelAt([0, 0, 0, 0])).toBe(9);
    await server.world.close();
    expect([...cache.written()].sort()).toEqual(["-region 1 0 0 0", "identity", "region 0 0 0 0", "world"]);
  });

  test("is written in parts when there is much, and the first part removes all regions of another world", async () => {
    const cache = new WatchedCache();
    const regions = Array.from({ length: 600 }, (_, w): Position => [0, 0, 0, w]);
    const interest = { boxes: [boxBetween([0, 0, 0, 0], [4, 4, 4, 2400])] };
    const first = await joined({ cache, interest });
    first.sayGenerated(regions);
    await first.world.close();
    expect(cache.stores.map((changes) => changes.length)).toEqual([1, 2 + 256, 256, 88]);
    cache.stores.length = 0;
    const second = await joined({ cache, interest }, { worldId: 78n });
    second.sayGenerated(regions);
    await second.world.close();
    const [, step = []] = cache.stores;
    const removed = step.filter(({ value }) => value === undefined);
    expect([step.length, removed.length]).toEqual([1 + 600, 344]);
    expect((await cache.load()).length).toBe(603);
  });

  test("belongs to one client at a time, and another one reads it, writes nothing and gets a new identity", async () => {
    const cache = new WatchedCache();
    const owner = await fillCache(cache);
    cache.written();
    let ids = 0n;
    const random = (): bigint => ++ids;
    const first = await joined({ cache, random }, { resumed: true });
    const second = await joined({ cache, random }, { resumed: true });
    cache.written();
    const [one, two] = [await helloAndInterest(first), await helloAndInterest(second)];
    expect(one.hello.clientId).toBe(owner.clientId);
    expect(two.hello.clientId).not.toBe(owner.clientId);
    expect(two.interest.held).toEqual(one.interest.held);
    second.say(full(1, [0, 0, 0, 0], 9, 2));
    await second.pass(2000);
    await second.world.close();
    expect(cache.written()).toEqual([]);
    first.say(full(1, [0, 0, 0, 0], 9, 2));
    await first.world.close();
    expect(cache.written()).toContain("region 0 0 0 0");
  });

  test("a cache that fails has no effect on the client except a report", async () => {
    const broken = new WatchedCache();
    broken.failure = new Error("no room");
    const failures: unknown[] = [];
    const onCacheFailure = (error: unknown): void => {
      failures.push(error);
    };
    const server = await joined({ cache: broken, onCacheFailure });
    expect(failures).toEqual([broken.failure]);
    expect(server.world.status).toBe("joined");
    await server.world.close();

    const later = new WatchedCache();
    const client = await joined({ cache: later, onCacheFailure });
    later.failure = new Error("no more room");
    client.say(full(1, [0, 0, 0, 0], 7, 1));
    await client.pass(2000);
    expect(failures.length).toBe(2);
    client.say(full(2, [0, 0, 0, 0], 8, 2));
    await client.pass(4000);
    await client.world.close();
    expect(failures.length).toBe(2);
    // The claim was released.
    expect(await later.claim()).toBe(true);
  });
});

test("the memory cache keeps the cache contract", async () => {
  const cache = memoryCache();
  expect(await brokenPromises(() => cache)).toEqual([]);
});

describe("a damaged cache", () => {
  test("loses only the damaged entries", async () => {
    const pristine = memoryCache();
    await fillCache(pristine);
    const entries = await pristine.load();
    expect(entries.map(({ key }) => key).sort()).toEqual([
      "blocks",
      "identity",
      "region 0 0 0 0",
      "region 1 0 0 0",
      "world",
    ]);
    for (const { key, value } of entries) {
      for (const damaged of damagedForms(value, new Prng(7))) {
        const cache = memoryCache();
        await cache.store([...entries, { key, value: damaged }]);
        const server = await joined({ cache }, { resumed: key !== "world" });
        const { hello, interest } = await helloAndInterest(server);
        expect(hello.kept === undefined, `${key}`).toBe(key === "world");
        expect(hello.blocksHash === 0n, `${key}`).toBe(key === "world" || key === "blocks");
        const held = interest.held.length + interest.heldBlank.length;
        expect(held, `${key} as ${damaged}`).toBe(key === "world" ? 0 : key.startsWith("region") ? 1 : 2);
        await server.world.close();
      }
    }
  });

  test("does not take one region for another", async () => {
    const cache = memoryCache();
    await fillCache(cache);
    const region = (await cache.load()).find(({ key }) => key === "region 0 0 0 0");
    if (region === undefined) throw new Error("nothing was kept");
    await cache.store([
      { key: "region 2 0 0 0", value: region.value },
      { key: "region", value: region.value },
      { key: "region x", value: new Uint8Array(100) },
    ]);
    const server = await joined({ cache }, { resumed: true });
    const { interest } = await helloAndInterest(server);
    expect(interest.held.map((held) => held.region)).toEqual([[0, 0, 0, 0]]);
    expect(server.world.voxelAt([80, 0, 0, 0])).toBeUndefined();
    await server.world.close();
    const keys = (await cache.load()).map(({ key }) => key);
    expect(keys).not.toContain("region 2 0 0 0");
    expect(keys).not.toContain("region x");
  });
});

/** Returns the bytes with various faults: cut, longer, with a flipped bit, all zeros. */
function damagedForms(value: Uint8Array, prng: Prng): readonly Uint8Array[] {
  const flipped = Array.from({ length: 12 }, () => {
    const copy = value.slice();
    const at = prng.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << prng.below(8));
    return copy;
  });
  return [
    ...flipped,
    value.subarray(0, prng.below(value.length)),
    new Uint8Array([...value, 0]),
    new Uint8Array(value.length),
    new Uint8Array(0),
  ];
}
