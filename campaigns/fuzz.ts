import { getHeapStatistics } from "node:v8";
import { isOrthantError } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { targets as baseTargets, type Target } from "./fuzz/decoders.ts";
import { messageTargets } from "./fuzz/message-decoders.ts";
import { mutate } from "./fuzz/mutate.ts";
import { marsMinerTargets } from "./marsminer/marsminer-decoders.ts";
import { pixelTargets } from "./pixelworld/pixel-decoders.ts";
import { saveTargets } from "./save/save-decoders.ts";

const TARGETS: readonly Target[] = [
  ...baseTargets,
  ...saveTargets,
  ...messageTargets,
  ...marsMinerTargets,
  ...pixelTargets,
];

const CASES = 1_000_000;
/** Inputs between two looks at the heap. */
const BATCH = 256;
/** What a decoder may allocate: this many times its input, and a constant for the reader, writer and error. */
const ALLOCATION_FACTOR = 16;
const ALLOCATION_PER_CALL_BYTES = 4_096;
/** One decode of at most 16 KiB takes microseconds; anything like this is a hang. */
const HANG_MS = 1_000;

/** Random and mutated bytes into every decoder. */
export const fuzzCampaign: Campaign = fuzzCampaignOf(
  "fuzz",
  "hostile bytes into every decoder: only OrthantError, one encoding a value, bounded memory and time",
  TARGETS,
);

/** The same for some decoders, in turn; a million cases for all of them together unless told otherwise. */
export function fuzzCampaignOf(
  name: string,
  summary: string,
  targets: readonly Target[],
  wanted: number = CASES,
): Campaign {
  return {
    name,
    summary,
    async run(options) {
      // A stack trace for each of a million refusals would be most of the work, and says nothing here.
      Error.stackTraceLimit = 0;
      // The first calls also allocate for the engine's own bookkeeping; it is not the decoders' doing.
      for (const target of targets) await fuzzBatch(target, 0, options);
      const failures: string[] = [];
      let cases = 0;
      for (let round = 0; goesOn(cases, wanted, options) && failures.length < FAILURES_MAX; round++) {
        for (const target of targets) {
          failures.push(...(await fuzzBatch(target, round, options)));
          cases += BATCH;
        }
        options.progress(cases);
      }
      return { cases, failures };
    },
  };
}

async function fuzzBatch(
  target: Target,
  round: number,
  { seed }: CampaignOptions,
): Promise<readonly string[]> {
  const prng = new Prng(seed + round * 1_000_003);
  const inputs = Array.from({ length: BATCH }, () => mutate(target.samples, prng));
  const where = `${target.name}: seed ${seed}, round ${round}`;
  const before = allocatedBytes();
  const startCpu = process.cpuUsage();
  const outcomes: Outcome[] = [];
  for (const input of inputs) {
    const outcome = decodeOutcome(target, input);
    outcomes.push(outcome instanceof Promise ? await outcome : outcome);
  }
  const { user, system } = process.cpuUsage(startCpu);
  // Time of the processor: on a machine that has much else to do, the other one says nothing.
  const tookMs = (user + system) / 1_000;
  const allocated = allocatedBytes() - before;

  const failures = inputs.flatMap((input, index) => {
    const fault = faultOf(target, input, outcomes[index]);
    return fault === undefined ? [] : [`${where}: ${fault}; input ${Buffer.from(input).toString("hex")}`];
  });
  const inputBytes = inputs.reduce((sum, { length }) => sum + length, 0);
  const callBytes = target.callBytes ?? ALLOCATION_PER_CALL_BYTES;
  if (allocated > inputBytes * ALLOCATION_FACTOR + BATCH * callBytes) {
    failures.push(`${where}: ${allocated} bytes allocated for ${inputBytes}`);
  }
  if (tookMs > (target.batchMs ?? HANG_MS)) {
    failures.push(`${where}: a batch took ${tookMs} ms of the processor`);
  }
  return failures;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

function decodeOutcome(target: Target, input: Uint8Array): Outcome | Promise<Outcome> {
  try {
    const value = target.decode(input);
    if (!(value instanceof Promise)) return { value };
    return value.then(
      (awaited: unknown) => ({ value: awaited }),
      (error: unknown) => ({ error }),
    );
  } catch (error) {
    return { error };
  }
}

/** What is wrong with how the decoder took these bytes, if anything. */
function faultOf(target: Target, input: Uint8Array, outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return "no outcome";
  if ("error" in outcome) {
    const refused = isOrthantError(outcome.error) && outcome.error.code !== "ORT_ARGUMENT";
    return refused ? undefined : `threw ${String(outcome.error)}`;
  }
  const again = target.encode(outcome.value);
  return Buffer.compare(again, input) === 0
    ? undefined
    : `two encodings, the other ${Buffer.from(again).toString("hex")}`;
}

function allocatedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
