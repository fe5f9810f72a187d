import { type ByteReader, type Codec, OrthantError, requireInteger } from "@orthant/core";
import { DETAIL_BYTES_MAX, VERDICTS_MAX } from "./limits.ts";
import type { RefusalReason, Verdict, Verdicts } from "./server-message.ts";
import { oneOf } from "./variants.ts";

const outcomeCodec = oneOf<Verdict["outcome"]>(["applied", "unchanged", "settled", "refused"]);
const refusalCodec = oneOf<RefusalReason>([
  "role",
  "rate",
  "tooMany",
  "tooLarge",
  "reach",
  "vetoed",
  "world",
  "material",
]);

/** The results of edits; each id is relative to the previous one. Rule N27 in docs/formats/protocol.md. */
export const verdictsCodec: Codec<Verdicts> = {
  write(out, { verdicts }) {
    requireInteger(verdicts.length, 1, VERDICTS_MAX);
    out.varUint(verdicts.length);
    let previous = 0;
    for (const verdict of verdicts) {
      if (verdict.editId <= previous) {
        throw new OrthantError("ORT_ARGUMENT", `verdict ${verdict.editId} behind ${previous}`);
      }
      out.varUint(verdict.editId - previous);
      outcomeCodec.write(out, verdict.outcome);
      if (verdict.outcome === "refused") {
        refusalCodec.write(out, verdict.reason);
        out.string(verdict.detail, DETAIL_BYTES_MAX);
      }
      previous = verdict.editId;
    }
  },

  read(input) {
    const count = input.count(VERDICTS_MAX);
    if (count === 0) throw input.fail("ORT_MESSAGE", "a list of no verdicts");
    const verdicts: Verdict[] = [];
    for (let index = 0; index < count; index++) {
      verdicts.push(readVerdict(input, verdicts.at(-1)?.editId ?? 0));
    }
    return { kind: "verdicts", verdicts };
  },
};

function readVerdict(input: ByteReader, previous: number): Verdict {
  const step = input.varUint();
  const editId = previous + step;
  if (step === 0 || !Number.isSafeInteger(editId)) {
    throw input.fail("ORT_MESSAGE", `a verdict ${step} behind verdict ${previous}`);
  }
  const outcome = outcomeCodec.read(input);
  if (outcome !== "refused") return { editId, outcome };
  return { editId, outcome, reason: refusalCodec.read(input), detail: input.string(DETAIL_BYTES_MAX) };
}
