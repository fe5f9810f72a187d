import { Chunk } from "../chunk/chunk.ts";
import type { GeneratorRef } from "./generator-ref.ts";

/** What a place holds: voxels, or the promise of a generator to compute them. */
export type Content = Chunk | GeneratorRef;

/** Whether many chunks of this content are one thing: all of one material, or all of one generator. */
export function isSpreadable(content: Content): boolean {
  return !(content instanceof Chunk) || content.uniformMaterial !== undefined;
}

/** Whether two contents are the same. */
export function contentEquals(a: Content, b: Content): boolean {
  if (a === b) return true;
  if (a instanceof Chunk) return b instanceof Chunk && a.equals(b);
  return !(b instanceof Chunk) && a.equals(b);
}
