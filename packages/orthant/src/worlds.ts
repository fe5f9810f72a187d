import type { Dimensions } from "@orthant/core";
import { requireObject, requireText, wrongArgument } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import {
  createWorld as createWorldOn,
  type NewWorld,
  openOrCreateWorld as openOrCreateWorldOn,
  openWorld as openWorldOn,
  type World,
  type WorldOptions,
} from "@orthant/world";
import { sharedPool } from "./shared-pool.ts";

/**
 * Opens the world in a folder or on a disk, or creates it when there is none. `world` describes a new world. An existing
 * one keeps its own name, spawn and seed, gets the blocks that it lacks, and is refused if it has another number of dimensions.
 *
 * @example
 * const world = await openOrCreateWorld("saves/valley", { dimensions: 3, generator: terrain({ seed: 7n }) });
 */
export async function openOrCreateWorld<D extends Dimensions>(
  place: string | Disk,
  world: NewWorld<D>,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  return openOrCreateWorldOn(await diskAt(place, "create"), world, withPool(options));
}

/** Creates a world in an empty or new folder, or on an empty disk, and opens it. */
export async function createWorld<D extends Dimensions>(
  place: string | Disk,
  world: NewWorld<D>,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  return createWorldOn(await diskAt(place, "create"), world, withPool(options));
}

/**
 * Opens the world in a folder or on a disk. Say how many dimensions it has, and TypeScript knows too:
 * `openWorld("saves/valley", { dimensions: 3 })`.
 */
export async function openWorld<D extends Dimensions = Dimensions>(
  place: string | Disk,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  return openWorldOn(await diskAt(place, "open"), withPool(options));
}

/** All worlds of a program generate in one pool, unless they have their own. */
function withPool<Options extends WorldOptions>(options: Options): Options {
  requireObject("the options", options, "they are an object such as { durability: 'journal' }");
  return { ...options, generation: options.generation ?? sharedPool() };
}

async function diskAt(place: unknown, how: "create" | "open"): Promise<Disk> {
  if (typeof place === "object" && place !== null) {
    requireDisk("place", place);
    return place;
  }
  if (typeof place !== "string" || place === "") {
    throw wrongArgument("place", place, "it is the path of a folder, or a Disk");
  }
  requireText("place", place);
  return how === "create" ? NodeDisk.create(place) : new NodeDisk(place);
}
