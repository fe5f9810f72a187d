// What happens to blocks by itself: sand falls, water flows and dries up, doors have two halves.
import { AIR, type BlockCatalog, type Position, type System } from "orthant";
import { WATER_LEVELS } from "./game.ts";

/** The ticks that an edit schedules, and after how many steps. */
export const TOUCH = { fall: 1, flow: 4, hinge: 1 } as const;

const above = ([x, y, z]: Position<3>): Position<3> => [x, y + 1, z];
const below = ([x, y, z]: Position<3>): Position<3> => [x, y - 1, z];
const STEPS = [1, 0, -1, 0, 1];
const besides = ([x, y, z]: Position<3>): Position<3>[] =>
  [0, 1, 2, 3].map((side) => [x + (STEPS[side] ?? 0), y, z + (STEPS[side + 1] ?? 0)]);

export function nature(blocks: BlockCatalog) {
  const [SAND, SPRING] = [blocks.id("sand"), blocks.id("water")];
  /** The level of water, from 0 for a spring; `undefined` for other blocks. The ids of its levels follow each other. */
  const levelOf = (block = AIR): number | undefined =>
    block >= SPRING && block < SPRING + WATER_LEVELS ? block - SPRING : undefined;
  const sand: System<3> = ({ world, edits, schedule }) => {
    for (const { position } of schedule.due("fall")) {
      const under = world.voxelAt(below(position));
      if (world.voxelAt(position) !== SAND || !(under === AIR || levelOf(under) !== undefined)) continue;
      edits.move(position, below(position));
      for (const place of [above(position), below(position)]) schedule.add(place, "fall", TOUCH.fall);
    }
  };
  const water: System<3> = ({ world, edits, schedule }) => {
    const levelAt = (place: Position<3>): number | undefined => levelOf(world.voxelAt(place));
    const set = (place: Position<3>, block: number): void => {
      edits.set(place, block);
      for (const near of [place, below(place), ...besides(place)]) schedule.add(near, "flow", TOUCH.flow);
    };
    for (const { position } of schedule.due("flow")) {
      const level = levelAt(position);
      if (level === undefined) continue;
      const isFed =
        levelAt(above(position)) !== undefined || besides(position).some((at) => (levelAt(at) ?? 9) < level);
      if (level > 0 && !isFed) set(position, AIR);
      else if (world.voxelAt(below(position)) === AIR) set(below(position), SPRING + 1);
      else if (levelAt(below(position)) === undefined && level + 1 < WATER_LEVELS)
        for (const place of besides(position))
          if (world.voxelAt(place) === AIR || (levelAt(place) ?? 0) > level + 1)
            set(place, SPRING + level + 1);
    }
  };
  /** Players place and dig the lower half of a door. The upper one follows it. */
  const doors: System<3> = ({ world, edits, schedule }) => {
    const doorAt = (place: Position<3>) => {
      const block = blocks.describe(world.voxelAt(place) ?? AIR);
      return block?.type === "door" ? block.properties : undefined;
    };
    for (const { position } of schedule.due("hinge")) {
      const door = doorAt(position);
      if (door?.["half"] === "upper" && doorAt(below(position))?.["half"] !== "lower")
        edits.set(position, AIR);
      if (door?.["half"] === "lower" && world.voxelAt(above(position)) === AIR)
        edits.set(above(position), blocks.id("door", { ...door, half: "upper" }));
    }
  };
  return { sand, water, doors };
}
