import { requireFunction, requireObject, wrongArgument } from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import type { BlockLook, FaceTexture, TextureLayers } from "./block-looks.ts";
import { CLEAR_LAYER, type LookPack } from "./look-pack.ts";
import { enlarged, requireLayers, TextureStack } from "./texture-stack.ts";

const PIXEL_BYTES = 4;

/**
 * Returns one pack of several, of which later ones replace looks of earlier ones: a game's own blocks over `defaultLooks()`.
 * All textures become as large as the largest.
 *
 * @example
 * const looks = joinLooks(defaultLooks(), parseLooks({ blocks: { crystal: "crystal" } }, pictures));
 */
export function joinLooks(...packs: readonly LookPack[]): LookPack {
  const checked = packs.map((pack, index) => {
    const wanted = "it is what parseLooks returns, an object with textures and a function lookOf";
    requireObject(`packs[${index}]`, pack, wanted);
    requireFunction(`packs[${index}].lookOf`, pack.lookOf);
    return { pack, textures: requireLayers(`packs[${index}].textures`, pack.textures) };
  });
  const stack = new TextureStack(Math.max(1, ...checked.map(({ textures }) => textures.edge)));
  const joined = checked.map(({ pack, textures }) => ({ pack, moved: movedBy(append(stack, textures)) }));
  joined.reverse();
  return {
    textures: stack.textures(),
    lookOf(type, properties) {
      for (const { pack, moved } of joined) {
        const look = pack.lookOf(type, properties);
        if (look !== undefined) return moved(look);
      }
      return undefined;
    },
  };
}

/** Adds the layers of a pack, without the two that all have. Returns by how many layers they moved. */
function append(stack: TextureStack, { edge, count, pixels }: TextureLayers): number {
  const layerBytes = edge * edge * PIXEL_BYTES;
  let moved = 0;
  for (let layer = CLEAR_LAYER + 1; layer < count; layer++) {
    const picture = {
      width: edge,
      height: edge,
      pixels: pixels.subarray(layer * layerBytes, (layer + 1) * layerBytes),
    };
    moved = stack.add(enlarged(picture, stack.edge)) - layer;
  }
  return moved;
}

/** Blocks that look the same share the object before and after. */
function movedBy(layers: number): (look: BlockLook) => BlockLook {
  const known = new Map<BlockLook, BlockLook>();
  const moved = (texture: FaceTexture): FaceTexture =>
    texture.layer > CLEAR_LAYER ? { ...texture, layer: texture.layer + layers } : texture;
  return (look) =>
    getOrAdd(known, look, () => {
      const { cube, quads } = look;
      if (!Array.isArray(quads) || (cube !== undefined && !Array.isArray(cube)))
        throw wrongArgument(
          "what lookOf returns",
          look,
          "it is a look, with a list of quads and perhaps a cube",
        );
      return {
        ...look,
        cube: cube?.map(moved),
        quads: quads.map((quad) => ({ ...quad, texture: moved(quad.texture) })),
      };
    });
}
