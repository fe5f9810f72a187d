// Sheep walk in circles at the spawn, lambs appear on grass in the light, and a wolf runs after the nearest player.
import { box } from "orthant";
import { isSolid, SHEEP, TURF, WOLF } from "./land.mjs";
import { above, lightAt } from "./places.mjs";

export const MEADOW = box([-40, -40, -40], [40, 60, 40]);
const EVERYWHERE = box([-30_000, -30_000, -30_000], [30_000, 30_000, 30_000]);
export const FLOCK = 5;
const LAMB_LIGHT = 9;
/** In voxels a step: four a second. */
const WOLF_SPEED = 0.2;
const SIGHT = 48;

export function sheep({ number, world, entities }) {
  if (number % 2 === 1) return;
  const flock = entities.in(MEADOW).filter(({ kind }) => kind === SHEEP);
  for (const [index, { id, position }] of flock.entries()) {
    const angle = number / 40 + index;
    const [x, z] = [index * 2 + 3 * Math.cos(angle), 3 * Math.sin(angle)];
    entities.change(id, { position: [x, groundAt(world, x, position[1], z, 30) ?? position[1], z] });
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

export function wolves({ world, entities, players }) {
  for (const { id, kind, position } of entities.in(EVERYWHERE)) {
    if (kind !== WOLF) continue;
    const distanceTo = (player) => Math.hypot(...player.position.map((to, axis) => to - position[axis]));
    const [prey] = [...players].sort((a, b) => distanceTo(a) - distanceTo(b));
    if (prey === undefined || distanceTo(prey) > SIGHT || distanceTo(prey) < 1.5) continue;
    const [dx, , dz] = prey.position.map((to, axis) => to - position[axis]);
    const pace = WOLF_SPEED / Math.max(WOLF_SPEED, Math.hypot(dx, dz));
    const [x, z] = [position[0] + dx * pace, position[2] + dz * pace];
    const y = groundAt(world, x, position[1], z);
    if (y !== undefined) entities.change(id, { position: [x, y, z] });
  }
}

/** Returns the height on which an animal stands; `undefined` at a wall, or at a cliff of more than `drop` voxels. */
function groundAt(world, x, from, z, drop = 3) {
  const [column, row, start] = [Math.floor(x), Math.floor(z), Math.floor(from)];
  for (let y = start + 1; y >= start - drop; y--)
    if (!isSolid(world.voxelAt([column, y, row])) && isSolid(world.voxelAt([column, y - 1, row]))) return y;
  return undefined;
}
