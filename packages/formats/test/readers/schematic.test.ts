import { gzipSync } from "node:zlib";
import { NOT_STORED, openSchematic, type Schematic } from "@orthant/formats/readers";
import { codeOfRejection, type NbtSample, nbtFile } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const SIZE = { Width: { short: 2 }, Height: { short: 1 }, Length: { short: 2 } };
const PALETTE: NbtSample = { fields: { "t:b[b=2,a=1]": { int: 300 }, "minecraft:air": { int: 0 } } };
/** 300 as a varint has two bytes. */
const DATA: NbtSample = { bytes: [0, 0xac, 0x02, 0, 0] };

function open(fields: Readonly<Record<string, NbtSample>>): Promise<Schematic> {
  return openSchematic(gzipSync(nbtFile(fields)), "a.schem");
}

describe("Sponge schematics", () => {
  test("[IM30] version 2: everything in the root, WorldEdit's origin in Offset", async () => {
    const metadata: NbtSample = {
      fields: { WEOffsetX: { int: 1 }, WEOffsetY: { int: 2 }, WEOffsetZ: { int: 3 } },
    };
    const chest: NbtSample = { fields: { Id: "minecraft:chest", Pos: { ints: [1, 0, 0] } } };
    const schematic = await open({
      ...SIZE,
      Version: { int: 2 },
      Offset: { ints: [10, 20, 30] },
      Metadata: metadata,
      Palette: PALETTE,
      BlockData: DATA,
      BlockEntities: { list: [chest] },
    });
    expect(schematic).toMatchObject({
      format: "sponge",
      version: 2,
      offset: [1, 2, 3],
      origin: [10, 20, 30],
      findings: [],
    });
    const [part] = schematic.parts;
    expect(part?.palette).toEqual(["t:b[a=1,b=2]", "minecraft:air"]);
    expect([...(part?.indices ?? [])]).toEqual([1, 0, 1, 1]);
    expect(part?.blockData.map(({ position, id }) => [position, id])).toEqual([
      [[1, 0, 0], "minecraft:chest"],
    ]);
  });

  test("[IM30] version 3: blocks in a compound of their own, the paste offset in Offset", async () => {
    const blocks: NbtSample = { fields: { Palette: PALETTE, Data: DATA } };
    const metadata: NbtSample = { fields: { WorldEdit: { fields: { Origin: { ints: [10, 20, 30] } } } } };
    const fields = {
      ...SIZE,
      Version: { int: 3 },
      Offset: { ints: [1, 2, 3] },
      Metadata: metadata,
      Blocks: blocks,
    };
    const schematic = await open({ Schematic: { fields } });
    expect(schematic).toMatchObject({ version: 3, offset: [1, 2, 3], origin: [11, 22, 33] });
    expect([...(schematic.parts[0]?.indices ?? [])]).toEqual([1, 0, 1, 1]);
    expect(
      await codeOfRejection(() => open({ Schematic: { fields: { ...fields, Version: { int: 4 } } } })),
    ).toBe("ORT_VERSION");
  });

  test("[IM31] compares a stated size with the limit before it allocates", async () => {
    const huge = { Width: { short: -1 }, Height: { short: -1 }, Length: { short: -1 } };
    const fields = { ...huge, Version: { int: 2 }, Palette: PALETTE, BlockData: DATA };
    expect(await codeOfRejection(() => open(fields))).toBe("ORT_LIMIT");
    const small = { ...SIZE, Version: { int: 2 }, Palette: PALETTE, BlockData: DATA };
    const bytes = nbtFile(small);
    expect(await codeOfRejection(() => openSchematic(bytes, "a", { voxelsMax: 3 }))).toBe("ORT_LIMIT");
    const zipped = gzipSync(bytes);
    expect(await codeOfRejection(() => openSchematic(zipped, "a", { bytesMax: bytes.length - 1 }))).toBe(
      "ORT_LIMIT",
    );
    expect((await openSchematic(zipped, "a", { voxelsMax: 4, bytesMax: bytes.length })).findings).toEqual([]);
  });
});

describe("other schematics", () => {
  test("[IM32] MCEdit: a byte of id and one of data, with ids above 255", async () => {
    const schematic = await open({
      ...SIZE,
      Blocks: { bytes: [0, 1, 2, 3] },
      Data: { bytes: [0, 7, 0, 0] },
      AddBlocks: { bytes: [0x10, 0] },
    });
    expect(schematic.parts[0]?.palette).toEqual(["0:0", "257:7", "2:0", "3:0"]);
    const short = { ...SIZE, Blocks: { bytes: [0, 1, 2] }, Data: { bytes: [0, 7, 0, 0] } };
    expect(await codeOfRejection(() => open(short))).toBe("ORT_FOREIGN");
  });

  test("[IM33] Litematica: a negative edge runs down from the position; indices cross longs", async () => {
    const triple = (x: number, y: number, z: number): NbtSample => ({
      fields: { x: { int: x }, y: { int: y }, z: { int: z } },
    });
    const palette = Array.from({ length: 5 }, (_, at): NbtSample => ({ fields: { Name: `t:${at}` } }));
    // 22 indices of three bits: the last one begins at bit 63, and goes on in the second long.
    const region: NbtSample = {
      fields: {
        Size: triple(-22, 1, 1),
        Position: triple(5, 0, 0),
        BlockStatePalette: { list: palette },
        BlockStates: { longs: [1n, 2n] },
        TileEntities: { list: [{ fields: { id: "a", x: { int: 21 }, y: { int: 0 }, z: { int: 0 } } }] },
      },
    };
    const schematic = await open({
      Version: { int: 6 },
      Regions: { fields: { main: region, broken: { int: 1 } } },
    });
    const [part] = schematic.parts;
    expect([part?.min, part?.size]).toEqual([
      [-16, 0, 0],
      [22, 1, 1],
    ]);
    expect(part?.indices?.[0]).toBe(1);
    expect(part?.indices?.[21]).toBe(4);
    expect(part?.blockData[0]?.position).toEqual([5, 0, 0]);
    expect(schematic.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('"broken" is left out'),
    ]);
  });

  test("[IM34] structures: voxels that are not listed are not stored; the first of several palettes counts", async () => {
    const block: NbtSample = {
      fields: { pos: { list: [{ int: 1 }, { int: 0 }, { int: 0 }] }, state: { int: 1 } },
    };
    const outside: NbtSample = {
      fields: { pos: { list: [{ int: 2 }, { int: 0 }, { int: 0 }] }, state: { int: 1 } },
    };
    const states = (first: string): NbtSample => ({
      list: [{ fields: { Name: first } }, { fields: { Name: "t:second" } }],
    });
    const schematic = await open({
      size: { list: [{ int: 2 }, { int: 1 }, { int: 1 }] },
      blocks: { list: [block, outside] },
      palettes: { list: [states("t:first"), states("t:other")] },
    });
    expect(schematic.parts[0]?.palette).toEqual(["t:first", "t:second"]);
    expect([...(schematic.parts[0]?.indices ?? [])]).toEqual([NOT_STORED, 1]);
    expect(schematic.findings.map(({ message }) => message)).toEqual([
      "1 voxels outside of the size are left out",
    ]);
  });

  test("[IM35] NBT of another kind is refused", async () => {
    expect(await codeOfRejection(() => open({ Data: { fields: {} } }))).toBe("ORT_FOREIGN");
    expect(await codeOfRejection(() => openSchematic(new Uint8Array(0), "a"))).toBe("ORT_NBT");
  });
});
