// Things that move between players, chests and the world, and plots. Each is one transaction, so nothing is doubled or lost.
import { AIR, type BlockChange, type Position, type Transaction, type World } from "orthant";
import { type Items, type Plots, plotAt, priceOf, RECIPES, sum, type Wish } from "./game.ts";

/** Reads a value of the store. What type it has, only this game knows. */
export async function read<T>(store: Pick<World<3>["store"], "get">, key: string, otherwise: T): Promise<T> {
  return ((await store.get(key)) ?? otherwise) as T;
}

/** Gives things to a player or, below zero, takes them. */
export async function give({ store }: Transaction<3>, player: string, items: Items): Promise<void> {
  const bag = sum(await read<Items>(store, `bag/${player}`, {}), items);
  if (bag === undefined) throw new Error("You do not carry that.");
  store.set(`bag/${player}`, bag);
}

/** Requires that a plot, if it has an owner, has this one. Returns all plots. */
async function requirePlot({ store }: Transaction<3>, player: string, plot: string): Promise<Plots> {
  const plots = await read<Plots>(store, "plots", {});
  const owner = plots[plot] ?? player;
  if (owner !== player) throw new Error(`This is the plot of ${owner}.`);
  return plots;
}

/** Makes an edit one with what it costs, and counts what was built. Rejects it where the player may not build, or lacks blocks. */
export async function pay(
  world: World<3>,
  transaction: Transaction<3>,
  player: string,
  changes: Iterable<BlockChange<3>>,
): Promise<{ readonly reject: string } | undefined> {
  const all = [...changes];
  try {
    for (const { position } of all) await requirePlot(transaction, player, plotAt(position[0], position[2]));
    await give(transaction, player, priceOf(world.blocks, all));
  } catch (error) {
    return { reject: (error as Error).message };
  }
  const built = await read(transaction.store, `built/${player}`, 0);
  transaction.store.set(`built/${player}`, built + all.filter(({ block }) => block !== AIR).length);
  return undefined;
}

/** Gives a player the plot on which they stand in place of the one they had, and makes it their home. Returns all plots. */
export function claim(world: World<3>, player: string, position: readonly number[]): Promise<Plots> {
  const plot = plotAt(position[0] ?? 0, position[2] ?? 0);
  return world.transaction(async (transaction) => {
    const plots = Object.entries(await requirePlot(transaction, player, plot));
    const now = Object.fromEntries([...plots.filter(([, owner]) => owner !== player), [plot, player]]);
    transaction.store.set("plots", now);
    transaction.store.set(`home/${player}`, position);
    return now;
  });
}

/** Does what a player wants with things. */
export function act(world: World<3>, player: string, wish: Exclude<Wish, { say: string }>): Promise<void> {
  return world.transaction(async (transaction) => {
    if ("craft" in wish) return give(transaction, player, RECIPES[wish.craft] ?? {});
    if ("open" in wish) return turnDoor(world, transaction, wish.open);
    const chest = "take" in wish ? wish.take : wish.put;
    await requirePlot(transaction, player, plotAt(chest[0], chest[2]));
    if (world.blocks.byId(await transaction.get(chest))?.name !== "chest")
      throw new Error("There is no chest.");
    const inside = ((await transaction.data(chest)) ?? {}) as Items;
    if ("take" in wish) {
      transaction.setData(chest, null);
      return give(transaction, player, inside);
    }
    transaction.setData(chest, sum(inside, { [wish.item]: 1 }));
    return give(transaction, player, { [wish.item]: -1 });
  });
}

/** Opens or closes both halves of a door. */
async function turnDoor(world: World<3>, transaction: Transaction<3>, [x, y, z]: Position<3>): Promise<void> {
  for (const height of [y, y + 1]) {
    const { type, properties } = world.blocks.describe(await transaction.get([x, height, z])) ?? {};
    const open = properties?.["open"] === "yes" ? "no" : "yes";
    if (type === "door") transaction.set([x, height, z], world.blocks.id("door", { ...properties, open }));
  }
}
