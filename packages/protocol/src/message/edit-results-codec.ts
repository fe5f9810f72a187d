import { type ByteReader, type Codec, OrthantError, requireInteger } from "@orthant/core";
import { DETAIL_BYTES_MAX, EDIT_RESULTS_MAX } from "./limits.ts";
import type { EditResults, NumberedEditResult, RejectionReason } from "./server-message.ts";
import { oneOf } from "./variants.ts";

const outcomeCodec = oneOf<NumberedEditResult["outcome"]>(["applied", "unchanged", "duplicate", "rejected"]);
const refusalCodec = oneOf<RejectionReason>([
  "role",
  "rate",
  "tooMany",
  "tooLarge",
  "reach",
  "vetoed",
  "world",
  "block",
]);

/** The results of edits; each id is relative to the previous one. Rule N27 in docs/formats/protocol.md. */
export const editResultsCodec: Codec<EditResults> = {
  write(out, { results }) {
    requireInteger(results.length, 1, EDIT_RESULTS_MAX);
    out.varUint(results.length);
    let previous = 0;
    for (const result of results) {
      if (result.editId <= previous) {
        throw new OrthantError("ORT_ARGUMENT", `verdict ${result.editId} behind ${previous}`);
      }
      out.varUint(result.editId - previous);
      outcomeCodec.write(out, result.outcome);
      if (result.outcome === "rejected") {
        refusalCodec.write(out, result.reason);
        out.string(result.detail, DETAIL_BYTES_MAX);
      }
      previous = result.editId;
    }
  },

  read(input) {
    const count = input.count(EDIT_RESULTS_MAX);
    if (count === 0) throw input.fail("ORT_MESSAGE", "a list of no verdicts");
    const results: NumberedEditResult[] = [];
    for (let index = 0; index < count; index++) {
      results.push(readEditResult(input, results.at(-1)?.editId ?? 0));
    }
    return { kind: "editResults", results };
  },
};

function readEditResult(input: ByteReader, previous: number): NumberedEditResult {
  const step = input.varUint();
  const editId = previous + step;
  if (step === 0 || !Number.isSafeInteger(editId)) {
    throw input.fail("ORT_MESSAGE", `a verdict ${step} behind verdict ${previous}`);
  }
  const outcome = outcomeCodec.read(input);
  if (outcome !== "rejected") return { editId, outcome };
  return { editId, outcome, reason: refusalCodec.read(input), detail: input.string(DETAIL_BYTES_MAX) };
}
