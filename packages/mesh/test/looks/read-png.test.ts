import { readPng } from "@orthant/mesh/looks";
import { codeOfRejection, Prng, plainPng, pngBytes } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const [WIDTH, HEIGHT] = [5, 7];

describe("PNG files", () => {
  test.each([0, 1, 2, 3, 4])("filter %i is taken back", async (filter) => {
    const rows = new Prng(filter + 1).bytes(WIDTH * HEIGHT * 4);
    const { width, height, pixels } = await readPng(
      pngBytes({ width: WIDTH, height: HEIGHT, rows, filters: [filter, 0] }),
    );
    expect([width, height]).toEqual([WIDTH, HEIGHT]);
    expect([...pixels]).toEqual([...rows]);
  });

  test.each([
    [0, [7, 7, 7, 255]],
    [2, [7, 8, 9, 255]],
    [4, [7, 7, 7, 8]],
    [6, [7, 8, 9, 10]],
  ])("colours of kind %i become four numbers", async (kind, expected) => {
    const rows = Uint8Array.of(7, 8, 9, 10).subarray(0, [1, 0, 3, 1, 2, 0, 4][kind]);
    expect([...(await readPng(pngBytes({ width: 1, height: 1, kind, rows }))).pixels]).toEqual(expected);
  });

  test.each([1, 2, 4, 8])("palettes with %i bits are looked up, with their opacity", async (depth) => {
    // Colours 1, 0, 1 from the left, and a new byte for the next row.
    const first = depth === 8 ? [1, 0, 1] : depth === 4 ? [0x10, 0x10] : depth === 2 ? [0x44] : [0xa0];
    const rows = Uint8Array.from([...first, ...first]);
    const palette = Uint8Array.of(1, 2, 3, 4, 5, 6);
    const png = pngBytes({
      width: 3,
      height: 2,
      kind: 3,
      depth,
      rows,
      palette,
      transparency: Uint8Array.of(0),
    });
    const row = [4, 5, 6, 255, 1, 2, 3, 0, 4, 5, 6, 255];
    expect([...(await readPng(png)).pixels]).toEqual([...row, ...row]);
  });

  test("greys of few bits reach from black to white, and one may be transparent", async () => {
    const transparency = Uint8Array.of(0, 2);
    const png = pngBytes({
      width: 4,
      height: 1,
      kind: 0,
      depth: 2,
      rows: Uint8Array.of(0b00011011),
      transparency,
    });
    expect([...(await readPng(png)).pixels]).toEqual([
      0, 0, 0, 255, 85, 85, 85, 255, 170, 170, 170, 0, 255, 255, 255, 255,
    ]);
  });

  test.each([
    ["interlaced", { isInterlaced: true }, "it is interlaced; save it without"],
    ["of 16 bits", { depth: 16 }, "16 bits for each number of a pixel; save it with 8"],
    ["of an unknown kind", { kind: 5 }, "kind of colour 5, compression 0 or filter 0 that no PNG has"],
    ["without pixels", { width: 0 }, "0 x 1 pixels"],
    ["with too few pixels", { height: 2 }, "6 bytes of pixels, not 10"],
    ["with an unknown filter", { filters: [9] }, "filter 9 in row 0"],
    [
      "without its palette",
      { kind: 3, rows: Uint8Array.of(0) },
      "its palette is missing or has a part of a colour",
    ],
    [
      "with a colour beyond its palette",
      { kind: 3, rows: Uint8Array.of(1), palette: Uint8Array.of(1, 2, 3) },
      "a pixel has colour 1, which the palette does not have",
    ],
  ])("a picture %s is refused with the reason", async (_what, change, detail) => {
    const sample = { width: 1, height: 1, rows: new Uint8Array(4) };
    await expect(readPng(pngBytes({ ...sample, ...change }))).rejects.toThrow(
      `ORT_FOREIGN: the PNG cannot be used: ${detail}`,
    );
  });

  test("a picture that would be too large is refused before it is unpacked", async () => {
    expect(
      await codeOfRejection(readPng(pngBytes({ width: 65_536, height: 65_536, rows: new Uint8Array(0) }))),
    ).toBe("ORT_LIMIT");
    const bomb = pngBytes({ width: 2, height: 2, rows: new Uint8Array(4_000_000) });
    expect(await codeOfRejection(readPng(bomb))).toBe("ORT_LIMIT");
  });

  test("a picture that is cut or changed anywhere is refused", async () => {
    const png = plainPng(0x123456, 3, 3);
    for (let length = 0; length < png.length; length++) {
      expect(await codeOfRejection(readPng(png.subarray(0, length)))).toBe("ORT_FOREIGN");
    }
    for (let at = 8; at < png.length; at++) {
      const changed = png.map((byte, index) => (index === at ? byte ^ 0x40 : byte));
      expect(["ORT_FOREIGN", "ORT_CHECKSUM"]).toContain(await codeOfRejection(readPng(changed)));
    }
  });
});
