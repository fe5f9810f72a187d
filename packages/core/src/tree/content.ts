import { Chunk } from "../chunk/chunk.ts";
import type { GeneratorRef } from "./generator-ref.ts";

/** The content of a position: voxels, or a generator that computes them. */
export type Content = Chunk | GeneratorRef;

/** Whether one node can represent many chunks of this content: one block, or one generator. */
export function isSpreadable(content: Content): boolean {
  return !(content instanceof Chunk) || content.uniformBlock !== undefined;
}

/** Whether two contents are the same. */
export function contentEquals(a: Content, b: Content): boolean {
  if (a === b) return true;
  if (a instanceof Chunk) return b instanceof Chunk && a.equals(b);
  return !(b instanceof Chunk) && a.equals(b);
}
