// Places beside a place, and how bright it is.
export const above = ([x, y, z]) => [x, y + 1, z];
export const below = ([x, y, z]) => [x, y - 1, z];
export const besides = ([x, y, z]) => [
  [x - 1, y, z],
  [x + 1, y, z],
  [x, y, z - 1],
  [x, y, z + 1],
];

/** Returns the light of a place in a step, of the sky or of lamps; that of day where it is not known. */
export function lightAt(world, place) {
  const light = world.lightAt(place);
  return light === undefined ? 15 : Math.max(light.sky, light.block);
}
