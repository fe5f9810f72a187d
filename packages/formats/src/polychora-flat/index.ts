export { convertFlatSave } from "./convert-from-flat.ts";
export { convertToFlat } from "./convert-to-flat.ts";
export { isFlatSave } from "./detect.ts";
export { importLegacyWorld, type LegacyWorld, openLegacyWorld, readLegacyWorld } from "./legacy-world.ts";
export { type FlatSave, openFlatSave } from "./reader.ts";
export { applyFlatRepair, type FlatRepairPlan, planFlatRepair } from "./repair.ts";
export { verifyFlatSave } from "./verify.ts";
