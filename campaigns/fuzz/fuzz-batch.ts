import { getHeapStatistics } from "node:v8";
import { isOrthantError } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import type { Target } from "./decoders.ts";
import { mutate } from "./mutate.ts";

/** Inputs between two measurements of the heap. */
export const BATCH = 256;
/** A decoder may allocate this many times its input, plus a constant for the reader, writer and error. */
const ALLOCATION_FACTOR = 16;
const ALLOCATION_PER_CALL_BYTES = 4_096;
/** CPU time after which a batch counts as hung. One decode of at most 16 KiB takes microseconds. */
const HANG_MS = 1_000;

/** Feeds a decoder one batch. Returns the failures, each with how to repeat it. */
export async function fuzzBatch(target: Target, round: number, seed: number): Promise<readonly string[]> {
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
  // CPU time, because wall time means nothing on a busy machine.
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

/** Describes how the decoder mishandled `input`; `undefined` when it did not. */
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
