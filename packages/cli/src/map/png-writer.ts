import { createDeflate, type Deflate } from "node:zlib";
import { crc32 } from "@orthant/core/bytes";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BIT_DEPTH = 8;
const COLOUR_AND_ALPHA = 6;
const PIXEL_BYTES = 4;
const COMPRESSION_LEVEL = 9;

/** The candidate filters; each row uses the one with the smallest residue. */
const FILTERS: readonly { readonly tag: number; predict(left: number, above: number): number }[] = [
  { tag: 0, predict: () => 0 },
  { tag: 1, predict: (left) => left },
  { tag: 2, predict: (_left, above) => above },
];

/**
 * Writes a PNG of 8-bit red, green, blue and alpha, row by row from the top, so that a picture of any height
 * needs only the memory of a few rows. The same rows give the same bytes.
 */
export class PngWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #deflate: Deflate = createDeflate({ level: COMPRESSION_LEVEL });
  readonly #finished: Promise<void>;
  #pending: Uint8Array[] = [];
  #above: Uint8Array;

  private constructor(width: number, write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
    this.#above = new Uint8Array(width * PIXEL_BYTES);
    this.#deflate.on("data", (bytes: Uint8Array) => this.#pending.push(bytes));
    this.#finished = new Promise((resolve, reject) => {
      this.#deflate.once("end", resolve);
      this.#deflate.once("error", reject);
    });
  }

  /** Starts a picture. */
  static async create(
    width: number,
    height: number,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<PngWriter> {
    const header = new DataView(new ArrayBuffer(13));
    header.setUint32(0, width);
    header.setUint32(4, height);
    header.setUint8(8, BIT_DEPTH);
    header.setUint8(9, COLOUR_AND_ALPHA);
    await write(SIGNATURE);
    await write(pieceOf("IHDR", new Uint8Array(header.buffer)));
    return new PngWriter(width, write);
  }

  /** Adds a row of pixels, four bytes each. */
  async row(pixels: Uint8Array): Promise<void> {
    const filtered = filterRow(pixels, this.#above);
    this.#above = pixels.slice();
    await new Promise<void>((resolve, reject) => {
      this.#deflate.write(filtered, (error) => (error ? reject(error) : resolve()));
    });
    await this.#flush();
  }

  /** Ends the picture. */
  async end(): Promise<void> {
    this.#deflate.end();
    await this.#finished;
    await this.#flush();
    await this.#write(pieceOf("IEND", new Uint8Array(0)));
  }

  async #flush(): Promise<void> {
    const ready = this.#pending;
    this.#pending = [];
    for (const bytes of ready) await this.#write(pieceOf("IDAT", bytes));
  }
}

function filterRow(pixels: Uint8Array, above: Uint8Array): Uint8Array {
  let best: Uint8Array | undefined;
  let bestSum = Number.POSITIVE_INFINITY;
  for (const { tag, predict } of FILTERS) {
    const row = new Uint8Array(pixels.length + 1);
    row[0] = tag;
    let sum = 0;
    for (let index = 0; index < pixels.length; index++) {
      const left = index < PIXEL_BYTES ? 0 : (pixels[index - PIXEL_BYTES] as number);
      const residue = ((pixels[index] as number) - predict(left, above[index] as number)) & 0xff;
      row[index + 1] = residue;
      sum += residue < 0x80 ? residue : 0x100 - residue;
    }
    if (sum < bestSum) [best, bestSum] = [row, sum];
  }
  return best as Uint8Array;
}

/** Returns a chunk of a PNG: its length, its name, its bytes, and their checksum. */
function pieceOf(name: string, bytes: Uint8Array): Uint8Array {
  const piece = new Uint8Array(bytes.length + 12);
  const view = new DataView(piece.buffer);
  view.setUint32(0, bytes.length);
  for (let index = 0; index < 4; index++) piece[4 + index] = name.charCodeAt(index);
  piece.set(bytes, 8);
  view.setUint32(8 + bytes.length, crc32(piece.subarray(4, 8 + bytes.length)));
  return piece;
}
