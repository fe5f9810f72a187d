import { Chunk, emptyChunk, type VoxelEdit } from "../chunk/chunk.ts";
import { diffChunks } from "../chunk/chunk-diff.ts";
import { varU32Bytes } from "../chunk/encoded-size.ts";
import { boxVolume } from "../lattice/box.ts";
import { comparePlaces, type Place } from "../lattice/place.ts";
import { regionBox } from "../lattice/region.ts";
import type { Difference } from "../tree/chunk-tree.ts";
import { type Content, contentEquals, isSpreadable } from "../tree/content.ts";
import type { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray } from "./chunk-array.ts";
import { type ChunkEdits, voxelEditsBytes } from "./chunk-edits.ts";
import { coverRegion, forEachRegionCell, REGION_CELLS } from "./region-cells.ts";
import type { ClockStep, RegionClocks } from "./region-clocks.ts";
import type { PatchLeaf, RegionChange, RegionPatch } from "./region-patch.ts";
import { canonicalNodes } from "./region-tree-nodes.ts";

/** What a patch is made from: a world before and after an edit, and the steps of the clocks. */
export interface PatchSource {
  readonly patchSeq: number;
  readonly before: RegionTree;
  readonly after: RegionTree;
  /** The regions to speak of, as `RegionClocks.bump` and `RegionClocks.differences` give them. */
  readonly steps: readonly ClockStep[];
  /** `edits` where the receiver knows lists of single voxels, `chunks` where it needs all of each chunk. */
  readonly detail: "edits" | "chunks";
}

/** Air that is told, as opposed to a chunk that is not spoken of. */
const AIR_TOLD: unique symbol = Symbol("air");
type Told = Content | typeof AIR_TOLD;

/** Bytes of a leaf without its content: two cells and a tag. */
const LEAF_BYTES = 3;
/** Bytes of a chunk's edits without the list: a cell. */
const EDITS_BYTES = 1;

/** The patch that turns the world before into the one after, in the given regions. */
export function buildPatch({ patchSeq, before, after, steps, detail }: PatchSource): RegionPatch {
  const changes = steps.map(({ region, before: expected, after: next }): RegionChange => {
    const chunks = regionBox(region);
    const edits: ChunkEdits[] = [];
    const told = new Array<Told | undefined>(REGION_CELLS).fill(undefined);
    for (const difference of before.slice(chunks).differences(after.slice(chunks))) {
      const voxels = detail === "edits" ? editsOf(difference) : undefined;
      if (voxels !== undefined) edits.push({ chunk: difference.box.min, edits: voxels });
      else forEachRegionCell(difference.box, (cell) => (told[cell] = difference.after ?? AIR_TOLD));
    }
    edits.sort((a, b) => comparePlaces(a.chunk, b.chunk));
    const leaves = coverRegion(region, told, mayJoin).map(
      ({ box, value }): PatchLeaf => ({ box, content: value === AIR_TOLD ? undefined : value }),
    );
    return { region, expected, next, piece: 0, leaves, edits };
  });
  return { patchSeq, changes };
}

/** The patch that brings whole regions anew, whatever the receiver holds: for a first look and for a resync. */
export function buildSnapshot(
  patchSeq: number,
  tree: RegionTree,
  clocks: RegionClocks,
  regions: readonly Place[],
): RegionPatch {
  const changes = [...regions].sort(comparePlaces).map((region): RegionChange => {
    const leaves = canonicalNodes(tree, regionBox(region)).map(
      ({ box, content }): PatchLeaf => ({
        box,
        content: boxVolume(box) === 1 ? contentOfOne(content) : content,
      }),
    );
    return { region, expected: undefined, next: clocks.get(region), piece: 0, leaves, edits: [] };
  });
  return { patchSeq, changes };
}

/** The edits that say the same as the new content in fewer bytes; `undefined` where there are none. */
function editsOf({ box, before, after }: Difference<Content>): readonly VoxelEdit[] | undefined {
  const known = before ?? after;
  if (boxVolume(box) > 1 || !(known instanceof Chunk) || !isVoxels(before) || !isVoxels(after))
    return undefined;
  const air = emptyChunk(known.volume);
  const edits = diffChunks(before ?? air, after ?? air);
  return EDITS_BYTES + voxelEditsBytes(edits) < LEAF_BYTES + contentBytes(after) ? edits : undefined;
}

function isVoxels(content: Content | undefined): content is Chunk | undefined {
  return content === undefined || content instanceof Chunk;
}

/** Bytes behind the tag of a leaf. */
function contentBytes(chunk: Chunk | undefined): number {
  if (chunk === undefined) return 0;
  return chunk.uniformMaterial === undefined ? chunk.byteLength : varU32Bytes(chunk.uniformMaterial);
}

function mayJoin(a: Told, b: Told): boolean {
  if (a === AIR_TOLD || b === AIR_TOLD) return a === b;
  return isSpreadable(a) && contentEquals(a, b);
}

function contentOfOne(content: Content | ChunkArray): Content | ChunkArray | undefined {
  return content instanceof ChunkArray ? content.palette[0] : content;
}
