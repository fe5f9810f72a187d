import {
  comparePositions,
  PATCH_REGIONS_MAX,
  type Position,
  patchBodyBytes,
  type QueryDetail,
  type RegionChange,
  splitPatch,
} from "@orthant/core";

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

/** The change of one region, and its own patches: one, or several pieces if it is too large. */
export interface EncodedChange {
  readonly change: RegionChange;
  readonly patches: readonly SharedPatch[];
  readonly bytes: number;
}

const ENCODINGS: readonly RegionEncoding[] = [
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
  return ENCODINGS.find((encoding) => encoding.mode === mode && encoding.detail === detail) as RegionEncoding;
}

/** Encodes the change of one region. */
export function encodeChange(
  change: RegionChange,
  volume: number,
  pieceBytesMax: number = PIECE_BYTES_MAX,
): EncodedChange {
  const regions = [change.region];
  const patches = splitPatch({ patchSeq: 0, changes: [change] }, volume, pieceBytesMax).map((patch) => ({
    body: patchBodyBytes(patch, volume),
    regions,
  }));
  return { change, patches, bytes: patches.reduce((sum, { body }) => sum + body.length, 0) };
}

/** Returns true when a change fits into one patch. */
export function isWhole(encoded: EncodedChange): boolean {
  return encoded.patches.length === 1;
}

/** Returns true when a change is large enough for its own patch. */
export function isLarge({ bytes }: EncodedChange): boolean {
  return bytes >= LARGE_CHANGE_BYTES;
}

/** Returns the maximum number of patches that {@link joinChanges} makes of `count` small changes. */
export function sharedPatchesMax(count: number, bytes: number): number {
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
  for (const encoded of [...changes].sort((a, b) => comparePositions(a.change.region, b.change.region))) {
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
  const changes = group.map(({ change }) => change);
  return {
    body: patchBodyBytes({ patchSeq: 0, changes }, volume),
    regions: changes.map(({ region }) => region),
  };
}
