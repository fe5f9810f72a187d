import { decode, encode, isOrthantError, U64_MAX } from "@orthant/core";
import { decodeBody, encodeBody, type PixelBody } from "../pixelworld/records/pixel-body.ts";
import type { PixelFacts } from "../pixelworld/save.ts";
import { factsCodec } from "../pixelworld/version2/header-slot.ts";
import type { EntityRecord } from "../polychora/records/entity-record.ts";
import type { Attachment } from "../polychora/records/world-description.ts";

/** The class of entities that are bodies of a pixel world. */
export const PIXEL_BODY_CLASS = 0x50;
/** Where a world keeps what its pixel world said of itself. */
const FACTS_KEY = "orthant.pixelworld";

/** A body as an entity: the record is its payload, so nothing of it is lost. */
export function entityOfBody(body: PixelBody, pixelBytes: number, savedMs: number): EntityRecord {
  return {
    entityId: body.id,
    entityClass: PIXEL_BODY_CLASS,
    kind: 0,
    position: [body.position[0], body.position[1], 0, 0],
    orientation: [0, 0, 0, 1],
    velocity: [body.velocity[0], body.velocity[1], 0, 0],
    scale: 1,
    material: body.pixels[0] ?? 0,
    displayName: undefined,
    tags: ["pixel-body"],
    payload: encodeBody(body, pixelBytes),
    lastSavedMs: savedMs,
  };
}

/** The body that an entity is, where it is now; `undefined` when it is none. */
export function bodyOfEntity(
  { entityId, entityClass, payload, position, velocity }: EntityRecord,
  pixelBytes: number,
): PixelBody | undefined {
  if (entityClass !== PIXEL_BODY_CLASS) return undefined;
  try {
    const body = decodeBody(payload, pixelBytes);
    return {
      ...body,
      id: entityId,
      position: [position[0], position[1]],
      velocity: [velocity[0], velocity[1]],
    };
  } catch (error) {
    // Somebody else's entity of the same class.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** What a pixel world says of itself, for a world that has no field for it. */
export function factsAttachment(facts: PixelFacts): Attachment {
  return { key: FACTS_KEY, value: encode(factsCodec, facts) };
}

/** What {@link factsAttachment} keeps; `undefined` in a world that never was a pixel world. */
export function factsOfAttachments(attachments: readonly Attachment[]): PixelFacts | undefined {
  const value = attachments.find(({ key }) => key === FACTS_KEY)?.value;
  return value && decode(factsCodec, value);
}

/** Whether an attachment is the one of {@link factsAttachment}. */
export function isFactsAttachment({ key }: Attachment): boolean {
  return key === FACTS_KEY;
}

/** An id from which on as many ids as possible are free. */
export function firstFreeId(ids: readonly bigint[]): bigint {
  let [start, length] = [1n, U64_MAX];
  const sorted = [0n, ...[...ids].sort((a, b) => (a < b ? -1 : 1))];
  sorted.forEach((id, index) => {
    const free = (sorted[index + 1] ?? U64_MAX) - id;
    if (index > 0 && free <= length) return;
    start = id + 1n;
    length = free;
  });
  return start;
}
