import { AIR, type BlockCatalog, type Position } from "@orthant/core";

/** How far the picture goes from its middle. */
export const VIEW_VOXELS = 24;
/** Half the width and depth of a voxel on the screen, and its height, in pixels. */
const [HALF_WIDTH, HALF_DEPTH, HEIGHT] = [10, 5, 11];

/** A side of a voxel on the screen. */
export interface Face {
  readonly voxel: Position<3>;
  /** The voxel in front of the side. */
  readonly front: Position<3>;
  readonly corners: readonly Point[];
}

type Point = readonly [x: number, y: number];

/** What is drawn. */
interface Land {
  readonly blocks: BlockCatalog;
  voxelAt(position: Position<3>): number | undefined;
}

/** The three sides that can be seen: where they look, their corners, and how bright they are. */
const SIDES = [
  {
    step: [0, 1, 0],
    corners: [
      [0, 1, 0],
      [1, 1, 0],
      [1, 1, 1],
      [0, 1, 1],
    ],
    light: 1,
  },
  {
    step: [0, 0, 1],
    corners: [
      [0, 1, 1],
      [1, 1, 1],
      [1, 0, 1],
      [0, 0, 1],
    ],
    light: 0.8,
  },
  {
    step: [1, 0, 0],
    corners: [
      [1, 1, 1],
      [1, 1, 0],
      [1, 0, 0],
      [1, 0, 1],
    ],
    light: 0.62,
  },
] as const;

/** Draws the land around a voxel, the farthest first. Returns the sides in that order. */
export function draw(canvas: OffscreenCanvas, land: Land, middle: Position<3>): readonly Face[] {
  const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  context.clearRect(0, 0, canvas.width, canvas.height);
  const project = (x: number, y: number, z: number): Point => [
    canvas.width / 2 + (x - middle[0] - (z - middle[2])) * HALF_WIDTH,
    canvas.height / 2 + (x - middle[0] + z - middle[2]) * HALF_DEPTH - (y - middle[1]) * HEIGHT,
  ];
  const faces: Face[] = [];
  for (const [x, y, z] of around(middle)) {
    const block = land.voxelAt([x, y, z]) ?? AIR;
    if (block === AIR) continue;
    for (const { step, corners, light } of SIDES) {
      const front: Position<3> = [x + step[0], y + step[1], z + step[2]];
      if (land.voxelAt(front) !== AIR) continue;
      const points = corners.map(([right, up, near]) => project(x + right, y + up, z + near));
      fill(context, points, shade(land.blocks.byId(block)?.colour ?? 0, light));
      faces.push({ voxel: [x, y, z], front, corners: points });
    }
  }
  return faces;
}

/** Returns the nearest side at a point of the canvas. */
export function faceAt(faces: readonly Face[], x: number, y: number): Face | undefined {
  return faces.findLast(({ corners }) =>
    corners.every(([fromX, fromY], index) => {
      const [toX, toY] = corners[(index + 1) % corners.length] as Point;
      return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX) >= 0;
    }),
  );
}

function* around([x, y, z]: Position<3>): Generator<Position<3>> {
  for (let back = z - VIEW_VOXELS; back < z + VIEW_VOXELS; back++) {
    for (let left = x - VIEW_VOXELS; left < x + VIEW_VOXELS; left++) {
      for (let up = y - VIEW_VOXELS; up < y + VIEW_VOXELS; up++) yield [left, up, back];
    }
  }
}

function fill(context: OffscreenCanvasRenderingContext2D, points: readonly Point[], colour: string): void {
  context.fillStyle = colour;
  context.strokeStyle = colour; // closes the gaps between sides
  context.beginPath();
  for (const point of points) context.lineTo(...point);
  context.closePath();
  context.fill();
  context.stroke();
}

function shade(colour: number, light: number): string {
  const channels = [colour >> 16, (colour >> 8) & 255, colour & 255];
  return `rgb(${channels.map((channel) => Math.round(channel * light)).join(" ")})`;
}
