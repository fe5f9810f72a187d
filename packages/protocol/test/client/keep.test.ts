import {
  type Box,
  boxAt,
  type Chunk,
  chunkFromVoxels,
  chunkShape,
  clockOf,
  DEFAULT_GENERATORS,
  GeneratorRegistry,
  OrthantError,
  PATCH_BYTES_MAX,
  type Position,
  regionBox,
  uniformChunk,
} from "@orthant/core";
import type { CachedRegion, CachedReplica, Welcome } from "@orthant/protocol";
import { codeOf, Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import {
  blank,
  change,
  ERA,
  GRASS,
  GROUND,
  heartbeat,
  LOOK,
  patch,
  SHAPE,
  SKY,
  tick,
  Visit,
  WELCOME,
} from "./sample-client.ts";

const STONE = 9;
const FAR: Position = [20, 0, 0, 0];
const RESUMED: Welcome = { ...WELCOME, resumed: true, epoch: { number: 6, id: 0xbeefn } };

/** A client that holds a changed sky, blank ground and a changed region far away. */
function settled(): Visit {
  const visit = Visit.begun();
  visit.hear(
    patch(1, change(SKY, "generated", tick(4), [[[1, 1, 1, 0], STONE]])),
    blank(2, "generated", GROUND),
    patch(3, change(FAR, "generated", tick(2), [[[80, 0, 0, 0], STONE]])),
  );
  return visit;
}

/** Another client, later, that starts with the cached regions. */
function returning(kept: CachedReplica, welcome: Welcome = RESUMED, generators = DEFAULT_GENERATORS): Visit {
  const visit = new Visit({ generators });
  visit.guest.restore(kept);
  visit.guest.setInterest(LOOK);
  visit.connect();
  visit.hear(welcome);
  visit.guest.tick();
  return visit;
}

function keptBy(visit: Visit): CachedReplica {
  const kept = visit.guest.keep();
  if (kept === undefined) throw new OrthantError("ORT_ARGUMENT", "nothing was kept");
  return kept;
}

test("on the next connection a client offers the held regions in its interest and drops the rest", () => {
  const visit = settled();
  visit.guest.disconnected();
  expect(visit.guest.voxelAt([8, 8, 8, 0])).toBe(STONE);
  visit.said();
  visit.connect();
  expect(visit.saidOf("hello").map(({ kept }) => kept)).toEqual([{ worldId: 0x1234n, epoch: ERA }]);
  visit.hear(RESUMED);
  visit.guest.tick();
  expect(visit.saidOf("interest")).toMatchObject([
    {
      interestId: 1,
      held: [{ region: SKY, clock: tick(4) }],
      heldBlank: [{ regions: [GROUND] }],
    },
  ]);
  expect(visit.guest.clockOf(FAR)).toBeUndefined();
  expect(visit.guest.clockOf(SKY)).toBe(tick(4));
  expect(visit.regions.at(-1)).toBe(`forgotten ${FAR}`);
});

test("a resumed region continues with patches from its clock, in a stream that starts at 1", () => {
  const visit = settled();
  visit.guest.disconnected();
  visit.connect();
  visit.hear(RESUMED);
  visit.guest.tick();
  const next = clockOf(6, 1);
  visit.hear(patch(1, change(SKY, tick(4), next)), heartbeat(1, 1, true));
  expect(visit.guest.clockOf(SKY)).toBe(next);
  expect(visit.guest.voxelAt([8, 8, 8, 0])).toBe(STONE);
  expect(visit.guest.isComplete).toBe(true);
});

test.each<[name: string, welcome: Partial<Welcome>]>([
  ["does not take up what was kept", { resumed: false }],
  ["has another world", { worldId: 5n }],
  ["has other generators than before", { generatorsHash: 5n }],
])("a client drops all regions when the server %s", (_name, part) => {
  const visit = settled();
  visit.guest.disconnected();
  visit.regions.splice(0);
  visit.connect();
  visit.hear({ ...RESUMED, ...part });
  visit.guest.tick();
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  expect(visit.saidOf("interest")).toMatchObject([{ held: [], heldBlank: [] }]);
  expect([...visit.regions].sort()).toEqual([GROUND, SKY, FAR].map((region) => `forgotten ${region}`).sort());
});

test("the client repeats an offer unchanged until it is confirmed, and later interests wait for that", () => {
  const visit = settled();
  visit.guest.disconnected();
  visit.connect();
  visit.hear(RESUMED);
  visit.guest.tick();
  const [offer] = visit.saidOf("interest");
  visit.guest.setInterest({ ...LOOK, boxes: [regionBox(FAR)] });
  visit.pass(500);
  expect(visit.saidOf("interest")).toEqual([]);
  visit.pass(500);
  expect(visit.saidOf("interest")).toEqual([offer]);
  visit.hear(heartbeat(0, 1));
  visit.guest.tick();
  expect(visit.saidOf("interest")).toEqual([]);
  visit.pass(200);
  expect(visit.saidOf("interest")).toMatchObject([{ interestId: 2, held: [], heldBlank: [] }]);
});

test("a cache restores all regions, reported as changes but not as updates for the cache", () => {
  const kept = keptBy(settled());
  expect(kept).toMatchObject({
    worldId: 0x1234n,
    epoch: ERA,
    generatorsHash: DEFAULT_GENERATORS.generatorsHash,
  });
  const visit = returning(kept);
  expect(visit.saidOf("hello").map((hello) => hello.kept)).toEqual([{ worldId: 0x1234n, epoch: ERA }]);
  expect(visit.guest.voxelAt([8, 8, 8, 0])).toBe(STONE);
  expect(visit.guest.voxelAt([0, -1, 0, 0])).toBe(GRASS);
  expect(visit.guest.chunkAt([1, 1, 1, 0])).toBe(uniformChunk(SHAPE.volume, STONE));
  expect(visit.changes).toContainEqual(regionBox(SKY));
  expect(visit.regions).toEqual([`forgotten ${FAR}`]);
});

test("a single region is cached as the same bytes as in the complete cache", () => {
  const visit = settled();
  const kept = keptBy(visit);
  expect(kept.regions.map(({ region, clock }) => [region, clock])).toEqual([
    [GROUND, 0],
    [SKY, tick(4)],
    [FAR, tick(2)],
  ]);
  expect(kept.regions.map(({ region }) => visit.guest.keptRegion(region))).toEqual(kept.regions);
  expect(visit.guest.keptRegion([50, 0, 0, 0])).toBeUndefined();
  expect(visit.guest.keptWorld).toEqual({
    worldId: kept.worldId,
    epoch: kept.epoch,
    generatorsHash: kept.generatorsHash,
  });
});

test("a cache contains no predictions, because their verdicts are unknown", () => {
  const visit = settled();
  visit.guest.setVoxels([{ voxel: [0, -1, 0, 0], block: STONE }]);
  const later = returning(keptBy(visit));
  expect(later.guest.voxelAt([0, -1, 0, 0])).toBe(GRASS);
});

test("a world received voxel by voxel is cached in the same way", () => {
  const visit = Visit.begun({}, { generatorsHash: 3n });
  visit.hear(patch(1, change(SKY, "air", tick(1), [[[1, 1, 1, 0], STONE]])), blank(2, "air", GROUND));
  const later = returning(keptBy(visit), { ...RESUMED, generatorsHash: 3n });
  expect(later.guest.voxelAt([8, 8, 8, 0])).toBe(STONE);
  expect(later.guest.voxelAt([0, -1, 0, 0])).toBe(0);
});

test("cached regions are dropped when the server's generators have changed", () => {
  const visit = Visit.begun({}, { generatorsHash: 3n });
  visit.hear(blank(1, "air", GROUND));
  const later = returning(keptBy(visit), { ...RESUMED, generatorsHash: 4n });
  expect(later.guest.clockOf(GROUND)).toBeUndefined();
  expect(later.regions).toEqual([`forgotten ${GROUND}`]);
});

test("a program that cannot generate the world drops cached regions over generated space", () => {
  const visit = returning(keptBy(settled()), RESUMED, new GeneratorRegistry([]));
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  expect(visit.regions.filter((told) => told.startsWith("forgotten"))).toHaveLength(3);
});

test("regions with clocks from after the cached era are not offered", () => {
  const kept = keptBy(settled());
  const visit = returning({ ...kept, epoch: { number: ERA.number - 1, id: 1n } });
  expect(visit.saidOf("interest")).toMatchObject([{ held: [], heldBlank: [{ regions: [GROUND] }] }]);
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
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
      const visit = returning({ ...kept, regions });
      expect(visit.guest.clockOf(SKY), `byte ${index}`).toBeUndefined();
      expect(visit.guest.clockOf(GROUND)).toBe(0);
      expect(visit.regions).toContain(`forgotten ${SKY}`);
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
  const visit = returning({ ...world, regions: sky === undefined ? [] : [{ ...sky, ...part }] });
  expect(visit.guest.keep()?.regions).toEqual([]);
  expect(visit.saidOf("interest")).toMatchObject([{ held: [], heldBlank: [] }]);
});

test("regions cached from another world are dropped", () => {
  const kept = keptBy(settled());
  const visit = returning({ ...kept, worldId: 6n }, { ...RESUMED, worldId: 6n });
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
});

test("a region too large for one patch is cached in several", () => {
  const shape = chunkShape([32, 32, 32, 1]);
  const welcome = { ...WELCOME, shape };
  const visit = new Visit();
  visit.volume = shape.volume;
  visit.connect();
  visit.hear(welcome);
  visit.guest.setInterest(LOOK);
  visit.guest.tick();
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
    visit.hear(patch(index + 1, piece));
  }
  const kept = keptBy(visit);
  expect(kept.regions[0]?.bytes.length).toBeGreaterThan(PATCH_BYTES_MAX);
  const later = returning(kept, { ...RESUMED, shape });
  for (const [position, content] of chunks) expect(later.guest.chunkAt(position)?.equals(content)).toBe(true);
});

test("a cache cannot be restored after the first welcome", () => {
  const visit = settled();
  expect(codeOf(() => visit.guest.restore(keptBy(visit)))).toBe("ORT_ARGUMENT");
});

test("before the first welcome a client keeps exactly the restored regions", () => {
  const kept = keptBy(settled());
  const visit = new Visit();
  expect(visit.guest.keep()).toBeUndefined();
  visit.guest.restore(kept);
  expect(visit.guest.keep()).toEqual(kept);
});

test("an offer that does not fit into a frame leaves out the farthest regions", () => {
  const visit = new Visit();
  visit.connect();
  visit.hear(WELCOME);
  const wide: Box = { min: [0, 0, 0, 0], max: [256, 256, 4, 4] };
  visit.guest.setInterest({ boxes: [wide], center: [0, 0, 0, 0] });
  visit.guest.tick();
  // Steps near the end of their epoch take six bytes each, and together a bit more than half a frame.
  const clock = (x: number, y: number): number => clockOf(5, 2 ** 32 + x * 64 + y);
  for (let x = 0; x < 64; x++) {
    const changes = Array.from({ length: 64 }, (_, y) => change([x, y, 0, 0], "generated", clock(x, y)));
    visit.hear(patch(x + 1, ...changes));
  }
  visit.guest.disconnected();
  visit.said();
  visit.connect();
  visit.hear(RESUMED);
  visit.guest.tick();
  const [interest] = visit.saidOf("interest");
  const held = interest?.held.map(({ region }) => Math.hypot(...region)) ?? [];
  expect(held.length).toBeGreaterThan(1_000);
  expect(held.length).toBeLessThan(4_096);
  expect(Math.max(...held)).toBeLessThan(50);
  expect(visit.guest.clockOf([63, 63, 0, 0])).toBeUndefined();
  expect(visit.guest.clockOf([0, 0, 0, 0])).toBe(clock(0, 0));
});
