import {
  boxesOfRegions,
  chunkOfVoxel,
  encode,
  type Position,
  PositionMap,
  positionFrom,
  regionOf,
  voxelsOfChunks,
} from "@orthant/core";
import { ENTITIES_MAX, type VisibleEntity, visibleEntity, visibleEntityCodec } from "@orthant/protocol";
import type { World } from "@orthant/world";
import type { EntitiesAnswer, RegionEntities } from "../shard/inhabitant-message.ts";

/** Approximate limit for the entities in one answer, in bytes. */
const ANSWER_BYTES = 524_288;

/** Returns the entities of those regions that belong to this shard. Rule K34. */
export async function answerEntities(
  world: World,
  regions: readonly Position[],
  owns: (region: Position) => boolean,
): Promise<EntitiesAnswer> {
  const found = new PositionMap<VisibleEntity[]>();
  for (const region of regions) if (owns(region)) found.set(...region, []);
  // Merges adjacent regions into one query, because a world may scan all its entities for each.
  for (const chunks of boxesOfRegions([...found.positions()])) {
    for (const entity of await world.entitiesIn(voxelsOfChunks(world.shape, chunks))) {
      const voxel = positionFrom((axis) => Math.floor(entity.position[axis]));
      const there = found.get(...regionOf(chunkOfVoxel(world.shape, voxel)));
      // No client could be shown more.
      if (there !== undefined && there.length < ENTITIES_MAX) there.push(visibleEntity(entity));
    }
  }
  let room = ANSWER_BYTES;
  const answers = regions.map((region): RegionEntities => {
    const entities = found.get(...region);
    if (entities === undefined) return { kind: "elsewhere" };
    if (room <= 0) return { kind: "later" };
    room -= entities.reduce((sum, entity) => sum + encode(visibleEntityCodec, entity).length, 0);
    return { kind: "here", entities };
  });
  return { kind: "entities", answers };
}
