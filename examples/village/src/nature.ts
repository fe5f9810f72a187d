// What happens to blocks by itself: sand falls, water flows and dries up, doors have two halves.
import { AIR, type BlockCatalog, type Position, type Step, type System } from "orthant";
import { WATER_LEVELS } from "./game.ts";

/** Ticks that an edit of a player schedules at its voxels and beside them, and after how many steps. */
export const TOUCH = { fall: 1, flow: 4, hinge: 1 } as const;

const above = ([x, y, z]: Position<3>): Position<3> => [x, y + 1, z];
const below = ([x, y, z]: Position<3>): Position<3> => [x, y - 1, z];
const SIDES = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;
const besides = ([x, y, z]: Position<3>): Position<3>[] => SIDES.map(([dx, dz]) => [x + dx, y, z + dz]);

export function nature(blocks: BlockCatalog): Readonly<Record<string, System<3>>> {
  const [SAND, SPRING] = [blocks.id("sand"), blocks.id("water")];
  /** The level of water, from 0 for a spring; `undefined` for other blocks. The ids of its levels follow each other. */
  const levelOf = (block = AIR): number | undefined =>
    block >= SPRING && block < SPRING + WATER_LEVELS ? block - SPRING : undefined;

  function sand({ world, edits, schedule }: Step<3>): void {
    for (const { position } of schedule.due("fall")) {
      const under = world.voxelAt(below(position));
      if (world.voxelAt(position) !== SAND || !(under === AIR || levelOf(under) !== undefined)) continue;
      edits.move(position, below(position));
      for (const place of [above(position), below(position)]) schedule.add(place, "fall", TOUCH.fall);
    }
  }

  function water({ world, edits, schedule }: Step<3>): void {
    const levelAt = (place: Position<3>): number | undefined => levelOf(world.voxelAt(place));
    const set = (place: Position<3>, block: number): void => {
      edits.set(place, block);
      for (const near of [place, below(place), ...besides(place)]) schedule.add(near, "flow", TOUCH.flow);
    };
    for (const { position } of schedule.due("flow")) {
      const level = levelAt(position);
      if (level === undefined) continue;
      const isFed = [above(position), ...besides(position)].some(
        (at, side) => (levelAt(at) ?? 9) < (side ? level : 9),
      );
      if (level > 0 && !isFed) set(position, AIR);
      else if (world.voxelAt(below(position)) === AIR) set(below(position), SPRING + 1);
      else if (levelAt(below(position)) === undefined && level + 1 < WATER_LEVELS)
        for (const place of besides(position))
          if (world.voxelAt(place) === AIR || (levelAt(place) ?? 0) > level + 1)
            set(place, SPRING + level + 1);
    }
  }

  /** Players place and dig the lower half of a door. The upper one follows it. */
  function doors({ world, edits, schedule }: Step<3>): void {
    const doorAt = (place: Position<3>) => {
      const { type, properties } = blocks.describe(world.voxelAt(place) ?? AIR) ?? {};
      return type === "door" ? properties : undefined;
    };
    for (const { position } of schedule.due("hinge")) {
      const door = doorAt(position);
      if (door?.["half"] === "upper" && doorAt(below(position))?.["half"] !== "lower")
        edits.set(position, AIR);
      if (door?.["half"] === "lower" && world.voxelAt(above(position)) === AIR)
        edits.set(above(position), blocks.id("door", { ...door, half: "upper" }));
    }
  }
  return { sand, water, doors };
}
