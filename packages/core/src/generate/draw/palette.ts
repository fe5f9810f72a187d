/*
 * The blocks that generators build with, by their numbers in the default catalog. They are written out: a
 * generated world must not change when the catalog is edited.
 */

/** Stone. */
export const STONE = 1;
/** Soil. */
export const SOIL = 2;
/** Grass. */
export const GRASS = 3;
/** Sand. */
export const SAND = 4;
/** Water. */
export const WATER = 5;
/** Wood. */
export const WOOD = 6;
/** Leaves. */
export const LEAVES = 7;
/** Coal ore. */
export const COAL_ORE = 8;
/** Iron ore. */
export const IRON_ORE = 9;
/** Gold ore. */
export const GOLD_ORE = 10;
/** Brick. */
export const BRICK = 11;
/** Glass. */
export const GLASS = 12;
/** Lamp. */
export const LAMP = 13;
/** Snow. */
export const SNOW = 14;
/** Lava. */
export const LAVA = 15;
