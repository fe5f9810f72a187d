import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { indexInChunk, positionInChunk } from "../lattice/chunk-shape.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import { PositionSet } from "../lattice/position-map.ts";
import { LIGHT_MAX, type LightRules, SKY_SHIFT } from "./light-rules.ts";
import type { LitChunk, VoxelSides } from "./lit-chunk.ts";

/** A voxel of a chunk. */
interface LitVoxel {
  readonly chunk: LitChunk;
  readonly index: number;
}

/** A column of voxels in which some became open to the sky or no longer are, from the highest to the lowest one that changed. */
interface ChangedColumn {
  readonly voxel: LitVoxel;
  highest: number;
  lowest: number;
}

/** What a change of light needs of the world around the chunks that are kept. */
export interface ColumnWorld {
  readonly shape: ChunkShape;
  readonly hasSky: boolean;
  /** The lowest height at which light can still matter. */
  bottom(): number;
  /** Returns the kept chunk at a position. */
  litChunk(position: Position): LitChunk | undefined;
  /** Whether the voxel is open to the sky; `undefined` if it is not known. Only for the lowest voxels of chunks that are not kept. */
  isOpenAt(chunk: Position, index: number): boolean | undefined;
}

/**
 * One change of light, for any number of changed voxels: after their blocks are in place, it takes away the light that may have
 * come from them, then lets the light around flow back in. It looks at a neighbour's light before its block.
 */
export class LightChange {
  /** Chunks that are not kept, and whose light may have changed. */
  readonly escaped: PositionSet = new PositionSet();
  /** Chunks that are not kept, and of which it is not known what they let through to those below. */
  readonly unknown: PositionSet = new PositionSet();
  readonly #rules: LightRules;
  readonly #sides: VoxelSides;
  readonly #world: ColumnWorld;
  #lowering: LightQueue = new LightQueue();
  #raising: LightQueue = new LightQueue();

  constructor(rules: LightRules, sides: VoxelSides, world: ColumnWorld) {
    this.#rules = rules;
    this.#sides = sides;
    this.#world = world;
  }

  /** Changes the light for voxels whose blocks changed. */
  apply(changed: readonly LitVoxel[]): void {
    const { kinds } = this.#rules;
    const differing = changed.filter(
      ({ chunk, index }) => kinds[chunk.blockAt(index)] !== kinds[chunk.blockBefore(index)],
    );
    if (differing.length === 0) return;
    // Before any light changes: what is open to the sky is known by its light.
    const flips = this.#world.hasSky ? this.#flips(differing) : [];
    this.#relight(differing, [], 0);
    if (this.#world.hasSky) this.#relight(differing, flips, SKY_SHIFT);
  }

  #relight(
    changed: readonly LitVoxel[],
    flips: readonly (LitVoxel & { isOpen: boolean })[],
    shift: number,
  ): void {
    for (const { chunk, index, isOpen } of flips) {
      if (isOpen) this.#raise(chunk, index, LIGHT_MAX, shift);
      else this.#lower(chunk, index, shift);
    }
    for (const { chunk, index } of changed)
      if (shift === 0 || levelAt(chunk, index, shift) < LIGHT_MAX) this.#lower(chunk, index, shift);
    this.#lowerAll(shift);
    for (const { chunk, index } of changed) {
      const level = Math.max(this.#sourceOf(chunk, index, shift), this.#inflow(chunk, index, shift));
      if (level > levelAt(chunk, index, shift)) this.#raise(chunk, index, level, shift);
    }
    this.#raiseAll(shift);
  }

  /** Returns the light that a voxel gives off. */
  #sourceOf(chunk: LitChunk, index: number, shift: number): number {
    return shift === SKY_SHIFT ? 0 : (this.#rules.kinds[chunk.blockAt(index)] as number) >> 4;
  }

  /** Returns the light that a voxel gets from its neighbours. */
  #inflow(chunk: LitChunk, index: number, shift: number): number {
    const { steps, neighbours } = this.#sides;
    const cost = this.#costOf(chunk, index);
    let level = 0;
    for (let side = 0; side < steps.length; side++) {
      const beside = neighbours[index * steps.length + side] as number;
      const at = beside >= 0 ? beside : -1 - beside;
      const other = beside >= 0 ? chunk : this.#chunkBeside(chunk, side);
      if (other !== undefined) level = Math.max(level, levelAt(other, at, shift) - cost);
    }
    return level;
  }

  #costOf(chunk: LitChunk, index: number): number {
    return Math.max(1, (this.#rules.kinds[chunk.blockAt(index)] as number) & LIGHT_MAX);
  }

  #lower(chunk: LitChunk, index: number, shift: number): void {
    const level = levelAt(chunk, index, shift);
    if (level === 0) return;
    setLevel(chunk, index, 0, shift);
    this.#lowering.add(chunk, index, level);
  }

  #raise(chunk: LitChunk, index: number, level: number, shift: number): void {
    setLevel(chunk, index, level, shift);
    this.#raising.add(chunk, index, level);
  }

  #lowerAll(shift: number): void {
    const { steps, neighbours } = this.#sides;
    const queue = this.#lowering;
    for (let entry = 0; entry < queue.length; entry++) {
      const chunk = queue.chunks[entry] as LitChunk;
      const level = queue.levels[entry] as number;
      const first = (queue.indices[entry] as number) * steps.length;
      for (let side = 0; side < steps.length; side++) {
        const beside = neighbours[first + side] as number;
        const at = beside >= 0 ? beside : -1 - beside;
        const other = beside >= 0 ? chunk : this.#chunkBeside(chunk, side);
        if (other === undefined) continue;
        const found = levelAt(other, at, shift);
        if (found === 0) continue;
        if (found >= level) {
          this.#raising.add(other, at, found);
          continue;
        }
        setLevel(other, at, 0, shift);
        queue.add(other, at, found);
        const source = this.#sourceOf(other, at, shift);
        if (source > 0) this.#raise(other, at, source, shift);
      }
    }
    queue.clear();
  }

  #raiseAll(shift: number): void {
    const { steps, neighbours } = this.#sides;
    const queue = this.#raising;
    for (let entry = 0; entry < queue.length; entry++) {
      const chunk = queue.chunks[entry] as LitChunk;
      const index = queue.indices[entry] as number;
      const level = levelAt(chunk, index, shift);
      // It may have been lowered since, or raised further, which has an entry of its own.
      if (level !== queue.levels[entry] || level <= 1) continue;
      const first = index * steps.length;
      for (let side = 0; side < steps.length; side++) {
        const beside = neighbours[first + side] as number;
        const at = beside >= 0 ? beside : -1 - beside;
        const other = beside >= 0 ? chunk : this.#chunkBeside(chunk, side);
        if (other === undefined) continue;
        const found = levelAt(other, at, shift);
        if (found >= level - 1) continue;
        const reached = level - this.#costOf(other, at);
        if (reached > found) this.#raise(other, at, reached, shift);
      }
    }
    queue.clear();
  }

  /** Returns the kept chunk beside another one; if there is none, light escapes to where it would be. */
  #chunkBeside(chunk: LitChunk, side: number): LitChunk | undefined {
    const other = chunk.beside[side];
    if (other !== undefined) return other;
    const step = this.#sides.steps[side] as Position;
    this.escaped.add(...positionFrom((axis) => chunk.position[axis] + step[axis]));
    return undefined;
  }

  /** Returns the voxels that become open to the sky, or no longer are. */
  #flips(changed: readonly LitVoxel[]): readonly (LitVoxel & { isOpen: boolean })[] {
    const { shape } = this.#world;
    const columns = new Map<string, ChangedColumn>();
    for (const voxel of changed) {
      const { chunk, index } = voxel;
      if (this.#isClear(chunk.blockAt(index)) === this.#isClear(chunk.blockBefore(index))) continue;
      const [x, y, z, w] = positionInChunk(shape, index);
      const [chunkX, chunkY, chunkZ, chunkW] = chunk.position;
      const height = chunkY * shape.extents[1] + y;
      const key = `${chunkX},${x},${chunkZ},${z},${chunkW},${w}`;
      const column = getOrAdd(columns, key, () => ({ voxel, highest: height, lowest: height }));
      column.highest = Math.max(column.highest, height);
      column.lowest = Math.min(column.lowest, height);
    }
    return [...columns.values()].flatMap((column) => this.#flipsIn(column));
  }

  #flipsIn({ voxel, highest, lowest }: ChangedColumn): readonly (LitVoxel & { isOpen: boolean })[] {
    const { shape } = this.#world;
    const bottom = this.#world.bottom();
    const flips: (LitVoxel & { isOpen: boolean })[] = [];
    const [x, , z, w] = positionInChunk(shape, voxel.index);
    const [chunkX, , chunkZ, chunkW] = voxel.chunk.position;
    const height = shape.extents[1];
    const chunkOf = (y: number): Position => [chunkX, Math.floor(y / height), chunkZ, chunkW];
    const indexOf = (y: number): number => indexInChunk(shape, x, y - Math.floor(y / height) * height, z, w);
    const above = this.#isOpen(chunkOf(highest + 1), indexOf(highest + 1));
    if (above === undefined) this.unknown.add(...chunkOf(highest + 1));
    // Nothing changed above, so it is as it was.
    let [wasOpen, isOpen] = [above ?? false, above ?? false];
    for (let y = highest; y >= bottom && (y >= lowest || wasOpen !== isOpen); y--) {
      const position = chunkOf(y);
      const index = indexOf(y);
      const chunk = this.#world.litChunk(position);
      if (chunk === undefined) {
        this.unknown.add(...position);
        break;
      }
      isOpen &&= this.#isClear(chunk.blockAt(index));
      wasOpen &&= this.#isClear(chunk.blockBefore(index));
      if (isOpen !== wasOpen) flips.push({ chunk, index, isOpen });
    }
    return flips;
  }

  #isOpen(chunk: Position, index: number): boolean | undefined {
    const lit = this.#world.litChunk(chunk);
    return lit === undefined
      ? this.#world.isOpenAt(chunk, index)
      : levelAt(lit, index, SKY_SHIFT) === LIGHT_MAX;
  }

  #isClear(block: number): boolean {
    return ((this.#rules.kinds[block] as number) & LIGHT_MAX) === 0;
  }
}

function levelAt({ light }: LitChunk, index: number, shift: number): number {
  return ((light[index] as number) >> shift) & LIGHT_MAX;
}

function setLevel({ light }: LitChunk, index: number, level: number, shift: number): void {
  light[index] = ((light[index] as number) & ~(LIGHT_MAX << shift)) | (level << shift);
}

/** Voxels in the order in which they were added. */
class LightQueue {
  readonly chunks: LitChunk[] = [];
  readonly indices: number[] = [];
  readonly levels: number[] = [];

  get length(): number {
    return this.levels.length;
  }

  add(chunk: LitChunk, index: number, level: number): void {
    this.chunks.push(chunk);
    this.indices.push(index);
    this.levels.push(level);
  }

  clear(): void {
    this.chunks.length = 0;
    this.indices.length = 0;
    this.levels.length = 0;
  }
}
