import { isOrthantError, type Position } from "@orthant/core";
import { encodeUtf8 } from "@orthant/core/bytes";
import type { Prng } from "@orthant/testkit";
import type { Transaction, World } from "@orthant/world";

/** How often each item has changed its place, by its number. */
type Items = Readonly<Record<string, number>>;

/** Where items are: in a chest, which is a voxel, in the store, or with a player. */
type Place =
  | { readonly kind: "chest"; readonly position: Position<3> }
  | { readonly kind: "purse"; readonly key: string }
  | { readonly kind: "player"; readonly playerId: bigint };

const ITEMS = 24;
/** Blocks of chests that hold nothing, and of those that hold something. */
const [EMPTY, FULL] = [7, 8];
/** Chests in several regions, two of them in one chunk. */
const CHESTS: readonly Position<3>[] = [
  [1, 1, 1],
  [2, 1, 1],
  [-90, 3, 4],
  [200, 9, -7],
];
const PLACES: readonly Place[] = [
  ...CHESTS.map((position): Place => ({ kind: "chest", position })),
  ...["purse/a", "purse/b", "other"].map((key): Place => ({ kind: "purse", key })),
  ...[1n, 2n, 300n].map((playerId): Place => ({ kind: "player", playerId })),
];

/** A trade that its player gave up. */
class GivenUp extends Error {}

/** Items that players trade in a world, each of which must always be in one place. */
export class Market {
  readonly #world: World<3>;
  readonly #prng: Prng;
  /** How often each item was moved at least, and, with trades that have not ended, at most. */
  readonly moved: Record<string, number> = {};
  readonly begun: Record<string, number> = {};

  constructor(world: World<3>, prng: Prng) {
    this.#world = world;
    this.#prng = prng;
  }

  /** Puts all items into the first chest. */
  async open(): Promise<void> {
    await this.#world.transaction(async (transaction) => {
      for (const place of PLACES) await put(transaction, place, {});
      await put(transaction, PLACES[0] as Place, noItems(ITEMS));
    });
  }

  /** Moves some items from one place to another. Resolves when the world says that it has. */
  async trade(): Promise<void> {
    const [from, to] = [this.#prng.pick(PLACES), this.#prng.pick(PLACES)];
    const [count, isGivenUp] = [1 + this.#prng.below(4), this.#prng.below(10) === 0];
    let counted: readonly string[] = [];
    try {
      await this.#world.transaction(async (transaction) => {
        // An earlier run of this function has changed nothing.
        this.#count(counted, -1);
        counted = [];
        const there = await itemsIn(transaction, from);
        const taken = Object.keys(there).slice(0, count);
        await put(transaction, from, without(there, taken));
        const moved = Object.fromEntries(taken.map((item) => [item, (there[item] as number) + 1]));
        await put(transaction, to, { ...(await itemsIn(transaction, to)), ...moved });
        if (isGivenUp) throw new GivenUp();
        counted = taken;
        this.#count(counted, 1);
      });
      for (const item of counted) this.moved[item] = (this.moved[item] ?? 0) + 1;
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
    }
  }

  #count(items: readonly string[], change: number): void {
    for (const item of items) this.begun[item] = (this.begun[item] ?? 0) + change;
  }
}

/**
 * Throws unless each item is in one place, has been moved at least as often as was promised and no more often than was
 * begun, and chests show whether they are empty.
 */
export async function checkMarket(world: World<3>, moved: Items, begun: Items): Promise<void> {
  const found = await world.transaction(async (transaction) => {
    const all: (readonly [item: string, moves: number])[] = [];
    for (const place of PLACES) {
      const items = await itemsIn(transaction, place);
      all.push(...Object.entries(items));
      if (place.kind !== "chest") continue;
      const block = await transaction.get(place.position);
      const wanted = Object.keys(items).length === 0 ? EMPTY : FULL;
      if (block !== wanted) throw new Error(`the chest at ${place.position} is ${block}, not ${wanted}`);
    }
    return all;
  });
  const numbers = found.map(([item]) => Number(item)).sort((a, b) => a - b);
  if (`${numbers}` !== `${Object.keys(noItems(ITEMS))}`) throw new Error(`the items are ${numbers}`);
  for (const [item, moves] of found) {
    const [least, most] = [moved[item] ?? 0, begun[item] ?? 0];
    if (moves < least || moves > most)
      throw new Error(`item ${item} was moved ${moves} times, not ${least} to ${most} times`);
  }
}

/** Whether a world has a market: its chests come with the first transaction. */
export async function hasMarket(world: World<3>): Promise<boolean> {
  return (await world.data(CHESTS[0] as Position<3>)) !== undefined;
}

/** Does something beside the trades that changes none of their items. */
export async function stir(world: World<3>, prng: Prng): Promise<void> {
  const dice = prng.below(8);
  if (dice < 3) await world.set([prng.below(4), prng.below(20) + 2, 1], prng.below(5));
  else if (dice < 5) world.upsertPlayer({ playerId: prng.pick([1n, 2n, 7n]), name: `p${prng.below(9)}` });
  else if (dice < 7) await world.store.set(`purse/${prng.below(9)}`, prng.below(9));
  else await world.save().catch(ignoreClosed);
}

function ignoreClosed(error: unknown): void {
  if (!isOrthantError(error, "ORT_CLOSED")) throw error;
}

async function itemsIn(transaction: Transaction<3>, place: Place): Promise<Items> {
  if (place.kind === "chest") return ((await transaction.data(place.position)) ?? {}) as Items;
  if (place.kind === "purse") return ((await transaction.store.get(place.key)) ?? {}) as Items;
  const { inventory = new Uint8Array() } = transaction.player(place.playerId) ?? {};
  return inventory.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(inventory)) as Items);
}

async function put(transaction: Transaction<3>, place: Place, items: Items): Promise<void> {
  if (place.kind === "purse") transaction.store.set(place.key, items);
  else if (place.kind === "player") {
    const inventory = encodeUtf8(JSON.stringify(items));
    transaction.upsertPlayer({ playerId: place.playerId, inventory });
  } else {
    const block = Object.keys(items).length === 0 ? EMPTY : FULL;
    transaction.set(place.position, block, { data: items });
  }
}

function noItems(count: number): Items {
  return Object.fromEntries(Array.from({ length: count }, (_, item) => [item, 0]));
}

function without(items: Items, taken: readonly string[]): Items {
  return Object.fromEntries(Object.entries(items).filter(([item]) => !taken.includes(item)));
}
