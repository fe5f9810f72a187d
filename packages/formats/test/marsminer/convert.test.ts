import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type BlockCatalog, CUBE_CHUNKS, chunkFromVoxels, chunkShape, uniformChunk } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import {
  convertMarsMiner,
  convertToMarsMinerSave,
  createMarsMiner,
  type MarsMinerConvertOptions,
  type MarsMinerSave,
  openMarsMiner,
  verifyMarsMiner,
} from "@orthant/formats";
import { uniformOctree } from "@orthant/formats/internal";
import {
  BulkSaveWriter,
  type GlobalState,
  type LeafChange,
  openSave,
  plainDescription,
  verifySave,
} from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { codeOf, codeOfRejection, Prng } from "@orthant/testkit";
import { goldenPath } from "@orthant/testkit/golden";
import { entityAt, playerOf } from "@orthant/testkit/saves";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { DRAFT_FILES, diskOf, patched, randomOctree, SUBTYPES_FILES, TICKS, writtenDisk } from "./samples.ts";
import { worldOf } from "./world-of.ts";

const GOLDEN = goldenPath("marsminer-v0");

const ACCEPTED: MarsMinerConvertOptions = { acceptLosses: true };
const GENERATED_WORLDS = 200;

/** Saves with a state; those that must be refused are not worlds. */
function goldenSaves(): readonly string[] {
  return readdirSync(GOLDEN, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(GOLDEN, name)).map((fixture) => `${name}/${fixture}`))
    .filter((name) => !/never-saved|translator/.test(name));
}

function goldenDisk(name: string): MemoryDisk {
  const folder = join(GOLDEN, name, "save");
  return diskOf(
    Object.fromEntries(
      readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(join(folder, file)))]),
    ),
  );
}

const NAME_LENGTH_MAX = 64;

/** Returns the final name of a block. No test here has two names that change to the same one. */
function renamed(name: string | undefined, subtype: number, id: number): string {
  if (name === undefined) return `block ${id}`;
  const full = subtype === 0 ? name : `${name} #${subtype}`;
  if (full.length === 0) return "nameless ~1";
  return full.length > NAME_LENGTH_MAX ? `${full.slice(0, NAME_LENGTH_MAX - 8)} ~1` : full;
}

async function blocksOf(world: MemoryDisk): Promise<BlockCatalog> {
  return decode(blockCatalogCodec, (await openSave(world)).global.description.blocks);
}

/** Returns whether the cube at a position in chunks lies on our lattice, four chunks of which make a cube. */
function isOnLattice(place: string): boolean {
  return place.split(",").every((coordinate) => Math.abs(Number(coordinate)) * 4 <= 0x7fff_fffc);
}

async function roundTrip(
  save: MarsMinerSave,
): Promise<{ readonly back: MarsMinerSave; readonly world: MemoryDisk; readonly chunks: number }> {
  const world = new MemoryDisk();
  const { chunks } = await convertMarsMiner(save, world, ACCEPTED);
  expect((await verifySave(world)).filter(({ severity }) => severity === "damage")).toEqual([]);
  const middle = await openSave(world);
  const disk = new MemoryDisk();
  const report = await convertToMarsMinerSave(middle, disk);
  expect(report.losses).toEqual([]);
  await middle.close();
  expect(await verifyMarsMiner(disk)).toEqual([]);
  return { back: await openMarsMiner(disk, { cubeSize: save.cubeSize }), world, chunks };
}

async function expectSame(
  back: MarsMinerSave,
  save: MarsMinerSave,
  isCarried?: (place: string) => boolean,
): Promise<void> {
  expect(back.state?.ticks).toBe(save.state?.ticks);
  expect(back.state?.name).toBe(save.state?.name);
  const after = await worldOf(back, (name) => name ?? "?");
  expect(after).toEqual(await worldOf(save, renamed, isCarried));
}

describe("a MarsMiner save converted to a world and back", () => {
  test.each(goldenSaves())("[M30] keeps everything that the world can hold: %s", async (name) => {
    const save = await openMarsMiner(goldenDisk(name));
    const { back } = await roundTrip(save);
    // Those of the author's tests are anywhere; the report lists the ones beyond the lattice.
    await expectSame(back, save, name.includes("author-tests") ? isOnLattice : undefined);
  });

  test("[M30] is unchanged, for 200 random worlds", async () => {
    for (let seed = 0; seed < GENERATED_WORLDS; seed++) {
      const prng = new Prng(seed);
      const disk = new MemoryDisk();
      const writer = await createMarsMiner(disk, { blobFullBytes: prng.pick([500, 100_000_000]) });
      const names = [
        "Core_Empty",
        "Rock",
        "Sand",
        "Säve 火星 🚀",
        ...Array.from({ length: prng.pick([0, 300]) }, (_, id) => `b${id}`),
      ];
      const scale = prng.chance(0.5) ? 64 : 1;
      for (let count = prng.between(0, 4); count > 0; count--) {
        await writer.putChunk({
          x: prng.between(-9, 9) * scale,
          z: prng.between(-9, 9) * scale,
          blockTypes: prng.chance(0.5) ? names : [...names].reverse(),
          octrees: Array.from({ length: prng.between(1, 3) }, () => randomOctree(prng, names.length - 1)),
        });
      }
      await writer.commit({ ticks: TICKS + BigInt(seed), name: prng.pick([undefined, "", "world"]) });
      await writer.close();
      const save = await openMarsMiner(disk);
      const { back } = await roundTrip(save);
      await expectSame(back, save);
    }
  }, 240_000);

  test("can be opened as a world in between, with a catalog of its block names", async () => {
    const { world } = await roundTrip(await openMarsMiner(diskOf(SUBTYPES_FILES)));
    const opened = await openWorldEngine(world);
    const blocks = await blocksOf(world);
    expect(blocks.types.map(({ name }) => name)).toEqual([
      "air",
      "Block 0",
      "Block 1",
      "Block 2",
      "Block 2 #7",
    ]);
    expect(blocks.byId(await opened.get([63, 63, 63, 0]))?.name).toBe("Block 1");
    expect(await opened.get([64, 0, 0, 0])).toBe(0);
    await opened.close();
  });

  test("[M29] turns Core_Empty into air, and renames blocks whose names no block of ours can have", async () => {
    const disk = new MemoryDisk();
    const writer = await createMarsMiner(disk);
    const blockTypes = ["Core_Empty", "air", "", "x".repeat(65), "x".repeat(66)];
    await writer.putChunk({ x: 0, z: 0, blockTypes, octrees: blockTypes.map((_, id) => uniformOctree(id)) });
    await writer.commit({ ticks: TICKS, name: "names" });
    await writer.close();
    const world = new MemoryDisk();
    const report = await convertMarsMiner(await openMarsMiner(disk), world, ACCEPTED);
    expect(report.losses.map(({ what, count }) => [what, count])).toEqual([
      ["names of block types that no block of ours can have", 4],
    ]);
    const opened = await openWorldEngine(world);
    const short = "x".repeat(56);
    expect((await blocksOf(world)).types.map(({ name }) => name)).toEqual([
      "air",
      "air ~1",
      "nameless ~1",
      `${short} ~1`,
      `${short} ~2`,
    ]);
    for (const [level, block] of [0, 1, 2, 3, 4].entries()) {
      expect(await opened.get([5, level * 64, 5, 0])).toBe(block);
    }
    await opened.close();
  });
});

describe("a conversion from or to MarsMiner", () => {
  test("[M28] is refused before anything is written if it would lose something", async () => {
    const save = await openMarsMiner(diskOf(SUBTYPES_FILES));
    const target = new MemoryDisk();
    expect(await codeOfRejection(convertMarsMiner(save, target))).toBe("ORT_LOSS");
    expect(target.image().files.size).toBe(0);
    const { losses } = await convertMarsMiner(save, undefined);
    expect(losses).toEqual([
      { what: "block subtypes", count: 1, remark: 'they become part of the names, as in "Block 2 #7"' },
    ]);
    expect((await convertMarsMiner(save, target, ACCEPTED)).losses).toEqual(losses);
    expect(
      (await convertMarsMiner(await openMarsMiner(diskOf(DRAFT_FILES)), new MemoryDisk())).losses,
    ).toEqual([]);
  });

  test("[M28] lists values of branches, empty chunks, unlisted ids and duplicate chunks", async () => {
    const octree = "03000000 0a000000 030000 2c01 0102030405060709";
    const table = "02000000 00000000 00000000 28000000 00000000 00000000 60000000";
    const blob0 = `${DRAFT_FILES.blob0.slice(0, -"01000000 01000000 00 01".length)} ${octree} 31000000 00 ${table}`;
    const doubled = patched(diskOf({ ...DRAFT_FILES, blob0 }), "blob0", 0x14, "5d000000");
    const save = await openMarsMiner(patched(doubled, "blob0", 0x5d + 24, "58000000"));
    expect((await convertMarsMiner(save, undefined)).losses.map(({ what }) => what)).toEqual([
      "chunks that were there twice",
      "chunks without octrees",
    ]);
    const once = await openMarsMiner(patched(diskOf({ ...DRAFT_FILES, blob0 }), "blob0", 0x18, "01000000"));
    expect((await convertMarsMiner(once, undefined)).losses.map(({ what, count }) => [what, count])).toEqual([
      ["values of branches", 1],
      ["block ids that are not listed", 6],
    ]);
  });

  test("[M30] treats positions as chunks if one is not a multiple of the cube", async () => {
    const places = async (x: number, options: MarsMinerConvertOptions = {}): Promise<unknown> => {
      const disk = new MemoryDisk();
      const writer = await createMarsMiner(disk);
      await writer.putChunk({ x, z: 0, blockTypes: ["Rock"], octrees: [uniformOctree(0)] });
      await writer.commit({ ticks: TICKS, name: "places" });
      await writer.close();
      const world = new MemoryDisk();
      await convertMarsMiner(await openMarsMiner(disk), world, { ...ACCEPTED, ...options });
      const save = await openSave(world);
      return (await allLeaves(save.index)).map(({ cube }) => cube.min);
    };
    expect(await places(128)).toEqual([[8, 0, 0, 0]]);
    expect(await places(2)).toEqual([[8, 0, 0, 0]]);
    expect(await places(128, { locations: "chunks" })).toEqual([[512, 0, 0, 0]]);
    expect(await codeOfRejection(places(2, { locations: "blocks" }))).toBe("ORT_DIALECT");
    expect(await places(0x7fff_ffff)).toEqual([]);
  });

  test("is refused when nothing was ever saved", async () => {
    const save = await openMarsMiner(diskOf({ ...DRAFT_FILES, blob0: "00000000 00000000" }));
    expect(codeOf(() => convertMarsMiner(save, undefined))).toBe("ORT_NOT_FOUND");
  });

  test("converts an older state on request", async () => {
    const save = await openMarsMiner(await writtenDisk(3));
    const [, , first] = await save.findStates();
    const world = new MemoryDisk();
    await convertMarsMiner(save, world, first === undefined ? {} : { state: first });
    expect((await openSave(world)).global.description.name).toBe("state 0");
  });

  test("works with cubes of other sizes, and with small Orthant chunks", async () => {
    for (const cubeSize of [2, 4, 16, 32, 128]) {
      const disk = new MemoryDisk();
      const writer = await createMarsMiner(disk);
      const octrees = [uniformOctree(1), uniformOctree(0)];
      await writer.putChunk({ x: cubeSize, z: -cubeSize, blockTypes: ["Core_Empty", "Rock"], octrees });
      await writer.commit({ ticks: TICKS, name: "cubes" });
      await writer.close();
      const save = await openMarsMiner(disk, { cubeSize });
      const { back, chunks } = await roundTrip(save);
      expect(chunks).toBe(2 * Math.max(1, cubeSize / 16) ** 3);
      await expectSame(back, save);
      const world = new MemoryDisk();
      await convertMarsMiner(save, world);
      const opened = await openWorldEngine(world, { readOnly: true });
      expect(await opened.get([cubeSize, cubeSize - 1, -1, 0])).toBe(1);
      await opened.close();
    }
  });

  const shape = CUBE_CHUNKS;
  const GLOBAL: GlobalState = {
    base: { kind: "flatFloor", block: 3 },
    worldSeed: 7n,
    generators: [],
    nextEntityId: 9n,
    playerEntityHints: [],
    description: { ...plainDescription(shape), name: "hills", spawn: [1, 2, 3, 0], clockEpoch: 4 },
  };

  async function worldWith(leaves: readonly LeafChange[], of = shape): Promise<MemoryDisk> {
    const disk = new MemoryDisk();
    const writer = await BulkSaveWriter.create(disk, of);
    await writer.add(leaves);
    const description = { ...GLOBAL.description, chunkShape: of };
    await writer.finish({
      nowMs: 1_771_200_000_123,
      global: { ...GLOBAL, description },
      players: [playerOf(1n)],
    });
    await writer.close();
    return disk;
  }

  test("[M28] lists what MarsMiner cannot hold", async () => {
    const stripes = chunkFromVoxels(
      Uint16Array.from({ length: shape.volume }, (_, cell) => (cell % 2) * 700),
    );
    const disk = await worldWith([
      {
        cube: { min: [0, 0, 0, 0], max: [4, 4, 4, 4] },
        chunks: [
          { position: [1, 0, 0, 0], chunk: stripes },
          { position: [1, 0, 0, 1], chunk: uniformChunk(shape.volume, 2) },
        ],
        entities: [entityAt(1n, [3, 3, 3, 0])],
      },
      {
        cube: { min: [0, -4, 0, 0], max: [4, 0, 4, 4] },
        chunks: [{ position: [1, -1, 0, 0], chunk: uniformChunk(shape.volume, 2) }],
      },
      {
        cube: { min: [0x7fff_fffc, 0, 0, 0], max: [0x8000_0000, 4, 4, 4] },
        chunks: [{ position: [0x7fff_ffff, 1, 0, 0], chunk: uniformChunk(shape.volume, 2) }],
      },
    ]);
    const save = await openSave(disk);
    const target = new MemoryDisk();
    expect(await codeOfRejection(convertToMarsMinerSave(save, target))).toBe("ORT_LOSS");
    expect(target.image().files.size).toBe(0);
    const report = await convertToMarsMinerSave(save, target, ACCEPTED);
    expect(report.losses.map(({ what }) => what).sort()).toEqual([
      "blocks without a name",
      "chunks below 0, or too high",
      "chunks beside the first on the fourth axis",
      "chunks too far away",
      "clocks of regions",
      "colours of blocks, and which are solid",
      "entities",
      "players",
      "the generator",
      "the spawn point",
    ]);
    const back = await openMarsMiner(target);
    expect([back.state?.name, back.state?.chunks.map(({ x, z }) => [x, z])]).toEqual(["hills", [[0, 0]]]);
    expect(await verifyMarsMiner(target)).toEqual([]);
  });

  test("is refused for a world whose chunks are not cubes", async () => {
    for (const extents of [
      [8, 8, 8, 8],
      [32, 32, 1, 1],
      [12, 12, 12, 1],
    ] as const) {
      const save = await openSave(await worldWith([], chunkShape(extents)));
      expect(await codeOfRejection(convertToMarsMinerSave(save, undefined))).toBe("ORT_DIALECT");
    }
  });

  test("reports progress", async () => {
    const save = await openMarsMiner(await writtenDisk(3));
    let steps = 0;
    await convertMarsMiner(save, new MemoryDisk(), { acceptLosses: true, onStep: () => steps++ });
    expect(steps).toBe(3);
  });
});
