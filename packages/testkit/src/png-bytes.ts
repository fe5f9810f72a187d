import { deflateSync } from "node:zlib";
import { crc32 } from "@orthant/core/bytes";

/** What a PNG is made of. */
export interface PngSample {
  readonly width: number;
  readonly height: number;
  /** 0 grey, 2 red, green and blue, 3 palette, 4 grey and opacity, 6 all four; 6 unless given. */
  readonly kind?: number;
  /** Bits of each number; 8 unless given. */
  readonly depth?: number;
  /** The bytes of all rows, before filters. */
  readonly rows: Uint8Array;
  /** The filter of each row in turn; none unless given. */
  readonly filters?: readonly number[];
  readonly palette?: Uint8Array;
  readonly transparency?: Uint8Array;
  readonly isInterlaced?: boolean;
}

/** Returns a PNG, also one that readers refuse. */
export function pngBytes(sample: PngSample): Uint8Array {
  const { width, height, kind = 6, depth = 8, palette, transparency, isInterlaced = false } = sample;
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, depth);
  header.setUint8(9, kind);
  header.setUint8(12, isInterlaced ? 1 : 0);
  return pngFile([
    ["IHDR", new Uint8Array(header.buffer)],
    ...(palette === undefined ? [] : [["PLTE", palette] as const]),
    ...(transparency === undefined ? [] : [["tRNS", transparency] as const]),
    ["IDAT", new Uint8Array(deflateSync(filtered(sample)))],
    ["IEND", new Uint8Array(0)],
  ]);
}

/** Returns a PNG of these parts, with right checksums. */
export function pngFile(sections: readonly (readonly [name: string, content: Uint8Array])[]): Uint8Array {
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return new Uint8Array(
    Buffer.concat([signature, ...sections.map(([name, content]) => section(name, content))]),
  );
}

/** Returns a picture of one colour, 0xRRGGBB, with this opacity. */
export function plainPng(colour: number, width = 16, height = 16, opacity = 255): Uint8Array {
  const pixel = [(colour >>> 16) & 0xff, (colour >>> 8) & 0xff, colour & 0xff, opacity];
  const rows = Uint8Array.from({ length: width * height * 4 }, (_, at) => pixel[at % 4] as number);
  return pngBytes({ width, height, rows });
}

function filtered({ height, kind = 6, depth = 8, rows, filters = [0] }: PngSample): Uint8Array {
  const channels = [1, 0, 3, 1, 2, 0, 4][kind] ?? 4;
  const step = Math.max(1, (channels * depth) >> 3);
  const rowBytes = rows.length / height;
  const at = (row: number, index: number): number =>
    row < 0 || index < 0 ? 0 : (rows[row * rowBytes + index] as number);
  const result = new Uint8Array((rowBytes + 1) * height);
  for (let row = 0; row < height; row++) {
    const filter = filters[row % filters.length] as number;
    result[row * (rowBytes + 1)] = filter;
    for (let index = 0; index < rowBytes; index++) {
      const [left, above] = [at(row, index - step), at(row - 1, index)];
      const corner = index < step ? 0 : at(row - 1, index - step);
      const near = [left, above, corner].sort(
        (a, b) => Math.abs(left + above - corner - a) - Math.abs(left + above - corner - b),
      )[0] as number;
      const guess = [0, left, above, (left + above) >> 1, near][filter] ?? 0;
      result[row * (rowBytes + 1) + 1 + index] = at(row, index) - guess;
    }
  }
  return result;
}

function section(name: string, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(content.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(content, 8);
  view.setUint32(8 + content.length, crc32(bytes.subarray(4, 8 + content.length)));
  return bytes;
}
