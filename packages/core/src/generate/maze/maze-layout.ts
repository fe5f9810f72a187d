import type { Axis, Position } from "../../lattice/position.ts";
import { HashSequence, hashKey } from "../hash/position-hash.ts";

const AXIS_COUNT = 4;

/** Which cells of a maze are joined. Every cell is reachable from every other. */
export class MazeLayout {
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
