import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt } from "../files/attempt.ts";
import { readBeginning } from "../files/read-whole.ts";
import { surveyStates } from "./care/find-states.ts";
import { StateInspector } from "./care/inspect-state.ts";
import { SaveFiles } from "./files/save-files.ts";
import { CUBE_SIZE_MAX, type MarsMinerDialect, POINTERS_FILE, pointersHead, STRINGS_FILE } from "./layout.ts";

/** Chunks that are looked at to tell two dialects apart. */
const PROBE_CHUNKS_MAX = 256;
/** What a save counts in which nothing can be read at all. */
const CONTRADICTIONS_MAX = 1_000_000_000;
/** Overlapping blocks show that the dialect is the wrong one, so once over is enough. */
const BUDGET = 2;

/**
 * The dialects that the files on a disk may be of, the likeliest first: none when none fits. All of them call
 * themselves version 0, so files that are there, counts and what the pointers lead to have to tell. How large a cube is
 * does not matter. Rules M3 to M5.
 */
export async function fittingDialects(disk: Disk): Promise<readonly MarsMinerDialect[]> {
  return fittingOf(await judgeDialects(disk));
}

/** The dialect that fits; of a damaged save the one with the fewest contradictions. */
export async function likeliestDialect(disk: Disk): Promise<MarsMinerDialect> {
  const judgements = await judgeDialects(disk);
  const [fitting] = fittingOf(judgements);
  if (fitting !== undefined) return fitting;
  const ranked: (readonly [dialect: MarsMinerDialect, rank: number])[] = [];
  for (const { dialect, contradictions, blockTypes } of judgements) {
    // Names that can be read tell more than anything else; without a state, it is whoever finds more of them.
    const states = Number.isFinite(contradictions) ? 0 : await countStates(disk, dialect);
    ranked.push([
      dialect,
      Math.min(contradictions, CONTRADICTIONS_MAX) - (blockTypes > 0 ? 0.5 : 0) - states,
    ]);
  }
  const [best] = ranked.sort(([, a], [, b]) => a - b);
  return best?.[0] ?? "seed";
}

/** The dialects whose files are there, whatever they hold; the order is that of a guess. */
export async function dialectsByFiles(disk: Disk): Promise<readonly MarsMinerDialect[]> {
  const names = new Set((await disk.list("")).map(({ name }) => name));
  if (names.has(STRINGS_FILE)) {
    return (await hasPointerCount(disk)) ? ["seed"] : ["seed", "subtypes"];
  }
  return names.has(POINTERS_FILE) ? ["stringblock"] : ["global-pointers"];
}

interface Judgement {
  readonly dialect: MarsMinerDialect;
  /** Infinite when not even the chunk table can be read. */
  readonly contradictions: number;
  readonly blockTypes: number;
}

async function judgeDialects(disk: Disk): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = [];
  for (const dialect of await dialectsByFiles(disk)) judgements.push(await judge(disk, dialect));
  return judgements;
}

function fittingOf(judgements: readonly Judgement[]): readonly MarsMinerDialect[] {
  const fitting = judgements.filter(({ contradictions }) => contradictions === 0);
  // A table of one type with a subtype can be read without it. What reads well with subtypes has them.
  const withTypes = fitting.filter(({ blockTypes }) => blockTypes > 0).map(({ dialect }) => dialect);
  if (withTypes.includes("subtypes")) return ["subtypes"];
  return withTypes.length > 0 ? withTypes : fitting.map(({ dialect }) => dialect);
}

async function judge(disk: Disk, dialect: MarsMinerDialect): Promise<Judgement> {
  let files: SaveFiles | undefined;
  try {
    files = await SaveFiles.open(disk, dialect);
    const { state } = await files.readHeader();
    const address = await files.resolve(state, 0);
    if (address === undefined) return { dialect, contradictions: 0, blockTypes: 0 };
    const inspector = new StateInspector(files, CUBE_SIZE_MAX, BUDGET);
    const { faults, blockTypes } = await inspector.inspect(address, { chunksMax: PROBE_CHUNKS_MAX });
    return { dialect, contradictions: faults.length + blockTypes.unnamed, blockTypes: blockTypes.count };
  } catch (error) {
    if (isOrthantError(error)) return { dialect, contradictions: Infinity, blockTypes: 0 };
    throw error;
  } finally {
    await files?.close();
  }
}

async function countStates(disk: Disk, dialect: MarsMinerDialect): Promise<number> {
  let files: SaveFiles | undefined;
  try {
    files = await SaveFiles.open(disk, dialect);
    const found = await surveyStates(files, CUBE_SIZE_MAX, undefined);
    return found.filter(({ faults, unnamed }) => faults.length + unnamed === 0).length;
  } catch (error) {
    if (isOrthantError(error)) return 0;
    throw error;
  } finally {
    await files?.close();
  }
}

/** Only the first dialect counts its pointers; the others have 0 there. */
async function hasPointerCount(disk: Disk): Promise<boolean> {
  const [head] = await attempt(() => readBeginning(disk, POINTERS_FILE, pointersHead.bytes));
  if (head?.length !== pointersHead.bytes) return false;
  return head.subarray(pointersHead.offsets.pointerCount).some((byte) => byte !== 0);
}
