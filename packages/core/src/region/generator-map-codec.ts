import type { ByteReader } from "../bytes/byte-reader.ts";
import { type Codec, encode } from "../bytes/codec.ts";
import { hash64 } from "../bytes/hash64.ts";
import { isOrthantError, OrthantError } from "../error/orthant-error.ts";
import type { Box } from "../lattice/box.ts";
import { AXES, type Position, positionFrom } from "../lattice/position.ts";
import { REGION_EDGE_CHUNKS } from "../lattice/region.ts";
import type { GeneratorRef } from "../tree/content.ts";
import { GeneratorMap } from "../tree/generator-map.ts";
import { generatorRefCodec } from "./generator-ref-codec.ts";

/** Maximum number of generators in a map. */
export const MAP_GENERATORS_MAX = 256;
/** Maximum number of boxes in a map. Every commit and every welcome has all of them. */
export const MAP_BOXES_MAX = 4_096;
/** No region has a coordinate below this, nor above its negative. */
const REGION_MIN = -(2 ** 31) / REGION_EDGE_CHUNKS;

/** A box of regions and the number of its generator. */
export interface NumberedRegions {
  readonly generator: number;
  readonly box: Box;
}

/** The boxes of a map. Each corner is relative to the lowest corner of the box before. */
export const numberedRegionsCodec: Codec<readonly NumberedRegions[]> = {
  write(out, boxes) {
    if (boxes.length > MAP_BOXES_MAX)
      throw new OrthantError("ORT_LIMIT", `${boxes.length} boxes of generators, at most ${MAP_BOXES_MAX}`);
    out.varUint(boxes.length);
    let last: Position = [0, 0, 0, 0];
    for (const { generator, box } of boxes) {
      out.varUint(generator);
      for (const axis of AXES) out.varInt(box.min[axis] - last[axis]);
      for (const axis of AXES) out.varUint(box.max[axis] - box.min[axis] - 1);
      last = box.min;
    }
  },

  read(input) {
    const count = input.count(MAP_BOXES_MAX);
    const boxes: NumberedRegions[] = [];
    let last: Position = [0, 0, 0, 0];
    for (let index = 0; index < count; index++) {
      const generator = input.varUint();
      const min = readCorner(input, last, () => input.varInt());
      const max = readCorner(input, min, () => 1 + input.varUint());
      boxes.push({ generator, box: { min, max } });
      last = min;
    }
    return boxes;
  },
};

/** Returns the boxes of a map with the numbers of their generators. */
export function numberedRegions({ refs, kept }: GeneratorMap): readonly NumberedRegions[] {
  return kept.map(({ box, generator }) => ({ generator: refs.indexOf(generator), box }));
}

/**
 * Returns the map of some generators and numbered boxes. Throws `ORT_GENERATOR_MAP` unless they are those of one map, in
 * its order.
 */
export function mapOfRegions(refs: readonly GeneratorRef[], boxes: readonly NumberedRegions[]): GeneratorMap {
  const [current] = refs;
  if (current === undefined) throw new OrthantError("ORT_GENERATOR_MAP", "a map without generators");
  const kept = boxes.map(({ generator, box }) => {
    const ref = refs[generator];
    if (ref !== undefined) return { box, generator: ref };
    throw new OrthantError("ORT_GENERATOR_MAP", `generator ${generator} of ${refs.length} in a map`);
  });
  const map = GeneratorMap.from(current, kept);
  if (map.refs.length === refs.length && map.refs.every((ref, index) => ref === refs[index])) return map;
  throw new OrthantError("ORT_GENERATOR_MAP", "a map that does not use its generators in their order");
}

/** A map of generators: the generators, then the boxes. */
export const generatorMapCodec: Codec<GeneratorMap> = {
  write(out, map) {
    if (map.refs.length > MAP_GENERATORS_MAX)
      throw new OrthantError("ORT_LIMIT", `${map.refs.length} generators, at most ${MAP_GENERATORS_MAX}`);
    out.varUint(map.refs.length);
    for (const ref of map.refs) generatorRefCodec.write(out, ref);
    numberedRegionsCodec.write(out, numberedRegions(map));
  },

  read(input) {
    const count = input.count(MAP_GENERATORS_MAX);
    const refs: GeneratorRef[] = [];
    for (let index = 0; index < count; index++) refs.push(generatorRefCodec.read(input));
    const boxes = numberedRegionsCodec.read(input);
    try {
      return mapOfRegions(refs, boxes);
    } catch (error) {
      if (isOrthantError(error, "ORT_GENERATOR_MAP")) throw input.fail(error.code, error.detail);
      throw error;
    }
  },
};

/** Returns a hash of a map. Equal hashes mean the same generators in the same places. */
export function generatorMapHash(map: GeneratorMap): bigint {
  return hash64(encode(generatorMapCodec, map));
}

function readCorner(input: ByteReader, from: Position, read: () => number): Position {
  const corner = positionFrom((axis) => from[axis] + read());
  if (corner.every((coordinate) => coordinate >= REGION_MIN && coordinate <= -REGION_MIN)) return corner;
  throw input.fail("ORT_POSITION_RANGE", `[${corner}] is not a corner of a box of regions`);
}
