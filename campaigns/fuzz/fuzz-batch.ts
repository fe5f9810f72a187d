import { getHeapStatistics } from "node:v8";
import { isOrthantError } from "@orthant/core";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { Prng } from "@orthant/testkit";
import type { Watchdog } from "../process/watchdog.ts";
import type { Target } from "./decoders.ts";

/** Inputs between two measurements of the heap. */
export const BATCH = 256;
/** A decoder may allocate this many times its input, plus a constant for the reader, writer and error. */
const ALLOCATION_FACTOR = 16;
const ALLOCATION_PER_CALL_BYTES = 4_096;
/** No input makes a decoder allocate this much at once, in addition to the multiple of its length. */
const CALL_BYTES_MAX = 16_777_216;
/** CPU time after which a batch counts as hung. One decode of at most 16 KiB takes microseconds. */
const HANG_MS = 1_000;

/** Result of a batch. Each failure says how to repeat it. */
export interface BatchResult {
  readonly failures: readonly string[];
  /** Number of inputs that the decoder did not refuse. */
  readonly accepted: number;
}

/** Feeds a decoder one batch. The watchdog reports the input that the decoder never returns from. */
export async function fuzzBatch(
  target: Target,
  round: number,
  seed: number,
  watchdog?: Watchdog,
): Promise<BatchResult> {
  const prng = new Prng(seed + round * 1_000_003);
  const inputs = Array.from({ length: BATCH }, () => target.mutate?.(prng) ?? mutate(target.samples, prng));
  const where = `${target.name}: seed ${seed}, round ${round}`;
  watchdog?.next(where);
  const failures: string[] = [];
  const fail = (input: Uint8Array, fault: string): void => {
    failures.push(`${where}: ${fault}; input ${Buffer.from(input).toString("hex")}`);
  };
  const startCpu = process.cpuUsage();
  const outcomes: Outcome[] = [];
  const before = allocatedBytes();
  let allocated = before;
  for (const input of inputs) {
    watchdog?.nextInput(input);
    const outcome = decodeOutcome(target, input);
    outcomes.push(outcome instanceof Promise ? await outcome : outcome);
    // Here and not after the batch: by then, what one call allocated may be collected, or hidden by many small calls.
    const after = allocatedBytes();
    if (after - allocated > input.length * ALLOCATION_FACTOR + CALL_BYTES_MAX) {
      fail(input, `${after - allocated} bytes allocated for ${input.length}`);
    }
    allocated = after;
  }
  const { user, system } = process.cpuUsage(startCpu);
  // CPU time, because wall time means nothing on a busy machine.
  const tookMs = (user + system) / 1_000;

  for (const [index, input] of inputs.entries()) {
    const fault = faultOf(target, input, outcomes[index]);
    if (fault !== undefined) fail(input, fault);
  }
  const inputBytes = inputs.reduce((sum, { length }) => sum + length, 0);
  const callBytes = target.callBytes ?? ALLOCATION_PER_CALL_BYTES;
  if (allocated - before > inputBytes * ALLOCATION_FACTOR + BATCH * callBytes) {
    failures.push(`${where}: ${allocated - before} bytes allocated for ${inputBytes}`);
  }
  if (tookMs > (target.batchMs ?? HANG_MS)) {
    failures.push(`${where}: a batch took ${tookMs} ms of the processor`);
  }
  return { failures, accepted: outcomes.filter((outcome) => "value" in outcome).length };
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

const RANDOM_BYTES_MAX = 64;
const LONG_BYTES_MAX = 16_384;
const EDGE_BYTES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xff] as const;

/** Returns hostile bytes: sometimes pure noise, otherwise a valid sample with a few mutations. */
export function mutate(samples: readonly Uint8Array[], prng: Prng): Uint8Array {
  if (samples.length === 0 || prng.chance(0.15)) return noise(prng);
  let bytes = prng.pick(samples);
  for (let changes = prng.between(1, 4); changes > 0; changes--) bytes = change(bytes, samples, prng);
  return bytes;
}

function noise(prng: Prng): Uint8Array {
  const bytes = prng.bytes(prng.below(prng.chance(0.01) ? LONG_BYTES_MAX : RANDOM_BYTES_MAX));
  // Small numbers make plausible counts and tags, so the noise gets further into the decoder.
  return prng.chance(0.5) ? bytes.map((byte) => byte & 0x07) : bytes;
}

/** Returns a copy with one mutation. */
function change(bytes: Uint8Array, samples: readonly Uint8Array[], prng: Prng): Uint8Array {
  const at = prng.below(bytes.length + 1);
  switch (prng.below(7)) {
    case 0: // another byte
      return replaced(bytes, at, 1, [prng.below(256)]);
    case 1: // flip a bit
      return replaced(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << prng.below(8))]);
    case 2: // cut
      return bytes.slice(0, at);
    case 3: // insert an edge value
      return replaced(bytes, at, 0, [prng.pick(EDGE_BYTES)]);
    case 4: // remove a run
      return replaced(bytes, at, prng.between(1, 4), []);
    case 5: // write a huge count
      return replaced(bytes, at, 1, [0xff, 0xff, 0xff, 0xff, 0x0f]);
    default: // splice two samples
      return replaced(bytes, at, bytes.length, prng.pick(samples).subarray(prng.below(8)));
  }
}

/** Returns a copy in which `added` replaces `removed` bytes at an offset. */
function replaced(bytes: Uint8Array, at: number, removed: number, added: ArrayLike<number>): Uint8Array {
  const rest = bytes.subarray(at + removed);
  const result = new Uint8Array(at + added.length + rest.length);
  result.set(bytes.subarray(0, at));
  result.set(added, at);
  result.set(rest, at + added.length);
  return result;
}

/** Length that marks a missing file. */
const ABSENT = 0xffff;

/** Packs files into one input that can be mutated: a two-byte length for each name, then the contents. */
export function packFiles(
  names: readonly string[],
  files: ReadonlyMap<string, Uint8Array | undefined>,
): Uint8Array {
  const lengths = names.flatMap((name) => {
    const length = files.get(name)?.length ?? ABSENT;
    return [length & 0xff, length >>> 8];
  });
  return Uint8Array.from([...lengths, ...names.flatMap((name) => [...(files.get(name) ?? [])])]);
}

/** Returns a disk with the files of any such input. A truncated input yields truncated files. */
export function diskOfFiles(
  names: readonly string[],
  input: Uint8Array,
  directories: DiskImage["directories"] = [],
): MemoryDisk {
  const files = new Map<string, Uint8Array>();
  let start = names.length * 2;
  for (const [index, name] of names.entries()) {
    const length = (input[index * 2] ?? 0) | ((input[index * 2 + 1] ?? 0) << 8);
    if (length === ABSENT) continue;
    files.set(name, input.subarray(start, start + length));
    start += length;
  }
  return new MemoryDisk({ directories, files });
}
