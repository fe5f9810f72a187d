import { isDeepStrictEqual } from "node:util";
import { box, type Dimensions, isOrthantError, type Position } from "@orthant/core";
import type { World, WorldEntity } from "@orthant/world";
import { shown } from "./try-call.ts";

/** Everything that a world shows to a program. */
export type PublicWorld = Readonly<Record<string, unknown>>;

/** Reads everything that a world shows: its label, players, history, these chunks and the entities at these places. */
export async function publicWorld(
  world: World,
  chunks: readonly Position<Dimensions>[],
  entityPlaces: readonly Position<Dimensions>[],
): Promise<PublicWorld> {
  const everything: Record<string, unknown> = {
    name: world.name,
    spawn: world.spawn,
    tags: (await world.history.generations()).filter(({ name }) => name !== undefined),
    blocks: world.blocks.types,
  };
  for await (const [key, value] of world.store.entries()) everything[`key ${key}`] = value;
  // The time of its last save is not the program's.
  for (const { lastSavedMs: _, ...player } of world.players) everything[`player ${player.playerId}`] = player;
  for (const position of chunks) {
    const chunk = await world.chunk(position);
    everything[`chunk ${position.join()}`] = [chunk.voxels(), [...chunk.data]];
  }
  for (const place of entityPlaces) {
    for (const entity of await entitiesAt(world, place)) everything[`entity ${entity.id}`] = entity;
  }
  return everything;
}

/** Says what differs. */
export function differencesOf(before: PublicWorld, after: PublicWorld): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => `${name} was ${shown(before[name])} and is ${shown(after[name])}`);
}

async function entitiesAt(
  world: World,
  place: Position<Dimensions>,
): Promise<readonly WorldEntity<Dimensions>[]> {
  const end = place.map((coordinate) => coordinate + 1);
  try {
    return await world.entitiesIn(box(place as Position<3>, end as unknown as Position<3>));
  } catch (error) {
    if (isOrthantError(error, "ORT_ARGUMENT")) return [];
    throw error;
  }
}
