// Draws voxels seen from above and aside, and finds the face that a click meant.

/** How far the view goes, from the middle. */
export const VIEW_VOXELS = 22;
const [HALF_WIDTH, HALF_DEPTH, HEIGHT] = [10, 5, 11];

/** The three sides that can be seen: where the neighbour is, its corners as x, y and z, and how bright it is. */
const SIDES = [
  { step: [0, 1, 0], corners: ["010", "110", "111", "011"], light: 1 },
  { step: [0, 0, 1], corners: ["011", "111", "101", "001"], light: 0.8 },
  { step: [1, 0, 0], corners: ["111", "110", "100", "101"], light: 0.6 },
];

/** Draws what is around a position, the farthest first. Returns the faces in that order. */
export function draw(context, world, [middleX, middleY, middleZ]) {
  const { width, height } = context.canvas;
  const project = (x, y, z) => [
    width / 2 + (x - middleX - (z - middleZ)) * HALF_WIDTH,
    height / 2 + (x - middleX + z - middleZ) * HALF_DEPTH - (y - middleY) * HEIGHT,
  ];
  context.clearRect(0, 0, width, height);
  const faces = [];
  for (let z = middleZ - VIEW_VOXELS; z < middleZ + VIEW_VOXELS; z++) {
    for (let x = middleX - VIEW_VOXELS; x < middleX + VIEW_VOXELS; x++) {
      for (let y = middleY - VIEW_VOXELS; y < middleY + VIEW_VOXELS; y++) {
        const block = world.voxelAt([x, y, z]) ?? 0;
        if (block === 0) continue;
        for (const { step, corners, light } of SIDES) {
          const before = [x + step[0], y + step[1], z + step[2]];
          if (world.voxelAt(before) !== 0) continue;
          const points = corners.map(([right, up, near]) => project(x + +right, y + +up, z + +near));
          fill(context, points, shade(world.blocks.byId(block).colour, light));
          faces.push({ voxel: [x, y, z], before, points });
        }
      }
    }
  }
  return faces;
}

/** The nearest face at a point of the canvas. */
export function faceAt(faces, x, y) {
  return faces.findLast(({ points }) =>
    points.every(([fromX, fromY], index) => {
      const [toX, toY] = points[(index + 1) % points.length];
      return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX) >= 0;
    }),
  );
}

function fill(context, points, colour) {
  context.fillStyle = colour;
  context.strokeStyle = colour; // closes the gap between neighbours
  context.beginPath();
  for (const point of points) context.lineTo(...point);
  context.closePath();
  context.fill();
  context.stroke();
}

function shade(colour, light) {
  const channels = [colour >> 16, (colour >> 8) & 255, colour & 255];
  return `rgb(${channels.map((channel) => Math.round(channel * light)).join(" ")})`;
}
