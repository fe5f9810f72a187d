import { AIR, type Block, U16_MAX } from "@orthant/core";

/** Light passes unchanged. */
export const NOTHING = 0;
/** Light stops. */
export const OPAQUE = 1;
/** Light passes, weakened. */
export const VEIL = 2;

/** Names of translucent and of glowing blocks in catalogs. */
const VEIL_NAMES: ReadonlySet<string> = new Set(["water", "glass", "ice"]);
const GLOWING_NAMES: ReadonlySet<string> = new Set(["lamp", "lava", "torch", "fire"]);
/** A block missing from the catalog gets its own colour, which is the same on every page. */
const UNKNOWN_PART_MIN = 0x60;

/** Appearance of blocks, in tables for lookup per voxel. */
export interface BlockAppearance {
  /** What light does, by block. */
  readonly classes: Uint8Array;
  /** 1 for blocks that glow, by block. */
  readonly glows: Uint8Array;
  /** 0xRRGGBB, by block. */
  readonly colours: Uint32Array;
}

/** Returns the appearance of a catalog's blocks, and of all others. */
export function blockAppearance(blocks: readonly Block[]): BlockAppearance {
  const count = U16_MAX + 1;
  const classes = new Uint8Array(count).fill(OPAQUE);
  const glows = new Uint8Array(count);
  const colours = Uint32Array.from({ length: count }, (_, block) => colourOfUnknown(block));
  classes[AIR] = NOTHING;
  for (const { id, name, colour } of blocks) {
    if (id === AIR) continue;
    if (VEIL_NAMES.has(name)) classes[id] = VEIL;
    if (GLOWING_NAMES.has(name)) glows[id] = 1;
    colours[id] = colour;
  }
  return { classes, glows, colours };
}

function colourOfUnknown(block: number): number {
  const mixed = Math.imul(block, 0x9e37_79b1) >>> 0;
  const part = (shift: number): number =>
    UNKNOWN_PART_MIN + (((mixed >>> shift) & 0xff) % (0x100 - UNKNOWN_PART_MIN));
  return part(0) * 0x1_0000 + part(8) * 0x100 + part(16);
}
