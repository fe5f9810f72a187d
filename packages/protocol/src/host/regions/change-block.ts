import {
  comparePlaces,
  PATCH_REGIONS_MAX,
  type Place,
  patchBodyBytes,
  type QueryDetail,
  type RegionChange,
  splitPatch,
} from "@orthant/core";

/** How a client is told of regions: whether it generates the same voxels, and whether it knows edit lists. */
export interface Telling {
  readonly mode: QueryDetail;
  readonly detail: "edits" | "chunks";
  /** Tells this way from the others, from 0 to 3. */
  readonly index: number;
}

/** Bytes of one change, or of several small ones together: a chunk fits, whatever is in it. */
const PIECE_BYTES_MAX = 524_288;

/** Bytes from which a change goes in a patch of its own, whose bytes all clients share. */
const LARGE_CHANGE_BYTES = 4_096;

/** A patch without its number: the same bytes for everybody. */
export interface SharedPatch {
  readonly body: Uint8Array;
  readonly regions: readonly Place[];
}

/** The change of one region, and its bytes as patches of its own: one, or its pieces when it is too large. */
export interface ChangeBlock {
  readonly change: RegionChange;
  readonly patches: readonly SharedPatch[];
  readonly bytes: number;
}

const TELLINGS: readonly Telling[] = [
  { mode: "symbolic", detail: "edits", index: 0 },
  { mode: "symbolic", detail: "chunks", index: 1 },
  { mode: "concrete", detail: "edits", index: 2 },
  { mode: "concrete", detail: "chunks", index: 3 },
];

/** The one value for each way of telling. */
export function tellingOf(mode: Telling["mode"], detail: Telling["detail"]): Telling {
  return TELLINGS.find((telling) => telling.mode === mode && telling.detail === detail) as Telling;
}

/** Encodes the change of one region. */
export function changeBlock(
  change: RegionChange,
  volume: number,
  pieceBytesMax: number = PIECE_BYTES_MAX,
): ChangeBlock {
  const regions = [change.region];
  const patches = splitPatch({ patchSeq: 0, changes: [change] }, volume, pieceBytesMax).map((patch) => ({
    body: patchBodyBytes(patch, volume),
    regions,
  }));
  return { change, patches, bytes: patches.reduce((sum, { body }) => sum + body.length, 0) };
}

/** Whether a change fits into one patch. */
export function isWhole(block: ChangeBlock): boolean {
  return block.patches.length === 1;
}

/** Whether a change is worth a patch of its own. */
export function isLarge({ bytes }: ChangeBlock): boolean {
  return bytes >= LARGE_CHANGE_BYTES;
}

/** The most patches that {@link joinBlocks} makes of `count` small changes. */
export function sharedPatchesMax(count: number, bytes: number): number {
  if (count === 0) return 0;
  // A patch is closed when it has all the regions it may have, or when one more small change might not fit.
  return (
    1 + Math.floor(count / PATCH_REGIONS_MAX) + Math.floor(bytes / (PIECE_BYTES_MAX - LARGE_CHANGE_BYTES))
  );
}

/** Patches that bring all of these changes, each of another region and each whole: as few as can be. */
export function joinBlocks(blocks: readonly ChangeBlock[], volume: number): readonly SharedPatch[] {
  const patches: SharedPatch[] = [];
  let group: ChangeBlock[] = [];
  let groupBytes = 0;
  const close = (): void => {
    if (group.length > 0) patches.push(joined(group, volume));
    group = [];
    groupBytes = 0;
  };
  for (const block of [...blocks].sort((a, b) => comparePlaces(a.change.region, b.change.region))) {
    if (isLarge(block)) {
      patches.push(...block.patches);
      continue;
    }
    if (group.length === PATCH_REGIONS_MAX || groupBytes + block.bytes > PIECE_BYTES_MAX) close();
    group.push(block);
    groupBytes += block.bytes;
  }
  close();
  return patches;
}

function joined(group: readonly ChangeBlock[], volume: number): SharedPatch {
  const [first] = group;
  const alone = group.length === 1 ? first?.patches[0] : undefined;
  if (alone !== undefined) return alone;
  const changes = group.map(({ change }) => change);
  return {
    body: patchBodyBytes({ patchSeq: 0, changes }, volume),
    regions: changes.map(({ region }) => region),
  };
}
