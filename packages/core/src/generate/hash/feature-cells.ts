import { type Box, boxVolume } from "../../lattice/box.ts";
import { floorDivide } from "../../lattice/position.ts";
import { type Capsule, mayTouch } from "../draw/capsule.ts";
import { PositionMemo } from "./position-hash.ts";

const CELLS_KEPT = 8192;
/** Boxes that touch more cells are not examined in detail. */
const CELLS_PER_GLANCE_MAX = 128;

/** How features are scattered. */
interface Scattering<Feature> {
  /** Edge, in voxels, of the cubes into which space is divided. */
  readonly edge: number;
  /** How far a cube's features may extend below its first voxel. */
  readonly reachBelow: number;
  /** How far a cube's features may extend above its last voxel. */
  readonly reachAbove: number;
  /** Whether the world extends along z. If not, it has a single layer of cubes. */
  readonly hasDepth: boolean;
  featuresOf(cellX: number, cellY: number, cellZ: number): readonly Feature[];
}

/**
 * Features scattered by a rule: space is divided into cubes, and each cube alone decides which features start
 * in it. So the features found in a box do not depend on the box.
 */
export class FeatureCells<Feature extends Capsule> {
  readonly #scattering: Scattering<Feature>;
  readonly #cells: PositionMemo<readonly Feature[]>;

  constructor(scattering: Scattering<Feature>) {
    this.#scattering = scattering;
    this.#cells = new PositionMemo(CELLS_KEPT, (x, y, z) => scattering.featuresOf(x, y, z));
  }

  /** Returns all features that may touch a box of voxels, in an order that does not depend on the box. */
  near(voxels: Box): readonly Feature[] {
    const { min, max } = this.#cellsAround(voxels);
    const found: Feature[] = [];
    for (let x = min[0]; x < max[0]; x++)
      for (let y = min[1]; y < max[1]; y++)
        for (let z = min[2]; z < max[2]; z++)
          for (const feature of this.#cells.at(x, y, z, 0))
            if (mayTouch(feature, voxels)) found.push(feature);
    return found;
  }

  /** Whether certainly no feature touches a box of voxels. Always false for a box too large to examine. */
  isClear(voxels: Box): boolean {
    return boxVolume(this.#cellsAround(voxels)) <= CELLS_PER_GLANCE_MAX && this.near(voxels).length === 0;
  }

  #cellsAround({ min, max }: Box): Box {
    const { edge, reachBelow, reachAbove, hasDepth } = this.#scattering;
    const first = (coordinate: number) => floorDivide(coordinate - reachAbove, edge);
    const end = (coordinate: number) => floorDivide(coordinate - 1 + reachBelow, edge) + 1;
    return {
      min: [first(min[0]), first(min[1]), hasDepth ? first(min[2]) : 0, 0],
      max: [end(max[0]), end(max[1]), hasDepth ? end(max[2]) : 1, 1],
    };
  }
}
