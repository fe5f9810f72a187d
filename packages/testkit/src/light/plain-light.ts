import type { BlockCatalog, Box, ChunkShape, Position } from "@orthant/core";
import { AXES, positionFrom } from "@orthant/core/lattice";

/** What light depends on. */
export interface PlainWorld {
  readonly shape: ChunkShape;
  readonly catalog: BlockCatalog;
  /** Height from which on there is sky; `undefined` without one. */
  readonly skyAbove: number | undefined;
  /** A height from which on there is only air. */
  readonly ceiling: number;
  blockAt(x: number, y: number, z: number, w: number): number;
}

const LIGHT_MAX = 15;
const REACH_VOXELS = 15;
const SKY_DEPTH_VOXELS = 4_096;

/**
 * Returns the light of a box of voxels by the rules of docs/formats/light.md, voxel by voxel: 16 times that of the sky plus
 * that of blocks, x fastest, then y, z and w. Slow and plain.
 */
export function plainLight(world: PlainWorld, box: Box): Uint8Array {
  const around = new Surroundings(world, box);
  const sky = around.spread(around.openVoxels());
  const block = around.spread(around.shiningVoxels());
  return around.ofBox(sky, block);
}

/** All voxels from which light can reach a box, and a border around them. */
class Surroundings {
  readonly #world: PlainWorld;
  /** Distance of neighbours in the arrays, on each axis of the world. */
  readonly #steps: readonly number[];
  /** Coordinates of all voxels, one after the other. */
  readonly #voxels: readonly Position[] = [];
  /** Voxels that have all neighbours in the arrays, and those of the box. */
  readonly #inner: boolean[] = [];
  readonly #isInBox: boolean[] = [];
  readonly #opacities: Uint8Array;
  readonly #shining: Uint8Array;
  readonly #bottom: number;

  constructor(world: PlainWorld, { min, max }: Box) {
    const { extents } = world.shape;
    const reach = (axis: 0 | 1 | 2 | 3): number => (extents[axis] > 1 ? REACH_VOXELS : 0);
    const from = positionFrom((axis) => min[axis] - reach(axis));
    const end = positionFrom((axis) => max[axis] + reach(axis));
    const size = positionFrom((axis) => end[axis] - from[axis]);
    const strides = [1, size[0], size[0] * size[1], size[0] * size[1] * size[2]];
    const voxels: Position[] = [];
    for (let w = from[3]; w < end[3]; w++)
      for (let z = from[2]; z < end[2]; z++)
        for (let y = from[1]; y < end[1]; y++)
          for (let x = from[0]; x < end[0]; x++) {
            const voxel: Position = [x, y, z, w];
            voxels.push(voxel);
            const isEdge = (axis: 0 | 1 | 2 | 3): boolean =>
              extents[axis] > 1 && (voxel[axis] === from[axis] || voxel[axis] === end[axis] - 1);
            this.#inner.push(!AXES.some(isEdge));
            this.#isInBox.push(AXES.every((axis) => voxel[axis] >= min[axis] && voxel[axis] < max[axis]));
          }
    this.#world = world;
    this.#voxels = voxels;
    this.#steps = AXES.filter((axis) => extents[axis] > 1).flatMap((axis) => [
      strides[axis] as number,
      -(strides[axis] as number),
    ]);
    const blocks = voxels.map((voxel) => world.blockAt(...voxel));
    this.#opacities = Uint8Array.from(blocks, (block) => world.catalog.opacityOf(block));
    this.#shining = Uint8Array.from(blocks, (block) => world.catalog.lightOf(block));
    this.#bottom = from[1];
  }

  /** Levels of the voxels that are open to the sky: nothing in them and above them takes light away. */
  openVoxels(): Uint8Array {
    const { catalog, skyAbove, ceiling } = this.#world;
    if (skyAbove === undefined) return new Uint8Array(this.#voxels.length);
    const [, height] = this.#world.shape.extents;
    const lowestOfSky = Math.max(this.#bottom, Math.ceil((skyAbove - SKY_DEPTH_VOXELS) / height) * height);
    // By column: the lowest height from which on it is open.
    const lowestOpen = new Map<string, number>();
    return Uint8Array.from(this.#voxels, ([x, y, z, w]) => {
      const column = `${x},${z},${w}`;
      let lowest = lowestOpen.get(column);
      if (lowest === undefined) {
        lowest = ceiling;
        while (lowest > lowestOfSky && catalog.opacityOf(this.#world.blockAt(x, lowest - 1, z, w)) === 0)
          lowest--;
        lowestOpen.set(column, lowest);
      }
      return y >= lowest ? LIGHT_MAX : 0;
    });
  }

  /** Levels of the light that blocks give off. */
  shiningVoxels(): Uint8Array {
    return this.#shining.slice();
  }

  /** Spreads light, from the brightest voxels to the darkest. */
  spread(levels: Uint8Array): Uint8Array {
    for (let level = LIGHT_MAX; level > 1; level--)
      for (let index = levels.indexOf(level); index >= 0; index = levels.indexOf(level, index + 1)) {
        if (!this.#inner[index]) continue;
        for (const step of this.#steps) {
          const other = index + step;
          const reached = level - Math.max(1, this.#opacities[other] as number);
          if (reached > (levels[other] as number)) levels[other] = reached;
        }
      }
    return levels;
  }

  /** Returns both lights of the voxels of the box. */
  ofBox(sky: Uint8Array, block: Uint8Array): Uint8Array {
    return sky
      .map((level, index) => 16 * level + (block[index] as number))
      .filter((_, index) => this.#isInBox[index]);
  }
}
