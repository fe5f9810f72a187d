import type { Page } from "playwright-core";

declare const createImageBitmap: (
  source: unknown,
) => Promise<{ readonly width: number; readonly height: number }>;
declare const OffscreenCanvas: new (
  width: number,
  height: number,
) => {
  getContext(kind: "2d"): {
    drawImage(source: unknown, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
};

/** A colour: red, green and blue, 0 to 255 each. */
export type Pixel = readonly [red: number, green: number, blue: number];

/** A screenshot of a window. */
export interface Screenshot {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  /** Returns the colour of a pixel, counted from the left and from the top. */
  at(left: number, top: number): Pixel;
  /** Returns the mean colour of the pixels around one, in a square of this edge: textures have several colours. */
  around(left: number, top: number, edge: number): Pixel;
}

/** Colour components may differ by this much unnoticed: edges are not rendered the same each time. */
const UNSEEN = 48;

/** Decodes a screenshot. */
export async function screenshotOf(page: Page, png: Buffer): Promise<Screenshot> {
  const { width, pixels } = await page.evaluate(decodePicture, png.toString("base64"));
  const bytes = Buffer.from(pixels, "base64");
  const at = (left: number, top: number): Pixel => {
    const offset = (top * width + left) * 4;
    return [bytes[offset] ?? 0, bytes[offset + 1] ?? 0, bytes[offset + 2] ?? 0];
  };
  return {
    png,
    width,
    height: bytes.length / 4 / width,
    at,
    around(left, top, edge) {
      const first = Math.floor(edge / 2);
      const all = Array.from({ length: edge * edge }, (_, index) =>
        at(left - first + (index % edge), top - first + Math.floor(index / edge)),
      );
      const mean = (part: 0 | 1 | 2): number => all.reduce((sum, one) => sum + one[part], 0) / all.length;
      return [mean(0), mean(1), mean(2)];
    },
  };
}

/** Returns the number of pixels that differ visibly between two pictures of the same size. */
export function differingPixels(one: Screenshot, other: Screenshot): number {
  let count = 0;
  for (let top = 0; top < one.height; top++) {
    for (let left = 0; left < one.width; left++) {
      const [before, after] = [one.at(left, top), other.at(left, top)];
      if (before.some((part, index) => Math.abs(part - (after[index] ?? 0)) > UNSEEN)) count++;
    }
  }
  return count;
}

/** Runs in the page, because a browser can decode pictures. */
async function decodePicture(base64: string): Promise<{ readonly width: number; readonly pixels: string }> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  drawing.drawImage(bitmap, 0, 0);
  const { data } = drawing.getImageData(0, 0, bitmap.width, bitmap.height);
  let text = "";
  for (let at = 0; at < data.length; at += 32_768)
    text += String.fromCharCode(...data.subarray(at, at + 32_768));
  return { width: bitmap.width, pixels: btoa(text) };
}
