import { type BlockLook, MODELS, type ModelQuad } from "@orthant/mesh/looks";

/** Sixteenths of a voxel on each edge. */
const FULL = 16;
/** The surface of a liquid, in sixteenths. */
const LIQUID_TOP = 14;

/** Returns all faces of a block that stands alone; none for what is not drawn. */
export function blockQuads(look: BlockLook): readonly ModelQuad[] {
  if (look.pass === undefined) return [];
  const { cube } = look;
  if (cube === undefined) return look.quads;
  const quads = MODELS.cube(cube, {});
  return look.isLiquid ? quads.map(lowered) : quads;
}

function lowered(quad: ModelQuad): ModelQuad {
  const corners = quad.corners.map((part, index) => (index % 3 === 1 && part === FULL ? LIQUID_TOP : part));
  return { ...quad, corners };
}
