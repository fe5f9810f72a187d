import type { Codec } from "../bytes/codec.ts";
import { Chunk } from "../chunk/chunk.ts";
import { packedChunkCodec } from "../chunk/packed-chunk-codec.ts";
import { type Box, boxCodec, boxContainsBox, boxVolume } from "../lattice/box.ts";
import { isSpreadable } from "../tree/content.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { DESCRIBE_STEPS_MAX } from "./generated-space.ts";

/**
 * The result of `GeneratedSpace.describe` between two threads: its different chunks, then boxes, each with the
 * number of a chunk. Never stored, so it has no version.
 */
export function describedBoxCodec(volume: number, within: Box): Codec<RegionTree> {
  const chunkCodec = packedChunkCodec(volume);
  return {
    write(out, tree) {
      const numbers = new Map<Chunk, number>();
      const pieces = [...tree.pieces()];
      for (const { content } of pieces) {
        // A description has no references to generators.
        if (content instanceof Chunk && !numbers.has(content)) numbers.set(content, numbers.size);
      }
      out.varUint(numbers.size);
      for (const chunk of numbers.keys()) chunkCodec.write(out, chunk);
      out.varUint(pieces.length);
      for (const { box, content } of pieces) {
        boxCodec.write(out, box);
        out.varUint(numbers.get(content as Chunk) ?? 0);
      }
    },
    read(input) {
      const chunks = Array.from({ length: input.count(DESCRIBE_STEPS_MAX) }, () => chunkCodec.read(input));
      const count = input.count(DESCRIBE_STEPS_MAX);
      let tree = RegionTree.EMPTY;
      for (let index = 0; index < count; index++) {
        const box = boxCodec.read(input);
        const chunk = chunks[input.varUint()];
        if (!boxContainsBox(within, box)) throw input.fail("ORT_BOX", `[${box.min}] to [${box.max}]`);
        if (chunk === undefined) throw input.fail("ORT_RECORD", "a chunk that is not there");
        if (boxVolume(box) > 1 && !isSpreadable(chunk)) throw input.fail("ORT_BOX", "a chunk in a wide box");
        tree = boxVolume(box) > 1 ? tree.fill(box, chunk) : tree.set(box.min, chunk);
      }
      return tree;
    },
  };
}
