import * as imports from "@orthant/formats/readers";
import type { Campaign } from "./campaign.ts";
import { fuzzCampaignOf } from "./fuzz.ts";
import { importTargets } from "./imports/import-targets.ts";
import { lookTargets } from "./imports/look-targets.ts";

/** Ten million in total. */
const CASES_EACH = 555_776;

/** Hostile files of other programs. */
export const importFuzzCampaign: Campaign = fuzzCampaignOf(
  "import-fuzz",
  "ten million hostile inputs into the readers of Minecraft, schematics, MagicaVoxel, Tiled, Luanti and looks of blocks",
  [...importTargets(imports), ...lookTargets],
  CASES_EACH,
);
