import { deflateSync, gzipSync } from "node:zlib";
import { type NbtSample, nbtFile } from "@orthant/testkit";

const STONE: NbtSample = { fields: { Name: "minecraft:stone" } };
const LOG: NbtSample = {
  fields: { Name: "minecraft:oak_log", Properties: { fields: { axis: "y", up: "1" } } },
};
const CHEST: NbtSample = {
  fields: {
    id: "minecraft:chest",
    x: { int: 1 },
    y: { int: 2 },
    z: { int: 3 },
    Items: { list: [{ fields: { Slot: { byte: 1 } } }] },
  },
};
const ENTITY: NbtSample = {
  fields: { id: "minecraft:pig", Pos: { list: [{ double: 1.5 }, { double: 2 }, { double: 3 }] } },
};
const TRIPLE: NbtSample = { fields: { x: { int: 2 }, y: { int: -2 }, z: { int: 3 } } };
const PLACE = { xPos: { int: 0 }, zPos: { int: 0 } };
const ORDINARY_LONGS = new Array<bigint>(256).fill(0x10n);

/** Columns of two ages, each with a section of every kind. */
export const columnSamples: readonly Uint8Array[] = [
  nbtFile({
    ...PLACE,
    DataVersion: { int: 3955 },
    Status: "minecraft:full",
    sections: {
      list: [
        { fields: { Y: { byte: -4 }, block_states: { fields: { palette: { list: [STONE] } } } } },
        {
          fields: {
            Y: { byte: 1 },
            block_states: { fields: { palette: { list: [STONE, LOG] }, data: { longs: ORDINARY_LONGS } } },
          },
        },
      ],
    },
    block_entities: { list: [CHEST] },
  }),
  nbtFile({
    Level: {
      fields: {
        ...PLACE,
        Sections: {
          list: [
            {
              fields: {
                Y: { byte: 1 },
                Blocks: { bytes: new Array<number>(4_096).fill(5) },
                Data: { bytes: new Array<number>(2_048).fill(1) },
              },
            },
          ],
        },
        TileEntities: { list: [CHEST] },
        Entities: { list: [ENTITY] },
      },
    },
  }),
  nbtFile({ ...PLACE, DataVersion: { int: 1_631 }, sections: { list: [] } }),
];

const SIZE = { Width: { short: 2 }, Height: { short: 1 }, Length: { short: 2 } };
const PALETTE: NbtSample = { fields: { "t:b[b=2,a=1]": { int: 300 }, "minecraft:air": { int: 0 } } };
const DATA: NbtSample = { bytes: [0, 0xac, 0x02, 0, 0] };
const SPONGE_CHEST: NbtSample = { fields: { Id: "minecraft:chest", Pos: { ints: [1, 0, 0] } } };

/** One schematic of every kind. */
export const schematicSamples: readonly Uint8Array[] = [
  nbtFile({
    ...SIZE,
    Version: { int: 2 },
    Offset: { ints: [1, 2, 3] },
    Palette: PALETTE,
    BlockData: DATA,
    BlockEntities: { list: [SPONGE_CHEST] },
  }),
  nbtFile({
    Schematic: {
      fields: {
        ...SIZE,
        Version: { int: 3 },
        Blocks: { fields: { Palette: PALETTE, Data: DATA, BlockEntities: { list: [SPONGE_CHEST] } } },
        Entities: { list: [ENTITY] },
      },
    },
  }),
  nbtFile({
    ...SIZE,
    Blocks: { bytes: [0, 1, 2, 3] },
    Data: { bytes: [0, 7, 0, 0] },
    AddBlocks: { bytes: [0x10, 0] },
    TileEntities: { list: [CHEST] },
  }),
  nbtFile({
    Version: { int: 6 },
    Regions: {
      fields: {
        main: {
          fields: {
            Size: TRIPLE,
            Position: TRIPLE,
            BlockStatePalette: { list: [STONE, LOG] },
            BlockStates: { longs: [1n, 2n] },
            TileEntities: { list: [CHEST] },
            Entities: { list: [ENTITY] },
          },
        },
      },
    },
  }),
  nbtFile({
    size: { list: [{ int: 2 }, { int: 1 }, { int: 1 }] },
    palette: { list: [STONE, LOG] },
    blocks: {
      list: [
        {
          fields: { pos: { list: [{ int: 1 }, { int: 0 }, { int: 0 }] }, state: { int: 1 }, nbt: CHEST },
        },
      ],
    },
    entities: { list: [{ fields: { nbt: ENTITY } }] },
  }),
];

/** What `level.dat` has. */
export const levelSample: Uint8Array = nbtFile({
  Data: {
    fields: {
      LevelName: "w",
      RandomSeed: { long: -5n },
      SpawnX: { int: 1 },
      SpawnY: { int: 2 },
      SpawnZ: { int: 3 },
      WorldGenSettings: { fields: { seed: { long: 7n } } },
      Version: { fields: { Name: "1.21" } },
    },
  },
});

/** The same files as programs write them. */
export const compressedSamples: readonly Uint8Array[] = [
  ...schematicSamples.map((bytes) => gzipSync(bytes)),
  deflateSync(levelSample),
];

const int = (value: number): number[] => [
  value & 255,
  (value >> 8) & 255,
  (value >> 16) & 255,
  (value >> 24) & 255,
];
const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const chunk = (id: string, content: readonly number[]): number[] => [
  ...text(id),
  ...int(content.length),
  ...int(0),
  ...content,
];
const pairs = (...values: readonly string[]): number[] => [
  ...int(values.length / 2),
  ...values.flatMap((value) => [...int(value.length), ...text(value)]),
];
const MODEL = [
  ...chunk("SIZE", [...int(3), ...int(2), ...int(1)]),
  ...chunk("XYZI", [...int(1), 2, 0, 0, 9]),
];
const SCENE = [
  ...chunk("nTRN", [
    ...int(0),
    ...pairs(),
    ...int(1),
    ...int(-1),
    ...int(0),
    ...int(2),
    ...pairs("_t", "1 -2 3", "_r", "4"),
    ...pairs("_f", "7", "_r", "40"),
  ]),
  ...chunk("nGRP", [...int(1), ...pairs(), ...int(2), ...int(2), ...int(2)]),
  ...chunk("nSHP", [...int(2), ...pairs(), ...int(1), ...int(0), ...pairs("_f", "0")]),
  ...chunk("LAYR", [...int(0), ...pairs("_name", "l"), ...int(-1)]),
];
const voxFile = (chunks: readonly number[]): Uint8Array =>
  Uint8Array.from([
    ...text("VOX "),
    ...int(150),
    ...text("MAIN"),
    ...int(0),
    ...int(chunks.length),
    ...chunks,
  ]);

/** Files of MagicaVoxel, with and without a scene. */
export const voxSamples: readonly Uint8Array[] = [voxFile(MODEL), voxFile([...MODEL, ...SCENE])];

const LAYER = { type: "tilelayer", name: "l", width: 2, height: 2, data: [1, 0, 2_147_483_654, 2] };
const OBJECTS = {
  type: "objectgroup",
  objects: [{ id: 1, name: "o", polygon: [{ x: 1, y: 2 }], properties: [{ name: "p", value: 1 }] }],
};
const TILESETS = [
  { firstgid: 1, name: "a", tilecount: 4 },
  { firstgid: 5, source: "b.tsj" },
];
const map = (layers: unknown): Uint8Array =>
  Uint8Array.from(
    text(JSON.stringify({ tilewidth: 8, tileheight: 8, infinite: true, tilesets: TILESETS, layers })),
  );

/** Maps of Tiled in JSON. */
export const tmjSamples: readonly Uint8Array[] = [
  map([LAYER, { type: "group", layers: [OBJECTS, { ...LAYER, data: "1,2,3,4", encoding: "csv" }] }]),
  map([
    {
      ...LAYER,
      encoding: "base64",
      chunks: [
        { x: -2, y: 0, width: 1, height: 1, data: "AQAAAA==" },
        { x: -2, y: 0, width: 1, height: 1, data: "AQAAAA==" },
      ],
    },
  ]),
];

/** Maps of Tiled in XML. */
export const tmxSamples: readonly Uint8Array[] = [
  `<?xml version="1.0"?><!-- c --><map tilewidth="8" tileheight="8"><tileset firstgid="1" name="a &amp; b"/>
<layer name="l" width="2" height="1"><data encoding="csv">1,2</data></layer>
<group><objectgroup><object id="1"><polygon points="0,0 1,2"/><properties><property name="p" type="int" value="3"/>
</properties></object><object><text><![CDATA[x]]></text></object></objectgroup></group></map>`,
  `<map tilewidth="8" tileheight="8"><layer width='2' height='1'><data><tile gid="1"/><tile/></data></layer></map>`,
].map((source) => Uint8Array.from(text(source)));

/** Cells of a map, before and after compression. */
export const cellSamples: readonly Uint8Array[] = [
  Uint8Array.of(0, 1, 0, 0, 0, 6, 0, 0, 128),
  Uint8Array.of(1, ...deflateSync(Uint8Array.of(1, 0, 0, 0, 6, 0, 0, 128))),
  Uint8Array.of(2, ...gzipSync(Uint8Array.of(1, 0, 0, 0, 6, 0, 0, 128))),
  Uint8Array.of(3, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, 65, 0, 0, 1, 0, 0, 0, 6, 0, 0, 128),
];
