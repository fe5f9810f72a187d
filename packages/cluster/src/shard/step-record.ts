import { type Codec, list, record, varUint } from "@orthant/core/bytes";
import { positionCodec } from "@orthant/core/lattice";
import { type ChunkTickChanges, tickChangesCodec } from "@orthant/save/journal";
import { EDIT_CHUNKS_MAX } from "@orthant/world";
import {
  borderEditsCodec,
  type RegionEdits,
  STEP_TRANSFERS_MAX,
  type TakenEdits,
  takenEditsCodec,
} from "./border-edits.ts";

/** Edits that a step sends to another shard. The term of the transfer is that of the record. */
interface SentEdits extends RegionEdits {
  /** The number of the transfer. */
  readonly number: number;
}

/** A step of a simulation. Its edits and its changes of entities are in the records before it in the same append. */
export interface StepRecord {
  readonly kind: "step";
  readonly term: number;
  /** The number of the step. */
  readonly step: number;
  /** The scheduled ticks that it changed. */
  readonly ticks: readonly ChunkTickChanges[];
  /** Its edits in other shards, which are in the outbox from then on. */
  readonly sent: readonly SentEdits[];
  /** Edits of other shards that it applied. */
  readonly taken: readonly TakenEdits[];
}

/** What a step record says besides its term. */
export type StepBody = Pick<StepRecord, "step" | "ticks" | "sent" | "taken">;

const sentCodec = list<SentEdits>(
  record({ number: varUint, region: positionCodec, edits: borderEditsCodec }),
  STEP_TRANSFERS_MAX,
);
const takenCodec = list(takenEditsCodec, STEP_TRANSFERS_MAX);

/** Codec of the body of a step record in a world whose chunks have `volume` voxels. Rule K64 in docs/formats/cluster.md. */
export function stepBodyCodec(volume: number): Codec<StepBody> {
  return {
    write(out, { step, ticks, sent, taken }) {
      out.varUint(step);
      tickChangesCodec(volume, EDIT_CHUNKS_MAX, step).write(out, ticks);
      sentCodec.write(out, sent);
      takenCodec.write(out, taken);
    },
    read(input) {
      const step = input.varUint();
      if (step === 0) throw input.fail("ORT_JOURNAL", "a step with the number 0");
      return {
        step,
        ticks: tickChangesCodec(volume, EDIT_CHUNKS_MAX, step).read(input),
        sent: sentCodec.read(input),
        taken: takenCodec.read(input),
      };
    },
  };
}
