import type { Box, Vector } from "@orthant/core";
import {
  bytes,
  type Codec,
  checked,
  f32,
  list,
  option,
  perAxis,
  record,
  string,
  varU64,
  varUint,
} from "@orthant/core/bytes";
import { boxCodec } from "@orthant/core/lattice";

/** Codec of four floats without a count. Values are rounded to 32 bits when written. */
export const vectorCodec: Codec<Vector> = perAxis(f32);

/** The stored state of a player. Positions and orientations have 32-bit float precision. */
export interface StoredPlayer {
  readonly playerId: bigint;
  /** Key that proves the player's identity; empty without one. */
  readonly authKey: Uint8Array;
  readonly name: string | undefined;
  readonly position: Vector;
  readonly orientation: Vector;
  readonly tags: readonly string[];
  readonly inventory: Uint8Array;
  readonly metadata: readonly (readonly [key: string, value: Uint8Array])[];
  readonly lastSavedMs: number;
}

/** Maximum number of players in a world. */
export const PLAYERS_MAX = 10_000_000;
/** Maximum number of tags or metadata entries of one player or entity. */
const TAGS_MAX = 65_536;
/** Maximum bytes of a name, tag or key. */
export const TEXT_BYTES_MAX = 65_536;

const text = string(TEXT_BYTES_MAX);
const optionalText = option(text);
/** Codec of the tags of a player or entity. */
export const tagsCodec: Codec<readonly string[]> = list(text, TAGS_MAX);
const value = bytes();
const metadataCodec = list<readonly [string, Uint8Array]>(
  {
    write(out, [key, content]) {
      text.write(out, key);
      value.write(out, content);
    },
    read: (input) => [text.read(input), value.read(input)],
  },
  TAGS_MAX,
);

const storedPlayerCodec = record<StoredPlayer>({
  playerId: varU64,
  authKey: value,
  name: optionalText,
  position: vectorCodec,
  orientation: vectorCodec,
  tags: tagsCodec,
  inventory: value,
  metadata: metadataCodec,
  lastSavedMs: varUint,
});

/** Codec of the payload: players in order of unique ids. Rules S18 and S19. */
export const playersCodec: Codec<readonly StoredPlayer[]> = checked(
  list(storedPlayerCodec, PLAYERS_MAX),
  "ORT_PLAYERS",
  findDisorder,
);

/** Returns the players in storage order. */
export function sortPlayers(players: readonly StoredPlayer[]): readonly StoredPlayer[] {
  return [...players].sort((a, b) => (a.playerId < b.playerId ? -1 : 1));
}

/** Adds or replaces the changed players and drops the removed ones. Returns the result in order of ids. */
export function mergePlayers(
  before: readonly StoredPlayer[],
  changed: readonly StoredPlayer[],
  removed: readonly bigint[] = [],
): readonly StoredPlayer[] {
  if (changed.length + removed.length === 0) return before;
  const byId = new Map(before.map((player) => [player.playerId, player]));
  for (const id of removed) byId.delete(id);
  for (const player of changed) byId.set(player.playerId, player);
  return sortPlayers([...byId.values()]);
}

function findDisorder(players: readonly StoredPlayer[]): string | undefined {
  const stray = players.find(({ playerId }, index) => {
    const previous = players[index - 1];
    return previous !== undefined && previous.playerId >= playerId;
  });
  return stray && `player ${stray.playerId} is out of order`;
}

/** An entity that is not a player. Floats have 32-bit precision. */
export interface StoredEntity {
  readonly entityId: bigint;
  /** Class of the entity. 0 is a player, which is never stored with the chunks. */
  readonly entityClass: number;
  readonly kind: number;
  readonly position: Vector;
  readonly orientation: Vector;
  readonly velocity: Vector;
  readonly scale: number;
  readonly block: number;
  readonly displayName: string | undefined;
  readonly tags: readonly string[];
  readonly payload: Uint8Array;
  readonly lastSavedMs: number;
}

/** Class of players, which are stored in a separate file. */
export const PLAYER_CLASS = 0;

const CLASS_COUNT = 0x100;

/** Codec of one entity. Rule S33. */
export const storedEntityCodec: Codec<StoredEntity> = {
  write(out, entity) {
    out.varU64(entity.entityId);
    out.tag(entity.entityClass, CLASS_COUNT);
    out.varU16(entity.kind);
    vectorCodec.write(out, entity.position);
    vectorCodec.write(out, entity.orientation);
    vectorCodec.write(out, entity.velocity);
    out.f32(entity.scale);
    out.u8(entity.block);
    optionalText.write(out, entity.displayName);
    tagsCodec.write(out, entity.tags);
    out.bytes(entity.payload);
    out.varUint(entity.lastSavedMs);
  },

  read: (input) => ({
    entityId: input.varU64(),
    entityClass: input.tag(CLASS_COUNT),
    kind: input.varU16(),
    position: vectorCodec.read(input),
    orientation: vectorCodec.read(input),
    velocity: vectorCodec.read(input),
    scale: input.f32(),
    block: input.u8(),
    displayName: optionalText.read(input),
    tags: tagsCodec.read(input),
    payload: input.bytes(),
    lastSavedMs: input.varUint(),
  }),
};

/** The entities of one record, and the cube of the leaf they were stored for. */
interface EntityBlob {
  readonly volume: Box;
  readonly entities: readonly StoredEntity[];
}

const ENTITIES_MAX = 1_000_000;
/**
 * Codec of an entity blob: at least one entity, in order of unique ids, no players. Rule
 * S32.
 */
export const entityBlobCodec: Codec<EntityBlob> = checked(
  record({ volume: boxCodec, entities: list(storedEntityCodec, ENTITIES_MAX) }),
  "ORT_BLOB",
  findFault,
);

/** Returns the entities in storage order. */
export function sortEntities(entities: readonly StoredEntity[]): readonly StoredEntity[] {
  return [...entities].sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
}

function findFault({ entities }: EntityBlob): string | undefined {
  if (entities.length === 0) return "an entity blob without entities";
  for (const [index, { entityId, entityClass }] of entities.entries()) {
    const previous = entities[index - 1];
    if (previous !== undefined && previous.entityId >= entityId) return `entity ${entityId} is out of order`;
    if (entityClass === PLAYER_CLASS) return `entity ${entityId} is a player`;
  }
  return undefined;
}
