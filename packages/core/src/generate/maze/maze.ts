import { checked, perAxis, record } from "../../bytes/combinators.ts";
import { type Chunk, emptyChunk } from "../../chunk/chunk.ts";
import { type Box, boxContains, boxesIntersect, intersectBoxes } from "../../lattice/box.ts";
import { type ChunkShape, chunksOfVoxels } from "../../lattice/chunk-shape.ts";
import { type Axis, floorDivide, type Position, positionFrom } from "../../lattice/position.ts";

import { ChunkCanvas } from "../draw/chunk-canvas.ts";
import { BRICK, GLASS, LAMP, SAND, SNOW, STONE, WOOD } from "../draw/palette.ts";
import { HashSequence, hashKey, hashPosition } from "../hash/position-hash.ts";
import { countBetween, integerBetween } from "../parameter-fields.ts";
import type { VoxelSource, WorldGenerator } from "../world-generator.ts";

/** A maze in empty space. */
export interface MazeParameters {
  /** Its lowest corner, in voxels. */
  readonly origin: Position;
  /** Cells on each axis; those along y are its levels. An axis that the world lacks has one cell. */
  readonly cells: Position;
  /** Percentage of dead ends that are opened. */
  readonly braidPercent: number;
}

/** Voxels from one wall to the next, including one wall. */
export const MAZE_STRIDE_VOXELS = 4;
/** Maximum number of cells in a maze. */
export const MAZE_CELLS_MAX = 262_144;
const CELLS_ON_AXIS_MAX = 255;
const ORIGIN_MAX = 2 ** 30;
const LAMPS_OF_256 = 40;
const MIDDLE_VOXEL = MAZE_STRIDE_VOXELS / 2;

/** Four levels of 9 x 9 x 9 cells, centred on the origin. */
export const MAZE_DEFAULTS: MazeParameters = {
  origin: [-18, 0, -18, -18],
  cells: [9, 4, 9, 9],
  braidPercent: 25,
};

const parametersCodec = record<MazeParameters>({
  origin: perAxis(integerBetween("origin", -ORIGIN_MAX, ORIGIN_MAX)),
  cells: checked(perAxis(countBetween("cells", 1, CELLS_ON_AXIS_MAX)), "ORT_GENERATOR_PARAMETERS", (cells) =>
    cellCount(cells) > MAZE_CELLS_MAX
      ? `a maze of [${cells}] cells, the limit is ${MAZE_CELLS_MAX}`
      : undefined,
  ),
  braidPercent: countBetween("braidPercent", 0, 100),
});

/** A finite maze of rooms and passages on several levels, with an entrance and an exit. */
export const mazeGenerator: WorldGenerator<MazeParameters> = {
  id: "maze",
  version: 1,
  parametersVersion: 1,
  parametersCodec,
  open: (parameters, seed, shape) => new Maze(parameters, seed, shape),
};

/** Wall blocks of the levels, from the bottom, repeating. */
const WALLS: readonly number[] = [STONE, SAND, BRICK, SNOW];

/** All voxels along x with these coordinates, relative to the corner of the maze. */
interface Row {
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

class Maze implements VoxelSource {
  readonly skyAbove: number;
  readonly #shape: ChunkShape;
  readonly #origin: Position;
  readonly #cells: Position;
  /** Voxels on each axis. */
  readonly #size: Position;
  readonly #chunks: Box;
  readonly #makeLayout: () => MazeLayout;
  readonly #lampKey: number;
  #layout: MazeLayout | undefined;

  constructor({ origin, cells, braidPercent }: MazeParameters, seed: bigint, shape: ChunkShape) {
    const isFlat = (axis: Axis) => axis > 1 && shape.extents[axis] === 1;
    this.#shape = shape;
    this.#origin = positionFrom((axis) => (isFlat(axis) ? 0 : origin[axis]));
    this.#cells = positionFrom((axis) => (isFlat(axis) ? 1 : cells[axis]));
    this.#size = positionFrom((axis) => (isFlat(axis) ? 1 : cells[axis] * MAZE_STRIDE_VOXELS + 1));
    this.#chunks = chunksOfVoxels(shape, {
      min: this.#origin,
      max: positionFrom((axis) => this.#origin[axis] + this.#size[axis]),
    });
    this.skyAbove = this.#origin[1] + this.#size[1];
    this.#makeLayout = () => new MazeLayout(this.#cells, braidPercent, seed);
    this.#lampKey = hashKey(seed, 0x3a03);
  }

  repeatedIn(box: Box): Chunk | undefined {
    return boxesIntersect(box, this.#chunks) ? undefined : emptyChunk(this.#shape.volume);
  }

  realize(x: number, y: number, z: number, w: number): Chunk {
    if (!boxContains(this.#chunks, [x, y, z, w])) return emptyChunk(this.#shape.volume);
    const canvas = new ChunkCanvas(this.#shape, x, y, z, w);
    const [, originY, originZ, originW] = this.#origin;
    const [, sizeY, sizeZ, sizeW] = this.#size;
    const { minY, minZ, minW, maxY, maxZ, maxW } = canvas;
    for (let atW = Math.max(minW, originW); atW < Math.min(maxW, originW + sizeW); atW++)
      for (let atZ = Math.max(minZ, originZ); atZ < Math.min(maxZ, originZ + sizeZ); atZ++)
        for (let atY = Math.max(minY, originY); atY < Math.min(maxY, originY + sizeY); atY++)
          this.#drawRow(canvas, atY, atZ, atW);
    return canvas.toChunk();
  }

  contentBounds(box: Box): Box | undefined {
    return intersectBoxes(box, this.#chunks);
  }

  /** Draws the part of one row that lies in a chunk. A voxel in two walls at once is always solid. */
  #drawRow(canvas: ChunkCanvas, y: number, z: number, w: number): void {
    const [originX, originY, originZ, originW] = this.#origin;
    const [sizeX, sizeY, sizeZ, sizeW] = this.#size;
    const row: Row = { y: y - originY, z: z - originZ, w: w - originW };
    const inWallY = isWall(row.y, sizeY);
    const inWallZ = isWall(row.z, sizeZ);
    const inWallW = isWall(row.w, sizeW);
    const walls = Number(inWallY) + Number(inWallZ) + Number(inWallW);
    const isRoof = row.y === sizeY - 1;
    const solid = isRoof ? WOOD : (WALLS[cellOf(row.y) % WALLS.length] as number);
    if (walls > 1) {
      canvas.fillRow(originX, originX + sizeX, y, z, w, solid);
      return;
    }
    const axis: Axis = inWallY ? 1 : inWallZ ? 2 : 3;
    const firstCell = Math.max(0, cellOf(canvas.minX - originX));
    const lastCell = Math.min(this.#cells[0], cellOf(canvas.maxX - 1 - originX));
    for (let cell = firstCell; cell <= lastCell; cell++) {
      const from = originX + cell * MAZE_STRIDE_VOXELS;
      if (walls === 1 || !this.#isPassage(cell, row, 0)) canvas.fillRow(from, from + 1, y, z, w, solid);
      if (walls === 0 || cell === this.#cells[0] || this.#isPassage(cell, row, axis)) continue;
      const block = isRoof ? GLASS : inWallY ? WOOD : solid;
      canvas.fillRow(from + 1, from + MAZE_STRIDE_VOXELS, y, z, w, block);
      if (block === WOOD && this.#isLit(cell, row)) canvas.set(from + MIDDLE_VOXEL, y, z, w, LAMP);
    }
  }

  /** Whether there is no wall between a cell of a row and the previous one on an axis. */
  #isPassage(cellX: number, row: Row, axis: Axis): boolean {
    this.#layout ??= this.#makeLayout();
    const y = cellOf(row.y) - (axis === 1 ? 1 : 0);
    const z = cellOf(row.z) - (axis === 2 ? 1 : 0);
    const w = cellOf(row.w) - (axis === 3 ? 1 : 0);
    if (axis === 0 && this.#isGate(cellX, y, z, w)) return true;
    return this.#layout.isJoined(axis === 0 ? cellX - 1 : cellX, y, z, w, axis);
  }

  /** The entrance is in the middle of the lowest level's first wall, the exit in the highest level's last. */
  #isGate(x: number, y: number, z: number, w: number): boolean {
    const [cellsX, levels, cellsZ, cellsW] = this.#cells;
    if (z !== cellsZ >> 1 || w !== cellsW >> 1) return false;
    return (x === 0 && y === 0) || (x === cellsX && y === levels - 1);
  }

  /** Whether a row of a floor passes a lamp in the middle of a cell. */
  #isLit(cellX: number, { y, z, w }: Row): boolean {
    const [, , sizeZ, sizeW] = this.#size;
    if (sizeZ > 1 && z % MAZE_STRIDE_VOXELS !== MIDDLE_VOXEL) return false;
    if (sizeW > 1 && w % MAZE_STRIDE_VOXELS !== MIDDLE_VOXEL) return false;
    return (hashPosition(this.#lampKey, cellX, y, z, w) & 0xff) < LAMPS_OF_256;
  }
}

function isWall(coordinate: number, size: number): boolean {
  return size > 1 && coordinate % MAZE_STRIDE_VOXELS === 0;
}

function cellOf(coordinate: number): number {
  return floorDivide(coordinate, MAZE_STRIDE_VOXELS);
}

function cellCount(cells: Position): number {
  return cells[0] * cells[1] * cells[2] * cells[3];
}

const AXIS_COUNT = 4;

/** Which cells of a maze are joined. Every cell is reachable from every other. */
class MazeLayout {
  /** Cells on each axis. */
  readonly cells: Position;
  readonly #strides: Position;
  /** Bit `axis` of a cell tells whether it is joined with the next cell on that axis. */
  readonly #joined: Uint8Array;

  /** The same cells, seed and braiding always produce the same maze. */
  constructor(cells: Position, braidPercent: number, seed: bigint) {
    this.cells = cells;
    this.#strides = [1, cells[0], cells[0] * cells[1], cells[0] * cells[1] * cells[2]];
    this.#joined = new Uint8Array(cells[0] * cells[1] * cells[2] * cells[3]);
    this.#joinAll(new HashSequence(hashKey(seed, 0x3a01)));
    this.#openDeadEnds(braidPercent, new HashSequence(hashKey(seed, 0x3a02)));
  }

  /** Whether a cell is joined with the next one on an axis. Cells outside the maze are joined with none. */
  isJoined(x: number, y: number, z: number, w: number, axis: Axis): boolean {
    const { cells } = this;
    const isInside =
      x >= 0 && y >= 0 && z >= 0 && w >= 0 && x < cells[0] && y < cells[1] && z < cells[2] && w < cells[3];
    if (!isInside) return false;
    const strides = this.#strides;
    const cell = x + y * strides[1] + z * strides[2] + w * strides[3];
    return (((this.#joined[cell] as number) >> axis) & 1) === 1;
  }

  /** Walks into unvisited cells, and backtracks when there are none, which produces a perfect maze. */
  #joinAll(draw: HashSequence): void {
    const seen = new Uint8Array(this.#joined.length);
    const path = new Int32Array(this.#joined.length);
    const ways: number[] = [];
    let length = 1;
    seen[0] = 1;
    while (length > 0) {
      const cell = path[length - 1] as number;
      ways.length = 0;
      for (let way = 0; way < AXIS_COUNT * 2; way++) {
        const next = this.#neighbour(cell, way);
        if (next >= 0 && seen[next] === 0) ways.push(way);
      }
      if (ways.length === 0) {
        length--;
        continue;
      }
      const way = draw.pick(ways);
      const next = this.#neighbour(cell, way);
      this.#join(cell, way);
      seen[next] = 1;
      path[length++] = next;
    }
  }

  #openDeadEnds(braidPercent: number, draw: HashSequence): void {
    for (let cell = 0; cell < this.#joined.length; cell++) {
      const walls: number[] = [];
      let openings = 0;
      for (let way = 0; way < AXIS_COUNT * 2; way++) {
        if (this.#neighbour(cell, way) < 0) continue;
        if (this.#isOpen(cell, way)) openings++;
        else walls.push(way);
      }
      if (openings === 1 && walls.length > 0 && draw.percent(braidPercent))
        this.#join(cell, draw.pick(walls));
    }
  }

  /** Returns the neighbour of a cell: ways 0 to 3 lead up the axes x to w, 4 to 7 down. -1 is outside. */
  #neighbour(cell: number, way: number): number {
    const axis = (way % AXIS_COUNT) as Axis;
    const stride = this.#strides[axis];
    const coordinate = Math.floor(cell / stride) % this.cells[axis];
    if (way < AXIS_COUNT) return coordinate + 1 < this.cells[axis] ? cell + stride : -1;
    return coordinate > 0 ? cell - stride : -1;
  }

  #isOpen(cell: number, way: number): boolean {
    const lower = way < AXIS_COUNT ? cell : this.#neighbour(cell, way);
    return (((this.#joined[lower] as number) >> (way % AXIS_COUNT)) & 1) === 1;
  }

  #join(cell: number, way: number): void {
    const lower = way < AXIS_COUNT ? cell : this.#neighbour(cell, way);
    this.#joined[lower] = (this.#joined[lower] as number) | (1 << (way % AXIS_COUNT));
  }
}
