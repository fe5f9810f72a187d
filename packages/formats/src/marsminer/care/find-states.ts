import { isOrthantError, OrthantError } from "@orthant/core";
import type { SaveFiles } from "../files/save-files.ts";
import { blobFile, headerStruct } from "../layout.ts";
import { type BlockAddress, describeAddress } from "../records/pointer.ts";
import type { MarsMinerState, StateFault } from "../records/state-reader.ts";
import { collide, type Extent } from "./block-extents.ts";
import { type InspectedState, StateInspector } from "./inspect-state.ts";

/** 2011-01-01, before the first line of MarsMiner was written. */
const TICKS_MIN = 634_294_368_000_000_000n;
/** 2101-01-01. */
const TICKS_MAX = 662_695_776_000_000_000n;
/** Number of bytes searched at once. */
const WINDOW_BYTES = 1_048_576;
const TICKS_BYTES = 8;
/** All states together read each byte of the blobs about once, and false candidates end soon. */
const BUDGET = 8;
/** Limit for positions that look like a time. A save with more of them was made to waste time. */
const CANDIDATES_MAX = 100_000;

/** A state that was found, and its faults. */
export interface FoundState {
  readonly state: MarsMinerState;
  readonly faults: readonly StateFault[];
  /** Number of block types without a name; the wrong dialect has many. */
  readonly unnamed: number;
}

/**
 * Finds every intact state in the blobs, newest first. There is no mark to search for: a time that parses as
 * a state is one.
 */
export async function findStates(
  files: SaveFiles,
  cubeSize: number,
  current: BlockAddress | undefined,
): Promise<readonly MarsMinerState[]> {
  return intactStates(await surveyStates(files, cubeSize, current), current);
}

/** Returns the states without damage and without parts that seem to belong to another state. */
export function intactStates(
  found: readonly FoundState[],
  current: BlockAddress | undefined,
): readonly MarsMinerState[] {
  const intact = found.filter(({ faults }) => faults.length === 0).map(({ state }) => state);
  return withoutMixtures(intact, current);
}

/** Finds every state whose index and chunk table are readable, newest first. */
export async function surveyStates(
  files: SaveFiles,
  cubeSize: number,
  current: BlockAddress | undefined,
): Promise<readonly FoundState[]> {
  const inspector = new StateInspector(files, cubeSize, BUDGET);
  const live = current && (await inspectAt(inspector, current));
  const found: FoundState[] = live === undefined ? [] : [foundState(live)];
  let candidates = 0;
  for await (const address of timesIn(files)) {
    if (isAt(current, address)) continue;
    if (++candidates > CANDIDATES_MAX) {
      throw new OrthantError("ORT_LIMIT", `more than ${CANDIDATES_MAX} places look like a state`);
    }
    const inspected = await inspectAt(inspector, address);
    if (inspected === undefined || overwritten(inspected.extents, live?.extents ?? [])) continue;
    found.push(foundState(inspected));
  }
  return found.sort(({ state: a }, { state: b }) => (a.ticks < b.ticks ? 1 : a.ticks > b.ticks ? -1 : 0));
}

/**
 * Drops older states with a chunk whose address a newer state uses for another position: its bytes were
 * overwritten by another chunk of the same length, and there is no checksum to detect it.
 */
function withoutMixtures(
  newestFirst: readonly MarsMinerState[],
  current: BlockAddress | undefined,
): readonly MarsMinerState[] {
  const placesByChunk = new Map<string, Set<string>>();
  return newestFirst.filter((state) => {
    const places = new Map<string, Set<string>>();
    for (const { x, z, address } of state.chunks) {
      const key = describeAddress(address);
      places.set(key, (places.get(key) ?? new Set()).add(`${x},${z}`));
    }
    for (const [key, ours] of places) {
      const newer = placesByChunk.get(key);
      const isElsewhere = newer !== undefined && ![...ours].some((place) => newer.has(place));
      if (isElsewhere && !isAt(current, state.address)) return false;
    }
    for (const [key, ours] of places) {
      const known = placesByChunk.get(key) ?? new Set();
      for (const place of ours) known.add(place);
      placesByChunk.set(key, known);
    }
    return true;
  });
}

function foundState({ state, faults, blockTypes }: InspectedState): FoundState {
  return { state, faults, unnamed: blockTypes.unnamed };
}

/** Returns `undefined` without an index or a chunk table. */
async function inspectAt(
  inspector: StateInspector,
  address: BlockAddress,
): Promise<InspectedState | undefined> {
  try {
    return await inspector.inspect(address);
  } catch (error) {
    if (isOrthantError(error) && error.code !== "ORT_LIMIT") return undefined;
    throw error;
  }
}

/** Returns whether the present state has blocks over parts of this one. Both must be in address order. */
function overwritten(extents: readonly Extent[], live: readonly Extent[]): boolean {
  let from = 0;
  for (const extent of extents) {
    while (from < live.length && endsBefore(live[from] as Extent, extent)) from++;
    for (let at = from; at < live.length; at++) {
      const other = live[at] as Extent;
      if (endsBefore(extent, other)) break;
      if (collide(extent, other)) return true;
    }
  }
  return false;
}

function isAt(current: BlockAddress | undefined, { blob, offset }: BlockAddress): boolean {
  return current?.blob === blob && current.offset === offset;
}

function endsBefore(a: Extent, b: Extent): boolean {
  if (a.address.blob !== b.address.blob) return a.address.blob < b.address.blob;
  return a.address.offset + a.bytes <= b.address.offset;
}

/** Yields every offset where eight bytes are a time at which MarsMiner may have saved. */
async function* timesIn(files: SaveFiles): AsyncGenerator<BlockAddress> {
  for (const [blob, size] of files.blobBytes.entries()) {
    let start = headerStruct(files.dialect).bytes;
    while (start + TICKS_BYTES <= size) {
      const length = Math.min(size - start, WINDOW_BYTES);
      const bytes = await files.read(blobFile(blob), start, length);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at + TICKS_BYTES <= length; at++) {
        // The two highest bytes nearly always decide, without a bigint.
        const high = view.getUint16(at + 6, true);
        if (high < 0x08cc || high > 0x0933) continue;
        const ticks = view.getBigUint64(at, true);
        if (ticks >= TICKS_MIN && ticks < TICKS_MAX) yield { blob, offset: start + at };
      }
      start += length - TICKS_BYTES + 1;
    }
  }
}
