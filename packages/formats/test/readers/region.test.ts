import { deflateSync, gzipSync } from "node:zlib";
import { GatedDisk, MemoryDisk } from "@orthant/disk";
import {
  type ChunkColumn,
  NOT_STORED,
  openRegion,
  type RegionFile,
  readMinecraftLevel,
} from "@orthant/formats/readers";
import { codeOfRejection, type NbtSample, nbtFile, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const SECTOR = 4096;

interface Slot {
  readonly index: number;
  readonly bytes: Uint8Array;
  readonly type?: number;
}

/** Writes a region file: one sector for each column, without compression unless the slot says otherwise. */
function regionBytes(slots: readonly Slot[]): Uint8Array {
  const file = new Uint8Array(SECTOR * (2 + slots.length));
  const view = new DataView(file.buffer);
  for (const [at, { index, bytes, type = 3 }] of slots.entries()) {
    const offset = SECTOR * (2 + at);
    view.setUint32(index * 4, ((2 + at) << 8) | 1);
    view.setUint32(SECTOR + index * 4, 1_000 + at);
    view.setUint32(offset, bytes.length + 1);
    file[offset + 4] = type;
    file.set(bytes, offset + 5);
  }
  return file;
}

async function open(
  bytes: Uint8Array,
  others: readonly (readonly [string, Uint8Array])[] = [],
): Promise<RegionFile> {
  const files = new Map([["region/r.-1.2.mca", bytes], ...others]);
  return openRegion(new MemoryDisk({ directories: ["region"], files }), "region/r.-1.2.mca");
}

async function columnsOf(region: RegionFile): Promise<readonly ChunkColumn[]> {
  const columns: ChunkColumn[] = [];
  for await (const column of region.columns()) columns.push(column);
  await region.close();
  return columns;
}

/** The column in slot 33 of region [-1, 2]: x -31, z 65. */
const PLACE = { xPos: { int: -31 }, zPos: { int: 65 } };
const STONE: NbtSample = { fields: { Name: "minecraft:stone" } };
const LOG: NbtSample = {
  fields: { Name: "minecraft:oak_log", Properties: { fields: { up: "1", axis: "y" } } },
};

/** A column of 1.18 with one section at y -4, where all voxels but the second are stone. */
function modernColumn(fields: Readonly<Record<string, NbtSample>> = {}): Uint8Array {
  const longs = new Array<bigint>(256).fill(0n);
  longs[0] = 0x10n;
  const states: NbtSample = { fields: { palette: { list: [STONE, LOG] }, data: { longs } } };
  const sections: NbtSample = { list: [{ fields: { Y: { byte: -4 }, block_states: states } }] };
  return nbtFile({ ...PLACE, DataVersion: { int: 3955 }, Status: "minecraft:full", sections, ...fields });
}

describe("region files", () => {
  test("[IM10] finds columns by their slot, wherever their sectors are", async () => {
    const far = nbtFile({ xPos: { int: -1 }, zPos: { int: 95 }, DataVersion: { int: 3955 } });
    const region = await open(
      regionBytes([
        { index: 1023, bytes: far },
        { index: 33, bytes: modernColumn() },
      ]),
    );
    expect(region.slots).toEqual([
      { x: -31, z: 65, savedAt: 1_001, offset: 3 * SECTOR, length: SECTOR },
      { x: -1, z: 95, savedAt: 1_000, offset: 2 * SECTOR, length: SECTOR },
    ]);
    const columns = await columnsOf(region);
    expect(columns.map(({ x, z }) => [x, z])).toEqual([
      [-31, 65],
      [-1, 95],
    ]);
    expect(region.findings).toEqual([]);
  });

  test("[IM10] reads columns side by side with one read, and only those of the slots that it is given", async () => {
    const columnAt = (index: number): Slot => {
      const place = { xPos: { int: -32 + index }, zPos: { int: 64 } };
      return { index, bytes: nbtFile({ ...place, DataVersion: { int: 3955 } }) };
    };
    const files = new Map([["r.-1.2.mca", regionBytes([0, 1, 2, 3].map(columnAt))]]);
    let reads = 0;
    const disk = new GatedDisk(new MemoryDisk({ directories: [], files }), ({ operation }, happen) => {
      if (operation === "readAt") reads++;
      return happen();
    });
    const region = await openRegion(disk, "r.-1.2.mca");
    const found: number[] = [];
    for await (const { x } of region.columns(region.slots.slice(1))) found.push(x);
    expect(found).toEqual([-31, -30, -29]);
    expect(reads, "the header, and all columns").toBe(2);
    const others = region.slots.map((slot) => ({ ...slot }));
    expect(await codeOfRejection(() => region.columns(others).next())).toBe("ORT_ARGUMENT");
    await region.close();
  });

  test("[IM11] reads states with their properties sorted, x fastest, then z, then y", async () => {
    const [column] = await columnsOf(await open(regionBytes([{ index: 33, bytes: modernColumn() }])));
    expect(column).toMatchObject({ dataVersion: 3955, status: "full", isFinished: true });
    const [section] = column?.sections ?? [];
    expect(section?.min).toEqual([-496, -64, 1_040]);
    expect(section?.palette).toEqual(["minecraft:stone", "minecraft:oak_log[axis=y,up=1]"]);
    expect([...(section?.indices ?? [])].flatMap((index, at) => (index === 0 ? [] : [at]))).toEqual([1]);
  });

  test.each([
    ["1.15", 2230, 320, true],
    ["1.16", 2566, 342, false],
  ])("[IM12] indices of five bits in %s", async (_version, dataVersion, longCount, crossLongs) => {
    const palette = Array.from({ length: 17 }, (_, at): NbtSample => ({ fields: { Name: `t:${at}` } }));
    // Voxel 12 is the first whose five bits would cross two longs.
    const longs = new Array<bigint>(longCount).fill(0n);
    longs[1] = crossLongs ? 1n : 16n;
    const section: NbtSample = {
      fields: { Y: { byte: 0 }, Palette: { list: palette }, BlockStates: { longs } },
    };
    const level: NbtSample = { fields: { ...PLACE, Status: "full", Sections: { list: [section] } } };
    const bytes = nbtFile({ DataVersion: { int: dataVersion }, Level: level });
    const [column] = await columnsOf(await open(regionBytes([{ index: 33, bytes }])));
    expect([...(column?.sections[0]?.indices?.subarray(10, 15) ?? [])]).toEqual([0, 0, 16, 0, 0]);
  });

  test("[IM12] packs the places of a section into words without unpacking them, unless they do not fit", async () => {
    const words = new Uint32Array(512);
    const unpacked = (): readonly number[] =>
      Array.from(
        { length: 4_096 },
        (_, voxel) => ((words[voxel >>> 3] as number) >>> ((voxel & 7) * 4)) & 0x0f,
      );
    const prng = new Prng(5);
    for (const states of [2, 7, 8, 9, 15, 16, 17]) {
      const palette = Array.from({ length: states }, (_, at): NbtSample => ({ fields: { Name: `t:${at}` } }));
      const perLong = states > 16 ? 12 : 16;
      const bits = BigInt(states > 16 ? 5 : 4);
      const places = Array.from({ length: 4_096 }, () => prng.below(states - 1));
      const longs = Array.from({ length: Math.ceil(4_096 / perLong) }, (_, at) => {
        const own = places.slice(at * perLong, at * perLong + perLong);
        return BigInt.asIntN(
          64,
          own.reduce((sum, place, lane) => sum | (BigInt(place) << (BigInt(lane) * bits)), 0n),
        );
      });
      const section: NbtSample = {
        fields: { Y: { byte: 0 }, block_states: { fields: { palette: { list: palette }, data: { longs } } } },
      };
      const bytes = modernColumn({ sections: { list: [section] } });
      const region = await open(regionBytes([{ index: 33, bytes: deflateSync(bytes), type: 2 }]));
      const [found] = (await columnsOf(region))[0]?.sections ?? [];
      expect(found?.packInto(words), `${states} states`).toBe(states <= 16);
      if (states <= 16) expect(unpacked()).toEqual(places);
      expect([...(found?.indices ?? [])]).toEqual(places);
      // The last state is in the palette, and no voxel has it.
      expect(found?.holds((state) => state === `t:${states - 1}`)).toBe(false);
      expect(found?.holds((state) => state === "t:0")).toBe(true);
      expect(region.findings).toEqual([]);
    }
  });

  test("[IM13] a palette of one needs no indices; a section without palette holds no blocks", async () => {
    const one: NbtSample = {
      fields: { Y: { byte: 0 }, block_states: { fields: { palette: { list: [STONE] } } } },
    };
    const light: NbtSample = { fields: { Y: { byte: -5 }, SkyLight: { bytes: [1] } } };
    const bytes = modernColumn({ sections: { list: [light, one] } });
    const region = await open(regionBytes([{ index: 33, bytes }]));
    const [column] = await columnsOf(region);
    expect(column?.sections).toEqual([
      { min: [-496, 0, 1_040], size: [16, 16, 16], palette: ["minecraft:stone"], indices: undefined },
    ]);
    expect(region.findings).toEqual([]);
  });

  test("[IM14] reads ids and data of old versions, with ids above 255", async () => {
    const blocks = new Array<number>(4_096).fill(0);
    const data = new Array<number>(2_048).fill(0);
    const add = new Array<number>(2_048).fill(0);
    blocks[3] = 5;
    data[1] = 0x70;
    add[1] = 0x20;
    const section: NbtSample = {
      fields: { Y: { byte: 1 }, Blocks: { bytes: blocks }, Data: { bytes: data }, Add: { bytes: add } },
    };
    const bytes = nbtFile({ Level: { fields: { ...PLACE, Sections: { list: [section] } } } });
    const file = regionBytes([{ index: 33, bytes: gzipSync(bytes), type: 1 }]);
    const [column] = await columnsOf(await open(file));
    expect(column).toMatchObject({ dataVersion: undefined, status: undefined, isFinished: true });
    expect(column?.sections[0]?.palette).toEqual(["0:0", "517:7"]);
    expect(column?.sections[0]?.indices?.indexOf(1)).toBe(3);
    expect(column?.sections[0]?.packInto(new Uint32Array(512))).toBe(false);
  });

  test("[IM14] packs ids and data of old versions like their indices", async () => {
    const prng = new Prng(6);
    const ids = Array.from({ length: 4_096 }, () => 40 + prng.below(4));
    const data = Array.from({ length: 2_048 }, () => prng.below(3) | (prng.below(3) << 4));
    const section: NbtSample = { fields: { Y: { byte: 0 }, Blocks: { bytes: ids }, Data: { bytes: data } } };
    const bytes = nbtFile({ Level: { fields: { ...PLACE, Sections: { list: [section] } } } });
    const file = regionBytes([{ index: 33, bytes: gzipSync(bytes, { level: 9 }), type: 1 }]);
    const [found] = (await columnsOf(await open(file)))[0]?.sections ?? [];
    const words = new Uint32Array(512);
    expect(found?.packInto(words)).toBe(true);
    const states = ids.map(
      (id, voxel) => `${id}:${((data[voxel >>> 1] as number) >>> ((voxel & 1) * 4)) & 0x0f}`,
    );
    expect(new Set(found?.palette)).toEqual(new Set(states));
    expect([...(found?.indices ?? [])].map((place) => found?.palette[place])).toEqual(states);
    for (const [voxel, place] of found?.indices?.entries() ?? [])
      expect(((words[voxel >>> 3] as number) >>> ((voxel & 7) * 4)) & 0x0f).toBe(place);
  });

  test("[IM15] an unfinished column says so, with and without a namespace", async () => {
    for (const status of ["features", "minecraft:carvers"]) {
      const bytes = modernColumn({ Status: status });
      const [column] = await columnsOf(await open(regionBytes([{ index: 33, bytes }])));
      expect(column).toMatchObject({ status: status.replace("minecraft:", ""), isFinished: false });
    }
  });

  test("[IM16] keeps block entities of the column, and leaves out others with a finding", async () => {
    const at = (x: number): NbtSample => ({
      fields: { id: "minecraft:chest", x: { int: x }, y: { int: 3 }, z: { int: 1_041 } },
    });
    const bytes = modernColumn({ block_entities: { list: [at(-496), at(-497)] } });
    const region = await open(regionBytes([{ index: 33, bytes }]));
    const [column] = await columnsOf(region);
    expect(column?.blockData.map(({ position, id }) => [position, id])).toEqual([
      [[-496, 3, 1_041], "minecraft:chest"],
    ]);
    expect(region.findings.map(({ code }) => code)).toEqual(["ORT_FOREIGN"]);
  });

  test("[IM17] reads a column from its own file, and survives that it is missing", async () => {
    const file = regionBytes([{ index: 33, bytes: new Uint8Array(0), type: 131 }]);
    const region = await open(file, [["region/c.-31.65.mcc", modernColumn()]]);
    expect((await columnsOf(region)).length).toBe(1);
    const alone = await open(file);
    expect((await columnsOf(alone)).length).toBe(0);
    expect(alone.findings.map(({ code }) => code)).toEqual(["ORT_NOT_FOUND"]);
  });

  test("[IM18] a voxel beyond the palette is not stored; a wrong number of longs costs the section alone", async () => {
    const longs = new Array<bigint>(256).fill(0n);
    longs[0] = 0xfn;
    const section = (y: number, count: number): NbtSample => ({
      fields: {
        Y: { byte: y },
        block_states: { fields: { palette: { list: [STONE, LOG] }, data: { longs: longs.slice(0, count) } } },
      },
    });
    const bytes = modernColumn({ sections: { list: [section(0, 256), section(1, 255)] } });
    const region = await open(regionBytes([{ index: 33, bytes: gzipSync(bytes), type: 1 }]));
    const [column] = await columnsOf(region);
    expect(column?.sections.length).toBe(1);
    expect([...(column?.sections[0]?.indices?.subarray(0, 2) ?? [])]).toEqual([NOT_STORED, 0]);
    expect(column?.sections[0]?.packInto(new Uint32Array(512))).toBe(false);
    expect(region.findings.length).toBe(2);
  });

  test("[IM19] an empty file has no columns, a cut header is refused", async () => {
    const empty = await open(new Uint8Array(0));
    expect(await columnsOf(empty)).toEqual([]);
    expect(empty.findings.map(({ severity }) => severity)).toEqual(["notice"]);
    expect(await codeOfRejection(() => open(new Uint8Array(8_191)))).toBe("ORT_TRUNCATED");
  });

  test("[IM10] refuses a name that does not say which region it is", async () => {
    const disk = new MemoryDisk({ directories: [], files: new Map([["a.mca", new Uint8Array(0)]]) });
    expect(await codeOfRejection(() => openRegion(disk, "a.mca"))).toBe("ORT_ARGUMENT");
  });
});

describe("level.dat", () => {
  test("[IM20] reads name, seed, spawn and version, of old and of new games", async () => {
    const spawn = { SpawnX: { int: 1 }, SpawnY: { int: 64 }, SpawnZ: { int: -3 } };
    const old: NbtSample = {
      fields: { LevelName: "Old", RandomSeed: { long: -5n }, ...spawn, generatorName: "flat" },
    };
    expect(await readMinecraftLevel(gzipSync(nbtFile({ Data: old })))).toEqual({
      name: "Old",
      seed: -5n,
      spawn: [1, 64, -3],
      dataVersion: undefined,
      gameVersion: undefined,
      generator: "flat",
    });
    const settings: NbtSample = { fields: { seed: { long: 7n } } };
    const version: NbtSample = { fields: { Name: "1.21.1" } };
    const fields = { WorldGenSettings: settings, Version: version, DataVersion: { int: 3955 } };
    expect(await readMinecraftLevel(nbtFile({ Data: { fields } }))).toMatchObject({
      seed: 7n,
      gameVersion: "1.21.1",
      dataVersion: 3955,
    });
    expect(await codeOfRejection(() => readMinecraftLevel(nbtFile({})))).toBe("ORT_FOREIGN");
  });
});
