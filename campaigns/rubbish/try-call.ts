import { inspect } from "node:util";
import { getHeapStatistics } from "node:v8";
import { isOrthantError } from "@orthant/core";
import type { Prng } from "@orthant/testkit";
import { namesIn, parameterNames } from "./argument-names.ts";
import { damaged, spoil } from "./damage.ts";
import { RubbishError } from "./rubbish-values.ts";
import type { Target } from "./stage.ts";

/** Time after which a promise that nothing resolves counts as hung. */
const HANG_MS = 20_000;
/** Memory that one call may allocate. */
const ALLOCATION_BYTES_MAX = 16 * 2 ** 20;
const SHOWN_LENGTH_MAX = 600;

/** One call with arguments that are mostly wrong in one place. */
export interface Call {
  readonly target: Target;
  readonly args: readonly unknown[];
  /** Names of the parameters and of the fields of the arguments. */
  readonly names: ReadonlySet<string>;
  /** The call as text, before it could change its arguments. */
  readonly text: string;
}

/** Prepares a call of one of the targets. */
export function nextCall(targets: readonly Target[], prng: Prng): Call {
  const target = prng.pick(targets);
  const valid = target.args(prng);
  const args = prng.chance(0.06) ? valid : damaged(valid, prng);
  // The last object of a call is called its options everywhere.
  const names = namesIn([valid, args], new Set(["options", ...parameterNames(target.called)]));
  return { target, args, names, text: `${target.name}(${args.map(shown).join(", ")})` };
}

/**
 * Makes a call. Returns what was wrong with its answer: an error that is not Orthant's, too much memory, or no answer.
 * Afterwards the arguments may change, as those of a caller do.
 */
export async function tryCall({ target, args, names }: Call, prng: Prng): Promise<string | undefined> {
  const before = allocatedBytes();
  let fault: string | undefined;
  try {
    const answer = target.call(args);
    if (!(answer instanceof Promise)) await target.dispose?.(answer);
    else if (target.mayWait === true) answer.then(target.dispose, () => undefined);
    else {
      const value = await settled(answer);
      await target.dispose?.(value);
    }
  } catch (error) {
    fault = faultOf(error) ?? namelessFault(error, names);
  }
  const allocated = allocatedBytes() - before;
  if (allocated > ALLOCATION_BYTES_MAX && target.mayAllocate !== true)
    fault ??= `allocated ${allocated} bytes`;
  if (prng.chance(0.2)) for (const arg of args) spoil(arg, prng);
  return fault;
}

/** Returns why an error is not an answer to a caller; `undefined` for an error of Orthant, or of the rubbish itself. */
export function faultOf(error: unknown): string | undefined {
  if (error instanceof RubbishError) return undefined;
  if (!isOrthantError(error))
    return `threw ${error instanceof Error ? (error.stack ?? error) : shown(error)}`;
  return /\[object |undefined is not/.test(error.message) ? `says ${error.message}` : undefined;
}

/**
 * Returns a fault if an error about arguments names neither a parameter nor a field of the arguments, so that its reader
 * cannot know which one to change.
 */
function namelessFault(error: unknown, names: ReadonlySet<string>): string | undefined {
  // An error of a disk names its file, which is the argument.
  if (!isOrthantError(error, "ORT_ARGUMENT") || error.context.path !== undefined) return undefined;
  const words = error.detail.match(/[A-Za-z_$][\w$]*/g) ?? [];
  // An item of a list may be named in the singular.
  return words.some((word) => names.has(word) || names.has(`${word}s`))
    ? undefined
    : `names no argument: ${error.message}`;
}

/** Shows a value in an error report, without running any code of it. */
export function shown(value: unknown): string {
  const text = inspect(value, {
    depth: 6,
    breakLength: Number.POSITIVE_INFINITY,
    showProxy: true,
    maxStringLength: 80,
    maxArrayLength: 12,
    customInspect: false,
  });
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}...` : text;
}

async function settled(promise: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${HANG_MS} ms`)), HANG_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function allocatedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
