// The land: meadows, forests, deserts, mountains and lakes, with caves below. A block follows from its place and the seed alone.
import { AIR, defineGenerator, valueNoise } from "orthant/client";

/** Levels of water: a spring, and five that are lower and lower. */
export const WATER_LEVELS = 6;
const SEA = 0;
const SNOW_LINE = 34;
const HIGHEST = 80;
const DEEPEST_CAVE = -48;
/** Each cell of this width has room for one tree. */
const CELL = 7;

export const village = defineGenerator({
  id: "village:land",
  version: 1,
  dimensions: 3,
  blocks: {
    grass: { colour: 0x6a9f4b },
    soil: { colour: 0x7d5a3c },
    stone: { colour: 0x8b8c88 },
    sand: { colour: 0xdcc990 },
    snow: { colour: 0xeef3f6 },
    water: { colour: 0x3f76b5, solid: false, properties: { level: ["0", "1", "2", "3", "4", "5"] } },
    wood: { colour: 0x6b4a2f },
    leaves: { colour: 0x4d8a3f },
    "coal ore": { colour: 0x55565a },
    flower: { colour: 0xc9473f, solid: false, transparent: true },
    "tall grass": { colour: 0x6a9f4b, solid: false, transparent: true },
  },
  open({ seed, blocks }) {
    const noise = (purpose: number, period: number, octaves: number) =>
      valueNoise({ seed, period, octaves, purpose });
    const [hills, rise] = [noise(1, 80, 4), noise(2, 260, 2)];
    const [warmth, wetness] = [noise(3, 300, 2), noise(4, 200, 2)];
    const [tunnel, crossing, chance] = [noise(5, 26, 2), noise(6, 26, 2), noise(7, 1, 1)];

    function surfaceAt(x: number, z: number) {
      const mountains = Math.max(0, rise(x, z) - 0.1) * (70 + 30 * hills(x, z));
      const ground = Math.floor(5 + 10 * hills(x, z) + mountains);
      if (ground > SNOW_LINE) return { ground, top: blocks.snow, below: blocks.stone, trees: -1, plants: -1 };
      const isDry = ground <= SEA + 1 || warmth(x, z) > 0.25;
      if (isDry) return { ground, top: blocks.sand, below: blocks.sand, trees: -1, plants: -1 };
      const isForest = wetness(x, z) > 0.1;
      return { ground, top: blocks.grass, below: blocks.soil, trees: isForest ? 0.4 : -0.9, plants: -0.8 };
    }

    /** The tree of the cell in which a column lies. Its leaves stay in the cell. */
    function treeAt(x: number, z: number) {
      const [cellX, cellZ] = [Math.floor(x / CELL), Math.floor(z / CELL)];
      const shift = (salt: number) => 2 + Math.min(2, Math.floor((chance(cellX, salt, cellZ) + 1) * 1.5));
      const [stemX, stemZ] = [cellX * CELL + shift(1), cellZ * CELL + shift(2)];
      const { ground, trees } = surfaceAt(stemX, stemZ);
      if (chance(cellX, 0, cellZ) > trees) return undefined;
      return { crown: ground + 3 + shift(3), away: Math.max(Math.abs(x - stemX), Math.abs(z - stemZ)) };
    }

    const columnAt = (x: number, z: number) => ({ x, z, ...surfaceAt(x, z), tree: treeAt(x, z) });
    let column = columnAt(0, 0);

    function blockAt(x: number, y: number, z: number): number {
      // The voxels of a column are asked for one after the other.
      if (column.x !== x || column.z !== z) column = columnAt(x, z);
      const { ground, top, below, tree, plants } = column;
      if (y > ground) {
        if (y <= SEA) return blocks.water.id();
        if (tree?.away === 0 && y < tree.crown) return blocks.wood;
        if (tree && y >= tree.crown - 2 && y <= tree.crown && tree.away <= (y === tree.crown ? 1 : 2))
          return blocks.leaves;
        if (y > ground + 1 || chance(x, 99, z) > plants) return AIR;
        return chance(x, 98, z) > 0.5 ? blocks.flower : blocks["tall grass"];
      }
      const isUnderLake = ground <= SEA + 2 && y > ground - 6;
      if (!isUnderLake && Math.abs(tunnel(x, y, z)) < 0.07 && Math.abs(crossing(x, y, z)) < 0.09) return AIR;
      if (y > ground - 4) return y === ground ? top : below;
      const isCoal = chance(Math.floor(x / 2), Math.floor(y / 2), Math.floor(z / 2)) > 0.97;
      return isCoal ? blocks["coal ore"] : blocks.stone;
    }
    return { blockAt, skyAbove: HIGHEST, foundation: { height: DEEPEST_CAVE, block: blocks.stone } };
  },
});
