import { type Codec, option, string } from "@orthant/core";
import { TEXT_BYTES_MAX, tagsCodec } from "./player-record.ts";
import { type Vector, vectorCodec } from "./vector.ts";

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
const optionalText = option(string(TEXT_BYTES_MAX));

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
