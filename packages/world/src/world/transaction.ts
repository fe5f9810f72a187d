import type { DataCodec, Dimensions, Position } from "@orthant/core";
import { requireBlock } from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import {
  checkedSetOptions,
  decodeData,
  encodeData,
  encodeSetData,
  type SetOptions,
} from "@orthant/core/world";
import type { EngineTransaction } from "../edit/engine-transaction.ts";
import {
  type PlayerUpdate,
  publicPlayer,
  storedPlayerChange,
  type WorldPlayer,
} from "../entities/public-records.ts";
import { requireKey, storeBytesOf, storeValueOf } from "./key-value-store.ts";

/** What a transaction needs of its world. */
interface TransactionWorld<D extends Dimensions> {
  readonly axes: Axes<D>;
  readonly dataCodec: DataCodec;
  readonly storeCodec: DataCodec;
  readonly online: () => ReadonlySet<bigint>;
}

/**
 * Reads and changes voxels, players and the store, as one: see `transaction` of `World`. Nothing is changed before the function
 * that got it ends; what it reads has its own changes.
 */
export class Transaction<D extends Dimensions = Dimensions> {
  /** What the game saves with the world besides blocks. */
  readonly store: TransactionStore;
  readonly #engine: EngineTransaction;
  readonly #world: TransactionWorld<D>;

  /** @internal */
  constructor(engine: EngineTransaction, world: TransactionWorld<D>) {
    this.store = new TransactionStore(engine, world.storeCodec);
    this.#engine = engine;
    this.#world = world;
  }

  /** Returns the block of a voxel. */
  async get(position: Position<D>): Promise<number> {
    const { block } = await this.#engine.voxel(this.#voxel(position));
    return block;
  }

  /** Returns the data of a voxel; `undefined` if it has none. */
  async data(position: Position<D>): Promise<unknown> {
    const { data } = await this.#engine.voxel(this.#voxel(position));
    return decodeData(this.#world.dataCodec, data);
  }

  /** Sets the block of a voxel, and its data if `options` has some. */
  set(position: Position<D>, block: number, options?: SetOptions): void {
    const asked = options && checkedSetOptions(options).data;
    const data = encodeData(this.#world.dataCodec, "options.data", asked);
    this.#engine.edit({ voxel: this.#voxel(position), block: requireBlock("block", block), data });
  }

  /** Sets the data of a voxel; `null` removes it. */
  setData(position: Position<D>, data: unknown): void {
    this.#engine.edit({ voxel: this.#voxel(position), data: encodeSetData(this.#world.dataCodec, data) });
  }

  /** Returns a player by id. */
  player(playerId: bigint): WorldPlayer<D> | undefined {
    const { axes, online } = this.#world;
    const found = this.#engine.player(playerId);
    return found && publicPlayer(axes, found, online());
  }

  /** Adds a player, or changes the one with the same id; omitted fields keep their value. */
  upsertPlayer(player: PlayerUpdate<D>): void {
    this.#engine.upsertPlayer(storedPlayerChange(this.#world.axes, player));
  }

  #voxel(position: Position<D>): Position {
    return this.#world.axes.position("position", position);
  }
}

/** The key-value store of a world in a transaction. */
export class TransactionStore {
  readonly #engine: EngineTransaction;
  readonly #codec: DataCodec;

  /** @internal */
  constructor(engine: EngineTransaction, codec: DataCodec) {
    this.#engine = engine;
    this.#codec = codec;
  }

  /** Returns the value of a key; `undefined` if there is none. */
  async get(key: string): Promise<unknown> {
    const bytes = await this.#engine.key(requireKey(key));
    return bytes && storeValueOf(this.#codec, key, bytes);
  }

  /** Sets the value of a key of 1 to 256 bytes. */
  set(key: string, value: unknown): void {
    const own = requireKey(key);
    this.#engine.setKey(own, storeBytesOf(this.#codec, own, value));
  }

  /** Removes a key. */
  delete(key: string): void {
    this.#engine.setKey(requireKey(key), undefined);
  }
}
