import type { Chunk } from "@orthant/core";
import { blockLabel } from "@orthant/core/chunk";
import { WHOLE_LATTICE } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import type { ConversionLoss } from "@orthant/formats";
import { type ChunkColumn, flattenBlock, NOT_STORED, openRegion } from "@orthant/formats/readers";
import { catalogOf, openSave, type StoredEntity, verifySave } from "@orthant/save";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { conversionOf, goldenBytes, hasRegions, worldDisk } from "./samples.ts";

interface Converted {
  readonly name: string;
  readonly spawn: readonly number[];
  readonly seed: bigint;
  readonly chunks: ReadonlyMap<string, Chunk>;
  readonly losses: readonly ConversionLoss[];
  readonly entities: readonly StoredEntity[];
  readonly labels: readonly (string | undefined)[];
}

async function convert(disk: Disk): Promise<Converted> {
  const conversion = await conversionOf(disk);
  const made = new MemoryDisk();
  let steps = 0;
  const { losses } = await conversion.run(made, () => steps++);
  expect(steps).toBe(conversion.steps);
  expect(isWhole(await verifySave(made))).toBe(true);
  const save = await openSave(made);
  const chunks = new Map<string, Chunk>();
  const entities: StoredEntity[] = [];
  for (const leaf of await save.leavesIn(WHOLE_LATTICE)) {
    for (const { position, chunk } of await save.readChunks(leaf)) chunks.set(position.join(","), chunk);
    entities.push(...(await save.readEntities(leaf)));
  }
  await save.close();
  const { description, worldSeed } = save.global;
  const catalog = catalogOf(description);
  const { name, spawn } = description;
  const labels = Array.from({ length: catalog.endId }, (_, block) => blockLabel(catalog, block));
  return { name, spawn, seed: worldSeed, chunks, losses, labels, entities };
}

async function columnsOf(disk: Disk, path: string): Promise<readonly ChunkColumn[]> {
  const region = await openRegion(disk, path);
  const columns: ChunkColumn[] = [];
  for await (const column of region.columns()) columns.push(column);
  await region.close();
  return columns;
}

/** Compares all voxels and data of finished columns, and returns how many voxels are not air. */
function compare(columns: readonly ChunkColumn[], { chunks, labels }: Converted): number {
  let solid = 0;
  const expectedKeys = new Set<string>();
  for (const { x, z, sections, blockData, isFinished } of columns) {
    if (!isFinished) continue;
    for (const { min, palette, indices } of sections) {
      const key = `${x},${min[1] / 16},${z},0`;
      expectedKeys.add(key);
      const chunk = chunks.get(key);
      const voxels = chunk?.voxels();
      const wantedLabels = palette.map((state) => {
        const named = /^\d/.test(state) ? flattenBlock(state)?.state : state;
        return named?.replace(/^minecraft:(?:cave_|void_)?air$/, "air");
      });
      const differing: string[] = [];
      for (let at = 0; at < 4_096; at++) {
        const index = indices === undefined ? 0 : (indices[at] as number);
        const wanted = index === NOT_STORED ? "air" : wantedLabels[index];
        const [dx, dz, dy] = [at & 15, (at >> 4) & 15, at >> 8];
        const found = labels[voxels?.[dx + dy * 16 + dz * 256] ?? 0];
        if (found !== wanted) differing.push(`${found} for ${wanted} at [${dx}, ${dy}, ${dz}] of ${key}`);
        if (wanted !== "air") solid++;
      }
      expect(differing).toEqual([]);
      const own = blockData.filter(({ position }) => Math.floor(position[1] / 16) * 16 === min[1]);
      expect(chunk?.data.size ?? 0).toBe(own.length);
      for (const { id, position } of own) {
        const [dx, dy, dz] = position.map((coordinate) => coordinate & 15) as [number, number, number];
        const data = chunk?.dataAt(dx + dy * 16 + dz * 256);
        const [blockX, blockY, blockZ] = position;
        expect(data && PLAIN_DATA.decode(data)).toMatchObject({ id, x: blockX, y: blockY, z: blockZ });
      }
    }
  }
  expect([...chunks.keys()].filter((key) => !expectedKeys.has(key))).toEqual([]);
  return solid;
}

describe.runIf(hasRegions)("converting a world of Minecraft", () => {
  test.each([
    ["1.17.1", "r.0.0.mca", 34],
    ["1.19.4", "r.0.0.mca", 10],
  ])("[IM71] [IM72] keeps every voxel and all data of blocks of %s", async (version, file, dataCount) => {
    const disk = worldDisk({ [`region/${file}`]: goldenBytes(`${version}/${file}`) });
    const converted = await convert(disk);
    expect(compare(await columnsOf(disk, `region/${file}`), converted)).toBeGreaterThan(0);
    const data = [...converted.chunks.values()].reduce((sum, chunk) => sum + chunk.data.size, 0);
    expect(data).toBe(dataCount);
  });

  test("[IM73] names the numbered blocks of 1.8.9", async () => {
    const disk = worldDisk({ "r.-1.0.mca": goldenBytes("1.8.9/r.-1.0.mca") });
    const converted = await convert(disk);
    expect(compare(await columnsOf(disk, "r.-1.0.mca"), converted)).toBeGreaterThan(100_000);
    expect(converted.losses.map(({ what, count }) => [what, count])).toEqual([
      ["light and biomes of columns", 18],
    ]);
    expect(converted.entities).toHaveLength(12);
  });

  test("[IM76] entities keep their places, names and data, from columns and from files of their own", async () => {
    const region = goldenBytes("1.8.9/r.-1.0.mca");
    const wanted = (await columnsOf(worldDisk({ "r.-1.0.mca": region }), "r.-1.0.mca")).flatMap(
      ({ entities }) => entities,
    );
    const both = await convert(worldDisk({ "region/r.-1.0.mca": region, "entities/r.-1.0.mca": region }));
    expect(both.entities).toHaveLength(wanted.length * 2);
    expect(new Set(both.entities.map(({ entityId }) => entityId)).size).toBe(wanted.length * 2);
    for (const { id, position } of wanted) {
      const place = position?.map(Math.fround);
      const found = both.entities.filter(({ tags, position: at }) => {
        return tags[0] === id && place?.every((coordinate, axis) => at[axis] === coordinate) === true;
      });
      expect(found.length).toBeGreaterThanOrEqual(2);
      expect(PLAIN_DATA.decode(found[0]?.payload ?? new Uint8Array(0))).toMatchObject({ id });
    }
  });

  test("[IM70] finds a world in dimensions/, and lists the other dimensions there", async () => {
    const region = goldenBytes("1.17.1/r.0.0.mca");
    const disk = worldDisk({
      "dimensions/minecraft/overworld/region/r.0.0.mca": region,
      "dimensions/mod/moon/region/r.0.0.mca": region,
      "dimensions/mod/empty/data.dat": Uint8Array.of(1),
    });
    const { losses, chunks } = await convert(disk);
    expect(chunks.size).toBeGreaterThan(0);
    expect(losses).toContainEqual({
      what: "other dimensions",
      count: 1,
      remark: expect.stringMatching(/the first is dimensions\/mod\/moon$/),
    });
  });

  test("[IM70] takes name, seed and spawn point from level.dat", async () => {
    const region = goldenBytes("1.17.1/r.0.0.mca");
    const world = { "region/r.0.0.mca": region, "level.dat": goldenBytes("level/level.dat") };
    expect(await convert(worldDisk(world))).toMatchObject({
      name: "prismarine-world",
      seed: BigInt.asUintN(64, -559038737n),
    });
    const damaged = await convert(worldDisk({ ...world, "level.dat": Uint8Array.of(1, 2, 3) }));
    expect(damaged).toMatchObject({ name: "", seed: 0n });
    expect(damaged.losses).toContainEqual(expect.objectContaining({ what: "name, seed and spawn point" }));
  });

  test("[IM74] a dry run lists everything that is not converted, and writes nothing", async () => {
    const region = goldenBytes("1.18.2/r.0.0.mca");
    const disk = worldDisk({
      "region/r.0.0.mca": region,
      "entities/r.0.0.mca": region,
      "entities/r.0.1.mca": new Uint8Array(0),
      "playerdata/d05e5ed1-0000-0000-0000-000000000000.dat": Uint8Array.of(1),
      "DIM-1/region/r.0.0.mca": region,
      "DIM1/region/r.0.0.mca": region,
    });
    const { losses, chunks } = await (await conversionOf(disk)).run(undefined, () => undefined);
    expect(chunks).toBe(80);
    expect(losses.map(({ what, count }) => [what, count])).toEqual([
      ["light and biomes of columns", 10],
      ["unfinished columns", 13],
      ["players", 1],
      ["region files of the Nether", 1],
      ["region files of the End", 1],
    ]);
  });

  test("[IM75] damage costs what it hits, and the list says where", async () => {
    const files = {
      "region/r.0.-1.mca": goldenBytes("damaged/corrupt-zlib.r.0.-1.mca"),
      "region/r.1.-1.mca": goldenBytes("damaged/header-truncated.r.0.-1.mca"),
    };
    const disk = worldDisk(files);
    const converted = await convert(disk);
    const columns = await columnsOf(disk, "region/r.0.-1.mca");
    expect(columns.map(({ x, z }) => [x, z])).toEqual([
      [21, -9],
      [24, -1],
    ]);
    expect(compare(columns, converted)).toBeGreaterThan(0);
    expect(converted.losses).toContainEqual({
      what: "damaged parts",
      count: 2,
      remark: expect.stringMatching(/region\/r\.0\.-1\.mca: chunk \[22, -5\] is left out/),
    });
  });

  test("[IM75] a region without any column that can be read is damage too", async () => {
    const region = new Uint8Array(8_192);
    region.set([0, 0, 9, 1], 4);
    const { losses, chunks } = await convert(worldDisk({ "r.0.0.mca": region }));
    expect(chunks.size).toBe(0);
    expect(losses).toMatchObject([
      { what: "damaged parts", count: 1, remark: expect.stringMatching(/r\.0\.0\.mca: chunk \[1, 0\]/) },
    ]);
  });

  test("[IM75] a world that changes between the passes is refused", async () => {
    const disk = worldDisk({ "r.0.0.mca": goldenBytes("1.17.1/r.0.0.mca") });
    const conversion = await conversionOf(disk);
    await conversion.run(undefined, () => undefined);
    await disk.remove("r.0.0.mca");
    const file = await disk.open("r.0.0.mca", "create");
    await file.append(goldenBytes("1.19.4/r.0.0.mca"));
    await file.close();
    expect(await codeOfRejection(conversion.run(new MemoryDisk(), () => undefined))).toBe("ORT_FOREIGN");
  });
});
