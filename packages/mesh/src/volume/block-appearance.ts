import { AIR, BlockCatalog, type BlockType } from "@orthant/core";
import { callback, fieldsOf, wrongArgument } from "@orthant/core/arguments";
import { U16_MAX } from "@orthant/core/bytes";
import { idCountOf } from "@orthant/core/chunk";

/** The kind of a block that is not drawn: air. */
export const INVISIBLE = 0;
/** The kind of a block that hides what lies behind it. */
export const OPAQUE = 1;
/** The kind of a block that lets light through, weakened. */
export const TRANSPARENT = 2;

/** How blocks look where the catalog does not say it right. */
export interface AppearanceOptions {
  /** Whether a block is transparent; by default as the catalog says. */
  readonly isTransparent?: (type: BlockType) => boolean;
  /** Whether a block glows, so that nothing shades it; by default those that give off light. */
  readonly isGlowing?: (type: BlockType) => boolean;
}

const appearanceOptions = fieldsOf<AppearanceOptions>({ isTransparent: callback, isGlowing: callback });

/**
 * The appearance of all blocks, in tables for lookup per voxel. Make one and use it for every mesh:
 *
 * ```ts
 * const appearance = new BlockAppearance(world.blocks, { isTransparent: ({ name }) => name === "slime" });
 * ```
 */
export class BlockAppearance {
  /** {@link INVISIBLE}, {@link OPAQUE} or {@link TRANSPARENT}, by block. */
  readonly kinds: Uint8Array;
  /** 1 for blocks that glow, by block. */
  readonly glows: Uint8Array;
  /** 0xRRGGBB, by block. */
  readonly colours: Uint32Array;
  /** The catalog, which says what is not a whole cube. */
  readonly catalog: BlockCatalog;

  constructor(catalog: BlockCatalog, options: AppearanceOptions = {}) {
    const count = U16_MAX + 1;
    if (!(catalog instanceof BlockCatalog)) throw wrongArgument("catalog", catalog, "it is a BlockCatalog");
    const own = appearanceOptions("options", options);
    const { isTransparent = ({ transparent }) => transparent, isGlowing = ({ light }) => light > 0 } = own;
    this.catalog = catalog;
    this.kinds = new Uint8Array(count).fill(OPAQUE);
    this.glows = new Uint8Array(count);
    this.colours = Uint32Array.from({ length: count }, (_, block) => catalog.colourOf(block));
    for (const type of catalog.types) {
      const end = type.id + idCountOf(type);
      if (isTransparent(type)) this.kinds.fill(TRANSPARENT, type.id, end);
      if (isGlowing(type)) this.glows.fill(1, type.id, end);
    }
    this.kinds[AIR] = INVISIBLE;
  }
}
