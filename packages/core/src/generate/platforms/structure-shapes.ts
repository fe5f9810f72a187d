import { AIR } from "../../chunk/chunk.ts";
import type { Box } from "../../lattice/box.ts";
import type { Axis, Position } from "../../lattice/position.ts";
import type { ChunkCanvas } from "../draw/chunk-canvas.ts";
import { BRICK, GLASS, GOLD_ORE, LAMP, SAND, STONE, WOOD } from "../draw/palette.ts";
import { drawTree, TREE_HEIGHT_MAX, TREE_REACH_VOXELS, type Tree } from "../draw/tree-shapes.ts";
import type { HashSequence } from "../hash/position-hash.ts";

/** A structure on a platform. All lengths are in voxels. */
export interface Structure {
  /** The lowest voxel in its middle. */
  readonly base: Position;
  /** Distance from the middle to the sides; 0 along y, and on axes that the world lacks. */
  readonly halves: Position;
  readonly height: number;
  readonly bounds: Box;
  draw(canvas: ChunkCanvas, structure: Structure): void;
}

/** A kind of structure of a chosen size. */
interface Plan {
  readonly half: number;
  readonly height: number;
  draw(canvas: ChunkCanvas, structure: Structure): void;
}

const HORIZONTAL: readonly Axis[] = [0, 2, 3];
const STOREY_VOXELS = 7;

/** The kinds of structures; one listed twice is twice as frequent. None extends beyond 12 from its middle. */
export const STRUCTURE_KINDS: readonly ((draw: HashSequence) => Plan)[] = [
  planGrove,
  planGrove,
  planGrove,
  planTower,
  planWall,
  planPavilion,
  planObelisk,
  planPyramid,
];

function planGrove(draw: HashSequence): Plan {
  const positions = Array.from({ length: draw.between(2, 5) }, () => ({
    dx: draw.between(-9, 9),
    dz: draw.between(-9, 9),
    dw: draw.between(-9, 9),
    kind: draw.percent(60) ? ("round" as const) : ("conifer" as const),
    height: draw.between(6, TREE_HEIGHT_MAX - 2),
  }));
  return {
    half: 9 + TREE_REACH_VOXELS,
    height: TREE_HEIGHT_MAX,
    draw(canvas, { base: [x, y, z, w], halves }) {
      for (const { dx, dz, dw, kind, height } of positions) {
        const atZ = z + (halves[2] > 0 ? dz : 0);
        const atW = w + (halves[3] > 0 ? dw : 0);
        const tree: Tree = { x: x + dx, y, z: atZ, w: atW, kind, height };
        drawTree(canvas, tree);
      }
    },
  };
}

/** A hollow tower with a door, floors, windows and battlements. */
function planTower(draw: HashSequence): Plan {
  const half = draw.between(4, 6);
  const storeys = draw.between(2, 5);
  const wall = draw.pick([BRICK, STONE]);
  return {
    half,
    height: storeys * STOREY_VOXELS + 3,
    draw(canvas, structure) {
      const roof = storeys * STOREY_VOXELS;
      fillAround(canvas, structure, half, 0, roof + 2, wall);
      for (let storey = 0; storey < storeys; storey++) {
        const floor = storey * STOREY_VOXELS;
        fillAround(canvas, structure, half - 1, floor, floor + STOREY_VOXELS - 1, AIR);
        fillAround(canvas, structure, half - 1, floor + STOREY_VOXELS - 1, floor + STOREY_VOXELS, WOOD);
        fillAround(canvas, structure, 0, floor + STOREY_VOXELS - 1, floor + STOREY_VOXELS, LAMP);
        if (storey > 0) fillSide(canvas, structure, half, 1, floor + 2, floor + 5, GLASS);
      }
      fillSide(canvas, structure, half, 1, 0, 4, AIR);
      fillAround(canvas, structure, half - 1, roof, roof + 2, AIR);
      drawBattlements(canvas, structure, half, roof + 2, wall);
    },
  };
}

/** A wall across two axes, thin on the third, with a gate in the middle. */
function planWall(draw: HashSequence): Plan {
  const thinFirst = draw.below(HORIZONTAL.length);
  const rise = draw.between(5, 9);
  return {
    half: 12,
    height: rise + 1,
    draw(canvas, { base: [x, y, z, w], halves }) {
      const axes = HORIZONTAL.filter((axis) => halves[axis] > 0);
      const thin = axes[thinFirst % axes.length];
      const reach = (axis: Axis, wide: number) => (axis === thin ? 1 : Math.min(halves[axis], wide));
      const block = (wide: number, from: number, to: number, block: number) => {
        const [rx, rz, rw] = [reach(0, wide), reach(2, wide), reach(3, wide)];
        canvas.fillBox(x - rx, y + from, z - rz, w - rw, x + rx + 1, y + to, z + rz + 1, w + rw + 1, block);
      };
      block(12, 0, rise, STONE);
      block(2, 0, 4, AIR);
      for (let along = -12; along <= 12; along += 2) {
        const [dx, dz] = thin === 0 ? [0, along] : [along, 0];
        const [rx, rz, rw] = [reach(0, 0), reach(2, 0), reach(3, 12)];
        const atX = x + dx;
        const atZ = z + (halves[2] > 0 ? dz : 0);
        canvas.fillBox(
          atX - rx,
          y + rise,
          atZ - rz,
          w - rw,
          atX + rx + 1,
          y + rise + 1,
          atZ + rz + 1,
          w + rw + 1,
          STONE,
        );
      }
    },
  };
}

/** Pillars at the corners that carry a roof. */
function planPavilion(draw: HashSequence): Plan {
  const half = draw.between(5, 9);
  const rise = draw.between(6, 11);
  return {
    half,
    height: rise + 2 + half,
    draw(canvas, structure) {
      const [x, y, z, w] = structure.base;
      const cornersOf = (axis: Axis) => (structure.halves[axis] > 0 ? [1 - half, half - 1] : [0]);
      for (const dx of cornersOf(0))
        for (const dz of cornersOf(2))
          for (const dw of cornersOf(3)) {
            canvas.fillBox(x + dx, y, z + dz, w + dw, x + dx + 1, y + rise, z + dz + 1, w + dw + 1, SAND);
          }
      fillAround(canvas, structure, half, rise, rise + 1, WOOD);
      fillAround(canvas, structure, 1, rise, rise + 1, LAMP);
      for (let step = 1; step <= half; step++) {
        fillAround(canvas, structure, half - step, rise + step, rise + step + 1, BRICK);
      }
    },
  };
}

/** A needle of stone with a golden tip. */
function planObelisk(draw: HashSequence): Plan {
  const rise = draw.between(14, 34);
  return {
    half: 4,
    height: rise + 3,
    draw(canvas, structure) {
      fillAround(canvas, structure, 4, 0, 1, BRICK);
      for (let level = 1; level < rise; level++) {
        fillAround(canvas, structure, 3 - Math.floor((level * 3) / rise), level, level + 1, STONE);
      }
      fillAround(canvas, structure, 0, rise, rise + 2, GOLD_ORE);
      fillAround(canvas, structure, 0, rise + 2, rise + 3, LAMP);
    },
  };
}

/** Steps up to a lamp. */
function planPyramid(draw: HashSequence): Plan {
  const half = draw.between(6, 12);
  return {
    half,
    height: half + 2,
    draw(canvas, structure) {
      for (let step = 0; step <= half; step++)
        fillAround(canvas, structure, half - step, step, step + 1, SAND);
      fillAround(canvas, structure, 0, half + 1, half + 2, LAMP);
    },
  };
}

/** Fills a cuboid around the middle, `half` voxels to each side on every axis that the world has. */
function fillAround(
  canvas: ChunkCanvas,
  { base: [x, y, z, w], halves }: Structure,
  half: number,
  from: number,
  to: number,
  block: number,
): void {
  const halfZ = Math.min(half, halves[2]);
  const halfW = Math.min(half, halves[3]);
  canvas.fillBox(
    x - half,
    y + from,
    z - halfZ,
    w - halfW,
    x + half + 1,
    y + to,
    z + halfZ + 1,
    w + halfW + 1,
    block,
  );
}

/** Fills a patch in the middle of the side that faces down the x axis. */
function fillSide(
  canvas: ChunkCanvas,
  { base: [x, y, z, w], halves }: Structure,
  distance: number,
  half: number,
  from: number,
  to: number,
  block: number,
): void {
  const halfZ = Math.min(half, halves[2]);
  const halfW = Math.min(half, halves[3]);
  const at = x - distance;
  canvas.fillBox(at, y + from, z - halfZ, w - halfW, at + 1, y + to, z + halfZ + 1, w + halfW + 1, block);
}

/** Draws a rim in which every other voxel is missing. */
function drawBattlements(
  canvas: ChunkCanvas,
  { base: [x, y, z, w], halves }: Structure,
  half: number,
  level: number,
  block: number,
): void {
  const halfZ = Math.min(half, halves[2]);
  const halfW = Math.min(half, halves[3]);
  for (let dw = -halfW; dw <= halfW; dw++)
    for (let dz = -halfZ; dz <= halfZ; dz++)
      for (let dx = -half; dx <= half; dx++) {
        const isRim = Math.abs(dx) === half || Math.abs(dz) === half || Math.abs(dw) === half;
        if (isRim && ((dx + dz + dw) & 1) === 0) canvas.set(x + dx, y + level, z + dz, w + dw, block);
      }
}
