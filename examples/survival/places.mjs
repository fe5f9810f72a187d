// Places beside a place.
export const above = ([x, y, z]) => [x, y + 1, z];
export const below = ([x, y, z]) => [x, y - 1, z];
export const besides = ([x, y, z]) => [
  [x - 1, y, z],
  [x + 1, y, z],
  [x, y, z - 1],
  [x, y, z + 1],
];
