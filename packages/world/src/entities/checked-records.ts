import { type ChunkShape, OrthantError } from "@orthant/core";
import { convertList, requireBytes, requireId, requireWhole, wrongArgument } from "@orthant/core/arguments";
import { U8_MAX, U16_MAX } from "@orthant/core/bytes";
import type { StoredEntity, StoredPlayer } from "@orthant/save";
import { requireOnAxes, requireShortText, requireVector } from "../options/checked-arguments.ts";
import type { EntityChange, NewStoredEntity } from "./loaded-entities.ts";
import type { PlayerChange } from "./player-records.ts";

type Check = (field: string, value: unknown) => void;

const PLAYER_FIELDS: Readonly<Record<keyof StoredPlayer, Check>> = {
  playerId: requireId,
  authKey: requireBytes,
  name: requireOptionalText,
  position: requireVector,
  orientation: requireVector,
  tags: requireTags,
  inventory: requireBytes,
  metadata: requireMetadata,
  lastSavedMs: requireNumber,
};

const ENTITY_FIELDS: Readonly<Record<keyof StoredEntity, Check>> = {
  entityId: requireId,
  entityClass: (field, value) => requireWhole(field, value, 0, U8_MAX),
  kind: (field, value) => requireWhole(field, value, 0, U16_MAX),
  position: requireVector,
  orientation: requireVector,
  velocity: requireVector,
  scale: requireFloat,
  block: (field, value) => requireWhole(field, value, 0, U8_MAX),
  displayName: requireOptionalText,
  tags: requireTags,
  payload: requireBytes,
  lastSavedMs: requireNumber,
};

/** Fields for which `undefined` means "no name". In any other field, `undefined` counts as omitted. */
const CLEARED_BY_UNDEFINED: ReadonlySet<string> = new Set(["name", "displayName"]);

/** Returns `change` without undefined fields. Throws `ORT_ARGUMENT` for values that a save cannot hold. */
export function checkedPlayer(change: PlayerChange, shape: ChunkShape): PlayerChange {
  const checked = checkedFields("a player", PLAYER_FIELDS, change);
  requireId("playerId", checked.playerId);
  requireOnAxes("position", shape, checked.position);
  return checked;
}

/** Like {@link checkedPlayer}, for a new entity. */
export function checkedNewEntity(entity: NewStoredEntity, shape: ChunkShape): NewStoredEntity {
  const checked = checkedFields("an entity", ENTITY_FIELDS, entity);
  requireNumber("kind", checked.kind);
  requireVector("position", checked.position);
  requireOnAxes("position", shape, checked.position);
  return checked;
}

/** Like {@link checkedPlayer}, for a change to an entity. */
export function checkedEntityChange(change: EntityChange, shape: ChunkShape): EntityChange {
  const checked = checkedFields("an entity", ENTITY_FIELDS, change);
  requireOnAxes("position", shape, checked.position);
  return checked;
}

function checkedFields<Change extends object>(
  whose: string,
  fields: Readonly<Record<string, Check>>,
  change: Change,
): Change {
  if (typeof change !== "object" || change === null) throw wrongArgument(whose, change, "it is an object");
  const checked: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(change)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (check === undefined) {
      const known = Object.keys(fields).join(", ");
      throw new OrthantError("ORT_ARGUMENT", `${whose} has no field ${field}; there are ${known}`);
    }
    if (value === undefined && !CLEARED_BY_UNDEFINED.has(field)) continue;
    check(field, value);
    // Adding 0 turns minus zero, which whole numbers in a save do not have, into zero.
    checked[field] = typeof value === "number" ? value + 0 : value;
  }
  return checked as Change;
}

function requireNumber(field: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw wrongArgument(field, value, "it is a finite number");
  }
}

/** Requires a number that stays finite when rounded to 32 bits. */
function requireFloat(field: string, value: unknown): void {
  requireNumber(field, value);
  if (!Number.isFinite(Math.fround(value as number)))
    throw wrongArgument(field, value, "32 bits have to hold it");
}

function requireOptionalText(field: string, value: unknown): void {
  if (value !== undefined) requireShortText(field, value);
}

function requireTags(field: string, value: unknown): void {
  convertList(field, value, "it is a list of strings", (tag, index) =>
    requireShortText(`${field}[${index}]`, tag),
  );
}

function requireMetadata(field: string, value: unknown): void {
  convertList(field, value, "it is a list of keys with bytes", (pair, index) => {
    const at = `${field}[${index}]`;
    if (!Array.isArray(pair) || pair.length !== 2) throw wrongArgument(at, pair, "it is a key and bytes");
    requireShortText(`${at}[0]`, pair[0]);
    requireBytes(`${at}[1]`, pair[1]);
  });
}
