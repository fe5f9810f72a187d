import {
  boxesOfRegions,
  chunkOfVoxel,
  encode,
  type Place,
  PlaceMap,
  placeFrom,
  regionOf,
  voxelsOfChunks,
} from "@orthant/core";
import { BEINGS_MAX, type Inhabitant, inhabitantCodec, inhabitantOf } from "@orthant/protocol";
import type { World } from "@orthant/world";
import type { InhabitantsAnswer, RegionInhabitants } from "../shard/inhabitant-message.ts";

/** Approximate limit for the entities in one answer, in bytes. */
const ANSWER_BYTES = 524_288;

/** Returns the entities of those regions that belong to this shard. Rule K34. */
export async function answerInhabitants(
  world: World,
  regions: readonly Place[],
  owns: (region: Place) => boolean,
): Promise<InhabitantsAnswer> {
  const found = new PlaceMap<Inhabitant[]>();
  for (const region of regions) if (owns(region)) found.set(...region, []);
  // Merges adjacent regions into one query, because a world may scan all its entities for each.
  for (const chunks of boxesOfRegions([...found.places()])) {
    for (const entity of await world.entitiesIn(voxelsOfChunks(world.shape, chunks))) {
      const voxel = placeFrom((axis) => Math.floor(entity.position[axis]));
      const there = found.get(...regionOf(chunkOfVoxel(world.shape, voxel)));
      // No client could be shown more.
      if (there !== undefined && there.length < BEINGS_MAX) there.push(inhabitantOf(entity));
    }
  }
  let room = ANSWER_BYTES;
  const answers = regions.map((region): RegionInhabitants => {
    const inhabitants = found.get(...region);
    if (inhabitants === undefined) return { kind: "elsewhere" };
    if (room <= 0) return { kind: "later" };
    room -= inhabitants.reduce((sum, inhabitant) => sum + encode(inhabitantCodec, inhabitant).length, 0);
    return { kind: "here", inhabitants };
  });
  return { kind: "inhabitants", answers };
}
