import { type Box, boxesIntersect, boxVolume } from "../../lattice/box.ts";
import type { ChunkShape } from "../../lattice/chunk-shape.ts";
import { type Axis, floorDivide, type Position, positionFrom } from "../../lattice/position.ts";

import { REGION_EDGE_CHUNKS } from "../../lattice/region.ts";
import { BRICK, GRASS, SAND, SNOW, SOIL } from "../draw/palette.ts";
import { HashSequence, hashKey, hashPosition, PositionMemo } from "../hash/position-hash.ts";

/** A slab floating in space. Lengths are in voxels. */
export interface Platform {
  readonly center: Position;
  /** Distance from the center to the sides; 0 along y, and on axes that the world lacks. */
  readonly halves: Position;
  /** Height of the first voxel above it. Slabs align with regions, so that trees store whole boxes. */
  readonly top: number;
  /** How far along the sides the corners are cut off. */
  readonly bevel: number;
  /** How much narrower each layer of chunks is than the one above it. */
  readonly taper: number;
  /** The block it is made of. */
  readonly surface: number;
  /** Bounds of the platform and everything on it. */
  readonly bounds: Box;
  /** Determines what stands on it. */
  readonly hash: number;
  readonly isAnchor: boolean;
}

/** Maximum height of a structure on a platform. */
const STRUCTURE_HEIGHT_MAX = 40;
/** Approximate thickness of a slab, which consists of whole layers of chunks. */
const SLAB_VOXELS = 24;
/** Free space above the highest structure. */
const HEADROOM_VOXELS = 8;
const CELL_HEIGHT_MIN = 96;
const CELLS_KEPT = 16_384;
/** Boxes that touch more cells are not examined in detail. */
const CELLS_PER_GLANCE_MAX = 256;
const HORIZONTAL: readonly Axis[] = [0, 2, 3];
const SURFACES: readonly number[] = [GRASS, GRASS, GRASS, GRASS, SAND, SNOW, SOIL, BRICK];

/** A proposed platform. If two are too close to each other, the one with the higher priority wins. */
interface Candidate extends Platform {
  readonly priority: number;
}

/**
 * Decides where the platforms are. Each cell of a lattice proposes one; it stands if no proposal that it
 * would crowd has a higher priority, whether or not that one stands itself. So only its neighbours decide
 * about a cell, and the result does not depend on earlier queries.
 */
export class PlatformLayout {
  /** Layers of chunks in a slab. */
  readonly layerCount: number;
  readonly #slabHeight: number;
  readonly #regionHeight: number;
  /** Edges of a cell; 1 on an axis that the world lacks. */
  readonly #cell: Position;
  /** Platforms closer than this, one above the other, crowd each other. */
  readonly #storey: number;
  readonly #width: number;
  readonly #extents: Position;
  readonly #key: number;
  readonly #anchor: Candidate;
  readonly #candidates: PositionMemo<Candidate>;
  readonly #standing: PositionMemo<Candidate | false>;

  constructor(cellVoxels: number, seed: bigint, { extents }: ChunkShape) {
    const height = extents[1];
    this.layerCount = Math.max(1, Math.round(SLAB_VOXELS / height));
    this.#slabHeight = this.layerCount * height;
    this.#regionHeight = REGION_EDGE_CHUNKS * height;
    this.#width = cellVoxels;
    this.#extents = extents;
    this.#storey = this.#slabHeight + STRUCTURE_HEIGHT_MAX + HEADROOM_VOXELS;
    const regions = Math.ceil(Math.max(CELL_HEIGHT_MIN, this.#storey) / this.#regionHeight);
    const cellHeight = regions * this.#regionHeight;
    this.#cell = positionFrom((axis) => (axis === 1 ? cellHeight : this.#isFlat(axis) ? 1 : cellVoxels));
    this.#key = hashKey(seed, 0x9147);
    const anchorHalf = (cellVoxels * 3) >> 3;
    const anchorHalves = positionFrom((axis) => (axis === 1 || this.#isFlat(axis) ? 0 : anchorHalf));
    this.#anchor = this.#candidate([0, 0, 0, 0], anchorHalves, 0, GRASS, hashKey(seed, 0x9148), Infinity);
    this.#candidates = new PositionMemo(CELLS_KEPT, (x, y, z, w) => this.#propose(x, y, z, w));
    this.#standing = new PositionMemo(CELLS_KEPT, (x, y, z, w) => this.#decide(x, y, z, w));
  }

  /** Whether a box of voxels is too large to query its platforms without need. */
  isTooLarge(voxels: Box): boolean {
    return boxVolume(this.#cellsAround(voxels)) > CELLS_PER_GLANCE_MAX;
  }

  /** Returns the platforms whose bounds touch a box of voxels. */
  near(voxels: Box): readonly Platform[] {
    const { min, max } = this.#cellsAround(voxels);
    const found: Platform[] = boxesIntersect(this.#anchor.bounds, voxels) ? [this.#anchor] : [];
    for (let x = min[0]; x < max[0]; x++)
      for (let y = min[1]; y < max[1]; y++)
        for (let z = min[2]; z < max[2]; z++)
          for (let w = min[3]; w < max[3]; w++) {
            const platform = this.#standing.at(x, y, z, w);
            if (platform && boxesIntersect(platform.bounds, voxels)) found.push(platform);
          }
    return found;
  }

  /** Returns the cells whose platforms may touch a box of voxels. */
  #cellsAround({ min, max }: Box): Box {
    const reach = this.#halfMax();
    const below = positionFrom((axis) =>
      axis === 1 ? STRUCTURE_HEIGHT_MAX : this.#isFlat(axis) ? 0 : reach,
    );
    const above = positionFrom((axis) => (axis === 1 ? this.#slabHeight : below[axis]));
    return {
      min: positionFrom((axis) => floorDivide(min[axis] - below[axis], this.#cell[axis])),
      max: positionFrom((axis) => floorDivide(max[axis] - 1 + above[axis], this.#cell[axis]) + 1),
    };
  }

  #decide(x: number, y: number, z: number, w: number): Candidate | false {
    const mine = this.#candidates.at(x, y, z, w);
    if (this.#crowd(mine, this.#anchor)) return false;
    const [flatZ, flatW] = [this.#isFlat(2), this.#isFlat(3)];
    for (let nearX = x - 1; nearX <= x + 1; nearX++)
      for (let nearY = y - 1; nearY <= y + 1; nearY++)
        for (let nearZ = flatZ ? z : z - 1; nearZ <= (flatZ ? z : z + 1); nearZ++)
          for (let nearW = flatW ? w : w - 1; nearW <= (flatW ? w : w + 1); nearW++) {
            const other = this.#candidates.at(nearX, nearY, nearZ, nearW);
            // With equal priorities both cells lose, which is rare and the same everywhere.
            const isMine = nearX === x && nearY === y && nearZ === z && nearW === w;
            if (!isMine && other.priority >= mine.priority && this.#crowd(mine, other)) return false;
          }
    return mine;
  }

  #propose(x: number, y: number, z: number, w: number): Candidate {
    const hash = hashPosition(this.#key, x, y, z, w);
    const draw = new HashSequence(hash);
    const cellOf: Position = [x, y, z, w];
    const center = positionFrom((axis) => cellOf[axis] * this.#cell[axis] + draw.below(this.#cell[axis]));
    const halfMin = Math.floor((this.#width * 5) / 24);
    const halves = positionFrom((axis) =>
      axis === 1 || this.#isFlat(axis) ? 0 : draw.between(halfMin, this.#halfMax()),
    );
    const top = floorDivide(center[1], this.#regionHeight) * this.#regionHeight;
    return this.#candidate(center, halves, top, draw.pick(SURFACES), hash, draw.fraction());
  }

  #candidate(
    center: Position,
    halves: Position,
    top: number,
    surface: number,
    hash: number,
    priority: number,
  ): Candidate {
    const min = positionFrom((axis) => center[axis] - halves[axis]);
    const max = positionFrom((axis) => center[axis] + halves[axis] + 1);
    const bounds: Box = {
      min: [min[0], top - this.#slabHeight, min[2], min[3]],
      max: [max[0], top + STRUCTURE_HEIGHT_MAX, max[2], max[3]],
    };
    const narrowest = Math.min(...halves.filter((half) => half > 0));
    const bevel = Math.floor(narrowest / 3);
    const taper = Math.floor(narrowest / (4 * this.layerCount));
    const isAnchor = priority === Infinity;
    return { center, halves, top, bevel, taper, surface, bounds, hash, isAnchor, priority };
  }

  #crowd(a: Platform, b: Platform): boolean {
    const gap = Math.floor(this.#width / 12);
    if (Math.abs(a.top - b.top) >= this.#storey) return false;
    return HORIZONTAL.every(
      (axis) => Math.abs(a.center[axis] - b.center[axis]) < a.halves[axis] + b.halves[axis] + gap,
    );
  }

  #halfMax(): number {
    return Math.floor((this.#width * 9) / 24);
  }

  #isFlat(axis: Axis): boolean {
    return axis > 1 && this.#extents[axis] === 1;
  }
}
