/** The numbers of a pose in whole steps: x, y, z and w of the position, then of the orientation. */
export type PoseSteps = readonly [
  x: number,
  y: number,
  z: number,
  w: number,
  facingX: number,
  facingY: number,
  facingZ: number,
  facingW: number,
];
