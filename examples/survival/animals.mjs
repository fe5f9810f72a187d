// Sheep walk in circles over the meadow, lambs appear on grass in the light, and a wolf runs after the nearest player.
import { moveBody } from "@orthant/mesh";
import { box } from "orthant";
import { SHEEP, TURF, WOLF } from "./land.mjs";
import { above, lightAt } from "./places.mjs";

export const MEADOW = box([-40, -40, -40], [40, 60, 40]);
const EVERYWHERE = box([-30_000, -30_000, -30_000], [30_000, 30_000, 30_000]);
export const FLOCK = 5;
const LAMB_LIGHT = 9;
/** In voxels a second. */
const [SHEEP_SPEED, WOLF_SPEED] = [1.2, 4];
const SIGHT = 48;
const SIZE = [0.9, 1.3, 0.9];
const STEP_SECONDS = 0.05;

/** Moves an animal, which falls, and climbs steps of one voxel. */
function walk({ world, entities }, { id, position, velocity }, [x, z]) {
  const moved = moveBody(
    world,
    { position, velocity, size: SIZE },
    { walk: [x, 0, z], seconds: STEP_SECONDS },
  );
  entities.change(id, { position: moved.position, velocity: moved.velocity });
}

export function sheep(step) {
  for (const one of step.entities.in(MEADOW)) {
    const angle = step.number / 40 + Number(one.id);
    if (one.kind === SHEEP) walk(step, one, [SHEEP_SPEED * Math.cos(angle), SHEEP_SPEED * Math.sin(angle)]);
  }
}

/** As long as the flock is small, a lamb appears every second. */
export function lambs({ number, world, entities, drawVoxels }) {
  if (number % 20 !== 0) return;
  if (entities.in(MEADOW).filter(({ kind }) => kind === SHEEP).length >= FLOCK) return;
  const isMeadow = (place) => place.every((at, axis) => at >= MEADOW.min[axis] && at < MEADOW.max[axis]);
  const isGreen = (place) => world.voxelAt(place) === TURF && lightAt(world, above(place)) >= LAMB_LIGHT;
  const home = [...drawVoxels(1)].find((place) => isMeadow(place) && isGreen(place));
  if (home) entities.add({ kind: SHEEP, position: above(home), name: "Lamb" });
}

export function wolves(step) {
  for (const wolf of step.entities.in(EVERYWHERE)) {
    if (wolf.kind !== WOLF) continue;
    const distanceTo = (player) => Math.hypot(...player.position.map((to, axis) => to - wolf.position[axis]));
    const [prey] = [...step.players].sort((a, b) => distanceTo(a) - distanceTo(b));
    const isHunting = prey !== undefined && distanceTo(prey) <= SIGHT && distanceTo(prey) >= 1.5;
    const [dx, , dz] = isHunting ? prey.position.map((to, axis) => to - wolf.position[axis]) : [0, 0, 0];
    const pace = WOLF_SPEED / Math.max(1, Math.hypot(dx, dz));
    walk(step, wolf, [dx * pace, dz * pace]);
  }
}
