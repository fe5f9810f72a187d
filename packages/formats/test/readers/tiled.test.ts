import { deflateSync } from "node:zlib";
import { MemoryDisk } from "@orthant/disk";
import { openTiled, type TiledMap, tiledTileOf } from "@orthant/formats/readers";
import { codeOfRejection, fromHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

function diskOf(files: Readonly<Record<string, string>>): MemoryDisk {
  const encoder = new TextEncoder();
  const bytes = new Map(Object.entries(files).map(([name, text]) => [name, encoder.encode(text)]));
  return new MemoryDisk({ directories: ["maps"], files: bytes });
}

function openXml(inside: string, attributes = ""): Promise<TiledMap> {
  const map = `<?xml version="1.0"?><!-- a map --><map tilewidth="16" tileheight="8" ${attributes}>${inside}</map>`;
  return openTiled(
    diskOf({ "maps/a.tmx": map, "maps/b.tsx": `<tileset name="b &amp; c" tilecount="2"/>` }),
    "maps/a.tmx",
  );
}

const TILESETS = `<tileset firstgid="1" name="a" tilecount="4"/><tileset firstgid="5" source="b.tsx"/>`;

function layer(data: string, attributes = ""): string {
  return `${TILESETS}<layer name="l" width="2" height="2"><data ${attributes}>${data}</data></layer>`;
}

const WORDS = fromHex("01000000 00000000 06000080 02000000");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
/** Zstandard by hand: a frame of one segment with 16 bytes, in one raw block, the last. */
const ZSTD = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 16, (16 << 3) | 1, 0, 0, ...WORDS);

describe("maps of Tiled", () => {
  test.each([
    ["tiles", `<tile gid="1"/><tile/><tile gid="2147483654"/><tile gid="2"/>`, ""],
    ["CSV", "\n1,0,\n2147483654,2\n", `encoding="csv"`],
    ["base64", ` ${base64(WORDS)}\n`, `encoding="base64"`],
    ["zlib", base64(deflateSync(WORDS)), `encoding="base64" compression="zlib"`],
    ["zstd", base64(ZSTD), `encoding="base64" compression="zstd"`],
  ])("[IM50] reads cells from %s", async (_name, data, attributes) => {
    const map = await openXml(layer(data, attributes));
    expect(map.findings).toEqual([]);
    expect(map.layers[0]?.pieces).toEqual([
      { x: 0, y: 0, width: 2, height: 2, cells: Uint32Array.of(1, 0, 0x8000_0006, 2) },
    ]);
  });

  test("[IM51] the four highest bits flip a tile, the rest is its number in the last tileset that begins before it", async () => {
    const { tilesets } = await openXml(layer("0,0,0,0", `encoding="csv"`));
    expect(tilesets.map(({ name, tileCount }) => [name, tileCount])).toEqual([
      ["a", 4],
      ["b & c", 2],
    ]);
    expect(tiledTileOf(tilesets, 0xf000_0006)).toEqual({ tileset: tilesets[1], id: 1, flips: "HVDR" });
    expect(tiledTileOf(tilesets, 4)).toEqual({ tileset: tilesets[0], id: 3, flips: "" });
    expect([0, 7, 0x8000_0000].map((number) => tiledTileOf(tilesets, number))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("[IM52] offsets, opacity and visibility of groups count for their layers", async () => {
    const inner = `<layer name="l" width="1" height="1" offsetx="3" opacity="0.5"><data encoding="csv">1</data></layer>`;
    const map = await openXml(
      `${TILESETS}<group offsetx="8" offsety="-4" opacity="0.5" visible="0">${inner}</group>`,
    );
    expect(map.layers[0]).toMatchObject({ offset: [11, -4], opacity: 0.25, isVisible: false });
  });

  test("[IM53] chunks of an infinite map lie anywhere, and have any size", async () => {
    const chunks = `<chunk x="-64" y="8" width="1" height="2">1,2</chunk><chunk x="5" y="5" width="2" height="1">3,4</chunk>`;
    const map = await openXml(layer(chunks, `encoding="csv"`), `infinite="1"`);
    expect(map.layers[0]?.pieces.map(({ x, y, width, cells }) => [x, y, width, ...cells])).toEqual([
      [-64, 8, 1, 1, 2],
      [5, 5, 2, 3, 4],
    ]);
  });

  test.each([
    ["another compression", base64(WORDS), `encoding="base64" compression="lzma"`],
    ["another encoding", "1,2,3,4", `encoding="hex"`],
    ["characters that are not base64", "####", `encoding="base64"`],
    [
      "more bytes than cells",
      base64(deflateSync(new Uint8Array(17))),
      `encoding="base64" compression="zlib"`,
    ],
    [
      "a frame of Zstandard that promises too much",
      base64(Uint8Array.of(...ZSTD.subarray(0, 5), 17, ...ZSTD.subarray(6))),
      `encoding="base64" compression="zstd"`,
    ],
    [
      "a frame of Zstandard that is cut",
      base64(ZSTD.subarray(0, 20)),
      `encoding="base64" compression="zstd"`,
    ],
    [
      "a frame of Zstandard with a window of gigabytes",
      base64(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0)),
      `encoding="base64" compression="zstd"`,
    ],
  ])("[IM54] leaves out a layer with %s", async (_name, data, attributes) => {
    const map = await openXml(layer(data, attributes));
    expect(map.layers).toEqual([]);
    expect(map.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('layer "l" is left out'),
    ]);
  });

  test("[IM54] cells that are missing are empty, and too many cells are refused before they are made", async () => {
    const short = await openXml(layer("1,2", `encoding="csv"`));
    expect([...(short.layers[0]?.pieces[0]?.cells ?? [])]).toEqual([1, 2, 0, 0]);
    expect(short.findings.length).toBe(1);
    const huge = await openXml(
      `<layer name="l" width="1000000" height="1000000"><data encoding="csv">1</data></layer>`,
    );
    expect(huge.findings.map(({ code }) => code)).toEqual(["ORT_LIMIT"]);
  });

  test.each([
    ["a document type", `<!DOCTYPE map [<!ENTITY a "b">]><map/>`],
    ["an unknown entity", `<map name="&a;"/>`],
    ["an element that is not closed", "<map>"],
    ["an element closed by another", "<map><a></map></a>"],
    ["two roots", "<map/><map/>"],
    ["too many levels", `${"<a>".repeat(1_000)}${"</a>".repeat(1_000)}`],
    ["something else", "no map"],
    ["another kind of JSON", "[1]"],
  ])("[IM55] refuses %s", async (_name, text) => {
    expect(await codeOfRejection(() => openTiled(diskOf({ "maps/a.tmx": text }), "maps/a.tmx"))).toBe(
      "ORT_FOREIGN",
    );
  });

  test("[IM51] a tileset whose file is missing is a finding, and its tiles keep their numbers", async () => {
    const map = await openXml(
      `<tileset firstgid="1" source="gone.tsx"/><layer name="l" width="1" height="1"><data encoding="csv">9</data></layer>`,
    );
    expect(map.findings.map(({ code }) => code)).toEqual(["ORT_NOT_FOUND"]);
    expect(tiledTileOf(map.tilesets, 9)).toMatchObject({ id: 8, tileset: { name: "gone" } });
  });
});
