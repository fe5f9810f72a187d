import { I32_MAX, I32_MIN } from "../bytes/integers.ts";
import { AIR, type Chunk } from "../chunk/chunk.ts";
import { type Box, boxExtents } from "../lattice/box.ts";
import { AXES, floorDivide, type Position, positionFrom } from "../lattice/position.ts";
import type { KindRows } from "./kind-rows.ts";
import { LIGHT_MAX, LIGHT_REACH_VOXELS, type LightRules, SKY_SHIFT } from "./light-rules.ts";
import type { LitWorld } from "./lit-world.ts";
import type { SkyColumns } from "./sky-columns.ts";

/** A set of voxels of a window, a bit each. */
type VoxelBits = Int32Array<ArrayBuffer>;

/** Where the part of a chunk lies that is in a window, in coordinates of the window. */
interface ChunkPart {
  /** The lowest corner of the chunk. */
  readonly corner: Position;
  readonly from: Position;
  readonly end: Position;
}

/**
 * Computes light from nothing. The voxels around a box, as far as light reaches, are rows of bits along x. Light spreads level by
 * level: what has a level, and the neighbours of what has a higher one. A level costs a few operations for 32 voxels, however
 * the light runs. Reuses its memory for the next box.
 */
export class LightWindow {
  readonly #rules: LightRules;
  readonly #world: LitWorld;
  readonly #columns: SkyColumns;
  readonly #rows: KindRows;
  /** By axis: how far the window goes beyond the box. Above the box, it goes to the end of a chunk. */
  readonly #reach: Position;
  #min: Position = [0, 0, 0, 0];
  #size: Position = [0, 0, 0, 0];
  /**
   * Words from a row to the next on each axis. Behind each row and in front of the first one is a word that stays 0. On an axis
   * that the world lacks it is 0, so that a voxel is its own neighbour.
   */
  #strides: Position = [0, 0, 0, 0];
  #length = 0;
  /** Voxels that light gets into, those of an opacity of at most 1, which it passes without further loss, and those of none. */
  #reachable: VoxelBits = new Int32Array(0);
  #passing: VoxelBits = new Int32Array(0);
  #clear: VoxelBits = new Int32Array(0);
  /** By opacity, and by the light they give off: other voxels, where there are any. */
  readonly #dimming: (VoxelBits | undefined)[] = [];
  readonly #shining: (VoxelBits | undefined)[] = [];
  /** By level: dimming voxels that get it from a neighbour. */
  readonly #dimmed: (VoxelBits | undefined)[] = [];
  /** Voxels that have the level in work, and those that have the one above. */
  #lit: VoxelBits = new Int32Array(0);
  #before: VoxelBits = new Int32Array(0);
  readonly #spare: VoxelBits[] = [];

  constructor(rules: LightRules, world: LitWorld, rows: KindRows, columns: SkyColumns) {
    const { extents } = world.shape;
    this.#rules = rules;
    this.#world = world;
    this.#columns = columns;
    this.#rows = rows;
    this.#reach = positionFrom((axis) => (extents[axis] > 1 ? LIGHT_REACH_VOXELS : 0));
  }

  /**
   * Returns the light of a box of voxels: a byte each, 16 times that of the sky plus that of blocks, x fastest, then y, z and w.
   * Returns `undefined` while something is not in memory that could change it.
   */
  lightIn(box: Box): Uint8Array | undefined {
    const size = boxExtents(box);
    this.#place(box);
    const isKnown = this.#readChunks() && this.#openToSky();
    const light = isKnown ? new Uint8Array(size[0] * size[1] * size[2] * size[3]) : undefined;
    if (light !== undefined) {
      this.#spread(size, light, SKY_SHIFT);
      this.#lit.fill(0, 0, this.#length);
      if (this.#shining.length > 0) this.#spread(size, light, 0);
    }
    for (const sets of [this.#dimming, this.#shining])
      for (const bits of sets.splice(0)) if (bits !== undefined) this.#spare.push(bits);
    return light;
  }

  #place({ min, max }: Box): void {
    const { extents } = this.#world.shape;
    const reach = this.#reach;
    const height = extents[1];
    const end = positionFrom((axis) => max[axis] + reach[axis]);
    const top = (floorDivide(end[1] - 1, height) + 1) * height;
    this.#min = positionFrom((axis) => min[axis] - reach[axis]);
    this.#size = positionFrom((axis) => (axis === 1 ? top : end[axis]) - this.#min[axis]);
    const [sx, sy, sz, sw] = this.#size;
    const words = Math.ceil(sx / 32) + 1;
    this.#strides = [0, words, sz > 1 ? words * sy : 0, sw > 1 ? words * sy * sz : 0];
    this.#length = 1 + words * sy * sz * sw;
    if (this.#lit.length < this.#length) {
      this.#spare.length = 0;
      const [reachable, passing, clear, lit, before] = Array.from(
        { length: 5 },
        () => new Int32Array(this.#length),
      );
      this.#reachable = reachable as VoxelBits;
      this.#passing = passing as VoxelBits;
      this.#clear = clear as VoxelBits;
      this.#lit = lit as VoxelBits;
      this.#before = before as VoxelBits;
    }
    for (const bits of [this.#reachable, this.#passing, this.#clear, this.#lit, this.#before])
      bits.fill(0, 0, this.#length);
  }

  /** Reads the blocks of the window. Returns false if a chunk is not in memory. */
  #readChunks(): boolean {
    const { extents } = this.#world.shape;
    const chunkOf = (voxel: Position): Position =>
      positionFrom((axis) => floorDivide(voxel[axis], extents[axis]));
    const first = chunkOf(this.#min);
    const last = chunkOf(positionFrom((axis) => this.#min[axis] + this.#size[axis] - 1));
    for (let w = first[3]; w <= last[3]; w++)
      for (let z = first[2]; z <= last[2]; z++)
        for (let y = first[1]; y <= last[1]; y++)
          for (let x = first[0]; x <= last[0]; x++) {
            const chunk = isOnLattice([x, y, z, w]) ? this.#world.chunkAt(x, y, z, w) : "outside";
            if (chunk === undefined) return false;
            this.#readChunk([x, y, z, w], chunk);
          }
    return true;
  }

  /** Outside of the lattice there is only air. */
  #readChunk(position: Position, chunk: Chunk | "outside"): void {
    const { extents } = this.#world.shape;
    // The part of the chunk that is in the window, in coordinates of the window.
    const corner = positionFrom((axis) => position[axis] * extents[axis] - this.#min[axis]);
    const from = positionFrom((axis) => Math.max(0, corner[axis]));
    const end = positionFrom((axis) => Math.min(this.#size[axis], corner[axis] + extents[axis]));
    const uniform = chunk === "outside" ? AIR : chunk.uniformBlock;
    if (uniform !== undefined) {
      const kind = this.#rules.kinds[uniform] as number;
      if (kind !== LIGHT_MAX) for (const set of this.#setsOf(kind)) this.#fill(set, from, end);
      return;
    }
    for (const { kind, bits } of this.#rows.of(chunk as Chunk))
      this.#copy(bits, this.#setsOf(kind), { corner, from, end });
  }

  /** Returns the sets that voxels of a kind belong to. */
  #setsOf(kind: number): readonly VoxelBits[] {
    const opacity = kind & LIGHT_MAX;
    const light = kind >> SKY_SHIFT;
    const sets: VoxelBits[] = [];
    if (opacity < LIGHT_MAX) sets.push(this.#reachable);
    if (opacity === 0) sets.push(this.#clear);
    if (opacity <= 1) sets.push(this.#passing);
    else if (opacity < LIGHT_MAX) sets.push(this.#setOf(this.#dimming, opacity));
    if (light > 0) sets.push(this.#setOf(this.#shining, light));
    return sets;
  }

  /** Adds all voxels from a corner of the window to another one. */
  #fill(set: VoxelBits, from: Position, end: Position): void {
    const [, onY, onZ, onW] = this.#strides;
    for (let w = from[3]; w < end[3]; w++)
      for (let z = from[2]; z < end[2]; z++)
        for (let y = from[1]; y < end[1]; y++) {
          const row = 1 + onY * y + onZ * z + onW * w;
          for (let x = from[0]; x < end[0]; ) {
            const count = Math.min(end[0] - x, 32 - (x & 31));
            const word = row + (x >> 5);
            set[word] = (set[word] as number) | (lowBits(count) << (x & 31));
            x += count;
          }
        }
  }

  /** Adds voxels of a chunk to sets. */
  #copy(bits: Int32Array, sets: readonly VoxelBits[], { corner, from, end }: ChunkPart): void {
    const [, onY, onZ, onW] = this.#strides;
    const [, ey, ez] = this.#world.shape.extents;
    const { words } = this.#rows;
    for (let w = from[3]; w < end[3]; w++)
      for (let z = from[2]; z < end[2]; z++) {
        let source = words * (from[1] - corner[1] + ey * (z - corner[2] + ez * (w - corner[3])));
        for (let y = from[1]; y < end[1]; y++, source += words) {
          const row = 1 + onY * y + onZ * z + onW * w;
          for (let x = from[0]; x < end[0]; ) {
            const inChunk = x - corner[0];
            const count = Math.min(end[0] - x, 32 - (x & 31), 32 - (inChunk & 31));
            const part = ((bits[source + (inChunk >> 5)] as number) >>> (inChunk & 31)) & lowBits(count);
            const word = row + (x >> 5);
            const shifted = part << (x & 31);
            x += count;
            if (shifted === 0) continue;
            for (let index = 0; index < sets.length; index++) {
              const set = sets[index] as VoxelBits;
              set[word] = (set[word] as number) | shifted;
            }
          }
        }
      }
  }

  /** Returns one of several sets, which is empty at first. */
  #setOf(sets: (VoxelBits | undefined)[], index: number): VoxelBits {
    const known = sets[index];
    if (known !== undefined) return known;
    const set = this.#spare.pop() ?? new Int32Array(this.#lit.length);
    set.fill(0, 0, this.#length);
    sets[index] = set;
    return set;
  }

  /** Lights the voxels that are open to the sky. Returns false if that is not known. */
  #openToSky(): boolean {
    if (this.#world.skyAbove === undefined) return true;
    const [ex, ey, ez, ew] = this.#world.shape.extents;
    const [minX, minY, minZ, minW] = this.#min;
    const [sx, sy, sz, sw] = this.#size;
    const [, onY, onZ, onW] = this.#strides;
    const lowest = Math.max(0, this.#columns.lowest * ey - minY);
    if (lowest >= sy) return true;
    const above = floorDivide(minY + sy, ey);
    for (let w = floorDivide(minW, ew); w * ew < minW + sw; w++)
      for (let z = floorDivide(minZ, ez); z * ez < minZ + sz; z++)
        for (let x = floorDivide(minX, ex); x * ex < minX + sx; x++) {
          const isThere = isOnLattice([x, above, z, w]);
          const open = isThere ? this.#columns.openFrom(x, above, z, w) : this.#columns.all;
          if (open === undefined) return false;
          if (open !== this.#columns.none) this.#openColumns([x, above, z, w], open);
        }
    const lit = this.#lit;
    const clear = this.#clear;
    for (let w = 0; w < sw; w++)
      for (let z = 0; z < sz; z++)
        for (let word = 0; word < onY - 1; word++) {
          let at = 1 + word + onY * (sy - 1) + onZ * z + onW * w;
          let open = lit[at] as number;
          for (let y = sy - 1; y >= lowest && open !== 0; y--, at -= onY) {
            open &= clear[at] as number;
            lit[at] = open;
          }
        }
    return true;
  }

  /** Marks the columns of a chunk above the window in the window's top layer. */
  #openColumns([chunkX, , chunkZ, chunkW]: Position, open: Int32Array): void {
    const [ex, , ez, ew] = this.#world.shape.extents;
    const [minX, , minZ, minW] = this.#min;
    const [sx, sy, sz, sw] = this.#size;
    const [, onY, onZ, onW] = this.#strides;
    const words = Math.ceil(ex / 32);
    const [cornerX, cornerZ, cornerW] = [chunkX * ex - minX, chunkZ * ez - minZ, chunkW * ew - minW];
    for (let w = Math.max(0, cornerW); w < Math.min(sw, cornerW + ew); w++)
      for (let z = Math.max(0, cornerZ); z < Math.min(sz, cornerZ + ez); z++) {
        const row = 1 + onY * (sy - 1) + onZ * z + onW * w;
        const layer = words * (z - cornerZ + ez * (w - cornerW));
        for (let x = Math.max(0, cornerX); x < Math.min(sx, cornerX + ex); x++) {
          const column = x - cornerX;
          if ((((open[layer + (column >> 5)] as number) >>> (column & 31)) & 1) === 0) continue;
          const word = row + (x >> 5);
          this.#lit[word] = (this.#lit[word] as number) | (1 << (x & 31));
        }
      }
  }

  /** Spreads light from the voxels that have the brightest level, or from those that shine, and writes it. */
  #spread(size: Position, light: Uint8Array, shift: number): void {
    const shining = shift === SKY_SHIFT ? [] : this.#shining;
    let isAny = shift === SKY_SHIFT && this.#world.skyAbove !== undefined;
    for (let level = LIGHT_MAX; level > 0; level--) {
      const hasBefore = isAny && level < LIGHT_MAX;
      if (hasBefore) this.#step(size, level);
      const sources = shining[level];
      if (sources !== undefined) {
        const lit = this.#lit;
        for (let word = 0; word < this.#length; word++)
          lit[word] = (lit[word] as number) | (sources[word] as number);
        isAny = true;
      }
      if (isAny) this.#write(size, light, level << shift, hasBefore);
    }
    for (const bits of this.#dimmed.splice(0)) if (bits !== undefined) this.#spare.push(bits);
  }

  /** Finds the voxels of a level from those of the one above. Voxels from which it would not reach the box are left out. */
  #step(size: Position, level: number): void {
    const reach = this.#reach;
    const [, onY, onZ, onW] = this.#strides;
    const from = positionFrom((axis) => (reach[axis] === 0 ? 0 : LIGHT_MAX - level));
    const end = positionFrom((axis) => reach[axis] + size[axis] + (reach[axis] === 0 ? 0 : level - 1));
    const lit = this.#lit;
    const next = this.#before;
    const passing = this.#passing;
    const reachable = this.#reachable;
    const dimmed = this.#dimmed[level];
    const hasDimming = this.#dimming.length > 0;
    for (let w = from[3]; w < end[3]; w++)
      for (let z = from[2]; z < end[2]; z++) {
        const first = 1 + onY * from[1] + onZ * z + onW * w;
        const last = first + onY * (end[1] - from[1]);
        for (let row = first; row < last; row += onY)
          for (let at = row; at < row + onY - 1; at++) {
            const here = lit[at] as number;
            // Most voxels are lit already or let no light in.
            if (((reachable[at] as number) & ~here) === 0) {
              next[at] = here;
              continue;
            }
            const reached =
              (here << 1) |
              ((lit[at - 1] as number) >>> 31) |
              (here >>> 1) |
              ((lit[at + 1] as number) << 31) |
              (lit[at - onY] as number) |
              (lit[at + onY] as number) |
              (lit[at - onZ] as number) |
              (lit[at + onZ] as number) |
              (lit[at - onW] as number) |
              (lit[at + onW] as number);
            const bits = here | (reached & (passing[at] as number));
            next[at] = dimmed === undefined ? bits : bits | (dimmed[at] as number);
            if (hasDimming && reached !== 0) this.#dim(at, reached, level);
          }
      }
    this.#lit = next;
    this.#before = lit;
  }

  /** Notes the levels that dimming voxels get from neighbours of the level above `level`. */
  #dim(at: number, reached: number, level: number): void {
    for (let opacity = 2; opacity <= level; opacity++) {
      const bits = reached & (this.#dimming[opacity]?.[at] ?? 0);
      if (bits === 0) continue;
      const set = this.#setOf(this.#dimmed, level + 1 - opacity);
      set[at] = (set[at] as number) | bits;
    }
  }

  /** Writes a level for the voxels of the box that have it and not the one above. */
  #write(
    [width, height, depth, count]: Position,
    light: Uint8Array,
    value: number,
    hasBefore: boolean,
  ): void {
    const [reachX, reachY, reachZ, reachW] = this.#reach;
    const [, onY, onZ, onW] = this.#strides;
    const lit = this.#lit;
    const before = this.#before;
    let index = -reachX;
    for (let w = 0; w < count; w++)
      for (let z = 0; z < depth; z++)
        for (let y = 0; y < height; y++, index += width) {
          const row = 1 + onY * (y + reachY) + onZ * (z + reachZ) + onW * (w + reachW);
          for (let word = reachX >> 5; word << 5 < reachX + width; word++) {
            let bits = lit[row + word] as number;
            if (hasBefore) bits &= ~(before[row + word] as number);
            for (; bits !== 0; bits &= bits - 1) {
              const x = (word << 5) + 31 - Math.clz32(bits & -bits);
              if (x < reachX || x >= reachX + width) continue;
              light[index + x] = (light[index + x] as number) | value;
            }
          }
        }
  }
}

function lowBits(count: number): number {
  return count === 32 ? -1 : (1 << count) - 1;
}

function isOnLattice(position: Position): boolean {
  return AXES.every((axis) => position[axis] >= I32_MIN && position[axis] <= I32_MAX);
}
