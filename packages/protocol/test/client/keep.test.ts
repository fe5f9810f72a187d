import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  chunkShape,
  GeneratorRegistry,
  OrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { DEFAULT_GENERATORS, GeneratorRef } from "@orthant/core/generate";
import { boxAt, regionBox } from "@orthant/core/lattice";
import { clockFrom, GeneratorMap, generatorMapHash, PATCH_BYTES_MAX } from "@orthant/core/tree";
import type { Welcome } from "@orthant/protocol";
import type { CachedRegion, CachedReplica } from "@orthant/protocol/client";
import { codeOf, Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import {
  blank,
  change,
  EPOCH,
  GRASS,
  GROUND,
  heartbeat,
  INTEREST,
  patch,
  SHAPE,
  SKY,
  TestClient,
  tick,
  WELCOME,
} from "./sample-client.ts";

const STONE = 9;
const FAR: Position = [20, 0, 0, 0];
const RESUMED: Welcome = { ...WELCOME, resumed: true, epoch: { number: 6, id: 0xbeefn } };

/** A client that holds a changed sky, blank ground and a changed region far away. */
function settled(): TestClient {
  const client = TestClient.joined();
  client.receive(
    patch(1, change(SKY, "generated", tick(4), [[[1, 1, 1, 0], STONE]])),
    blank(2, "generated", GROUND),
    patch(3, change(FAR, "generated", tick(2), [[[80, 0, 0, 0], STONE]])),
  );
  return client;
}

/** Another client, later, that starts with the cached regions. */
function returning(
  kept: CachedReplica,
  welcome: Welcome = RESUMED,
  generators = DEFAULT_GENERATORS,
): TestClient {
  const client = new TestClient({ generators });
  client.sync.restore(kept);
  client.sync.setInterest(INTEREST);
  client.connect();
  client.receive(welcome);
  client.sync.tick();
  return client;
}

function keptBy(client: TestClient): CachedReplica {
  const kept = client.sync.keep();
  if (kept === undefined) throw new OrthantError("ORT_ARGUMENT", "nothing was kept");
  return kept;
}

test("on the next connection a client offers the held regions in its interest and drops the rest", () => {
  const client = settled();
  client.sync.disconnected();
  expect(client.sync.replica?.voxelAt([8, 8, 8, 0])).toBe(STONE);
  client.sent();
  client.connect();
  expect(client.sentOf("hello").map(({ kept }) => kept)).toEqual([{ worldId: 0x1234n, epoch: EPOCH }]);
  client.receive(RESUMED);
  client.sync.tick();
  expect(client.sentOf("interest")).toMatchObject([
    {
      interestId: 1,
      held: [{ region: SKY, clock: tick(4) }],
      heldBlank: [{ regions: [GROUND] }],
    },
  ]);
  expect(client.sync.replica?.clockOf(FAR)).toBeUndefined();
  expect(client.sync.replica?.clockOf(SKY)).toBe(tick(4));
  expect(client.regions.at(-1)).toBe(`forgotten ${FAR}`);
});

test("a resumed region continues with patches from its clock, in a stream that starts at 1", () => {
  const client = settled();
  client.sync.disconnected();
  client.connect();
  client.receive(RESUMED);
  client.sync.tick();
  const next = clockFrom(6, 1);
  client.receive(patch(1, change(SKY, tick(4), next)), heartbeat(1, 1, true));
  expect(client.sync.replica?.clockOf(SKY)).toBe(next);
  expect(client.sync.replica?.voxelAt([8, 8, 8, 0])).toBe(STONE);
  expect(client.sync.isComplete).toBe(true);
});

test.each<[name: string, welcome: Partial<Welcome>]>([
  ["does not take up what was kept", { resumed: false }],
  ["has another world", { worldId: 5n }],
  [
    "has other generators than before",
    { generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 5n, 1n)) },
  ],
])("a client drops all regions when the server %s", (_name, part) => {
  const client = settled();
  client.sync.disconnected();
  client.regions.splice(0);
  client.connect();
  client.receive({ ...RESUMED, ...part });
  client.sync.tick();
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  expect(client.sentOf("interest")).toMatchObject([{ held: [], heldBlank: [] }]);
  expect([...client.regions].sort()).toEqual(
    [GROUND, SKY, FAR].map((region) => `forgotten ${region}`).sort(),
  );
});

test("the client repeats an offer unchanged until it is confirmed, and later interests wait for that", () => {
  const client = settled();
  client.sync.disconnected();
  client.connect();
  client.receive(RESUMED);
  client.sync.tick();
  const [offer] = client.sentOf("interest");
  client.sync.setInterest({ ...INTEREST, boxes: [regionBox(FAR)] });
  client.pass(500);
  expect(client.sentOf("interest")).toEqual([]);
  client.pass(500);
  expect(client.sentOf("interest")).toEqual([offer]);
  client.receive(heartbeat(0, 1));
  client.sync.tick();
  expect(client.sentOf("interest")).toEqual([]);
  client.pass(200);
  expect(client.sentOf("interest")).toMatchObject([{ interestId: 2, held: [], heldBlank: [] }]);
});

test("a cache restores all regions, reported as changes but not as updates for the cache", () => {
  const kept = keptBy(settled());
  expect(kept).toMatchObject({
    worldId: 0x1234n,
    epoch: EPOCH,
    generatorsHash: generatorMapHash(WELCOME.generators),
  });
  const client = returning(kept);
  expect(client.sentOf("hello").map((hello) => hello.kept)).toEqual([{ worldId: 0x1234n, epoch: EPOCH }]);
  expect(client.sync.replica?.voxelAt([8, 8, 8, 0])).toBe(STONE);
  expect(client.sync.replica?.voxelAt([0, -1, 0, 0])).toBe(GRASS);
  expect(client.sync.replica?.chunkAt([1, 1, 1, 0])).toBe(uniformChunk(SHAPE.volume, STONE));
  expect(client.changes).toContainEqual(regionBox(SKY));
  expect(client.regions).toEqual([`forgotten ${FAR}`]);
});

test("a single region is cached as the same bytes as in the complete cache", () => {
  const client = settled();
  const kept = keptBy(client);
  expect(kept.regions.map(({ region, clock }) => [region, clock])).toEqual([
    [GROUND, 0],
    [SKY, tick(4)],
    [FAR, tick(2)],
  ]);
  expect(kept.regions.map(({ region }) => client.sync.replica?.keep(region))).toEqual(kept.regions);
  expect(client.sync.replica?.keep([50, 0, 0, 0])).toBeUndefined();
  expect(client.sync.keptWorld).toEqual({
    worldId: kept.worldId,
    epoch: kept.epoch,
    generatorsHash: kept.generatorsHash,
  });
});

test("a cache contains no predictions, because their results are unknown", () => {
  const client = settled();
  client.sync.setVoxels([{ voxel: [0, -1, 0, 0], block: STONE }]);
  const later = returning(keptBy(client));
  expect(later.sync.replica?.voxelAt([0, -1, 0, 0])).toBe(GRASS);
});

test("a world received voxel by voxel is cached in the same way", () => {
  const client = TestClient.joined(
    {},
    { generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 3n, 1n)) },
  );
  client.receive(patch(1, change(SKY, "air", tick(1), [[[1, 1, 1, 0], STONE]])), blank(2, "air", GROUND));
  const later = returning(keptBy(client), {
    ...RESUMED,
    generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 3n, 1n)),
  });
  expect(later.sync.replica?.voxelAt([8, 8, 8, 0])).toBe(STONE);
  expect(later.sync.replica?.voxelAt([0, -1, 0, 0])).toBe(0);
});

test("cached regions are dropped when the server's generators have changed", () => {
  const client = TestClient.joined(
    {},
    { generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 3n, 1n)) },
  );
  client.receive(blank(1, "air", GROUND));
  const later = returning(keptBy(client), {
    ...RESUMED,
    generators: GeneratorMap.of(new GeneratorRef("moss", new Uint8Array(0), 4n, 1n)),
  });
  expect(later.sync.replica?.clockOf(GROUND)).toBeUndefined();
  expect(later.regions).toEqual([`forgotten ${GROUND}`]);
});

test("a program that cannot generate the world drops cached regions over generated space", () => {
  const client = returning(keptBy(settled()), RESUMED, new GeneratorRegistry([]));
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  expect(client.regions.filter((report) => report.startsWith("forgotten"))).toHaveLength(3);
});

test("regions with clocks from after the cached epoch are not offered", () => {
  const kept = keptBy(settled());
  const client = returning({ ...kept, epoch: { number: EPOCH.number - 1, id: 1n } });
  expect(client.sentOf("interest")).toMatchObject([{ held: [], heldBlank: [{ regions: [GROUND] }] }]);
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
});

test("a cached region with one changed byte, or cut off, is dropped, and the others are kept", () => {
  const kept = keptBy(settled());
  const [, sky] = kept.regions;
  const prng = new Prng(11);
  for (let index = 0; index < (sky?.bytes.length ?? 0); index++) {
    const damaged = sky?.bytes.slice() ?? new Uint8Array(0);
    damaged[index] = (damaged[index] ?? 0) ^ (1 + prng.below(255));
    for (const bytes of [damaged, damaged.subarray(0, index), sky?.bytes.subarray(0, index) ?? damaged]) {
      const regions = kept.regions.map((region) => (region === sky ? { ...region, bytes } : region));
      const client = returning({ ...kept, regions });
      expect(client.sync.replica?.clockOf(SKY), `byte ${index}`).toBeUndefined();
      expect(client.sync.replica?.clockOf(GROUND)).toBe(0);
      expect(client.regions).toContain(`forgotten ${SKY}`);
    }
  }
});

test.each<[name: string, part: Partial<CachedRegion>]>([
  ["under another place", { region: FAR }],
  ["with another clock", { clock: tick(9) }],
  ["off the lattice", { region: [2 ** 40, 0, 0, 0] }],
  ["nowhere at all", { region: [] as never }],
])("a region that was cached %s is dropped", (_name, part) => {
  const { regions, ...world } = keptBy(settled());
  const [, sky] = regions;
  const client = returning({ ...world, regions: sky === undefined ? [] : [{ ...sky, ...part }] });
  expect(client.sync.keep()?.regions).toEqual([]);
  expect(client.sentOf("interest")).toMatchObject([{ held: [], heldBlank: [] }]);
});

test("regions cached from another world are dropped", () => {
  const kept = keptBy(settled());
  const client = returning({ ...kept, worldId: 6n }, { ...RESUMED, worldId: 6n });
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
});

test("a region too large for one patch is cached in several", () => {
  const shape = chunkShape([32, 32, 32, 1]);
  const welcome = { ...WELCOME, shape };
  const client = new TestClient();
  client.volume = shape.volume;
  client.connect();
  client.receive(welcome);
  client.sync.setInterest(INTEREST);
  client.sync.tick();
  const prng = new Prng(3);
  const noise = (): Chunk =>
    chunkFromVoxels(Uint16Array.from({ length: shape.volume }, () => prng.below(60_000)));
  const chunks = Array.from({ length: 16 }, (_, index): readonly [Position, Chunk] => [
    [index >> 2, index & 3, 0, 0],
    noise(),
  ]);
  for (const [index, [position, content]] of chunks.entries()) {
    const isLast = index === chunks.length - 1;
    const leaves = [{ box: boxAt(position), content }];
    const piece = { ...change(SKY, "generated", isLast ? tick(1) : undefined, [], index), leaves };
    client.receive(patch(index + 1, piece));
  }
  const kept = keptBy(client);
  expect(kept.regions[0]?.bytes.length).toBeGreaterThan(PATCH_BYTES_MAX);
  const later = returning(kept, { ...RESUMED, shape });
  for (const [position, content] of chunks)
    expect(later.sync.replica?.chunkAt(position)?.equals(content)).toBe(true);
});

test("a cache cannot be restored after the first welcome", () => {
  const client = settled();
  expect(codeOf(() => client.sync.restore(keptBy(client)))).toBe("ORT_ARGUMENT");
});

test("before the first welcome a client keeps exactly the restored regions", () => {
  const kept = keptBy(settled());
  const client = new TestClient();
  expect(client.sync.keep()).toBeUndefined();
  client.sync.restore(kept);
  expect(client.sync.keep()).toEqual(kept);
});

test("an offer that does not fit into a frame leaves out the farthest regions", () => {
  const client = new TestClient();
  client.connect();
  client.receive(WELCOME);
  const wide: Box = { min: [0, 0, 0, 0], max: [256, 256, 4, 4] };
  client.sync.setInterest({ boxes: [wide], center: [0, 0, 0, 0] });
  client.sync.tick();
  // Steps near the end of their epoch take six bytes each, and together a bit more than half a frame.
  const clock = (x: number, y: number): number => clockFrom(5, 2 ** 32 + x * 64 + y);
  for (let x = 0; x < 64; x++) {
    const changes = Array.from({ length: 64 }, (_, y) => change([x, y, 0, 0], "generated", clock(x, y)));
    client.receive(patch(x + 1, ...changes));
  }
  client.sync.disconnected();
  client.sent();
  client.connect();
  client.receive(RESUMED);
  client.sync.tick();
  const [interest] = client.sentOf("interest");
  const held = interest?.held.map(({ region }) => Math.hypot(...region)) ?? [];
  expect(held.length).toBeGreaterThan(1_000);
  expect(held.length).toBeLessThan(4_096);
  expect(Math.max(...held)).toBeLessThan(50);
  expect(client.sync.replica?.clockOf([63, 63, 0, 0])).toBeUndefined();
  expect(client.sync.replica?.clockOf([0, 0, 0, 0])).toBe(clock(0, 0));
});
