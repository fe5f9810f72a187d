import { OrthantError } from "@orthant/core";
import { NOT_STORED, type Triple, type VoxelPart } from "../part/voxel-part.ts";
import {
  CELL_CHUNKS,
  cellAt,
  type ImportedBox,
  type ImportedChunk,
  type ImportedVoxels,
} from "./import-source.ts";

const EDGE = 16;
const CELL_EDGE = EDGE * CELL_CHUNKS;
/** Maximum number of cubes that boxes of voxels are cut into: a box one voxel thick touches many. */
const CELLS_MAX = 1_048_576;

/** Boxes of voxels at any place, cut into cubes of four chunks. A later box wins, except for its air. */
export class CutParts {
  readonly #parts: readonly VoxelPart[];
  /** Lowest corner of each cube, in chunks. */
  readonly #cells: Triple[] = [];
  readonly #places = new Map<string, number>();
  readonly #isAir: (state: string) => boolean;

  constructor(parts: readonly VoxelPart[], isAir: (state: string) => boolean) {
    this.#parts = parts.filter(({ size }) => size.every((edge) => edge > 0));
    this.#isAir = isAir;
    for (const { min, size } of this.#parts) {
      for (const corner of cornersIn(min, size, CELL_EDGE)) this.#addCell(corner);
    }
  }

  #addCell(corner: Triple): void {
    if (this.#places.has(corner.join())) return;
    if (this.#cells.length === CELLS_MAX)
      throw new OrthantError("ORT_LIMIT", `more than ${CELLS_MAX} cubes of chunks`);
    this.#places.set(corner.join(), this.#cells.length);
    this.#cells.push(corner.map((at) => at * CELL_CHUNKS) as unknown as Triple);
  }

  /** Number of cubes. */
  get count(): number {
    return this.#cells.length;
  }

  /** Returns the chunks of a cube. */
  boxOf(cell: number): ImportedBox | undefined {
    const corner = this.#cells[cell];
    return corner && cellAt(corner);
  }

  /** Returns the cube with a voxel; `undefined` outside of all boxes. */
  cellOf(voxel: Triple): number | undefined {
    return this.#places.get(voxel.map((at) => Math.floor(at / CELL_EDGE)).join());
  }

  /** Returns the chunks of a cube that have voxels, and how many voxels of earlier boxes later ones cover. */
  chunksOf(cell: number): {
    readonly chunks: readonly Omit<ImportedChunk, "data">[];
    readonly covered: number;
  } {
    const [cellX, cellY, cellZ] = this.#cells[cell] as Triple;
    const chunks: Omit<ImportedChunk, "data">[] = [];
    let covered = 0;
    for (let at = 0; at < CELL_CHUNKS ** 3; at++) {
      const position: Triple = [
        cellX + (at % CELL_CHUNKS),
        cellY + (Math.floor(at / CELL_CHUNKS) % CELL_CHUNKS),
        cellZ + Math.floor(at / CELL_CHUNKS ** 2),
      ];
      const found = this.#chunkAt(position);
      covered += found?.covered ?? 0;
      if (found !== undefined) chunks.push({ position, voxels: found });
    }
    return { chunks, covered };
  }

  #chunkAt(position: Triple): (ImportedVoxels & { readonly covered: number }) | undefined {
    const chunkMin = position.map((at) => at * EDGE) as unknown as Triple;
    const palette: string[] = [];
    const places = new Map<string, number>();
    const placeOf = (state: string): number => {
      const place = places.get(state) ?? palette.length;
      if (place === palette.length) {
        places.set(state, place);
        palette.push(state);
      }
      return place;
    };
    const indices = new Uint16Array(EDGE ** 3).fill(NOT_STORED);
    let covered = 0;
    for (const part of this.#parts) {
      covered += copyPart(part, chunkMin, indices, placeOf, this.#isAir);
    }
    return palette.length === 0 ? undefined : { palette, indices, covered };
  }
}

/** Lists the cubes of a grid that a box touches, by their places in the grid. */
function* cornersIn(min: Triple, size: Triple, edge: number): Generator<Triple> {
  const [from, to] = [0, 1].map((end) =>
    min.map((at, axis) => Math.floor((at + end * ((size[axis] as number) - 1)) / edge)),
  ) as unknown as [Triple, Triple];
  for (let y = from[1]; y <= to[1]; y++) {
    for (let z = from[2]; z <= to[2]; z++) for (let x = from[0]; x <= to[0]; x++) yield [x, y, z];
  }
}

/** Copies what a box has of a chunk; returns how many voxels were there already. */
function copyPart(
  { min, size, palette, indices }: VoxelPart,
  chunkMin: Triple,
  into: Uint16Array,
  placeOf: (state: string) => number,
  isAir: (state: string) => boolean,
): number {
  const from = chunkMin.map((at, axis) => Math.max(at, min[axis] as number)) as unknown as Triple;
  const to = chunkMin.map((at, axis) =>
    Math.min(at + EDGE, (min[axis] as number) + (size[axis] as number)),
  ) as unknown as Triple;
  const places = new Map<number, number>();
  let covered = 0;
  for (let y = from[1]; y < to[1]; y++) {
    for (let z = from[2]; z < to[2]; z++) {
      let at = from[0] - min[0] + (z - min[2] + (y - min[1]) * size[2]) * size[0];
      let target = from[0] - chunkMin[0] + (z - chunkMin[2] + (y - chunkMin[1]) * EDGE) * EDGE;
      for (let x = from[0]; x < to[0]; x++, at++, target++) {
        const index = indices === undefined ? 0 : (indices[at] as number);
        if (index === NOT_STORED) continue;
        let place = places.get(index);
        if (place === undefined) {
          const state = palette[index] as string;
          place = isAir(state) ? -1 : placeOf(state);
          places.set(index, place);
        }
        if (place < 0) continue;
        if (into[target] !== NOT_STORED) covered++;
        into[target] = place;
      }
    }
  }
  return covered;
}
