import type { Position } from "@orthant/core";
import { type ByteReader, type ByteWriter, type Codec, list, string } from "@orthant/core/bytes";
import { positionCodec } from "@orthant/core/lattice";
import {
  byKind,
  CHUNK_TICK_KINDS_MAX,
  CHUNK_TICKS_MAX,
  isTickKind,
  TICK_KIND_BYTES_MAX,
} from "../codec/scheduled-ticks.ts";

/** The new tick of a voxel. */
export interface TickChange {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly kind: string;
  /** The step in which it is due now; `undefined` for one that is no longer scheduled. */
  readonly step: number | undefined;
}

/** The ticks of one chunk that a step changed, at least one, ascending by kind and then by voxel. */
export interface ChunkTickChanges {
  readonly position: Position;
  readonly changes: readonly TickChange[];
}

/** A step may take all ticks of a chunk and schedule others, of other kinds. */
const CHANGES_MAX = 2 * CHUNK_TICKS_MAX;
const CHANGED_KINDS_MAX = 2 * CHUNK_TICK_KINDS_MAX;
const kindCodec = string(TICK_KIND_BYTES_MAX);

/** Codec of the ticks that step `step` changed in chunks of `volume` voxels. Rule J39. */
export function tickChangesCodec(
  volume: number,
  chunksMax: number,
  step: number,
): Codec<readonly ChunkTickChanges[]> {
  return list(
    {
      write(out, { position, changes }: ChunkTickChanges) {
        positionCodec.write(out, position);
        writeChanges(out, changes, step);
      },
      read: (input) => ({ position: positionCodec.read(input), changes: readChanges(input, volume, step) }),
    },
    chunksMax,
  );
}

function writeChanges(out: ByteWriter, changes: readonly TickChange[], step: number): void {
  const kinds = byKind(changes);
  out.varUint(kinds.size);
  for (const [kind, ofKind] of kinds) {
    kindCodec.write(out, kind);
    out.varUint(ofKind.length);
    let next = 0;
    for (const { index, step: due } of ofKind) {
      out.varUint(index - next);
      out.varUint(due === undefined ? 0 : due - step);
      next = index + 1;
    }
  }
}

function readChanges(input: ByteReader, volume: number, step: number): readonly TickChange[] {
  const changes: TickChange[] = [];
  const kindCount = input.count(CHANGED_KINDS_MAX);
  if (kindCount === 0) throw input.fail("ORT_JOURNAL", "a chunk without changed ticks");
  let previous = "";
  for (let number = 0; number < kindCount; number++) {
    const kind = kindCodec.read(input);
    if (!isTickKind(kind) || kind <= previous)
      throw input.fail("ORT_JOURNAL", `kind ${JSON.stringify(kind)}`);
    previous = kind;
    const count = input.count(Math.min(volume, CHANGES_MAX - changes.length));
    if (count === 0) throw input.fail("ORT_JOURNAL", `no tick of the kind ${kind}`);
    let next = 0;
    for (let position = 0; position < count; position++) {
      const index = next + input.varUint();
      const delay = input.varUint();
      if (index >= volume) throw input.fail("ORT_JOURNAL", `a tick of voxel ${index} of ${volume}`);
      if (!Number.isSafeInteger(step + delay)) throw input.fail("ORT_JOURNAL", `a tick in ${delay} steps`);
      changes.push({ index, kind, step: delay === 0 ? undefined : step + delay });
      next = index + 1;
    }
  }
  return changes;
}
