import type { Box } from "../../lattice/box.ts";
import { floorDivide } from "../../lattice/position.ts";
import { TREE_HEIGHT_MAX, TREE_REACH_VOXELS, type Tree } from "../draw/tree-shapes.ts";
import { noiseAt } from "../hash/gradient-noise.ts";
import { HashSequence, hashKey, hashPosition, PositionMemo } from "../hash/position-hash.ts";

import type { TerrainHeights } from "./terrain-heights.ts";

const CELL_VOXELS = 9;
const FOREST_PERIOD = 128;
const CELLS_KEPT = 4096;

/** Ground on which trees grow, from `lowest` up to but excluding `highest`; snowy from `snowLine` on. */
interface TreeLine {
  readonly lowest: number;
  readonly snowLine: number;
  readonly highest: number;
}

/** Places at most one tree in each square of a lattice, dense in forests and sparse elsewhere. */
export class TerrainTrees {
  readonly #cells: PositionMemo<Tree | false>;
  readonly #heights: TerrainHeights;
  readonly #line: TreeLine;
  readonly #hasDepth: boolean;
  readonly #treeKey: number;
  readonly #forestKey: number;

  constructor(seed: bigint, heights: TerrainHeights, line: TreeLine, hasDepth: boolean) {
    this.#heights = heights;
    this.#line = line;
    this.#hasDepth = hasDepth;
    this.#treeKey = hashKey(seed, 0x7433);
    this.#forestKey = hashKey(seed, 0x7434);
    this.#cells = new PositionMemo(CELLS_KEPT, (x, _y, z) => this.#treeOf(x, z) ?? false);
  }

  /** Returns the trees that may have voxels in a box of voxels, in an order independent of the box. */
  near({ min, max }: Box): readonly Tree[] {
    const found: Tree[] = [];
    const firstZ = this.#hasDepth ? floorDivide(min[2] - TREE_REACH_VOXELS, CELL_VOXELS) : 0;
    const lastZ = this.#hasDepth ? floorDivide(max[2] - 1 + TREE_REACH_VOXELS, CELL_VOXELS) : 0;
    const lastX = floorDivide(max[0] - 1 + TREE_REACH_VOXELS, CELL_VOXELS);
    for (let x = floorDivide(min[0] - TREE_REACH_VOXELS, CELL_VOXELS); x <= lastX; x++)
      for (let z = firstZ; z <= lastZ; z++) {
        const tree = this.#cells.at(x, 0, z, 0);
        if (tree && tree.y < max[1] && tree.y + TREE_HEIGHT_MAX >= min[1]) found.push(tree);
      }
    return found;
  }

  #treeOf(cellX: number, cellZ: number): Tree | undefined {
    const draw = new HashSequence(hashPosition(this.#treeKey, cellX, 0, cellZ, 0));
    const x = cellX * CELL_VOXELS + draw.below(CELL_VOXELS);
    const inDepth = draw.below(CELL_VOXELS);
    const z = this.#hasDepth ? cellZ * CELL_VOXELS + inDepth : 0;
    const forest = noiseAt(x, z, FOREST_PERIOD, this.#forestKey);
    if (!draw.percent(forest > 0.1 ? 65 : 6)) return undefined;
    const y = this.#heights.at(x, z);
    if (y < this.#line.lowest || y >= this.#line.highest) return undefined;
    const isConifer = draw.percent(y >= this.#line.snowLine - 10 ? 100 : 25);
    if (!isConifer) return { x, y, z, w: 0, kind: "round", height: draw.between(5, 8) };
    const kind = y >= this.#line.snowLine ? "snowy conifer" : "conifer";
    return { x, y, z, w: 0, kind, height: draw.between(7, TREE_HEIGHT_MAX - 2) };
  }
}
