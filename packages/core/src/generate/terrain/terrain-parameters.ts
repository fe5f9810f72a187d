import type { Codec } from "../../bytes/codec.ts";
import { option, record } from "../../bytes/combinators.ts";
import { bool } from "../../bytes/primitives.ts";
import { countBetween, integerBetween } from "../parameter-fields.ts";

/** Land with hills, caves and ores. */
export interface TerrainParameters {
  /** Average height of the ground, in voxels. */
  readonly baseLevel: number;
  /** Maximum distance of the ground from the base level, in voxels. */
  readonly relief: number;
  /** Depressions below this height, in voxels, are filled with water; `undefined` is a dry world. */
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

/** Codec of the parameters. */
export const terrainParametersCodec: Codec<TerrainParameters> = record({
  baseLevel: integerBetween("baseLevel", -LEVEL_MAX, LEVEL_MAX),
  relief: countBetween("relief", 0, RELIEF_MAX),
  waterLevel: option(integerBetween("waterLevel", -LEVEL_MAX, LEVEL_MAX)),
  caves: bool,
  ores: bool,
  trees: bool,
});
