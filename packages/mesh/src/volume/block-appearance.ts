import { AIR, type Block, BlockCatalog } from "@orthant/core";
import { U16_MAX } from "@orthant/core/bytes";
import { wrongArgument } from "@orthant/core/engine";
import { functionOption, requireOptions } from "./options.ts";

/** The kind of a block that is not drawn: air. */
export const INVISIBLE = 0;
/** The kind of a block that hides what lies behind it. */
export const OPAQUE = 1;
/** The kind of a block that lets light through, weakened. */
export const TRANSPARENT = 2;

/** Names of glowing blocks in catalogs. */
const GLOWING_NAMES: ReadonlySet<string> = new Set(["lamp", "lava", "torch", "fire"]);

/** What a game knows better than the names in its catalog. */
export interface AppearanceOptions {
  /** Whether a block is transparent; by default what {@link BlockCatalog.isTransparent} says. */
  readonly isTransparent?: (block: Block) => boolean;
  /** Whether a block glows, so that nothing shades it; by default lamps, lava, torches and fire. */
  readonly isGlowing?: (block: Block) => boolean;
}

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

  constructor(catalog: BlockCatalog, options: AppearanceOptions = {}) {
    const count = U16_MAX + 1;
    if (!(catalog instanceof BlockCatalog)) throw wrongArgument("catalog", catalog, "it is a BlockCatalog");
    requireOptions(options, ["isTransparent", "isGlowing"]);
    const isTransparent = functionOption("isTransparent", options.isTransparent, ({ id }: Block) =>
      catalog.isTransparent(id),
    );
    const isGlowing = functionOption("isGlowing", options.isGlowing, ({ name }: Block) =>
      GLOWING_NAMES.has(name),
    );
    this.kinds = new Uint8Array(count).fill(OPAQUE);
    this.glows = new Uint8Array(count);
    this.colours = Uint32Array.from({ length: count }, (_, block) => catalog.colourOf(block));
    for (const block of catalog.blocks) {
      if (isTransparent(block)) this.kinds[block.id] = TRANSPARENT;
      if (isGlowing(block)) this.glows[block.id] = 1;
    }
    this.kinds[AIR] = INVISIBLE;
  }
}
