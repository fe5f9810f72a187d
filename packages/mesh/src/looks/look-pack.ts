import type { BlockProperties, BlockType } from "@orthant/core";
import type { BlockLook, TextureLayers } from "./block-looks.ts";

/** How types of blocks are drawn, by their names. It belongs to a page, not to a world. */
export interface LookPack {
  /** The layers {@link WHITE_LAYER} and {@link CLEAR_LAYER}, then the pack's own. */
  readonly textures: TextureLayers;
  /** Returns how a type with certain values of its properties is drawn, or `undefined` if the pack does not say it. */
  lookOf(type: BlockType, properties: BlockProperties): BlockLook | undefined;
}

/** The layer of blocks without a texture: white, for a tint. */
export const WHITE_LAYER = 0;
/** The layer of transparent blocks without a texture: white, and half transparent. */
export const CLEAR_LAYER = 1;
/** The opacity of that layer, of 255. */
export const CLEAR_OPACITY = 150;
