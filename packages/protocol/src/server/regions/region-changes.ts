import type { Position } from "@orthant/core";
import { comparePositions } from "@orthant/core/lattice";
import {
  type ClockChange,
  changeBodies,
  PATCH_REGIONS_MAX,
  patchBodyBytes,
  type QueryDetail,
  type RegionChange,
  regionChange,
  type WorldState,
} from "@orthant/core/tree";

/** How regions are encoded for a client, depending on its generators and its support of edit lists. */
export interface RegionEncoding {
  readonly mode: QueryDetail;
  readonly detail: "edits" | "chunks";
  /** Identifies this encoding, from 0 to 3. */
  readonly index: number;
}

/** Maximum bytes of one change, or of several small ones together. Any chunk fits. */
const PIECE_BYTES_MAX = 524_288;

/** Bytes from which a change gets its own patch, whose bytes all clients share. */
const LARGE_CHANGE_BYTES = 4_096;

/** A patch without its number: the same bytes for all clients. */
export interface SharedPatch {
  readonly body: Uint8Array;
  readonly regions: readonly Position[];
}

/** The change of one region, and its own patches: one, or several in their order. */
export interface EncodedChange {
  readonly region: Position;
  /**
   * Joined with those of other regions; `undefined` if the region gets its own patches: because they are large or several,
   * or were not made from one change. A list of voxels takes many times the memory of its bytes.
   */
  readonly change: RegionChange | undefined;
  readonly patches: readonly SharedPatch[];
  readonly bytes: number;
}

/** All encodings. */
export const REGION_ENCODINGS: readonly RegionEncoding[] = [
  { mode: "symbolic", detail: "edits", index: 0 },
  { mode: "symbolic", detail: "chunks", index: 1 },
  { mode: "concrete", detail: "edits", index: 2 },
  { mode: "concrete", detail: "chunks", index: 3 },
];

/** Returns the only instance of each encoding. */
export function regionEncoding(
  mode: RegionEncoding["mode"],
  detail: RegionEncoding["detail"],
): RegionEncoding {
  return REGION_ENCODINGS.find(
    (encoding) => encoding.mode === mode && encoding.detail === detail,
  ) as RegionEncoding;
}

/** Encodes the change of one region. */
export function encodeChange(
  change: RegionChange,
  volume: number,
  pieceBytesMax: number = PIECE_BYTES_MAX,
): EncodedChange {
  const regions = [change.region];
  const patches = changeBodies(change, volume, pieceBytesMax).map((body) => ({ body, regions }));
  const bytes = patches.reduce((sum, { body }) => sum + body.length, 0);
  const isJoined = patches.length === 1 && bytes < LARGE_CHANGE_BYTES;
  return { region: change.region, change: isJoined ? change : undefined, patches, bytes };
}

/** Returns true when a change fits into one patch. */
export function fitsOnePatch(encoded: EncodedChange): boolean {
  return encoded.patches.length === 1;
}

/** Returns true when a change gets its own patches. */
export function isLarge({ change }: EncodedChange): boolean {
  return change === undefined;
}

/** Returns the maximum number of patches that {@link joinChanges} makes of `count` small changes. */
function sharedPatchesMax(count: number, bytes: number): number {
  if (count === 0) return 0;
  // A patch is closed when it has the maximum number of regions, or when another small change might not fit.
  return (
    1 + Math.floor(count / PATCH_REGIONS_MAX) + Math.floor(bytes / (PIECE_BYTES_MAX - LARGE_CHANGE_BYTES))
  );
}

/** Joins changes of different regions, each in one piece, into as few patches as possible. */
export function joinChanges(changes: readonly EncodedChange[], volume: number): readonly SharedPatch[] {
  const patches: SharedPatch[] = [];
  let group: EncodedChange[] = [];
  let groupBytes = 0;
  const close = (): void => {
    if (group.length > 0) patches.push(joined(group, volume));
    group = [];
    groupBytes = 0;
  };
  for (const encoded of [...changes].sort((a, b) => comparePositions(a.region, b.region))) {
    if (isLarge(encoded)) {
      patches.push(...encoded.patches);
      continue;
    }
    if (group.length === PATCH_REGIONS_MAX || groupBytes + encoded.bytes > PIECE_BYTES_MAX) close();
    group.push(encoded);
    groupBytes += encoded.bytes;
  }
  close();
  return patches;
}

function joined(group: readonly EncodedChange[], volume: number): SharedPatch {
  const [first] = group;
  const alone = group.length === 1 ? first?.patches[0] : undefined;
  if (alone !== undefined) return alone;
  const changes = group.flatMap(({ change }) => change ?? []);
  return {
    body: patchBodyBytes({ patchSeq: 0, changes }, volume),
    regions: changes.map(({ region }) => region),
  };
}

/**
 * A list of changes for one client, built one change at a time. Clients with the same list share one object,
 * so its patches are encoded once.
 */
export class SharedChangeList {
  readonly #parent: SharedChangeList | undefined;
  readonly #encoded: EncodedChange | undefined;
  readonly #children = new Map<EncodedChange, SharedChangeList>();
  /** The child requested last; most clients request the same one. */
  #latest: SharedChangeList | undefined;
  #patches: readonly SharedPatch[] | undefined;

  /** Without arguments, makes the empty list that others extend. */
  constructor(parent?: SharedChangeList, encoded?: EncodedChange) {
    this.#parent = parent;
    this.#encoded = encoded;
  }

  /** Returns this list with one more change. */
  with(encoded: EncodedChange): SharedChangeList {
    const latest = this.#latest;
    if (latest !== undefined && latest.#encoded === encoded) return latest;
    let child = this.#children.get(encoded);
    if (child === undefined) {
      child = new SharedChangeList(this, encoded);
      this.#children.set(encoded, child);
    }
    this.#latest = child;
    return child;
  }

  /** Returns the patches for all changes. */
  patches(volume: number): readonly SharedPatch[] {
    this.#patches ??= joinChanges(this.#changes(), volume);
    return this.#patches;
  }

  #changes(): readonly EncodedChange[] {
    const changes: EncodedChange[] = [];
    for (let list: SharedChangeList | undefined = this; list !== undefined; list = list.#parent) {
      if (list.#encoded !== undefined) changes.push(list.#encoded);
    }
    return changes;
  }
}

/** Regions examined for all clients per tick, because hundreds of clients may wait for thousands each. */
const ATTEMPTS_PER_TICK = 16_384;

/** Clients that are sent the same in a tick. */
interface Receivers {
  startTick(maySend: boolean, mayShare: boolean, isWaiting: boolean): void;
  send(volume: number, nowMs: number): void;
}

/** What all clients of a server share in one tick. */
export class SharedTick {
  #number = 0;
  #news: Receivers[] = [];
  #attemptsLeft = ATTEMPTS_PER_TICK;
  /** The empty lists of changes, one per encoding. */
  #roots: SharedChangeList[] = [];

  /** Counts the ticks. */
  get number(): number {
    return this.#number;
  }

  /** The receivers with news in this tick. */
  get news(): Receivers[] {
    return this.#news;
  }

  /** Begins a tick. Returns the receivers with news in the tick before. */
  start(): readonly Receivers[] {
    const earlier = this.#news;
    this.#news = [];
    this.#number++;
    this.#attemptsLeft = ATTEMPTS_PER_TICK;
    this.#roots = [];
    return earlier;
  }

  /** Takes one attempt to send a waiting region. Returns false when none are left: examining alone takes time. */
  takeAttempt(): boolean {
    return this.#attemptsLeft-- > 0;
  }

  /** Returns the empty list of changes. */
  changeList({ index }: RegionEncoding): SharedChangeList {
    this.#roots[index] ??= new SharedChangeList();
    return this.#roots[index];
  }
}

/** The change of one region between two clocks. Encodes it at most once for each encoding. */
export class SharedChange implements ClockChange {
  readonly region: Position;
  readonly before: number;
  readonly after: number;
  /** `undefined` if the earlier state is unknown. */
  readonly #from: WorldState | undefined;
  readonly #to: WorldState;
  /** Whether one edit has changed the region together with others. */
  readonly isJoint: boolean;
  readonly #changes: (EncodedChange | undefined)[] = [];

  constructor(
    { region, before, after }: ClockChange,
    from: WorldState | undefined,
    to: WorldState,
    isJoint = false,
  ) {
    this.isJoint = isJoint;
    this.region = region;
    this.before = before;
    this.after = after;
    this.#from = from;
    this.#to = to;
  }

  /** Returns the change in one encoding, or `undefined` if it is unknown and the whole region must be sent. */
  encoded(encoding: RegionEncoding): EncodedChange | undefined {
    if (this.#from === undefined) return undefined;
    let encoded = this.#changes[encoding.index];
    if (encoded === undefined) {
      encoded = encodeChange(regionChange(this.#from, this.#to, this, encoding), this.#to.shape.volume);
      this.#changes[encoding.index] = encoded;
    }
    return encoded;
  }
}

/** Upper bound on the number of patches that a growing set of changes takes when it is joined. */
class PatchCount {
  #large = 0;
  #small = 0;
  #smallBytes = 0;

  clear(): void {
    this.#large = 0;
    this.#small = 0;
    this.#smallBytes = 0;
  }

  get patches(): number {
    return this.#large + sharedPatchesMax(this.#small, this.#smallBytes);
  }

  /** Returns the number of patches with one more change. */
  patchesWith(encoded: EncodedChange): number {
    if (isLarge(encoded)) return this.patches + encoded.patches.length;
    return this.#large + sharedPatchesMax(this.#small + 1, this.#smallBytes + encoded.bytes);
  }

  add(encoded: EncodedChange): void {
    if (isLarge(encoded)) this.#large += encoded.patches.length;
    else {
      this.#small++;
      this.#smallBytes += encoded.bytes;
    }
  }
}

/** What one client may still get in one tick: live changes, its own changes and pieces of regions. */
export class PatchAllowance {
  readonly #live = new PatchCount();
  readonly #own = new PatchCount();
  #patchesMax = 1;
  #livePatchesMax = 1;
  #pieces = 0;
  #bytes = 0;

  /**
   * Begins a tick. Live changes take at most half of the patches while something else waits for the client. Otherwise busy
   * regions would keep it from ever getting the rest.
   */
  startTick(patchesMax: number, bytes: number, isWaiting: boolean): void {
    this.#patchesMax = Math.max(1, patchesMax);
    this.#livePatchesMax = isWaiting ? Math.floor(patchesMax / 2) : this.#patchesMax;
    this.#pieces = 0;
    this.#bytes = bytes;
    this.#live.clear();
    this.#own.clear();
  }

  /** True when the client gets no more regions in this tick. */
  get isUsedUp(): boolean {
    return this.#bytes <= 0 || this.#patches >= this.#patchesMax;
  }

  /** Takes a change that many clients get. Returns false, without taking it, beyond the patch limit. */
  takeLive(encoded: EncodedChange): boolean {
    if (this.#live.patchesWith(encoded) > this.#livePatchesMax) return false;
    this.#live.add(encoded);
    return true;
  }

  /**
   * Takes a change that only this client gets. Returns false, without taking it, beyond the patch limit. A change of
   * several patches must also fit into the bytes that are left; otherwise they are taken piece by piece.
   */
  takeOwn(encoded: EncodedChange): boolean {
    if (!fitsOnePatch(encoded) && encoded.bytes > this.#bytes) return false;
    if (this.#pieces + this.#live.patches + this.#own.patchesWith(encoded) > this.#patchesMax) return false;
    this.#own.add(encoded);
    this.#bytes -= encoded.bytes;
    return true;
  }

  /** What was taken is written, and is not joined with anything that is taken later. */
  written(): void {
    this.#pieces = this.#patches;
    this.#live.clear();
    this.#own.clear();
  }

  /** Takes one piece of a region. */
  takePiece(bytes: number): void {
    this.#pieces++;
    this.#bytes -= bytes;
  }

  get #patches(): number {
    return this.#pieces + this.#live.patches + this.#own.patches;
  }
}
