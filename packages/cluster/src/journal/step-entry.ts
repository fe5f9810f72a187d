import { type ChunkShape, OrthantError, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { regionOf } from "@orthant/core/lattice";
import { storedEntityCodec } from "@orthant/save/content";
import type { LoggedStep, LoggedStepEntity } from "@orthant/world/engine";
import { APPEND_RECORDS_MAX } from "../backbone/backbone.ts";
import { borderEditBytes, byRegion, type TakenEdits } from "../shard/border-edits.ts";
import { ENTITY_BYTES_MAX, type EntityItem } from "../shard/entity-record.ts";
import { nameOfPosition, sectorOfPosition } from "../shard/sectors.ts";
import { type StepBody, stepBodyCodec } from "../shard/step-record.ts";
import { LEAVING_ENTITIES_MAX } from "./border-state.ts";
import { requireRecordable } from "./edit-group.ts";

/** A change of an entity, and the sectors of the shard in which it is visible. */
export interface PlacedItem {
  readonly item: EntityItem;
  readonly sectors: readonly Position[];
}

/** Entities that may leave in one step, and those in an outbox above which no step is made. */
export const STEP_LEAVING_MAX: number = LEAVING_ENTITIES_MAX / 2;
/** Bytes of the entities that a step changes, and of its ticks. Each may be in one record. */
const STEP_PART_BYTES_MAX = 1_048_576;
/** Records of a step besides those of its regions and of the sectors of its entities. */
const OTHER_RECORDS = 2;

/** Whether a step changed nothing but its number. */
export function isEmptyStep({ clocks, ticks, entities, sent }: LoggedStep): boolean {
  return clocks.length + ticks.length + entities.length + sent.length === 0;
}

/** Throws `ORT_LIMIT` unless a journal that takes `bytesMax` at once can store a step whole. Rule K64. */
export function requireStepFits(
  step: Omit<LoggedStep, "clocks">,
  shape: ChunkShape,
  bytesMax: number = Number.POSITIVE_INFINITY,
): void {
  const records = new Set(step.chunks.map(({ position }) => nameOfPosition(regionOf(position))));
  const ticks = encode(stepBodyCodec(shape.volume), { ...step, sent: [], taken: [] }).length;
  const sent = step.sent.reduce((sum, edit) => sum + borderEditBytes(edit), 0);
  let entities = 0;
  for (const change of step.entities) {
    for (const sector of sectorsOf(change, shape)) records.add(`entities ${nameOfPosition(sector)}`);
    const state = change.kind === "entity" ? change.entity : change.leaving;
    const bytes = state === undefined ? 0 : encode(storedEntityCodec, state).length;
    requireAtMost("an entity", bytes, ENTITY_BYTES_MAX, "bytes");
    entities += 2 * bytes;
  }
  requireAtMost("the step's changes of entities", entities, STEP_PART_BYTES_MAX, "bytes");
  requireAtMost("the step's changes of ticks", ticks, STEP_PART_BYTES_MAX, "bytes");
  requireAtMost(
    "the step",
    records.size + OTHER_RECORDS,
    APPEND_RECORDS_MAX,
    "records of regions and sectors",
  );
  requireAtMost("the step", requireRecordable(step.chunks) + entities + ticks + sent, bytesMax, "bytes");
  const leaving = step.entities.filter((change) => "leaving" in change).length;
  requireAtMost("the step", leaving, STEP_LEAVING_MAX, "entities that leave the shard");
}

/** Returns what the record of a step says. `nextNumber` numbers the edits that it sends to other shards. */
export function stepBodyOf(
  { step, ticks, sent }: LoggedStep,
  taken: readonly TakenEdits[],
  shape: ChunkShape,
  nextNumber: () => number,
): StepBody {
  const numbered = byRegion(shape, sent).map((part) => ({ ...part, number: nextNumber() }));
  return { step, ticks, sent: numbered, taken };
}

/** Returns what a step does to entities. `nextNumber` numbers those that leave. */
export function itemsOfStep(
  { entities }: LoggedStep,
  shape: ChunkShape,
  nextNumber: () => number,
): readonly PlacedItem[] {
  return entities.map((change) => {
    const { storedAt } = change;
    const sectors = sectorsOf(change, shape);
    if (change.kind === "entity")
      return { item: { kind: "present", entity: change.entity, storedAt }, sectors };
    const { entityId, leaving } = change;
    const item: EntityItem =
      leaving === undefined
        ? { kind: "gone", entityId, storedAt }
        : { kind: "left", number: nextNumber(), entity: leaving, storedAt };
    return { item, sectors };
  });
}

/**
 * Returns the sectors in which players may see a change: where the entity was, and where it is in this shard. One that was
 * added for another shard has none.
 */
function sectorsOf(change: LoggedStepEntity, shape: ChunkShape): readonly Position[] {
  const to = change.kind === "entity" ? change.entity.position : undefined;
  return [change.from, to]
    .filter((place) => place !== undefined)
    .map((place) => sectorOfPosition(shape, place));
}

function requireAtMost(what: string, count: number, max: number, unit: string): void {
  if (count <= max) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `${what} takes ${count} ${unit}, and a shard's journal ${max} at once: change less in a step`,
  );
}
