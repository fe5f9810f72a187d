// The game in one place: blocks, recipes, prices, plots, the day, and what pages and server say to each other. The server, the
// page, the tests and the command line import it.
import type { BlockBox, BlockCatalog, BlockChange, Position } from "orthant/client";

export { village, WATER_LEVELS } from "./land.ts";

const facing = ["north", "east", "south", "west"] as const;
const OAK = { colour: 0xb08551, opacity: 1 };
/** Returns the box of a voxel that reaches so far from one of its sides. */
function slice(side: string, far: number): BlockBox {
  const axis = { east: 0, west: 0, down: 1 }[side] ?? 2;
  const from = side === "east" || side === "south" ? 1 - far : 0;
  const corners = [0, 1].map((at) => [0, 1, 2].map((each) => (each === axis ? from + at * far : at)));
  return corners as unknown as BlockBox;
}
/** The blocks that players make. Those of the land come with its generator. */
export const BLOCKS = {
  planks: { colour: 0xb08551 },
  glass: { colour: 0xcfe6ea, transparent: true },
  torch: { colour: 0xffc766, solid: false, light: 14, opacity: 1, properties: { facing: ["up", ...facing] } },
  door: {
    ...OAK,
    properties: { facing, half: ["lower", "upper"], open: ["no", "yes"] }, // opposite to where it faces
    shape: facing.flatMap((side, at) => [
      { when: { facing: side, open: "no" }, boxes: [slice(facing[at ^ 2] ?? side, 3 / 16)] },
      { when: { facing: side, open: "yes" }, boxes: [slice(facing[(at + 3) % 4] ?? side, 3 / 16)] },
    ]),
  },
  stairs: {
    ...OAK,
    properties: { facing },
    shape: facing.map((side) => ({ when: { facing: side }, boxes: [slice("down", 0.5), slice(side, 0.5)] })),
  },
  chest: { colour: 0x8a5a2b, properties: { facing } },
} as const;
/** What players choose from to build. */
export const HOTBAR = ["planks", "stone", "glass", "torch", "door", "stairs", "chest", "sand"];

/** How large players are, in voxels, how fast, in voxels a second, and how far they reach. */
export const PLAYER = { size: [0.6, 1.8, 0.6], speedMax: 6, reach: 7 } as const;

/** How many there are of things: in a bag, in a chest, or as a price. */
export type Items = Readonly<Record<string, number>>;

/** Adds things to others, or takes what is below zero; `undefined` if there are not enough. */
export function sum(items: Items, more: Items): Items | undefined {
  const all: Record<string, number> = Object.assign(Object.create(null), items);
  for (const [name, count] of Object.entries(more)) all[name] = (all[name] ?? 0) + count;
  const left = Object.entries(all).filter(([, count]) => count !== 0);
  return left.some(([, count]) => count < 0) ? undefined : Object.fromEntries(left);
}

/** What players can make: what it gives and, below zero, takes. */
export const RECIPES: Readonly<Record<string, Items>> = {
  planks: { planks: 4, wood: -1 },
  torch: { torch: 4, coal: -1, planks: -1 },
  door: { door: 1, planks: -6 },
  stairs: { stairs: 4, planks: -6 },
  chest: { chest: 1, planks: -8 },
  glass: { glass: 4, sand: -4, coal: -1 },
};

/** What some blocks leave behind in place of themselves. */
const DROPS: Readonly<Record<string, string>> = { grass: "soil", "coal ore": "coal" };
const LOST = ["air", "water", "leaves"];

/** Returns what an edit gives to a player and, below zero, takes: blocks, and what is in chests. */
export function priceOf(blocks: BlockCatalog, changes: Iterable<BlockChange<3>>): Items {
  const price: Record<string, number> = {};
  const add = (name: string, count: number): unknown =>
    Object.assign(price, { [name]: (price[name] ?? 0) + count });
  for (const { block, before, data, dataBefore } of changes) {
    const [was, is] = [blocks.describe(before), blocks.describe(block)];
    if (was && was.properties["half"] !== "upper" && !LOST.includes(was.type))
      add(DROPS[was.type] ?? was.type, 1);
    if (is && is.type !== "air") add(is.type, -1);
    for (const [name, count] of Object.entries(dataBefore ?? {})) add(name, Number(count));
    for (const [name, count] of Object.entries(data ?? {})) add(name, -Number(count));
  }
  return price;
}

/** The owner of each plot that has one. A plot is `PLOT` voxels wide. */
export type Plots = Readonly<Record<string, string>>;
export const PLOT = 16;
/** Returns the name of the plot in which a place lies, such as "2,-1". */
export const plotAt = ([x = 0, , z = 0]: readonly number[]): string =>
  `${Math.floor(x / PLOT)},${Math.floor(z / PLOT)}`;

const DAY_MS = 20 * 60_000;
/** The time of day, the same for all, in a world whose clock is ahead: 0.25 at dawn, 0.5 at noon, 0.75 at dusk. */
export const timeOfDay = (shift: number): number => (Date.now() / DAY_MS + shift) % 1;
/** Returns how far ahead the clock is of a world in which it is that time now. */
export const shiftTo = (time: number): number => time + 1 - timeOfDay(0);

/** What a page asks for: to say something, make something, turn a door, empty a chest, or put one thing into it. */
export type Wish =
  | { say: string }
  | { craft: string }
  | { open: Position<3> }
  | { take: Position<3> }
  | { put: Position<3>; item: string };

/** What the server tells a page: only what is new. */
export type News = Partial<{ say: string; items: Items; plots: Plots; shift: number }>;

/** Returns what a page has sent, which may be forged, as a wish. */
export function wishOf(message: unknown): Wish {
  const { say, craft, open, take, put, item } = Object(message) as Record<string, unknown>;
  if (typeof say === "string" && say.length <= 200) return { say };
  if (typeof craft === "string" && Object.hasOwn(RECIPES, craft)) return { craft };
  if (isPlace(open)) return { open };
  if (isPlace(take)) return { take };
  if (isPlace(put) && typeof item === "string") return { put, item };
  throw new Error("There is no such wish.");
}

const isPlace = (at: unknown): at is Position<3> =>
  Array.isArray(at) && at.length === 3 && at.every((axis) => Number.isInteger(axis) && Math.abs(axis) < 1e9);
