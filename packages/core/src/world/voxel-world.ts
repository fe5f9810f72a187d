import type { BlockCatalog } from "../chunk/block-catalog.ts";
import type { Chunk } from "../chunk/chunk.ts";
import type { VoxelBox } from "../lattice/axes.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import type { Dimensions, Position, Vector } from "../lattice/position.ts";
import type { Light } from "../light/light-rules.ts";
import type { DataCodec } from "./data-codec.ts";

/**
 * What a world on disk and a client's copy of a shared world have in common, with the same names, arguments and
 * results. Code written for it runs on a server, in a client and in a test without either.
 *
 * @example
 * async function plantTree(world: VoxelWorld<3>, [x, y, z]: Position<3>): Promise<void> {
 *   await world.fill(box([x, y, z], [x + 1, y + 5, z + 1]), world.blocks.id("wood"));
 * }
 */
export interface VoxelWorld<D extends Dimensions> {
  /** The number of axes, and so of coordinates in a position. */
  readonly dimensions: D;
  readonly name: string;
  /** Where players start, in voxels. */
  readonly spawn: Vector<D>;
  /** The blocks of this world, by name and id. Another catalog is here after types were added. */
  readonly blocks: BlockCatalog;
  /** The number of voxels of a chunk. */
  readonly chunkShape: ChunkShape;
  /** Turns the data of voxels into bytes and back. */
  readonly dataCodec: DataCodec;

  /** Returns the block of a voxel. Waits until its chunk is in memory. */
  get(position: Position<D>): Promise<number>;
  /** Returns the block of a voxel at once, or `undefined` while its chunk is not in memory. */
  voxelAt(position: Position<D>): number | undefined;
  /** Returns the data of a voxel, `undefined` if it has none. Waits until its chunk is in memory. */
  data(position: Position<D>): Promise<unknown>;
  /** Returns the data of a voxel at once, `undefined` if it has none or while its chunk is not in memory. */
  dataAt(position: Position<D>): unknown;
  /** Returns a chunk, by its position in chunks. Waits until it is in memory. */
  chunk(chunkPosition: Position<D>): Promise<Chunk>;
  /** Returns a chunk at once, by its position in chunks, or `undefined` while it is not in memory. */
  chunkAt(chunkPosition: Position<D>): Chunk | undefined;

  /** Returns the light of a voxel, of the sky and of blocks. Waits until everything that can change it is in memory. */
  light(position: Position<D>): Promise<Light>;
  /** Returns the light of a voxel at once, or `undefined` while something that can change it is not in memory. */
  lightAt(position: Position<D>): Light | undefined;
  /**
   * Returns a copy of the light of a chunk, by its position in chunks: a byte a voxel, 16 times the light of the sky plus that
   * of blocks, in the order of `Chunk.voxels`. Waits like `light`.
   */
  chunkLight(chunkPosition: Position<D>): Promise<Uint8Array>;
  /** Returns the same at once, or `undefined` while something that can change it is not in memory. */
  chunkLightAt(chunkPosition: Position<D>): Uint8Array | undefined;

  /** Sets the block of one voxel, and its data if `options` has some. */
  set(position: Position<D>, block: number, options?: SetOptions): Promise<EditResult>;
  /**
   * Sets the data of one voxel, whatever its block is; `null` removes it.
   *
   * @example
   * await world.setData([3, 64, 3], { items: ["lamp"] });
   */
  setData(position: Position<D>, data: unknown): Promise<EditResult>;
  /** Sets voxels in one step, in the order of the list. */
  edit(placements: readonly BlockPlacement<D>[]): Promise<EditResult>;
  /** Sets every voxel of a box in one step. Data stays where the type of the block does. */
  fill(box: VoxelBox<D>, block: number): Promise<EditResult>;
  /** Copies the voxels of a box, with their data, so that its lowest corner comes to lie at `to`. Both boxes may overlap. */
  copy(box: VoxelBox<D>, to: Position<D>): Promise<EditResult>;
  /** Calls `listener` after each edit that changed something in memory. Returns an unsubscribe function. */
  onEdit(listener: (edit: EditEvent<D>) => void): () => void;

  /** Calls `listener` after types of blocks were added, renamed or retired. Returns an unsubscribe function. */
  onBlocks(listener: (blocks: BlockCatalog) => void): () => void;

  /** Returns the entities in a box, ordered by id. */
  entitiesIn(box: VoxelBox<D>): Promise<readonly Entity<D>[]>;
  /** Calls `listener` when an entity appears, changes or goes. Returns an unsubscribe function. */
  onEntity(listener: (event: EntityEvent<D>) => void): () => void;

  /** Releases everything. Closing twice is harmless. */
  close(): Promise<void>;
}

/** A voxel, its new block and its new data. */
export interface BlockPlacement<D extends Dimensions> {
  readonly position: Position<D>;
  /** Omitted: the voxel keeps its block, and only its data changes. */
  readonly block?: number | undefined;
  /**
   * The new data: what the world's `dataCodec` can write, by default bytes or what JSON can hold. `null` removes it.
   * Omitted: the data stays when the new block is of the same type, and goes otherwise.
   */
  readonly data?: unknown;
}

/** What a voxel gets besides its block. */
export interface SetOptions {
  /** See `BlockPlacement.data`. */
  readonly data?: unknown;
}

/** A voxel whose block or data changed. */
export interface BlockChange<D extends Dimensions> extends BlockPlacement<D> {
  readonly block: number;
  /** The block before the edit. */
  readonly before: number;
  /** The data after the edit, if any; its bytes where the codec cannot read it. */
  readonly data?: unknown;
  /** The data before the edit, if any; its bytes where the codec cannot read it. */
  readonly dataBefore?: unknown;
}

/**
 * The changes of an edit, one after the other. Each is made when it is read, so a loop that stops early costs only what it
 * has read; `[...changes]` makes a list of all.
 *
 * @example
 * const isHigh = edit.changes.some(({ position: [, y] }) => y > 100);
 * for (const { position, before, block } of edit.changes) console.log(position, before, block);
 */
export interface BlockChanges<D extends Dimensions> extends Iterable<BlockChange<D>> {
  /** Whether `test` is true for a change. Stops at the first one. */
  some(test: (change: BlockChange<D>) => boolean): boolean;
  /** Whether `test` is true for all changes. Stops at the first other one. */
  every(test: (change: BlockChange<D>) => boolean): boolean;
}

/** What an edit changed. Read it in the listener: a client shows later edits, too, when it is read later. */
export interface EditEvent<D extends Dimensions> {
  /** The changed chunks, by their positions in chunks. */
  readonly chunks: readonly Position<D>[];
  /** A box around the changed chunks. No voxel is compared for it. */
  readonly box: VoxelBox<D>;
  /** Number of changed voxels. Chunks are compared when this is first read. */
  readonly count: number;
  /** The changed voxels, chunk by chunk. A chunk is compared when a loop comes to it. */
  readonly changes: BlockChanges<D>;
  /** The player whose edit it was; `undefined` for an edit of the program itself, and where it is not known. */
  readonly author: bigint | undefined;
}

/** Why an edit was rejected. */
export type RejectionReason =
  | "role"
  | "rate"
  | "tooMany"
  | "tooLarge"
  | "reach"
  | "vetoed"
  | "world"
  | "block"
  | "data";

/**
 * The result of an edit. `rejected` is a regular result, with a reason to branch on and a text for people.
 * `duplicate`: the world has already applied this edit or a later one of this client.
 */
export type EditResult =
  | { readonly status: "applied" | "unchanged" | "duplicate" }
  | { readonly status: "rejected"; readonly reason: RejectionReason; readonly detail: string };

/** Something that moves: a connected player or an entity of the world. */
export interface Entity<D extends Dimensions> {
  /** The entity's id, or the player's. */
  readonly id: bigint;
  readonly isPlayer: boolean;
  /** What it is; the game defines the numbers. */
  readonly kind: number;
  readonly position: Vector<D>;
  /** Four numbers with a meaning of the game's own, such as a quaternion. */
  readonly orientation: Vector;
  /** In voxels a second, if the game has stated one. Orthant moves nothing by itself. */
  readonly velocity?: Vector<D>;
  readonly scale: number;
  readonly block: number;
  /** Empty for an entity without a name. */
  readonly name: string;
  /** The game's own words. Like `data`, a client gets them shortly after the entity has come into sight. */
  readonly tags: readonly string[];
  /** The game's own data. Shared: copy it before you change it. */
  readonly data: Uint8Array;
}

/** Reports that an entity is present (it appeared or changed) or gone. */
export type EntityEvent<D extends Dimensions> =
  | { readonly kind: "present"; readonly entity: Entity<D> }
  | { readonly kind: "gone"; readonly id: bigint };
