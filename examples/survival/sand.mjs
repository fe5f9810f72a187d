// Sand falls, one voxel in each step, and what lies on it follows.
import { AIR } from "orthant";
import { isWater, SAND } from "./land.mjs";
import { above, below } from "./places.mjs";

export function sand({ world, edits, schedule }) {
  for (const { position } of schedule.due("fall")) {
    const under = world.voxelAt(below(position));
    if (world.voxelAt(position) !== SAND || !(under === AIR || isWater(under))) continue;
    edits.move(position, below(position));
    schedule.add(below(position), "fall", 1);
    schedule.add(above(position), "fall", 1);
    schedule.add(above(position), "flow", 2);
  }
}
