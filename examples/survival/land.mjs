// The land of the game: its blocks, and the hills. The server, the page and all bots share this file.
import { AIR, BlockCatalog, defineGenerator, valueNoise } from "orthant/client";

/** Kinds of animals. */
export const [SHEEP, WOLF] = [1, 2];
/** How large players are, in voxels, and how fast, in voxels a second. */
export const [PLAYER_SIZE, WALK_SPEED] = [[0.6, 1.8, 0.6], 6];

const block = (id, name, colour, more) => ({ id, name, colour, solid: true, ...more });
const LIQUID = { solid: false, transparent: true };
export const BLOCKS = new BlockCatalog([
  block(AIR, "air", 0x000000, { solid: false }),
  block(1, "rock", 0x77746f),
  block(2, "turf", 0x5c8f3a),
  block(3, "plank", 0xb08850),
  block(4, "dirt", 0x6b4f35),
  block(5, "sand", 0xd9c98a),
  block(6, "glass", 0xcfe6ea, { transparent: true }),
  block(7, "chest", 0x8a5a2b),
  block(8, "furnace", 0x4a4a4a),
  block(9, "water", 0x2f6fd0, LIQUID),
  ...[1, 2, 3, 4, 5].map((level) => block(9 + level, `water ${level}`, 0x2f6fd0 + level * 0x0c0c06, LIQUID)),
  block(15, "torch", 0xffc766, { solid: false, transparent: true, light: 14 }),
]);
export const [ROCK, TURF, PLANK, DIRT, SAND, GLASS, CHEST, FURNACE, WATER, TORCH] = [
  ...["rock", "turf", "plank", "dirt", "sand", "glass", "chest", "furnace", "water", "torch"],
].map((name) => BLOCKS.id(name));
/** Levels of water: a spring, and five that are lower and lower. */
export const LEVELS = 6;
export const isWater = (id) => id >= WATER && id < WATER + LEVELS;
/** Heights between which the ground lies. */
export const HILLS = { min: -12, max: 12 };

export const hills = defineGenerator({
  id: "survival:hills",
  version: 1,
  dimensions: 3,
  parameters: { height: 12 },
  open({ seed, parameters: { height } }) {
    const noise = valueNoise({ seed, period: 48, octaves: 3 });
    const blockAt = (x, y, z) => {
      const ground = Math.floor(height * noise(x, z));
      if (y > ground) return AIR;
      return y === ground ? TURF : ROCK;
    };
    return { blockAt, skyAbove: height + 1 };
  },
});

/** The 2,000 voxels of a house: walls, a flat roof and a chimney. */
export function* house(x, y, z) {
  const edge = 26;
  const isRim = (at, size) => at === 0 || at === size - 1;
  for (let dx = 0; dx < edge; dx++)
    for (let dz = 0; dz < edge; dz++) {
      const walls = isRim(dx, edge) || isRim(dz, edge) ? 13 : 0;
      for (let dy = 0; dy < walls; dy++) yield [x + dx, y + dy, z + dz];
      yield [x + dx, y + 13, z + dz];
    }
  for (let dy = 14; dy < 17; dy++)
    for (let dx = 0; dx < 3; dx++)
      for (let dz = 0; dz < 3; dz++) if (isRim(dx, 3) || isRim(dz, 3)) yield [x + dx, y + dy, z + dz];
}
