import { PIXEL_CHUNKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { convertPixelToPixel, convertPixelToTree, convertTreeToPixel, detectFormat } from "@orthant/formats";
import { PIXEL_BODY_CLASS } from "@orthant/formats/internal";
import { openPixelSave, type PixelBody, type PixelSave, pixelsOf } from "@orthant/pixel-world";
import { openSave, verifySave } from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { codeOf, codeOfRejection, Prng } from "@orthant/testkit";
import {
  diskWith,
  EDGE,
  FILE,
  filled,
  ground,
  nativeFile,
  newWorld,
  sampleBody,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const ACCEPT = { acceptLosses: true, generator: ground };

interface Content {
  readonly materials: ReadonlyMap<string, string>;
  readonly bodies: readonly PixelBody[];
}

async function contentOf(save: PixelSave): Promise<Content> {
  const materials = new Map<string, string>();
  const bodies: PixelBody[] = [];
  for (const ref of save.chunks()) {
    const pixels = pixelsOf(await save.readChunk(ref), save.facts, ground, ref.x, ref.y);
    materials.set(
      `${ref.x},${ref.y}`,
      Buffer.from(pixels.filter((_byte, at) => at % save.facts.layers.length === 0)).toString("hex"),
    );
  }
  for (const ref of save.bodies()) bodies.push(await save.readBody(ref));
  return { materials, bodies: bodies.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Converts to an Orthant save and back. Returns the result. */
async function throughTree(save: PixelSave): Promise<PixelSave> {
  const middle = new MemoryDisk();
  await convertPixelToTree(save, middle, ACCEPT);
  expect(isWhole(await verifySave(middle))).toBe(true);
  const disk = new MemoryDisk();
  const tree = await openSave(middle);
  await convertTreeToPixel(tree, "version2", { disk, path: FILE }, ACCEPT);
  await tree.close();
  return openPixelSave(disk, FILE);
}

/** Creates a random world with some chunks of every form and some bodies. */
async function randomWorld(seed: number): Promise<PixelSave> {
  const prng = new Prng(seed);
  const { disk, world } = await newWorld({
    autosave: false,
    ...(prng.chance(0.5) ? { generator: ground } : {}),
  });
  const reach = prng.pick([3, 50, 2 ** 26]);
  for (let chunks = prng.below(12); chunks > 0; chunks--) {
    const pixels = prng.chance(0.2) ? new Uint8Array(EDGE * EDGE * 4) : prng.bytes(EDGE * EDGE * 4);
    await world.store(prng.below(reach * 2) - reach, prng.below(reach * 2) - reach, pixels);
  }
  for (let bodies = prng.below(5); bodies > 0; bodies--) {
    const id = prng.chance(0.5) ? BigInt(prng.below(9)) : 2n ** 64n - 1n - BigInt(prng.below(9));
    await world.storeBody(sampleBody(id, [prng.below(2_000) - 1_000.5, prng.below(2_000) - 999]));
  }
  await world.close();
  return openPixelSave(disk, FILE);
}

describe("converting between pixel worlds and Orthant saves", () => {
  test("[X41] 200 random pixel worlds keep materials, bodies and facts through a conversion to Orthant and back", async () => {
    for (let seed = 0; seed < 200; seed++) {
      const save = await randomWorld(seed);
      const back = await throughTree(save);
      expect(await contentOf(back), `seed ${seed}`).toEqual(await contentOf(save));
      expect(back.facts, `seed ${seed}`).toEqual({ ...save.facts, generator: undefined });
      expect(back.modifiedMs, `seed ${seed}`).toBe(save.modifiedMs);
    }
  }, 120_000);

  test("[X41] a body converts to an entity with the same id and position", async () => {
    const { disk, world } = await newWorld();
    await world.storeBody(sampleBody(2n ** 64n - 1n, [5, 6]));
    await world.close();
    const middle = new MemoryDisk();
    await convertPixelToTree(await openPixelSave(disk, FILE), middle, ACCEPT);
    const tree = await openSave(middle);
    const [leaf] = await allLeaves(tree.index);
    const [entity] = await tree.readEntities(leaf as never);
    expect(entity).toMatchObject({
      entityId: 2n ** 64n - 1n,
      entityClass: PIXEL_BODY_CLASS,
      position: [5, 6, 0, 0],
    });
    expect(tree.global.nextEntityId, "an id that is free").toBe(1n);
  });

  test("[X42] a conversion to Orthant lists its losses and writes nothing until they are accepted", async () => {
    const save = await openPixelSave(diskWith(await nativeFile()), FILE);
    const dry = await convertPixelToTree(save, undefined);
    expect(dry.losses.map(({ what }) => what)).toEqual([
      "the generator",
      "the layer color",
      "the layer damage",
      "the layer flags",
    ]);
    const disk = new MemoryDisk();
    expect(await codeOfRejection(convertPixelToTree(save, disk))).toBe("ORT_LOSS");
    expect(await disk.list("")).toEqual([]);
    expect(await convertPixelToTree(save, disk, { acceptLosses: true })).toMatchObject({
      chunks: 2,
      entities: 2,
      losses: dry.losses,
    });
    const tree = await openSave(disk);
    expect(tree.global.description.chunkShape.extents).toEqual(PIXEL_CHUNKS.extents);
    const target = { disk: new MemoryDisk(), path: FILE };
    expect((await convertTreeToPixel(tree, "native", target)).losses).toEqual([]);
  });

  test("[X41] chunks stored as changes to an unknown generator are listed as losses", async () => {
    const { disk, world } = await newWorld({ generator: ground });
    const pixels = (await world.load(0, 0)) ?? new Uint8Array(0);
    pixels[0] = 200;
    await world.store(0, 0, pixels);
    await world.close();
    const { losses, chunks } = await convertPixelToTree(await openPixelSave(disk, FILE), undefined);
    expect(chunks).toBe(0);
    expect(losses.map(({ what }) => what)).toContain("chunks that are changes to a generator");
  });

  test("a world with a different chunk shape cannot be converted to a pixel world", async () => {
    const disk = new MemoryDisk();
    const { disk: pixels, world } = await newWorld();
    await world.close();
    await convertPixelToTree(await openPixelSave(pixels, FILE), disk, ACCEPT);
    const tree = await openSave(disk);
    const { description } = tree.global;
    const cube = { extents: [16, 16, 16, 1], volume: 4_096 } as const;
    const wrong = Object.assign(Object.create(tree), {
      global: { ...tree.global, description: { ...description, chunkShape: cube } },
    });
    expect(codeOf(() => convertTreeToPixel(wrong, "version2", undefined))).toBe("ORT_DIALECT");
  });
});

describe("converting between versions of pixel worlds", () => {
  test("a version 1 file converts to version 2 and back without loss", async () => {
    const save = await openPixelSave(diskWith(await nativeFile()), FILE);
    const newer = new MemoryDisk();
    expect((await convertPixelToPixel(save, "version2", { disk: newer, path: FILE })).losses).toEqual([]);
    const second = await openPixelSave(newer, FILE);
    expect(await contentOf(second)).toEqual(await contentOf(save));
    const older = new MemoryDisk();
    expect((await convertPixelToPixel(second, "native", { disk: older, path: FILE })).losses).toEqual([]);
    expect(await contentOf(await openPixelSave(older, FILE))).toEqual(await contentOf(save));
  });

  test("[X42] a version 2 world with a different chunk size cannot be converted to version 1", async () => {
    const { disk, world } = await newWorld();
    await world.store(0, 0, filled(2));
    await world.close();
    const save = await openPixelSave(disk, FILE);
    expect(codeOf(() => convertPixelToPixel(save, "native", undefined))).toBe("ORT_DIALECT");
  });
});

test("detectFormat recognizes a folder with a pixel world", async () => {
  const { disk, world } = await newWorld();
  await world.close();
  expect(await detectFormat(disk)).toEqual({ format: "pixelworld", dialect: "version2", evidence: FILE });
  expect(await detectFormat(diskWith(await nativeFile(), "old.save"))).toMatchObject({
    dialect: "native",
    evidence: "old.save",
  });
  expect(await detectFormat(new MemoryDisk())).toBeUndefined();
});
