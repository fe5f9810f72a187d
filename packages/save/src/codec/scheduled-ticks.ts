import { OrthantError } from "@orthant/core";
import { type ByteReader, type Codec, string } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";

/** A tick that a simulation scheduled for a voxel of a chunk. A voxel has at most one of each kind. */
export interface ScheduledTick {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly kind: string;
  /** The step in which it is due. */
  readonly step: number;
}

/** Maximum number of scheduled ticks of one chunk. */
export const CHUNK_TICKS_MAX = 8_192;
/** Maximum number of kinds of ticks in one chunk. */
export const CHUNK_TICK_KINDS_MAX = 64;
/** Maximum length of the name of a kind. */
export const TICK_KIND_BYTES_MAX = 64;
const KIND = /^[\w:.-]{1,64}$/;

const kindCodec = string(TICK_KIND_BYTES_MAX);

/** Whether a string can name a kind of ticks. Rule S144. */
export function isTickKind(kind: string): boolean {
  return KIND.test(kind);
}

/** What identifies a tick in a chunk. */
type TickPlace = Pick<ScheduledTick, "kind" | "index">;

/** Orders ticks by kind, then by voxel. */
export function compareTicks(a: TickPlace, b: TickPlace): number {
  if (a.kind === b.kind) return a.index - b.index;
  return a.kind < b.kind ? -1 : 1;
}

/**
 * Returns a codec for the ticks of a chunk, at least one, in order. Rules S143 to S145 in
 * docs/formats/polychora-save.md.
 */
export function scheduledTicksCodec(volume: number): Codec<readonly ScheduledTick[]> {
  return {
    write(out, ticks) {
      const misfit = misfitOf(ticks, volume);
      if (misfit !== undefined) throw new OrthantError("ORT_ARGUMENT", misfit);
      const first = ticks.reduce((least, { step }) => Math.min(least, step), Number.MAX_SAFE_INTEGER);
      const kinds = byKind(ticks);
      out.varUint(first);
      out.varUint(kinds.size);
      for (const [kind, ofKind] of kinds) {
        kindCodec.write(out, kind);
        out.varUint(ofKind.length);
        let next = 0;
        for (const { index, step } of ofKind) {
          out.varUint(index - next);
          out.varUint(step - first);
          next = index + 1;
        }
      }
    },

    read(input) {
      const first = input.varUint();
      const kindCount = input.count(CHUNK_TICK_KINDS_MAX);
      const ticks: ScheduledTick[] = [];
      for (let number = 0; number < kindCount; number++) readKind(input, volume, first, ticks);
      const misfit = misfitOf(ticks, volume);
      if (misfit !== undefined) throw input.fail("ORT_BLOB", misfit);
      if (ticks.every(({ step }) => step > first))
        throw input.fail("ORT_BLOB", `no tick is due in step ${first}`);
      return ticks;
    },
  };
}

/** Returns ticks by their kinds, in the order in which these come first. */
export function byKind<Tick extends TickPlace>(ticks: readonly Tick[]): ReadonlyMap<string, readonly Tick[]> {
  const kinds = new Map<string, Tick[]>();
  for (const tick of ticks) {
    getOrAdd(kinds, tick.kind, () => []).push(tick);
  }
  return kinds;
}

function readKind(input: ByteReader, volume: number, first: number, ticks: ScheduledTick[]): void {
  const kind = kindCodec.read(input);
  if (kind === ticks.at(-1)?.kind) throw input.fail("ORT_BLOB", `the kind ${kind} twice`);
  const count = input.count(Math.min(volume, CHUNK_TICKS_MAX - ticks.length));
  if (count === 0) throw input.fail("ORT_BLOB", `no tick of the kind ${JSON.stringify(kind)}`);
  let next = 0;
  for (let position = 0; position < count; position++) {
    const index = next + input.varUint();
    ticks.push({ index, kind, step: first + input.varUint() });
    next = index + 1;
  }
}

/** Describes why no chunk has these ticks; `undefined` if one may. */
function misfitOf(ticks: readonly ScheduledTick[], volume: number): string | undefined {
  if (ticks.length === 0) return "a list of no ticks";
  if (ticks.length > CHUNK_TICKS_MAX)
    return `${ticks.length} ticks where a chunk has at most ${CHUNK_TICKS_MAX}`;
  let kinds = 0;
  let previous: ScheduledTick | undefined;
  for (const tick of ticks) {
    const { index, kind, step } = tick;
    if (previous?.kind !== kind) {
      kinds++;
      if (!isTickKind(kind)) return `${JSON.stringify(kind)} is not the name of a kind`;
    }
    if (previous !== undefined && compareTicks(previous, tick) >= 0) return "ticks that are not in order";
    if (!Number.isInteger(index) || index < 0 || index >= volume)
      return `a tick of voxel ${index} of ${volume}`;
    if (!Number.isSafeInteger(step) || step < 0) return `a tick in step ${step}`;
    previous = tick;
  }
  return kinds > CHUNK_TICK_KINDS_MAX
    ? `${kinds} kinds of ticks, of at most ${CHUNK_TICK_KINDS_MAX}`
    : undefined;
}
