import { isOrthantError } from "@orthant/core";
import { VOXEL_DATA_BYTES_MAX } from "@orthant/core/chunk";
import { PLAIN_DATA } from "@orthant/core/world";
import type { StoredEntity } from "@orthant/save";
import type { ConversionLosses } from "../format/losses.ts";
import { importedName } from "../format/text.ts";
import { readNbtCompound } from "../nbt/nbt-compound.ts";
import type { ImportedEntity, Triple } from "../part/voxel-part.ts";
import { jsonOfNbt } from "./nbt-json.ts";

/** Class of entities that come from another game. */
const IMPORTED_CLASS = 0x49;
/** Room for ids of the entities of one piece. */
const IDS_PER_PIECE = 2n ** 20n;
const TAG_LENGTH_MAX = 256;
const COORDINATE_MAX = 2 ** 31;

/** An entity that is converted: its place, its name in the other game, and everything else as JSON. */
export interface EntityToImport {
  readonly position: Triple;
  readonly velocity: Triple;
  readonly id: string;
  readonly payload: Uint8Array;
}

/** Returns the entities that have a place and whose data can be converted; the others are a loss. */
export function entitiesToImport(
  entities: readonly ImportedEntity[],
  losses: ConversionLosses,
): readonly EntityToImport[] {
  const found: EntityToImport[] = [];
  for (const entity of entities) {
    const made = entityOf(entity);
    if (made !== undefined) found.push(made);
    else losses.add("entities", `without a place, or with too much data; the first is ${entity.id}`);
  }
  return found;
}

function entityOf({ position, id, nbt }: ImportedEntity): EntityToImport | undefined {
  if (position?.every((at) => Math.abs(at) < COORDINATE_MAX) !== true) return undefined;
  try {
    const compound = readNbtCompound(nbt);
    const payload = PLAIN_DATA.encode(jsonOfNbt(compound.toMap()));
    const motion = compound.triple("Motion");
    const velocity: Triple = motion?.every(Number.isFinite) === true ? motion : [0, 0, 0];
    return payload.length > VOXEL_DATA_BYTES_MAX ? undefined : { position, velocity, id, payload };
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Returns the entities of a piece as a save has them. Ids are the same in every run. */
export function storedEntities(
  entities: readonly EntityToImport[],
  piece: number,
  savedAtMs: number,
): readonly StoredEntity[] {
  return entities.map(({ position, velocity, id, payload }, index) => ({
    entityId: BigInt(piece) * IDS_PER_PIECE + BigInt(index) + 1n,
    entityClass: IMPORTED_CLASS,
    kind: 0,
    position: [...position, 0],
    orientation: [0, 0, 0, 1],
    velocity: [...velocity, 0],
    scale: 1,
    block: 0,
    displayName: undefined,
    tags: [importedName(id, TAG_LENGTH_MAX)],
    payload,
    lastSavedMs: savedAtMs,
  }));
}

/** Returns the first id that no entity of this number of pieces has. */
export function nextImportedId(pieces: number): bigint {
  return BigInt(pieces) * IDS_PER_PIECE + 1n;
}
