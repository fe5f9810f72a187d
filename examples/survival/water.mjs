// Water falls, and spreads on what it falls on: each voxel to the side is one level lower. Then it rests.
import { AIR } from "orthant";
import { isWater, LEVELS, WATER } from "./land.mjs";
import { below, besides } from "./places.mjs";

export function water({ world, edits, schedule }) {
  for (const { position } of schedule.due("flow")) {
    const block = world.voxelAt(position);
    if (!isWater(block)) continue;
    const under = world.voxelAt(below(position));
    if (under === AIR) pour(below(position), 1);
    else if (!isWater(under)) for (const place of besides(position)) pour(place, block - WATER + 1);
  }

  /** Lets water of a level, or a higher one, be at a place. */
  function pour(place, level) {
    const there = world.voxelAt(place);
    const isLower = there === AIR || (isWater(there) && there > WATER + level);
    if (level >= LEVELS || !isLower) return;
    edits.set(place, WATER + level);
    schedule.add(place, "flow", 4);
  }
}
