import {
  type Box,
  type Chunk,
  type ChunkShape,
  type Dimensions,
  OrthantError,
  type Position,
  type Vector,
} from "@orthant/core";
import {
  convertList,
  requireBytes,
  requireId,
  requireList,
  requireShownName,
  requireText,
  requireWhole,
  wrongArgument,
} from "@orthant/core/arguments";
import { encodeUtf8, U8_MAX, U16_MAX } from "@orthant/core/bytes";
import { isChunk } from "@orthant/core/chunk";
import { isSeededGenerator, type SeededGenerator } from "@orthant/core/generate";
import { AXES, AXIS_NAMES, type Axes, pointOnAxes } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { StoredEntity, StoredPlayer } from "@orthant/save";
import { LABEL_BYTES_MAX, TEXT_BYTES_MAX } from "@orthant/save/content";
import type { EntityChange, NewStoredEntity } from "./entities/entity-store.ts";
import type { PlayerChange } from "./entities/player-store.ts";
import type { Moment, WorldLabel } from "./world-options.ts";

// Arguments from JavaScript programs are checked here, at the boundary: a world only shows what it can store.
// Journals and saves are not checked again, so data that older programs stored remains readable.

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

/**
 * Throws `ORT_ARGUMENT` for a name or spawn point that a save cannot hold, and for a new name that cannot be shown as it is.
 * A world may keep the name that it `has` from before such names were refused.
 */
export function requireLabel({ name, spawn }: WorldLabel, has?: string): void {
  requireShortText("name", name, LABEL_BYTES_MAX);
  if (name !== has) requireShownName("name", name);
  requireVector("spawn", spawn, (coordinate) => coordinate);
}

/**
 * Throws `ORT_ARGUMENT` for a point outside of the layer from 0 to 1 on an axis that the world lacks. An omitted
 * point is valid.
 */
export function requireOnAxes(field: string, shape: ChunkShape, point: Vector | undefined): void {
  if (point === undefined) return;
  const inside = pointOnAxes(shape, point);
  const axis = AXES.find((each) => inside[each] !== point[each]);
  if (axis === undefined) return;
  const advice = `chunks of this world have one voxel on ${AXIS_NAMES[axis]}, so it must be from 0 to 1`;
  throw wrongArgument(field, point, advice);
}

/** Throws `ORT_ARGUMENT` unless `position` is a list of four numbers, in the world or not. */
export function requirePositionArgument(field: string, position: unknown): asserts position is Position {
  const isPosition =
    isList(position) &&
    position.length === 4 &&
    typeof position[0] === "number" &&
    typeof position[1] === "number" &&
    typeof position[2] === "number" &&
    typeof position[3] === "number";
  if (!isPosition) throw wrongArgument(field, position, "a position is a list of four whole numbers");
}

/** Throws `ORT_ARGUMENT` unless `box` is an object with two positions. */
export function requireBox(box: unknown): asserts box is Box {
  if (typeof box !== "object" || box === null) throw wrongArgument("the box", box, "a box has min and max");
  const { min, max } = box as Partial<Box>;
  requirePositionArgument("min", min);
  requirePositionArgument("max", max);
}

/** Throws `ORT_ARGUMENT` unless `placement` has a voxel. Does not check that it lies in the world. */
export function requirePlacement(placement: unknown): asserts placement is VoxelPlacement {
  if (typeof placement !== "object" || placement === null) {
    throw wrongArgument("the placement", placement, "it has a voxel and a block");
  }
  const { voxel, data } = placement as Partial<VoxelPlacement>;
  requirePositionArgument("voxel", voxel);
  if (data !== undefined && data !== null) requireBytes("data", data);
}

/** Throws `ORT_ARGUMENT` unless `pair` is a position and a chunk. */
export function requireChunkPair(pair: unknown): asserts pair is readonly [Position, Chunk] {
  requireList("the pair", pair, "it is a position and a chunk");
  requirePositionArgument("the position", pair[0]);
  if (!isChunk(pair[1]))
    throw wrongArgument("the chunk", pair[1], "make one with emptyChunk or uniformChunk");
}

/** Throws `ORT_ARGUMENT` unless `moment` can select a saved state. */
export function requireMoment(field: string, moment: unknown): asserts moment is Moment {
  const isMoment =
    typeof moment === "string" ||
    (typeof moment === "number" && Number.isSafeInteger(moment) && moment >= 0) ||
    (moment instanceof Date && !Number.isNaN(moment.getTime()));
  if (!isMoment) {
    throw wrongArgument(field, moment, "it is the number or name of a generation, or a Date");
  }
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

/** Requires a text that a save can hold. */
function requireShortText(field: string, value: unknown, bytesMax = TEXT_BYTES_MAX): void {
  const { length } = encodeUtf8(requireText(field, value));
  if (length > bytesMax)
    throw wrongArgument(field, value, `it has ${length} bytes as UTF-8, at most ${bytesMax} may be`);
}

/** Requires four numbers that stay finite when rounded to the precision of a save, by default 32 bits. */
function requireVector(
  field: string,
  value: unknown,
  rounded: (coordinate: number) => number = Math.fround,
): asserts value is Vector {
  const isVector =
    isList(value) &&
    value.length === AXES.length &&
    // A spread visits holes, which `every` does not.
    [...value].every((number) => typeof number === "number" && Number.isFinite(rounded(number)));
  if (!isVector) throw wrongArgument(field, value, "it is a list of four finite numbers");
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

/** Accepts arrays and typed arrays, but no strings or array-like objects. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** Returns a generator with a seed. */
export function requireSeededGenerator(name: string, value: unknown): SeededGenerator {
  const { ref, generator } = (typeof value === "object" ? (value ?? {}) : {}) as Partial<SeededGenerator>;
  const own = { ref, generator };
  if (isSeededGenerator(own)) return own;
  throw wrongArgument(name, value, "it is a generator with a seed, such as terrain({ seed: 7n })");
}

/** Returns positions with chunks as our own. */
export function ownChunkPairs<D extends Dimensions>(
  axes: Axes<D>,
  chunks: readonly (readonly [chunkPosition: Position<D>, chunk: Chunk])[],
): readonly (readonly [position: Position, chunk: Chunk])[] {
  return convertList("chunks", chunks, "it is a list of [chunkPosition, chunk]", (pair, index) => {
    requireList(`chunks[${index}]`, pair, "it is [chunkPosition, chunk]");
    const [position, chunk] = pair;
    if (!isChunk(chunk))
      throw wrongArgument(`chunks[${index}][1]`, chunk, "make one with emptyChunk or uniformChunk");
    return [axes.position(`chunks[${index}][0]`, position), chunk] as const;
  });
}
