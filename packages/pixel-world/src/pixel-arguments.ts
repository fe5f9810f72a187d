import { I32_MAX, I32_MIN, OrthantError, requireBigint, requireInteger, U64_MAX } from "@orthant/core";

/** Throws `ORT_ARGUMENT` unless these are valid chunk coordinates. */
export function requirePosition(x: number, y: number): void {
  requireInteger(x, I32_MIN, I32_MAX);
  requireInteger(y, I32_MIN, I32_MAX);
}

/** Throws `ORT_ARGUMENT` unless `pixels` has the size of one chunk. */
export function requirePixels(pixels: Uint8Array, bytes: number): void {
  if (pixels instanceof Uint8Array && pixels.length === bytes) return;
  throw new OrthantError("ORT_ARGUMENT", `the pixels of a chunk are a Uint8Array of ${bytes} bytes`);
}

/** Throws `ORT_ARGUMENT` unless `id` is a valid body id. */
export function requireBodyId(id: bigint): void {
  requireBigint(id, 0n, U64_MAX);
}
