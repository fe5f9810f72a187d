import { OrthantError } from "@orthant/core";
import { requireBytes } from "@orthant/core/arguments";
import { bytesEqual, crc32, inflateUpTo, joinBytes } from "@orthant/core/bytes";
import type { TexturePicture } from "../texture-stack.ts";

/** Maximum number of pixels: 512 x 2,048, as animated textures of large packs have. */
const PNG_PIXELS_MAX = 1_048_576;
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const HEADER_BYTES = 13;
/** Length, name and checksum around the bytes of a section. */
const FRAME_BYTES = 12;
const PIXEL_BYTES = 4;
const OPAQUE = 255;
const [GREY, COLOUR, PALETTE, GREY_OPACITY, COLOUR_OPACITY] = [0, 2, 3, 4, 6];
/** Numbers of a pixel by kind of colour. */
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [GREY, 1],
  [COLOUR, 3],
  [PALETTE, 1],
  [GREY_OPACITY, 2],
  [COLOUR_OPACITY, 4],
]);
const SMALL_DEPTHS: readonly number[] = [1, 2, 4];

interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly kind: number;
  readonly channels: number;
}

/**
 * Reads a PNG of up to 8 bits for each number of a pixel, of any kind of colour. Throws `ORT_FOREIGN` for what is not one,
 * is interlaced or has 16 bits, `ORT_CHECKSUM` for a damaged one and `ORT_LIMIT` for more than 1,048,576 pixels.
 */
export async function readPng(bytes: Uint8Array): Promise<TexturePicture> {
  requireBytes("bytes", bytes);
  if (bytes.length < SIGNATURE.length || !bytesEqual(bytes.subarray(0, SIGNATURE.length), SIGNATURE))
    throw foreign("it does not begin as a PNG does");
  const sections = sectionsOf(bytes);
  const header = headerOf(sections.find(({ name }) => name === "IHDR")?.content ?? new Uint8Array(0));
  const { width, height, depth, channels } = header;
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const expected = (rowBytes + 1) * height;
  const data = sections.filter(({ name }) => name === "IDAT").map(({ content }) => content);
  const filtered = await inflateUpTo(joinBytes(data), "zlib", expected);
  if (filtered.length !== expected) throw foreign(`${filtered.length} bytes of pixels, not ${expected}`);
  const rows = unfiltered(filtered, rowBytes, Math.max(1, (channels * depth) >> 3));
  const palette = sections.find(({ name }) => name === "PLTE")?.content;
  const transparency = sections.find(({ name }) => name === "tRNS")?.content;
  return { width, height, pixels: pixelsOf(header, rows, rowBytes, palette, transparency) };
}

interface Section {
  readonly name: string;
  readonly content: Uint8Array;
}

function sectionsOf(bytes: Uint8Array): readonly Section[] {
  const sections: Section[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = SIGNATURE.length;
  while (sections.at(-1)?.name !== "IEND") {
    const left = bytes.length - offset - FRAME_BYTES;
    const length = left < 0 ? 0 : view.getUint32(offset);
    if (length > left) throw foreign("it ends too early", offset);
    const name = String.fromCharCode(...bytes.subarray(offset + 4, offset + 8));
    const end = offset + 8 + length;
    if (crc32(bytes.subarray(offset + 4, end)) !== view.getUint32(end))
      throw new OrthantError("ORT_CHECKSUM", `the part ${JSON.stringify(name)} of a PNG is damaged`, {
        offset,
      });
    sections.push({ name, content: bytes.subarray(offset + 8, end) });
    offset = end + 4;
  }
  return sections;
}

function headerOf(content: Uint8Array): PngHeader {
  if (content.length !== HEADER_BYTES) throw foreign(`a header of ${content.length} bytes`);
  const view = new DataView(content.buffer, content.byteOffset, content.length);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth = 0, kind = 0, compression, filter, interlace] = content.subarray(8);
  if (width === 0 || height === 0) throw foreign(`${width} x ${height} pixels`);
  if (width > PNG_PIXELS_MAX / height)
    throw new OrthantError("ORT_LIMIT", `${width} x ${height} pixels exceed the limit of ${PNG_PIXELS_MAX}`);
  const channels = CHANNELS.get(kind);
  if (channels === undefined || compression !== 0 || filter !== 0)
    throw foreign(`kind of colour ${kind}, compression ${compression} or filter ${filter} that no PNG has`);
  if (interlace !== 0) throw foreign("it is interlaced; save it without");
  const isSmall = SMALL_DEPTHS.includes(depth) && (kind === GREY || kind === PALETTE);
  if (depth !== 8 && !isSmall) throw foreign(`${depth} bits for each number of a pixel; save it with 8`);
  return { width, height, depth, kind, channels };
}

/** Takes back what the filter of each row did. The result has the filters' bytes no more. */
function unfiltered(filtered: Uint8Array, rowBytes: number, step: number): Uint8Array {
  const rowCount = filtered.length / (rowBytes + 1);
  const rows = new Uint8Array(rowCount * rowBytes);
  for (let row = 0; row < rowCount; row++) {
    const from = row * (rowBytes + 1) + 1;
    const to = row * rowBytes;
    const filter = filtered[from - 1] as number;
    if (filter > 4) throw foreign(`filter ${filter} in row ${row}`);
    for (let at = 0; at < rowBytes; at++) {
      const left = at < step ? 0 : (rows[to + at - step] as number);
      const above = row === 0 ? 0 : (rows[to + at - rowBytes] as number);
      const corner = row === 0 || at < step ? 0 : (rows[to + at - rowBytes - step] as number);
      rows[to + at] = (filtered[from + at] as number) + predicted(filter, left, above, corner);
    }
  }
  return rows;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    default: {
      const guess = left + above - corner;
      const toLeft = Math.abs(guess - left);
      const toAbove = Math.abs(guess - above);
      const toCorner = Math.abs(guess - corner);
      if (toLeft <= toAbove && toLeft <= toCorner) return left;
      return toAbove <= toCorner ? above : corner;
    }
  }
}

function pixelsOf(
  { width, height, depth, kind, channels }: PngHeader,
  rows: Uint8Array,
  rowBytes: number,
  palette: Uint8Array | undefined,
  transparency: Uint8Array | undefined,
): Uint8Array {
  if (kind === PALETTE && (palette === undefined || palette.length % 3 !== 0))
    throw foreign("its palette is missing or has a part of a colour");
  const pixels = new Uint8Array(width * height * PIXEL_BYTES);
  const mask = 2 ** depth - 1;
  const scale = kind === GREY ? OPAQUE / mask : 1;
  const [keyRed, keyGreen, keyBlue] = keyOf(kind === PALETTE ? undefined : transparency);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const at = row * rowBytes + ((column * channels * depth) >> 3);
      const to = (row * width + column) * PIXEL_BYTES;
      const value = ((rows[at] as number) >> (8 - depth - ((column * depth) & 7))) & mask;
      if (kind === PALETTE) {
        if (value * 3 >= (palette as Uint8Array).length)
          throw foreign(`a pixel has colour ${value}, which the palette does not have`);
        for (let part = 0; part < 3; part++)
          pixels[to + part] = (palette as Uint8Array)[value * 3 + part] as number;
        pixels[to + 3] = transparency?.[value] ?? OPAQUE;
        continue;
      }
      const hasColour = kind === COLOUR || kind === COLOUR_OPACITY;
      pixels[to] = value * scale;
      pixels[to + 1] = hasColour ? (rows[at + 1] as number) : value * scale;
      pixels[to + 2] = hasColour ? (rows[at + 2] as number) : value * scale;
      if (kind === GREY_OPACITY || kind === COLOUR_OPACITY)
        pixels[to + 3] = rows[at + channels - 1] as number;
      else {
        const isKey =
          value === keyRed && (kind === GREY || (rows[at + 1] === keyGreen && rows[at + 2] === keyBlue));
        pixels[to + 3] = isKey ? 0 : OPAQUE;
      }
    }
  }
  return pixels;
}

/** The colour that is transparent, if one is, written with two bytes for each number. */
function keyOf(transparency: Uint8Array = new Uint8Array(0)): readonly number[] {
  return Array.from({ length: Math.min(3, transparency.length >> 1) }, (_, index) => {
    const [high = 0, low = 0] = transparency.subarray(index * 2, index * 2 + 2);
    return high * 256 + low;
  });
}

function foreign(detail: string, offset?: number): OrthantError {
  return new OrthantError(
    "ORT_FOREIGN",
    `the PNG cannot be used: ${detail}`,
    offset === undefined ? {} : { offset },
  );
}
