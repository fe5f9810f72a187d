import { baseEncodingSuites } from "./base-encoding.ts";
import { chunkPayloadSuites } from "./chunk-payload.ts";
import { convertedWorldSuites } from "./imports/converted.ts";
import { damagedImportSuites } from "./imports/damaged.ts";
import { flattenedBlockSuites } from "./imports/flattened.ts";
import { importedLuantiSuites } from "./imports/luanti-worlds.ts";
import { importedRegionSuites } from "./imports/regions.ts";
import { importedSchematicSuites } from "./imports/schematics.ts";
import { importedTiledSuites } from "./imports/tiled-maps.ts";
import { importedVoxSuites } from "./imports/vox-files.ts";
import { marsMinerSaveSuites } from "./marsminer-save.ts";
import { orthantSaveSuites } from "./orthant-saves.ts";
import { pagedSparseRleSuites } from "./paged-sparse-rle.ts";
import { polychoraSaveSuites } from "./polychora-save.ts";
import { pxswSuites } from "./pxsw.ts";
import { regionTreeSuites } from "./region-tree.ts";
import type { GoldenSuite } from "./suite.ts";
import { tileSaveSuites } from "./tile-save.ts";
import { wire1Suites } from "./wire-v1.ts";

/** All suites of golden files. */
export const goldenSuites: readonly GoldenSuite[] = [
  ...baseEncodingSuites,
  ...chunkPayloadSuites,
  ...pagedSparseRleSuites,
  ...regionTreeSuites,
  ...polychoraSaveSuites,
  ...marsMinerSaveSuites,
  ...pxswSuites,
  ...wire1Suites,
  ...tileSaveSuites,
  ...orthantSaveSuites,
  ...importedRegionSuites,
  ...importedSchematicSuites,
  ...importedVoxSuites,
  ...importedTiledSuites,
  ...importedLuantiSuites,
  ...flattenedBlockSuites,
  ...damagedImportSuites,
  ...convertedWorldSuites,
];
