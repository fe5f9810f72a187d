import type { Codec } from "../../bytes/codec.ts";
import { option } from "../../bytes/combinators.ts";
import { bool } from "../../bytes/primitives.ts";
import { countBetween, integerBetween } from "../parameter-fields.ts";

/** Country with hills, caves and ores. */
export interface TerrainParameters {
  /** The height, in voxels, around which the ground lies. */
  readonly baseLevel: number;
  /** How far, in voxels, the ground may rise above or sink below the base level. */
  readonly relief: number;
  /** Hollows of the land below this height, in voxels, are full of water; `undefined` is a dry world. */
  readonly waterLevel: number | undefined;
  readonly caves: boolean;
  readonly ores: boolean;
  readonly trees: boolean;
}

/** Hills with lakes, forests and caves. */
export const TERRAIN_DEFAULTS: TerrainParameters = {
  baseLevel: 0,
  relief: 64,
  waterLevel: -8,
  caves: true,
  ores: true,
  trees: true,
};

const LEVEL_MAX = 2 ** 31;
const RELIEF_MAX = 4096;

const levelField = integerBetween(-LEVEL_MAX, LEVEL_MAX);
const reliefField = countBetween(0, RELIEF_MAX);
const waterField = option(levelField);

/** The parameters as bytes. */
export const terrainParametersCodec: Codec<TerrainParameters> = {
  write(out, { baseLevel, relief, waterLevel, caves, ores, trees }) {
    levelField.write(out, baseLevel);
    reliefField.write(out, relief);
    waterField.write(out, waterLevel);
    bool.write(out, caves);
    bool.write(out, ores);
    bool.write(out, trees);
  },
  read: (input) => ({
    baseLevel: levelField.read(input),
    relief: reliefField.read(input),
    waterLevel: waterField.read(input),
    caves: bool.read(input),
    ores: bool.read(input),
    trees: bool.read(input),
  }),
};
