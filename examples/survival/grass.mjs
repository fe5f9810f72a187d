// Grass spreads here and there onto dirt under the sky, and dies under a roof.
import { AIR } from "orthant";
import { DIRT, HILLS, TURF } from "./land.mjs";
import { above, besides } from "./places.mjs";

export function grass({ number, world, edits, drawVoxels }) {
  for (const place of drawVoxels(2)) {
    // Where no hill ends there is no grass, and looking would make the server generate everything.
    if (place[1] < HILLS.min || place[1] > HILLS.max || world.voxelAt(place) !== TURF) continue;
    if (world.voxelAt(above(place)) !== AIR) edits.set(place, DIRT);
    const [x, y, z] = besides(place)[number % 4];
    for (const next of [
      [x, y + 1, z],
      [x, y, z],
      [x, y - 1, z],
    ])
      if (world.voxelAt(next) === DIRT && world.voxelAt(above(next)) === AIR) edits.set(next, TURF);
  }
}
