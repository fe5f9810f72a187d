import type { Codec } from "@orthant/core/bytes";
import { type ChunkTickChanges, tickChangesCodec } from "@orthant/save/journal";
import { EDIT_CHUNKS_MAX } from "@orthant/world/engine";

/** A step of a simulation. Its edits and its changes of entities are in the records before it in the same append. */
export interface StepRecord {
  readonly kind: "step";
  readonly term: number;
  /** The number of the step. */
  readonly step: number;
  /** The scheduled ticks that it changed. */
  readonly ticks: readonly ChunkTickChanges[];
}

type StepBody = Pick<StepRecord, "step" | "ticks">;

/** Codec of the body of a step record in a world whose chunks have `volume` voxels. Rule K64 in docs/formats/cluster.md. */
export function stepBodyCodec(volume: number): Codec<StepBody> {
  return {
    write(out, { step, ticks }) {
      out.varUint(step);
      tickChangesCodec(volume, EDIT_CHUNKS_MAX, step).write(out, ticks);
    },
    read(input) {
      const step = input.varUint();
      if (step === 0) throw input.fail("ORT_JOURNAL", "a step with the number 0");
      return { step, ticks: tickChangesCodec(volume, EDIT_CHUNKS_MAX, step).read(input) };
    },
  };
}
