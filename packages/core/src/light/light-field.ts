import type { BlockCatalog } from "../chunk/block-catalog.ts";
import { type Box, boxAt, boxContains, boxVolume, positionsLexicographic } from "../lattice/box.ts";
import { chunkOfVoxel, positionInChunk, voxelIndex, voxelsOfChunks } from "../lattice/chunk-shape.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import { PositionMap, PositionSet } from "../lattice/position-map.ts";
import { KindRows } from "./kind-rows.ts";
import { type ColumnWorld, LightChange } from "./light-change.ts";
import { LIGHT_REACH_VOXELS, type Light, LightRules, lightOfByte, lightReachChunks } from "./light-rules.ts";
import { LightWindow } from "./light-window.ts";
import { LitChunk, VoxelSides } from "./lit-chunk.ts";
import type { LitWorld } from "./lit-world.ts";
import { SkyColumns } from "./sky-columns.ts";

/** Memory for the light of chunks. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Bytes of a voxel: its light, and its block where light changed. */
const VOXEL_BYTES = 3;
/** Memory of a kept chunk besides its voxels. */
const CHUNK_BYTES = 256;
/** Share of the chunks that go at once when there are too many. */
const SHARE_DROPPED = 1 / 8;
/** Above this many changed voxels the light around them is computed from nothing. */
const VOXELS_AT_ONCE_MAX = 4_096;
/** Larger boxes of changed chunks are not compared one by one. */
const CHUNKS_AT_ONCE_MAX = 16;

/**
 * The light of a world that changes. It is a function of the blocks, their catalog and the height of the sky alone; see
 * docs/formats/light.md. Computes the light of a chunk when it is first asked for, keeps it while there is room, and
 * brings it up to date when it is asked for after a change.
 */
export class LightField {
  readonly #world: LitWorld;
  readonly #sides: VoxelSides;
  /** Chunks around a chunk whose voxels can change its light. */
  readonly #reach: Position;
  readonly #chunksMax: number;
  readonly #chunks = new PositionMap<LitChunk>();
  readonly #changed = new PositionSet();
  #rules: LightRules;
  #columns: SkyColumns;
  #window: LightWindow;
  #uses = 0;

  constructor(world: LitWorld, catalog: BlockCatalog, bytesMax: number = BYTES_MAX) {
    const { volume } = world.shape;
    this.#world = world;
    this.#sides = new VoxelSides(world.shape);
    this.#reach = lightReachChunks(world.shape);
    this.#chunksMax = Math.max(1, Math.floor(bytesMax / (volume * VOXEL_BYTES + CHUNK_BYTES)));
    this.#rules = new LightRules(catalog);
    [this.#columns, this.#window] = this.#tools();
  }

  /** Returns the light of a voxel; `undefined` while something is not in memory that could change it. */
  at(voxel: Position): Light | undefined {
    const { shape } = this.#world;
    const chunk = this.#chunk(chunkOfVoxel(shape, voxel));
    return chunk && lightOfByte(chunk.light[voxelIndex(shape, ...voxel)] as number);
  }

  /** Returns a copy of the light of a chunk: a byte a voxel, 16 times that of the sky plus that of blocks. */
  chunk(position: Position): Uint8Array | undefined {
    return this.#chunk(position)?.light.slice();
  }

  /** Returns the same for a box of voxels, x fastest, then y, z and w. Nothing of it is kept. */
  in(box: Box): Uint8Array | undefined {
    this.#settle();
    return this.#window.lightIn(box);
  }

  /** Notes that chunks of a box look different, are there now, or are no longer there. */
  changedIn(box: Box): void {
    if (boxVolume(box) > CHUNKS_AT_ONCE_MAX) this.#dropBelow(box);
    else for (const position of positionsLexicographic(box)) this.changed(position);
    this.#columns.forget();
  }

  /** Notes that a chunk looks different. */
  changed(position: Position): void {
    this.#changed.add(...position);
  }

  /** Uses the present opacities and lights of blocks. */
  changeCatalog(catalog: BlockCatalog): void {
    const rules = new LightRules(catalog);
    if (rules.equals(this.#rules)) return;
    this.#rules = rules;
    this.reset();
  }

  /** Forgets all light, because any chunk may look different. */
  reset(): void {
    this.#chunks.clear();
    this.#changed.clear();
    [this.#columns, this.#window] = this.#tools();
  }

  #tools(): [SkyColumns, LightWindow] {
    const rows = new KindRows(this.#rules, this.#world.shape);
    const columns = new SkyColumns(this.#rules, this.#world, rows);
    return [columns, new LightWindow(this.#rules, this.#world, rows, columns)];
  }

  #chunk(position: Position): LitChunk | undefined {
    this.#settle();
    const known = this.#chunks.get(...position);
    if (known !== undefined) {
      known.lastUse = ++this.#uses;
      return known;
    }
    const { shape } = this.#world;
    const light = this.#window.lightIn(voxelsOfChunks(shape, boxAt(position)));
    const chunk = light && this.#world.chunkAt(...position);
    return light && chunk && this.#keep(new LitChunk(position, chunk, light, this.#sides.steps.length));
  }

  #keep(chunk: LitChunk): LitChunk {
    if (this.#chunks.size >= this.#chunksMax) {
      const oldest = [...this.#chunks.values()].sort((a, b) => a.lastUse - b.lastUse);
      for (const old of oldest.slice(0, Math.ceil(this.#chunksMax * SHARE_DROPPED))) this.#drop(old);
    }
    chunk.lastUse = ++this.#uses;
    this.#chunks.set(...chunk.position, chunk);
    this.#visitBeside(chunk, (other, side) => {
      chunk.beside[side] = other;
      other.beside[side ^ 1] = chunk;
    });
    return chunk;
  }

  #drop(chunk: LitChunk): void {
    this.#chunks.delete(...chunk.position);
    this.#visitBeside(chunk, (other, side) => {
      other.beside[side ^ 1] = undefined;
    });
  }

  #visitBeside({ position }: LitChunk, visit: (other: LitChunk, side: number) => void): void {
    for (const [side, step] of this.#sides.steps.entries()) {
      const [x, y, z, w] = positionFrom((axis) => position[axis] + step[axis]);
      const other = this.#chunks.get(x, y, z, w);
      if (other !== undefined) visit(other, side);
    }
  }

  /** Brings the kept light up to date. */
  #settle(): void {
    if (this.#changed.size === 0) return;
    this.#columns.forget();
    const changed = [...this.#changed];
    this.#changed.clear();
    if (this.#chunks.size === 0) return;
    // A change where no light is kept may have changed the light of chunks around it and below.
    for (const position of changed) {
      const isKept = this.#chunks.has(...position) && this.#world.chunkAt(...position) !== undefined;
      if (!isKept) this.#dropBelow(boxAt(position));
    }
    const replaced: LitChunk[] = [];
    for (const position of changed) {
      const lit = this.#chunks.get(...position);
      const chunk = lit && this.#world.chunkAt(...position);
      if (lit === undefined || chunk === undefined || chunk === lit.chunk) continue;
      lit.replace(chunk);
      replaced.push(lit);
    }
    this.#relight(replaced);
  }

  #relight(replaced: readonly LitChunk[]): void {
    const voxels = replaced.flatMap((chunk) => chunk.changedVoxels().map((index) => ({ chunk, index })));
    const isFew = voxels.length <= VOXELS_AT_ONCE_MAX;
    const change = new LightChange(this.#rules, this.#sides, this.#columnWorld());
    if (isFew) change.apply(voxels);
    for (const lit of replaced) {
      lit.settle();
      if (!isFew) this.#dropBelow(boxAt(lit.position));
    }
    for (const position of change.unknown) this.#dropBelow(boxAt(position));
    for (const position of change.escaped) this.#dropAround(boxAt(position));
  }

  #columnWorld(): ColumnWorld {
    const { shape, skyAbove } = this.#world;
    return {
      shape,
      hasSky: skyAbove !== undefined,
      bottom: () => {
        let lowest = Number.POSITIVE_INFINITY;
        this.#chunks.forEach((_, __, y) => {
          lowest = Math.min(lowest, y);
        });
        const [, height] = shape.extents;
        return Math.max(lowest * height - LIGHT_REACH_VOXELS, this.#columns.lowest * height);
      },
      litChunk: (position) => this.#chunks.get(...position),
      isOpenAt: (chunk, index) => {
        const columns = this.#columns.openFrom(...chunk);
        return columns && this.#columns.has(columns, positionInChunk(shape, index));
      },
    };
  }

  /** Drops the light of the chunks that a change in a box can reach, directly or by the sky. */
  #dropBelow({ min, max }: Box): void {
    this.#dropAround({ min: [min[0], Number.NEGATIVE_INFINITY, min[2], min[3]], max });
  }

  #dropAround({ min, max }: Box): void {
    const reach = this.#reach;
    const around: Box = {
      min: positionFrom((axis) => min[axis] - reach[axis]),
      max: positionFrom((axis) => max[axis] + reach[axis]),
    };
    const reached = [...this.#chunks.values()].filter(({ position }) => boxContains(around, position));
    for (const chunk of reached) this.#drop(chunk);
  }
}
