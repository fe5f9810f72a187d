import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, readBeginning } from "@orthant/disk/files";
import { SaveFiles } from "./files.ts";
import { StateInspector, surveyStates } from "./inspect.ts";
import {
  blobFile,
  CUBE_SIZE_MAX,
  MARSMINER_VERSION,
  type MarsMinerDialect,
  POINTERS_FILE,
  pointersHead,
  STRINGS_FILE,
} from "./layout.ts";

/** Result of detecting a MarsMiner save. */
interface DetectedMarsMiner {
  /** `undefined` if the content fits none. */
  readonly dialect: MarsMinerDialect | undefined;
  /** File whose content proves it. */
  readonly evidence: string;
}

const VERSION_BYTES = 4;

/**
 * Detects a MarsMiner save on a disk. There is no magic: a fitting dialect proves it or, without one, a first
 * blob of version 0 whose header and side files match the remains of a damaged save.
 */
export async function detectMarsMiner(disk: Disk): Promise<DetectedMarsMiner | undefined> {
  const names = new Set((await disk.list("")).map(({ name }) => name));
  const evidence = blobFile(0);
  if (!names.has(evidence)) return undefined;
  const [dialect] = await fittingDialects(disk);
  if (dialect !== undefined) return { dialect, evidence };
  if (await hasVersion(disk, evidence)) return { dialect: await onlyByFiles(disk), evidence };
  const side = [POINTERS_FILE, STRINGS_FILE].filter((name) => names.has(name));
  for (const name of side) if (await hasVersion(disk, name)) return { dialect: undefined, evidence: name };
  return undefined;
}

async function onlyByFiles(disk: Disk): Promise<MarsMinerDialect | undefined> {
  const [first, ...others] = await dialectsByFiles(disk);
  return others.length === 0 ? first : undefined;
}

/** Returns whether a file begins with a known version, and is longer than that. */
async function hasVersion(disk: Disk, path: string): Promise<boolean> {
  const [head] = await attempt(() => readBeginning(disk, path, VERSION_BYTES * 2));
  if (head?.length !== VERSION_BYTES * 2) return false;
  return head.subarray(0, VERSION_BYTES).every((byte) => byte === MARSMINER_VERSION);
}

/** Number of chunks inspected to distinguish two dialects. */
const PROBE_CHUNKS_MAX = 256;
/** Contradictions attributed to a save in which nothing is readable. */
const CONTRADICTIONS_MAX = 1_000_000_000;
/** Overlapping blocks prove that the dialect is wrong, so a small budget is enough. */
const BUDGET = 2;

/**
 * Returns the dialects that fit the files on a disk, likeliest first; none if none fits. All of them call
 * themselves version 0, so existing files, counts and pointer targets decide. The cube size does not matter.
 * Rules M3 to M5.
 */
export async function fittingDialects(disk: Disk): Promise<readonly MarsMinerDialect[]> {
  return fittingOf(await judgeDialects(disk));
}

/** Returns the dialect that fits or, for a damaged save, the one with the fewest contradictions. */
export async function likeliestDialect(disk: Disk): Promise<MarsMinerDialect> {
  const judgements = await judgeDialects(disk);
  const [fitting] = fittingOf(judgements);
  if (fitting !== undefined) return fitting;
  const ranked: (readonly [dialect: MarsMinerDialect, rank: number])[] = [];
  for (const { dialect, contradictions, blockTypes } of judgements) {
    // Readable names are the best evidence. Without a state, the dialect with more of them wins.
    const states = Number.isFinite(contradictions) ? 0 : await countStates(disk, dialect);
    ranked.push([
      dialect,
      Math.min(contradictions, CONTRADICTIONS_MAX) - (blockTypes > 0 ? 0.5 : 0) - states,
    ]);
  }
  const [best] = ranked.sort(([, a], [, b]) => a - b);
  return best?.[0] ?? "draft";
}

/** Returns the dialects whose files exist, whatever their content, in order of likelihood. */
async function dialectsByFiles(disk: Disk): Promise<readonly MarsMinerDialect[]> {
  const names = new Set((await disk.list("")).map(({ name }) => name));
  if (names.has(STRINGS_FILE)) {
    return (await hasPointerCount(disk)) ? ["draft"] : ["draft", "subtypes"];
  }
  return names.has(POINTERS_FILE) ? ["stringblock"] : ["global-pointers"];
}

interface Judgement {
  readonly dialect: MarsMinerDialect;
  /** Infinite if the chunk table is unreadable. */
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
  // A table of one type with a subtype can also be read without it. If it reads well with subtypes, it has
  // them.
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
