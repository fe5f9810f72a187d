// The land: meadows, forests, deserts, mountains and lakes, with caves below. A block follows from its place and the seed alone.
import { AIR, defineGenerator, valueNoise } from "orthant/client";

/** Levels of water: a spring, and five that are lower and lower. */
export const WATER_LEVELS = 6;
/** Two heights, and the width of a cell, which has room for one tree. */
const [SEA, SNOW_LINE, CELL] = [0, 34, 7];

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
  },
  open({ seed, blocks }) {
    const noise = (purpose: number, period: number, octaves = 2) =>
      valueNoise({ seed, period, octaves, purpose });
    const [hills, rise, warmth, wetness] = [noise(1, 80, 4), noise(2, 260), noise(3, 300), noise(4, 200)];
    const [tunnel, crossing, chance] = [noise(5, 26), noise(6, 26), noise(7, 1, 1)];
    function surfaceAt(x: number, z: number) {
      const mountain = Math.max(0, rise(x, z) - 0.1) * (70 + 30 * hills(x, z));
      const ground = Math.floor(5 + 10 * hills(x, z) + mountain);
      const isDry = ground <= SEA + 1 || warmth(x, z) > 0.25;
      if (ground > SNOW_LINE) return { ground, top: blocks.snow, below: blocks.stone, trees: -1 };
      if (isDry) return { ground, top: blocks.sand, below: blocks.sand, trees: -1 };
      return { ground, top: blocks.grass, below: blocks.soil, trees: wetness(x, z) > 0.1 ? 0.4 : -0.9 };
    }
    /** The tree of the cell in which a column lies. Its leaves stay in the cell. */
    function treeAt(x: number, z: number) {
      const [cellX, cellZ] = [Math.floor(x / CELL), Math.floor(z / CELL)];
      const shift = (salt: number) => 2 + Math.min(2, Math.floor((chance(cellX, salt, cellZ) + 1) * 1.5));
      const [stemX, stemZ] = [cellX * CELL + shift(1), cellZ * CELL + shift(2)];
      const { ground, trees } = surfaceAt(stemX, stemZ);
      const crown = chance(cellX, 0, cellZ) > trees ? -1e9 : ground + 3 + shift(3);
      return { crown, away: Math.max(Math.abs(x - stemX), Math.abs(z - stemZ)) };
    }
    const columnAt = (x: number, z: number) => ({ x, z, ...surfaceAt(x, z), ...treeAt(x, z) });
    let column = columnAt(0, 0); // voxels of one column are asked for one after the other
    return {
      blockAt(x, y, z) {
        if (column.x !== x || column.z !== z) column = columnAt(x, z);
        const { ground, top, below, crown, away } = column;
        if (y > ground) {
          if (y <= SEA) return blocks.water.id();
          if (away === 0 && y < crown) return blocks.wood;
          if (y >= crown - 2 && y <= crown && away <= (y === crown ? 1 : 2)) return blocks.leaves;
          return y === ground + 1 && top === blocks.grass && chance(x, 99, z) < -0.85 ? blocks.flower : AIR;
        }
        const isUnderLake = ground <= SEA + 2 && y > ground - 6;
        if (!isUnderLake && Math.abs(tunnel(x, y, z)) < 0.07 && Math.abs(crossing(x, y, z)) < 0.09)
          return AIR;
        if (y > ground - 4) return y === ground ? top : below;
        const isCoal = chance(Math.floor(x / 2), Math.floor(y / 2), Math.floor(z / 2)) > 0.97;
        return isCoal ? blocks["coal ore"] : blocks.stone;
      },
      skyAbove: 80,
      foundation: { height: -48, block: blocks.stone },
    };
  },
});
