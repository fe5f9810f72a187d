import type { Vector } from "@orthant/core";
import { ByteWriter, riceCost, zigzag } from "@orthant/core/bytes";
import type { EntityMotion, EntityMove, NumberedEntity } from "../../message/entity.ts";
import { ENTITIES_MAX } from "../../message/limits.ts";
import type { PoseSteps } from "../../message/pose-steps.ts";
import type { Precision } from "../../message/precision.ts";
import { writeServerMessage } from "../../message/server-frame-codec.ts";
import type { ServerMessage } from "../../message/server-message.ts";
import { addEntry, type Cell, type GridEntity, type GridEntry } from "./grid-entity.ts";

/** A change above this many steps makes the codes of all others in its message longer, so it is sent as a pose. */
const CHANGE_MAX = 4_096;
/** All numbers of a pose as they are, none as a change. */
const ALL_ABSOLUTE = 0xff;
const ORIENTATION_FIELDS = [4, 5, 6, 7] as const;

/** Encodes messages about entities. Their bytes are the same for all clients that get them. */
export class EntityMessages {
  readonly #precision: Precision;
  readonly #writer = new ByteWriter();

  constructor(precision: Precision) {
    this.#precision = precision;
  }

  /** Entities that left sight, and entities that came into it. */
  changes(left: readonly GridEntry[], entered: readonly NumberedEntity[]): readonly Uint8Array[] {
    const numbers = inParts(left.map(({ number }) => number));
    const entities = inParts(entered);
    return Array.from({ length: Math.max(numbers.length, entities.length) }, (_, part) =>
      this.#encode({ kind: "entities", left: numbers[part] ?? [], entered: entities[part] ?? [] }),
    );
  }

  /** What this tick changes in the poses of entities. */
  moves(entries: readonly GridEntry[]): readonly Uint8Array[] {
    const close: GridEntry[] = [];
    const far = new Map<Cell | undefined, GridEntry[]>();
    for (const entry of entries) {
      if (isShort(entry.change)) close.push(entry);
      else addEntry(far, entry.cell, entry);
    }
    // Entities that are in one region now have similar positions, so that their codes are short.
    const messages = [...far.values()].flatMap((together) => this.poses(together));
    for (const part of inParts(inOrder(close))) messages.push(this.#changes(part));
    return messages;
  }

  /** The poses of entities, for clients that may have any earlier ones. */
  poses(entries: readonly GridEntry[]): readonly Uint8Array[] {
    return inParts(inOrder(entries)).map((part) =>
      this.#encode({ kind: "moves", absolute: ALL_ABSOLUTE, moves: part }),
    );
  }

  /** The velocities of entities. */
  motions(entries: readonly GridEntity[]): readonly Uint8Array[] {
    return inParts(entries).map((part) => this.#encode({ kind: "motions", motions: part.map(motionOf) }));
  }

  #changes(entries: readonly GridEntry[]): Uint8Array {
    let absolute = 0;
    for (const field of ORIENTATION_FIELDS) {
      const changes = entries.map(({ change }) => zigzag(change[field]));
      // No change at all takes no bits.
      if (changes.every((code) => code === 0)) continue;
      const steps = entries.map((entry) => zigzag(entry.steps[field]));
      if (riceCost(steps).bits < riceCost(changes).bits) absolute |= 1 << field;
    }
    if (absolute === 0) {
      const moves = entries.map(({ number, change }): EntityMove => ({ number, steps: change }));
      return this.#encode({ kind: "moves", absolute, moves });
    }
    const isAbsolute = (field: number): boolean => ((absolute >> field) & 1) === 1;
    const moves = entries.map(({ number, change, steps }): EntityMove => {
      const [x, y, z, w] = change;
      const facing = (field: 4 | 5 | 6 | 7): number => (isAbsolute(field) ? steps : change)[field];
      return { number, steps: [x, y, z, w, facing(4), facing(5), facing(6), facing(7)] };
    });
    return this.#encode({ kind: "moves", absolute, moves });
  }

  #encode(message: ServerMessage): Uint8Array {
    this.#writer.clear();
    writeServerMessage(this.#writer, message, undefined, this.#precision);
    return this.#writer.copy();
  }
}

function isShort(change: PoseSteps): boolean {
  for (const step of change) if (step > CHANGE_MAX || step < -CHANGE_MAX) return false;
  return true;
}

const STILL: Vector = [0, 0, 0, 0];

/** Returns the velocity of an entity as messages have it. */
export function motionOf({ number, velocity = STILL }: GridEntity): EntityMotion {
  return { number, velocity };
}

/** Returns entities in the order of their numbers. */
function inOrder(entries: readonly GridEntry[]): readonly GridEntry[] {
  return [...entries].sort((a, b) => a.number - b.number);
}

/** Returns items in parts that a message may list. */
function inParts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const parts: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += ENTITIES_MAX) {
    parts.push(items.slice(start, start + ENTITIES_MAX));
  }
  return parts;
}
