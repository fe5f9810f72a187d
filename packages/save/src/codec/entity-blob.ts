import { type Box, boxCodec, type Codec, list, OrthantError } from "@orthant/core";
import { PLAYER_CLASS, type StoredEntity, storedEntityCodec } from "./entity-record.ts";

/** The entities of one record, and the cell of the leaf they were stored for. */
export interface EntityBlob {
  readonly volume: Box;
  readonly entities: readonly StoredEntity[];
}

const ENTITIES_MAX = 1_000_000;
const entitiesCodec = list(storedEntityCodec, ENTITIES_MAX);

/**
 * Codec of an entity blob: at least one entity, in order of unique ids, no players. Rule
 * S32.
 */
export const entityBlobCodec: Codec<EntityBlob> = {
  write(out, { volume, entities }) {
    const fault = findFault(entities);
    if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", fault);
    boxCodec.write(out, volume);
    entitiesCodec.write(out, entities);
  },

  read(input) {
    const volume = boxCodec.read(input);
    const entities = entitiesCodec.read(input);
    const fault = findFault(entities);
    if (fault !== undefined) throw input.fail("ORT_BLOB", fault);
    return { volume, entities };
  },
};

/** Returns the entities in storage order. */
export function sortEntities(entities: readonly StoredEntity[]): readonly StoredEntity[] {
  return [...entities].sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
}

function findFault(entities: readonly StoredEntity[]): string | undefined {
  if (entities.length === 0) return "an entity blob without entities";
  for (const [index, { entityId, entityClass }] of entities.entries()) {
    const previous = entities[index - 1];
    if (previous !== undefined && previous.entityId >= entityId) return `entity ${entityId} is out of order`;
    if (entityClass === PLAYER_CLASS) return `entity ${entityId} is a player`;
  }
  return undefined;
}
