import { type Box, type Chunk, OrthantError, type Position, type TimeSource } from "@orthant/core";
import { requireId } from "@orthant/core/arguments";
import { optionalBytesEqual } from "@orthant/core/bytes";
import { type BlockEdit, editBlocks, sameTypeIn } from "@orthant/core/chunk";
import {
  boxAt,
  chunkOfVoxel,
  PositionMap,
  positionsLexicographic,
  voxelIndex,
  voxelOfIndex,
} from "@orthant/core/lattice";
import type { VoxelPlacement, WorldState } from "@orthant/core/tree";
import type { StoredPlayer } from "@orthant/save";
import type { StoreReplacement } from "../content/store-content.ts";
import type { WorldContent } from "../content/world-content.ts";

import { checkedPlayer } from "../entities/checked-records.ts";
import type { PlayerChange } from "../entities/player-records.ts";
import { requireInWorld } from "./queued-edit.ts";

/** The world of a transaction. */
interface TransactionContext {
  readonly content: WorldContent;
  readonly time: TimeSource;
}

/** A chunk of a transaction. */
interface UsedChunk {
  readonly position: Position;
  /** As it was when it was first read; `undefined` if it was not. */
  before: Chunk | undefined;
  /** The voxels that were read. */
  readonly seen: Set<number>;
  readonly edits: BlockEdit[];
}

/** Chunks none of which may change before the transaction ends, and the world when they were watched. */
interface Watched {
  readonly chunks: readonly Box[];
  readonly state: WorldState;
}

/** What a transaction has read, and what it will change: nothing is changed before it ends. Reads see its own changes. */
export class EngineTransaction {
  readonly #context: TransactionContext;
  readonly #chunks = new PositionMap<UsedChunk>();
  readonly #players = new Map<bigint, PlayerChange>();
  readonly #seenPlayers = new Map<bigint, StoredPlayer | undefined>();
  readonly #keys = new Map<string, Uint8Array | undefined>();
  readonly #seenKeys = new Map<string, Uint8Array | undefined>();
  #replaced: readonly (readonly [position: Position, chunk: Chunk])[] = [];
  #watched: Watched | undefined;
  #isOver = false;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  /** Ends it: nothing can be read or changed any more. */
  end(): void {
    this.#isOver = true;
  }

  /** Whether it changes anything. */
  get isChange(): boolean {
    return this.#players.size + this.#keys.size + this.chunks.length > 0 || this.placements.length > 0;
  }

  /** The chunks none of which may change before it ends, besides those of {@link touched}. */
  get watched(): readonly Box[] {
    return this.#watched?.chunks ?? [];
  }

  /** The chunks that it will replace. */
  get chunks(): readonly (readonly [position: Position, chunk: Chunk])[] {
    return this.#replaced;
  }

  /** Replaces chunks, which it does not read again. No voxel of them may be changed besides. */
  setChunks(chunks: readonly (readonly [position: Position, chunk: Chunk])[]): void {
    this.#requireRunning();
    this.#replaced = chunks;
  }

  get changesStore(): boolean {
    return this.#keys.size > 0;
  }

  /** The chunks of all voxels that it has read or will change. */
  get touched(): readonly Box[] {
    return Array.from(this.#chunks.values(), ({ position }) => boxAt(position));
  }

  /** The voxels that it will change; of one voxel in the order of the calls. */
  get placements(): readonly VoxelPlacement[] {
    const { shape } = this.#context.content.regions;
    return [...this.#chunks.values()].flatMap(({ position, edits }) =>
      edits.map(({ index, block, data }) => ({ voxel: voxelOfIndex(shape, position, index), block, data })),
    );
  }

  /** Counts all of these chunks as read. Returns the world with them. */
  async watch(chunks: readonly Box[]): Promise<WorldState> {
    const { content } = this.#context;
    const state = await content.whenLoaded(chunks, () => content.regions.state);
    this.#watched = { chunks, state };
    return state;
  }

  /** Returns the block of a voxel, and its data, shared. */
  async voxel(voxel: Position): Promise<{ readonly block: number; readonly data: Uint8Array | undefined }> {
    this.#requireRunning();
    const { content } = this.#context;
    const { regions } = content;
    const used = this.#chunkOf(voxel);
    used.before ??= await content.whenLoaded([boxAt(used.position)], () => regions.chunk(used.position));
    this.#requireRunning();
    const index = voxelIndex(regions.shape, ...voxel);
    used.seen.add(index);
    const chunk = editBlocks(used.before, used.edits, sameTypeIn(content.catalog));
    return { block: chunk.get(index), data: chunk.dataAt(index) };
  }

  /** Sets the block of a voxel, its data or both; `null` removes data. */
  edit({ voxel, block, data }: VoxelPlacement): void {
    this.#requireRunning();
    const { shape } = this.#context.content.regions;
    this.#chunkOf(voxel).edits.push({ index: voxelIndex(shape, ...voxel), block, data });
  }

  player(playerId: bigint): StoredPlayer | undefined {
    this.#requireRunning();
    requireId("playerId", playerId);
    const { players, global } = this.#context.content;
    const change = this.#players.get(playerId);
    const known = players.get(playerId);
    if (!this.#seenPlayers.has(playerId)) this.#seenPlayers.set(playerId, known);
    return change === undefined
      ? known
      : players.changed(change, global.description.spawn, this.#context.time.nowMs());
  }

  /** Adds a player, or changes the one with the same id; omitted fields keep their value. */
  upsertPlayer(change: PlayerChange): void {
    this.#requireRunning();
    const { shape } = this.#context.content.regions;
    const checked = checkedPlayer(change, shape);
    this.#players.set(change.playerId, { ...this.#players.get(change.playerId), ...checked });
  }

  async key(key: string): Promise<Uint8Array | undefined> {
    this.#requireRunning();
    if (this.#keys.has(key)) return this.#keys.get(key);
    if (!this.#seenKeys.has(key)) {
      const value = await this.#context.content.store.get(key);
      this.#requireRunning();
      this.#seenKeys.set(key, value);
    }
    return this.#seenKeys.get(key);
  }

  setKey(key: string, value: Uint8Array | undefined): void {
    this.#requireRunning();
    this.#keys.set(key, value);
  }

  /** Returns the changes of the store, with the values now; `undefined` if a key that was read has another value now. */
  async keyChanges(): Promise<readonly StoreReplacement[] | undefined> {
    const { store } = this.#context.content;
    for (const [key, seen] of this.#seenKeys)
      if (!optionalBytesEqual(await store.get(key), seen)) return undefined;
    const changes: StoreReplacement[] = [];
    for (const [key, value] of this.#keys) {
      const before = await store.get(key);
      if (!optionalBytesEqual(before, value)) changes.push({ key, value, before });
    }
    return changes;
  }

  /** The players that it will change, in order of their ids. */
  playerChanges(nowMs: number): readonly StoredPlayer[] {
    const { players, global } = this.#context.content;
    const ids = [...this.#players.keys()].sort((a, b) => (a < b ? -1 : 1));
    return ids.map((id) =>
      players.changed(this.#players.get(id) as PlayerChange, global.description.spawn, nowMs),
    );
  }

  /** Whether voxels and players are what was read. The chunks must be in memory. */
  get isCurrent(): boolean {
    const { players, regions } = this.#context.content;
    for (const [id, seen] of this.#seenPlayers) if (players.get(id) !== seen) return false;
    const { state } = regions;
    for (const chunk of this.#watchedChunks())
      if (this.#watched?.state.overrides.at(...chunk) !== state.overrides.at(...chunk)) return false;
    for (const { position, before, seen } of this.#chunks.values()) {
      if (before === undefined) continue;
      const now = state.realizeChunk(...position);
      if (now === before) continue;
      for (const index of seen) {
        if (now.get(index) !== before.get(index)) return false;
        if (!optionalBytesEqual(now.dataAt(index), before.dataAt(index))) return false;
      }
    }
    return true;
  }

  *#watchedChunks(): Generator<Position> {
    for (const box of this.#watched?.chunks ?? []) yield* positionsLexicographic(box);
  }

  #chunkOf(voxel: Position): UsedChunk {
    const { shape } = this.#context.content.regions;
    requireInWorld(shape, voxel, "voxel");
    const position = chunkOfVoxel(shape, voxel);
    const known = this.#chunks.get(...position);
    if (known !== undefined) return known;
    const used: UsedChunk = { position, before: undefined, seen: new Set(), edits: [] };
    this.#chunks.set(...position, used);
    return used;
  }

  #requireRunning(): void {
    if (!this.#isOver) return;
    throw new OrthantError(
      "ORT_ARGUMENT",
      "the transaction is over: use it only until the function that got it ends, and await what that starts",
    );
  }
}
