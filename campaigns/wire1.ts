import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { BATCH, fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { wire1Targets } from "./fuzz/wire1-decoders.ts";

const CASES = 5_000_000;
const [datagrams] = wire1Targets;

/** Mutated datagrams of Wire v1. */
export const wire1Campaign: Campaign = {
  name: "wire1",
  summary: "mutated datagrams of Wire v1: what is accepted has the bytes that it is written as",
  async run(options) {
    if (datagrams === undefined) return { cases: 0, failures: ["there is no decoder"] };
    // A stack trace for each of millions of refusals would be most of the work, and says nothing here.
    Error.stackTraceLimit = 0;
    // The first calls also allocate for the engine's own bookkeeping; it is not the decoder's doing.
    fuzzBatch(datagrams, 0, options.seed);
    const failures: string[] = [];
    let cases = 0;
    for (let round = 0; goesOn(cases, CASES, options) && failures.length < FAILURES_MAX; round++) {
      failures.push(...fuzzBatch(datagrams, round, options.seed));
      cases += BATCH;
      options.progress(cases);
    }
    return { cases, failures };
  },
};
