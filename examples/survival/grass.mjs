// Grass spreads here and there onto dirt in the light, and dies in the dark.
import { DIRT, HILLS, TURF } from "./land.mjs";
import { above, besides, lightAt } from "./places.mjs";

/** Light that grass needs to spread, and to live. */
const [SPREADS_FROM, LIVES_FROM] = [9, 4];

export function grass({ number, world, edits, drawVoxels }) {
  for (const place of drawVoxels(2)) {
    // Where no hill ends there is no grass, and looking would make the server generate everything.
    if (place[1] < HILLS.min || place[1] > HILLS.max || world.voxelAt(place) !== TURF) continue;
    if (lightAt(world, above(place)) < LIVES_FROM) edits.set(place, DIRT);
    const [x, y, z] = besides(place)[number % 4];
    for (const next of [
      [x, y + 1, z],
      [x, y, z],
      [x, y - 1, z],
    ])
      if (world.voxelAt(next) === DIRT && lightAt(world, above(next)) >= SPREADS_FROM) edits.set(next, TURF);
  }
}
