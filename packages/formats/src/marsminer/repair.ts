import { isOrthantError, type OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type Finding, isWhole } from "@orthant/disk/files";
import { likeliestDialect } from "./dialect.ts";
import { SaveFiles } from "./files.ts";
import { type FoundState, intactStates, surveyStates } from "./inspect.ts";
import { DEFAULT_CUBE_SIZE, DIALECT_TRAITS, type MarsMinerDialect } from "./layout.ts";
import { type Octree, uniformOctree } from "./octree.ts";
import { type BlockAddress, describeAddress } from "./pointer.ts";
import { blockNames, EMPTY_BLOCK_NAME, type OpenMarsMinerOptions, requireCubeSize } from "./save.ts";
import {
  ChunkReader,
  type MarsMinerChunk,
  type MarsMinerChunkEntry,
  type MarsMinerState,
  msOfTicks,
  readMarsMinerState,
  requireDepth,
} from "./state.ts";
import { verifyMarsMiner } from "./verify.ts";
import { createMarsMiner } from "./writer.ts";

/** Something that a repair cannot restore. */
interface MarsMinerLoss {
  readonly what: "state" | "name" | "chunk" | "octree" | "block types";
  /** Position in the world, if it affects one chunk. */
  readonly place: { readonly x: number; readonly z: number } | undefined;
  /** The reason, and the replacement. */
  readonly message: string;
}

/**
 * The effect of a repair. Printing it is a dry run; applying it writes a new save and leaves the old one
 * alone.
 */
interface MarsMinerRepairPlan {
  readonly findings: readonly Finding[];
  readonly dialect: MarsMinerDialect;
  readonly cubeSize: number;
  /** The state to repair; `undefined` if none is readable. */
  readonly base: MarsMinerState | undefined;
  /** Chunks of this state or, where they are damaged, of older ones. */
  readonly chunks: readonly MarsMinerChunkEntry[];
  readonly losses: readonly MarsMinerLoss[];
}

/**
 * Determines how much of a save can be recovered: the state that the header points to or, if it is
 * unreadable, the newest one found. A damaged chunk is replaced by the newest intact older one, else by its
 * remains. Writes nothing. Rule M24.
 */
export async function planMarsMinerRepair(
  disk: Disk,
  options: OpenMarsMinerOptions = {},
): Promise<MarsMinerRepairPlan> {
  const cubeSize = requireCubeSize(options.cubeSize ?? DEFAULT_CUBE_SIZE);
  const dialect = options.dialect ?? (await likeliestDialect(disk));
  const findings = await verifyMarsMiner(disk, { dialect, cubeSize });
  const files = await SaveFiles.open(disk, dialect);
  try {
    const current = await headerTarget(files);
    const found = await statesToChoose(files, cubeSize, current, isWhole(findings));
    const losses: MarsMinerLoss[] = [];
    const base = isWhole(findings) ? found[0]?.state : chooseBase(found, current, losses);
    const older = intactStates(found, current).filter(
      (state) => base !== undefined && state.ticks < base.ticks,
    );
    const chunks = base === undefined ? [] : await planChunks(files, cubeSize, base, older, losses);
    return { findings, dialect, cubeSize, base, chunks, losses };
  } finally {
    await files.close();
  }
}

/** Writes the content of a plan as a new save of the dialect `draft` to an empty disk. */
export async function applyMarsMinerRepair(
  disk: Disk,
  plan: MarsMinerRepairPlan,
  target: Disk,
): Promise<void> {
  const files = await SaveFiles.open(disk, plan.dialect);
  try {
    const writer = await createMarsMiner(target);
    try {
      for (const chunk of plan.chunks) {
        const { content } = await mendChunk(files, plan.cubeSize, chunk);
        if (content === undefined) continue;
        const blockTypes = blockNames(content).map(({ name }) => name);
        await writer.putChunk({ x: chunk.x, z: chunk.z, blockTypes, octrees: content.octrees });
      }
      if (plan.base !== undefined) await writer.commit(plan.base);
    } finally {
      await writer.close();
    }
  } finally {
    await files.close();
  }
}

/** Formats the plan for people, one line per item. */
export function describeMarsMinerRepair({
  base,
  dialect,
  chunks,
  losses,
}: MarsMinerRepairPlan): readonly string[] {
  return [
    `${dialect} save, ${base === undefined ? "no state can be read" : `the state of ${timeOf(base)}`}`,
    `keeps ${chunks.length} chunks`,
    ...losses.map(({ what, place, message }) =>
      place === undefined ? `${what}: ${message}` : `${what} at ${place.x}, ${place.z}: ${message}`,
    ),
    losses.length === 0 ? "loses nothing" : `${losses.length} losses`,
  ];
}

async function headerTarget(files: SaveFiles): Promise<BlockAddress | undefined> {
  try {
    return await files.resolve((await files.readHeader()).state, 0);
  } catch (error) {
    // The findings include this error. A repair continues without a header.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Returns the present state of an intact save, else all states that can be found, which reads every byte. */
async function statesToChoose(
  files: SaveFiles,
  cubeSize: number,
  current: BlockAddress | undefined,
  whole: boolean,
): Promise<readonly FoundState[]> {
  if (!whole) return surveyStates(files, cubeSize, current);
  return current === undefined
    ? []
    : [{ state: await readMarsMinerState(files, current), faults: [], unnamed: 0 }];
}

/**
 * Returns the header's state if it is readable at all, else the newest with a readable name and a sound
 * chunk.
 */
function chooseBase(
  found: readonly FoundState[],
  current: BlockAddress | undefined,
  losses: MarsMinerLoss[],
): MarsMinerState | undefined {
  const at = current && describeAddress(current);
  const live = found.find(({ state }) => describeAddress(state.address) === at);
  const chosen = live ?? found.find(isUsable);
  if (live === undefined) {
    const instead =
      chosen === undefined ? "nothing else was found" : `that of ${timeOf(chosen.state)} takes its place`;
    losses.push({ what: "state", place: undefined, message: `the header leads to none; ${instead}` });
  }
  for (const { error, place } of chosen?.faults ?? []) {
    const isName = place === undefined && chosen?.state.name === undefined;
    if (isName && error.code !== "ORT_LIMIT") losses.push({ what: "name", place, message: error.message });
  }
  return chosen?.state;
}

function isUsable({ state, faults }: FoundState): boolean {
  const places = new Set(faults.map(({ place }) => place && `${place.x},${place.z}`));
  return faults.length === 0 || (!places.has(undefined) && state.chunks.length >= places.size);
}

async function planChunks(
  files: SaveFiles,
  cubeSize: number,
  base: MarsMinerState,
  older: readonly MarsMinerState[],
  losses: MarsMinerLoss[],
): Promise<readonly MarsMinerChunkEntry[]> {
  const byPosition = new Map(base.chunks.map((entry) => [`${entry.x},${entry.z}`, entry]));
  const planned: MarsMinerChunkEntry[] = [];
  let subtypes = 0;
  for (const entry of byPosition.values()) {
    const mended = await mendChunk(files, cubeSize, entry);
    const { content, error } = mended;
    const substitute = error === undefined ? undefined : findOlder(older, entry);
    if (error !== undefined) losses.push(describeLoss(entry, mended, substitute?.state));
    if (substitute !== undefined) planned.push(substitute.entry);
    else if (content !== undefined) planned.push(entry);
    subtypes += (content?.blockTypes ?? []).filter(({ subtype = 0 }) => subtype !== 0).length;
  }
  if (DIALECT_TRAITS[files.dialect].hasSubtypes && subtypes > 0) {
    const message =
      "a repaired save has the dialect `draft`: subtypes become part of the names, as in `Sand #3`";
    losses.push({ what: "block types", place: undefined, message });
  }
  return planned;
}

function findOlder(
  older: readonly MarsMinerState[],
  { x, z }: MarsMinerChunkEntry,
): { readonly state: MarsMinerState; readonly entry: MarsMinerChunkEntry } | undefined {
  for (const state of older) {
    const entry = state.chunks.find((other) => other.x === x && other.z === z);
    if (entry !== undefined) return { state, entry };
  }
  return undefined;
}

function describeLoss(
  { x, z }: MarsMinerChunkEntry,
  { content, emptied, error }: Awaited<ReturnType<typeof mendChunk>>,
  substitute: MarsMinerState | undefined,
): MarsMinerLoss {
  const why = error?.message ?? "damaged";
  if (substitute !== undefined) {
    const message = `${why}; the chunk of the state of ${timeOf(substitute)} takes its place`;
    return { what: "chunk", place: { x, z }, message };
  }
  if (content === undefined)
    return { what: "chunk", place: { x, z }, message: `${why}; nothing of it is left` };
  return {
    what: "octree",
    place: { x, z },
    message: `${why}; number ${emptied.join(", ")} from below becomes empty`,
  };
}

function timeOf({ ticks }: MarsMinerState): string {
  return new Date(msOfTicks(ticks)).toISOString();
}

/** The readable part of a chunk. */
interface MendedChunk {
  /** `undefined` if its list of octrees or its block types are unreadable. */
  readonly content: MarsMinerChunk | undefined;
  /** Damaged octrees, by number from below. They are empty in `content`. */
  readonly emptied: readonly number[];
  /** The first fault. */
  readonly error: OrthantError | undefined;
}

/** Reads a chunk octree by octree, replacing damaged ones with empty ones. */
async function mendChunk(
  files: SaveFiles,
  cubeSize: number,
  { address }: MarsMinerChunkEntry,
): Promise<MendedChunk> {
  const emptied: number[] = [];
  let error: OrthantError | undefined;
  try {
    const { value: block } = await files.readBlock(files.kinds.chunk, address);
    const table = await files.target(block.blockTypes, address.blob, "a table of block types");
    const blockTypes = await new ChunkReader(files, cubeSize).readBlockTypes(table);
    const emptyId = Math.max(
      0,
      blockTypes.findIndex(({ name }) => name === EMPTY_BLOCK_NAME),
    );
    const octrees: Octree[] = [];
    for (const [number, pointer] of block.octrees.entries()) {
      try {
        const at = await files.target(pointer, address.blob, "an octree");
        const { value } = await files.readBlock(files.kinds.octree, at);
        requireDepth(value, at, Math.log2(cubeSize));
        octrees.push(value);
      } catch (thrown) {
        if (!isOrthantError(thrown)) throw thrown;
        error ??= thrown;
        emptied.push(number);
        octrees.push(uniformOctree(emptyId));
      }
    }
    return { content: { blockTypes, octrees }, emptied, error };
  } catch (thrown) {
    if (!isOrthantError(thrown)) throw thrown;
    return { content: undefined, emptied, error: thrown };
  }
}
