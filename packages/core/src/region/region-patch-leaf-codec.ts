import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import { Chunk, uniformChunk } from "../chunk/chunk.ts";
import { chunkCodec } from "../chunk/chunk-codec.ts";
import type { Box } from "../lattice/box.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import type { GeneratorRef } from "../tree/generator-ref.ts";
import { ChunkArray } from "./chunk-array.ts";
import { readChunkArrayBody, writeChunkArrayBody } from "./chunk-array-codec.ts";
import { boxOfCells, regionCell } from "./region-cells.ts";
import type { PatchLeaf } from "./region-patch.ts";

/** The generators of a patch, to which leaves refer by index. */
export type GeneratorTable = readonly GeneratorRef[];

/** Writes and reads leaves. Both need the patch's generators; reading also needs the region. */
export interface PatchLeafCodec {
  write(out: ByteWriter, leaf: PatchLeaf, generators: GeneratorTable): void;
  read(input: ByteReader, region: Position, generators: GeneratorTable): PatchLeaf;
}

/** The kinds of content, by tag. */
const KIND = { empty: 0, uniform: 1, generator: 2, chunk: 3, chunkArray: 4 } as const;
const KINDS = 5;

/**
 * Leaves of patches: the first and last cell of a box, then its content. Rules P11 to P13, region-patch.md.
 */
export function patchLeafCodec(volume: number): PatchLeafCodec {
  const chunks = chunkCodec(volume);
  return {
    write(out, { box, content }, generators) {
      out.u8(regionCell(box.min));
      out.u8(regionCell(positionFrom((axis) => box.max[axis] - 1)));
      if (content === undefined) {
        out.tag(KIND.empty, KINDS);
      } else if (content instanceof ChunkArray) {
        out.tag(KIND.chunkArray, KINDS);
        writeChunkArrayBody(out, content, chunks);
      } else if (!(content instanceof Chunk)) {
        out.tag(KIND.generator, KINDS);
        out.varUint(generators.findIndex((generator) => generator.equals(content)));
      } else if (content.uniformBlock !== undefined) {
        out.tag(KIND.uniform, KINDS);
        out.varU16(content.uniformBlock);
      } else {
        out.tag(KIND.chunk, KINDS);
        chunks.write(out, content);
      }
    },

    read(input, region, generators) {
      const first = input.u8();
      const last = input.u8();
      const box = boxOfCells(region, first, last);
      if (box === undefined) throw input.fail("ORT_BOX", `a box from cell ${first} to ${last}`);
      return { box, content: readContent(input, box, generators) };
    },
  };

  function readContent(input: ByteReader, box: Box, generators: GeneratorTable): PatchLeaf["content"] {
    switch (input.tag(KINDS)) {
      case KIND.empty:
        return undefined;
      case KIND.uniform:
        return uniformChunk(volume, input.varU16());
      case KIND.generator:
        return readGenerator(input, generators);
      case KIND.chunk:
        return readChunk(input);
      default:
        return readChunkArrayBody(input, box, chunks);
    }
  }

  function readChunk(input: ByteReader): Chunk {
    const chunk = chunks.read(input);
    if (chunk.uniformBlock !== undefined) {
      throw input.fail("ORT_PATCH_FORM", "a uniform chunk written out as one that is not");
    }
    return chunk;
  }
}

function readGenerator(input: ByteReader, generators: GeneratorTable): GeneratorRef {
  const index = input.varUint();
  const generator = generators[index];
  if (generator === undefined) {
    throw input.fail("ORT_PATCH_FORM", `generator ${index} of ${generators.length}`);
  }
  return generator;
}
