// Things that move between players, chests and the world, and plots. Each is one transaction, so nothing is doubled or lost.
import { AIR, type BlockChange, type Position, type Transaction, type World } from "orthant";
import { type Items, PLAYER, type Plots, plotAt, priceOf, RECIPES, sum, type Wish } from "./game.ts";

type Work = Transaction<3>;
type Change = BlockChange<3>;
type Deed = Exclude<Wish, { say: string }>;
type Actor = { readonly name: string; readonly position: readonly number[] };

/** Reads a value of the store. What type it has, only this game knows. */
export async function read<T>(store: Pick<World<3>["store"], "get">, key: string, otherwise: T): Promise<T> {
  return ((await store.get(key)) ?? otherwise) as T;
}

/** Gives things to a player or, below zero, takes them. */
export async function give({ store }: Work, player: string, items: Items): Promise<void> {
  const bag = sum(await read<Items>(store, `bag/${player}`, {}), items);
  if (bag === undefined) throw new Error("You do not carry that.");
  store.set(`bag/${player}`, bag);
}

/** Requires that the plot of a place, if it has an owner, has this one. Returns all plots. */
async function requirePlot({ store }: Work, player: string, place: readonly number[]): Promise<Plots> {
  const plots = await read<Plots>(store, "plots", {});
  const owner = plots[plotAt(place)] ?? player;
  if (owner !== player) throw new Error(`This is the plot of ${owner}.`);
  return plots;
}

/** Takes what an edit costs, gives what it brings, and counts what was built, where the player may build. */
export async function pay(world: World<3>, work: Work, player: string, changes: Change[]): Promise<void> {
  for (const { position } of changes) await requirePlot(work, player, position);
  await give(work, player, priceOf(world.blocks, changes));
  const built = await read(work.store, `built/${player}`, 0);
  work.store.set(`built/${player}`, built + changes.filter(({ block }) => block !== AIR).length);
}

/** Gives a player the plot of a place, in place of the one they had, and makes it their home. Returns all plots. */
export function claim(world: World<3>, player: string, home: readonly number[]): Promise<Plots> {
  return world.transaction(async (work) => {
    const before = Object.entries(await requirePlot(work, player, home));
    const others = before.filter(([, owner]) => owner !== player);
    const plots = { ...Object.fromEntries(others), [plotAt(home)]: player };
    work.store.set("plots", plots);
    work.store.set(`home/${player}`, home);
    return plots;
  });
}

/** Does what a player wants with things in reach. */
export function act(world: World<3>, { name, position }: Actor, wish: Deed): Promise<void> {
  return world.transaction(async (work) => {
    if ("craft" in wish) return give(work, name, RECIPES[wish.craft] ?? {});
    const place = "open" in wish ? wish.open : "take" in wish ? wish.take : wish.put;
    const away = Math.hypot(...place.map((at, axis) => at - (position[axis] ?? 0)));
    if (away > PLAYER.reach + 2) throw new Error("It is too far away.");
    if ("open" in wish) return turnDoor(world, work, place);
    await requirePlot(work, name, place);
    if (world.blocks.byId(await work.get(place))?.name !== "chest") throw new Error("There is no chest.");
    const inside = ((await work.data(place)) ?? {}) as Items;
    work.setData(place, "take" in wish ? null : sum(inside, { [wish.item]: 1 }));
    return give(work, name, "take" in wish ? inside : { [wish.item]: -1 });
  });
}

/** Opens or closes both halves of a door. */
async function turnDoor({ blocks }: World<3>, work: Work, [x, y, z]: Position<3>): Promise<void> {
  for (const height of [y, y + 1]) {
    const { type, properties } = blocks.describe(await work.get([x, height, z])) ?? {};
    const open = properties?.["open"] === "yes" ? "no" : "yes";
    if (type === "door") work.set([x, height, z], blocks.id("door", { ...properties, open }));
  }
}
