import { AIR, BlockCatalog } from "@orthant/core";
import { requireFunction, requireObject, wrongArgument } from "@orthant/core/arguments";
import type { BlockBox } from "@orthant/core/chunk";
import { getOrAdd } from "@orthant/core/lattice";
import type { BlockLook, BlockLooks, FaceTexture } from "./block-looks.ts";
import { CLEAR_LAYER, type LookPack, WHITE_LAYER } from "./look-pack.ts";
import { shapedLook } from "./shaped-look.ts";
import { requireLayers, TextureStack } from "./texture-stack.ts";

const WHITE = 0xff_ffff;
/** An array of one pixel a layer is enough for blocks without textures. */
const PLAIN_EDGE = 1;
const PLAIN_PACK: LookPack = { textures: new TextureStack(PLAIN_EDGE).textures(), lookOf: () => undefined };

const INVISIBLE: BlockLook = {
  pass: undefined,
  cube: undefined,
  quads: [],
  isGlowing: false,
  isLiquid: false,
  joins: true,
  farColour: WHITE,
};

/** Returns the looks of a catalog without a look pack: cubes of the colours that it says. */
export function plainLooks(catalog: BlockCatalog): BlockLooks {
  return looksOf(PLAIN_PACK, catalog);
}

/**
 * Returns how a look pack draws the blocks of a catalog. A block that it does not have is a cube of its colour; of one with
 * a shape, a cube is only as large as its boxes.
 */
export function looksOf(pack: LookPack, catalog: BlockCatalog): BlockLooks {
  requireObject("pack", pack, "it is what parseLooks returns, an object with textures and a function lookOf");
  requireFunction("pack.lookOf", pack.lookOf);
  const textures = requireLayers("pack.textures", pack.textures);
  if (!(catalog instanceof BlockCatalog)) throw wrongArgument("catalog", catalog, "it is a BlockCatalog");
  const looks = new Map<number, BlockLook>([[AIR, INVISIBLE]]);
  const plain = new Map<string, BlockLook>();
  const shaped = new Map<BlockLook, Map<readonly BlockBox[], BlockLook>>();
  const plainOf = (block: number): BlockLook => {
    const colour = catalog.colourOf(block);
    const isTransparent = catalog.isTransparent(block);
    const isGlowing = catalog.lightOf(block) > 0;
    return getOrAdd(plain, `${colour} ${isTransparent} ${isGlowing}`, () =>
      plainLook(colour, isTransparent, isGlowing),
    );
  };
  return {
    textures,
    lookOf: (block) =>
      getOrAdd(looks, block, () => {
        const type = catalog.byId(block);
        const description = type && catalog.describe(block);
        const own = type && description && pack.lookOf(type, description.properties);
        const look = own ?? plainOf(block);
        const boxes = catalog.boxesOf(block);
        if (boxes === undefined) return look;
        const shapes = getOrAdd(shaped, look, () => new Map<readonly BlockBox[], BlockLook>());
        return getOrAdd(shapes, boxes, () => shapedLook(look, boxes));
      }),
  };
}

/** Returns the look of a cube of one colour. */
export function plainLook(colour: number, isTransparent: boolean, isGlowing: boolean): BlockLook {
  const face: FaceTexture = {
    layer: isTransparent ? CLEAR_LAYER : WHITE_LAYER,
    variants: 1,
    isScattered: false,
    turns: 0,
    tint: colour,
  };
  return {
    pass: isTransparent ? "blended" : "opaque",
    cube: [face, face, face, face, face, face],
    quads: [],
    isGlowing,
    isLiquid: false,
    joins: true,
    farColour: colour,
  };
}
