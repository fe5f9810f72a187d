import type { BlockBox } from "@orthant/core/chunk";
import type { BlockLook } from "./block-looks.ts";
import { boxQuads, FULL, type ModelPoint } from "./models/quads.ts";

/**
 * Returns how a block is drawn that would be a cube and fills only boxes of its voxel: these, with the parts of the cube's
 * textures that lie there. A look with a model stays.
 */
export function shapedLook(look: BlockLook, boxes: readonly BlockBox[]): BlockLook {
  const { cube } = look;
  if (cube === undefined) return look;
  return {
    ...look,
    pass: boxes.length === 0 ? undefined : look.pass,
    cube: undefined,
    quads: boxes.flatMap(([min, max]) => boxQuads(cube, pointOf(min), pointOf(max))),
    isLiquid: false,
  };
}

function pointOf([x = 0, y = 0, z = 0]: readonly number[]): ModelPoint {
  return [x * FULL, y * FULL, z * FULL];
}
