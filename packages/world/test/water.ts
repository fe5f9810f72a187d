import type { Position } from "@orthant/core";
import type { System } from "@orthant/world";

/** Water of level 0, which is full; the next blocks are lower levels. */
export const WATER = 100;
const LEVELS = 5;
const FLOW = "flow";

/** Water that falls, and spreads on what it falls on until it is too low. */
export const water: System<3> = ({ world, edits, schedule }) => {
  for (const { position } of schedule.due(FLOW)) {
    const level = (world.voxelAt(position) ?? 0) - WATER;
    if (level < 0 || level >= LEVELS) continue;
    const [x, y, z] = position;
    const below: Position<3> = [x, y - 1, z];
    const under = world.voxelAt(below);
    if (under === undefined || under >= WATER) continue;
    if (under === 0) pour(below, 0);
    else for (const next of besides(position)) pour(next, level + 1);
  }

  function pour(place: Position<3>, level: number): void {
    const there = world.voxelAt(place);
    if (level >= LEVELS || (there !== 0 && (there ?? 0) <= WATER + level)) return;
    edits.set(place, WATER + level);
    schedule.add(place, FLOW, 2);
  }
};

/** Where a mark says that water was poured. */
const POURED: Position<3> = [-8, 30, -8];
const MARK = 1;

/** Pours water in the first step of a world. A world that lost that step makes it again, with another number. */
export function pouring(...places: readonly Position<3>[]): System<3> {
  return ({ world, edits, schedule }) => {
    if (world.voxelAt(POURED) === MARK) return;
    edits.set(POURED, MARK);
    for (const place of places) {
      edits.set(place, WATER);
      schedule.add(place, FLOW, 1);
    }
  };
}

function besides([x, y, z]: Position<3>): readonly Position<3>[] {
  return [
    [x - 1, y, z],
    [x + 1, y, z],
    [x, y, z - 1],
    [x, y, z + 1],
  ];
}
