import { isOrthantError } from "@orthant/core";
import { decode, encode, U64_MAX } from "@orthant/core/bytes";
import {
  decodePixelBody,
  encodePixelBody,
  type PixelBody,
  type PixelFacts,
  pixelFactsCodec,
} from "@orthant/pixel-world";
import type { Attachment, StoredEntity } from "@orthant/save";

/** Class of entities that are bodies of a pixel world. */
export const PIXEL_BODY_CLASS = 0x50;
/** Key under which a world keeps the facts of its pixel world. */
const FACTS_KEY = "orthant.pixelworld";

/** Converts a body to an entity. The payload is the whole record, so nothing is lost. */
export function entityOfBody(body: PixelBody, pixelBytes: number, savedMs: number): StoredEntity {
  return {
    entityId: body.id,
    entityClass: PIXEL_BODY_CLASS,
    kind: 0,
    position: [body.position[0], body.position[1], 0, 0],
    orientation: [0, 0, 0, 1],
    velocity: [body.velocity[0], body.velocity[1], 0, 0],
    scale: 1,
    block: body.pixels[0] ?? 0,
    displayName: undefined,
    tags: ["pixel-body"],
    payload: encodePixelBody(body, pixelBytes),
    lastSavedMs: savedMs,
  };
}

/** Returns the body of an entity, at its current position; `undefined` if it has none. */
export function bodyOfEntity(
  { entityId, entityClass, payload, position, velocity }: StoredEntity,
  pixelBytes: number,
): PixelBody | undefined {
  if (entityClass !== PIXEL_BODY_CLASS) return undefined;
  try {
    const body = decodePixelBody(payload, pixelBytes);
    return {
      ...body,
      id: entityId,
      position: [position[0], position[1]],
      velocity: [velocity[0], velocity[1]],
    };
  } catch (error) {
    // Another program's entity of the same class.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Returns the facts of a pixel world as an attachment, for a world without such fields. */
export function factsAttachment(facts: PixelFacts): Attachment {
  return { key: FACTS_KEY, value: encode(pixelFactsCodec, facts) };
}

/** Returns the facts kept by {@link factsAttachment}; `undefined` in a world that never was a pixel world. */
export function factsOfAttachments(attachments: readonly Attachment[]): PixelFacts | undefined {
  const value = attachments.find(({ key }) => key === FACTS_KEY)?.value;
  return value && decode(pixelFactsCodec, value);
}

/** Returns whether an attachment was made by {@link factsAttachment}. */
export function isFactsAttachment({ key }: Attachment): boolean {
  return key === FACTS_KEY;
}

/** Returns the first id of the largest range of free ids. */
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
