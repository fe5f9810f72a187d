// A furnace makes glass of the sand that lies in it: one in two seconds. What lies in it is the data of its voxel.
import { FURNACE } from "./land.mjs";

export const SMELT_STEPS = 40;

export function furnace({ world, edits, schedule }) {
  for (const { position } of schedule.due("smelt")) {
    const { sand = 0, glass = 0, ...others } = world.dataAt(position) ?? {};
    if (world.voxelAt(position) !== FURNACE || sand === 0) continue;
    edits.setData(position, { ...others, sand: sand - 1, glass: glass + 1 });
    if (sand > 1) schedule.add(position, "smelt", SMELT_STEPS);
  }
}
