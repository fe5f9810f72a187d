import { ByteWriter } from "../bytes/byte-writer.ts";
import { Chunk, diffChunks, emptyChunk, type VoxelEdit } from "../chunk/chunk.ts";
import { varU32Bytes } from "../chunk/packed-indices.ts";
import { diffVoxelData, VoxelData } from "../chunk/voxel-data.ts";
import { voxelDataEditsBytes } from "../chunk/voxel-data-codec.ts";
import { type Box, boxVolume } from "../lattice/box.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { regionBox } from "../lattice/region.ts";
import { type Content, contentEquals, type GeneratorRef, isSpreadable } from "../tree/content.ts";
import { RegionTree } from "../tree/region-tree.ts";
import type { Difference } from "../tree/tree-walk.ts";
import { ChunkArray } from "./chunk-array.ts";
import { generatorRefCodec } from "./generator-ref-codec.ts";
import { coverRegion, forEachRegionCell, REGION_CELLS } from "./region-cells.ts";
import type { RegionClock } from "./region-clock.ts";
import type { RegionClocks } from "./region-clocks.ts";
import {
  type ChangeBase,
  type ChunkDataEdits,
  type ChunkEdits,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
  voxelEditsBytes,
} from "./region-patch.ts";
import { canonicalNodes } from "./region-tree-nodes.ts";

/** The input for a patch that replaces regions, based on the world's generator. */
export interface RegionSnapshotSource extends ChangeForm {
  readonly patchSeq: number;
  readonly tree: RegionTree;
  /** The generator of the untouched space. */
  readonly generator: GeneratorRef;
  /** The regions to replace, with their clocks. */
  readonly regions: readonly RegionClock[];
}

/** Returns a patch that replaces whole regions, based on air, whatever the receiver holds or can generate. */
export function buildSnapshot(
  patchSeq: number,
  tree: RegionTree,
  clocks: RegionClocks,
  regions: readonly Position[],
): RegionPatch {
  const changes = [...regions]
    .sort(comparePositions)
    .map((region) => changeOverAir(tree, { region, clock: clocks.get(region) }));
  return { patchSeq, changes };
}

/**
 * Returns a patch that replaces whole regions, based on generated content, whatever the receiver holds. It
 * contains only what differs from the generator, and costs as much.
 */
export function buildRegionSnapshot(source: RegionSnapshotSource): RegionPatch {
  const { patchSeq, tree, generator, regions, ...form } = source;
  const changes = [...regions]
    .sort((a, b) => comparePositions(a.region, b.region))
    .map(({ region, clock }): RegionChange => {
      const chunks = regionBox(region);
      const differences = RegionTree.EMPTY.fill(chunks, generator).differences(tree.slice(chunks));
      return changeOfDifferences(region, "generated", clock, differences, form);
    });
  return { patchSeq, changes };
}

/** Returns the change that replaces one region, based on air. */
export function changeOverAir(tree: RegionTree, { region, clock }: RegionClock): RegionChange {
  const { blocks, data } = withoutData(tree, regionBox(region));
  const leaves = canonicalNodes(blocks, regionBox(region)).map(
    ({ box, content }): PatchLeaf => ({
      box,
      content: boxVolume(box) === 1 ? contentOfOne(content) : content,
    }),
  );
  return { region, base: "air", next: clock, piece: 0, leaves, edits: [], data };
}

/** Separates the data of a region's chunks from their blocks. */
function withoutData(
  tree: RegionTree,
  region: Box,
): { readonly blocks: RegionTree; readonly data: readonly ChunkDataEdits[] } {
  let blocks = tree;
  const data: ChunkDataEdits[] = [];
  for (const { box, content } of tree.pieces(region)) {
    const found = dataOf(content);
    if (found.size === 0) continue;
    data.push({ chunk: box.min, edits: [...found] });
    blocks = blocks.set(box.min, (content as Chunk).withoutData());
  }
  return { blocks, data: data.sort((a, b) => comparePositions(a.chunk, b.chunk)) };
}

function dataOf(content: Content | undefined): VoxelData {
  return content instanceof Chunk ? content.data : VoxelData.NONE;
}

function contentOfOne(content: Content | ChunkArray): Content | ChunkArray | undefined {
  return content instanceof ChunkArray ? content.palette[0] : content;
}

/** Computes the voxels of a generated chunk. */
export type RealizeChunk = (generator: GeneratorRef, chunk: Position) => Chunk;

/** `edits` if the receiver understands lists of single voxels, `chunks` if it needs whole chunks. */
export type ChangeDetail = "edits" | "chunks";

/** The forms that a change may use. */
export interface ChangeForm {
  readonly detail: ChangeDetail;
  /** Allows edits of chunks that the receiver has to generate: only if it generates the same voxels. */
  readonly realize?: RealizeChunk | undefined;
}

/** Air that the change sets, as opposed to a chunk that it does not mention. */
const AIR_TOLD: unique symbol = Symbol("air");
type Told = Content | typeof AIR_TOLD;

/** Bytes of a leaf without its content: two cells and a tag. */
const LEAF_BYTES = 3;
/** Bytes of a chunk's edits without the list: a cell. */
const EDITS_BYTES = 1;
/** Upper bound on the bytes of an array's indices: shorter chunks are not worth an array. */
const ARRAY_BYTES = 64;

/** Returns the change with these differences of a region, each chunk in its shortest form. */
export function changeOfDifferences(
  region: Position,
  base: ChangeBase,
  next: number,
  differences: Iterable<Difference<Content>>,
  form: ChangeForm,
): RegionChange {
  const edits: ChunkEdits[] = [];
  const data: ChunkDataEdits[] = [];
  const told = new Array<Told | undefined>(REGION_CELLS).fill(undefined);
  let toldCount = 0;
  for (const difference of differences) {
    const { box } = difference;
    const after = plain(difference.after);
    const voxels = editsOf(difference, form);
    if (voxels === undefined) {
      forEachRegionCell(box, (cell) => {
        told[cell] = after ?? AIR_TOLD;
        toldCount++;
      });
      // Different contents may still have the same voxels.
    } else if (voxels.length > 0) edits.push({ chunk: box.min, edits: voxels });
    // A leaf leaves no data behind.
    const dataBefore = voxels === undefined ? VoxelData.NONE : dataOf(difference.before);
    const values = diffVoxelData(dataBefore, dataOf(difference.after));
    if (values.length > 0) data.push({ chunk: box.min, edits: values });
  }
  edits.sort((a, b) => comparePositions(a.chunk, b.chunk));
  data.sort((a, b) => comparePositions(a.chunk, b.chunk));
  const leaves = toldCount === 0 ? [] : coverRegion(region, told, mayJoin).map(leafOf);
  return { region, base, next, piece: 0, leaves, edits, data };
}

/** Returns the content without its data, `undefined` for air. */
function plain(content: Content | undefined): Content | undefined {
  if (!(content instanceof Chunk) || content.data.size === 0) return content;
  const blocks = content.withoutData();
  return blocks.isEmpty ? undefined : blocks;
}

/** Returns edits of blocks if they, and those of the data, are shorter than the new content; otherwise `undefined`. */
function editsOf(
  difference: Difference<Content>,
  { detail, realize }: ChangeForm,
): readonly VoxelEdit[] | undefined {
  const { box, before } = difference;
  const after = plain(difference.after);
  if (detail === "chunks" || boxVolume(box) > 1) return undefined;
  if (isGenerated(before) || isGenerated(after)) {
    // A leaf of one block is so short that edits are not worth generating the chunk.
    if (realize === undefined || after === undefined || (!isGenerated(after) && isSpreadable(after))) {
      return undefined;
    }
  }
  const old = voxelsOf(before, box.min, realize);
  const young = voxelsOf(after, box.min, realize);
  const volume = (old ?? young)?.volume;
  if (volume === undefined) return undefined;
  const edits = diffChunks(old ?? emptyChunk(volume), young ?? emptyChunk(volume));
  const data = dataOf(difference.after);
  const dataSaved = data.byteLength - voxelDataEditsBytes(diffVoxelData(dataOf(before), data));
  const leafBytes = LEAF_BYTES + contentBytes(after) + dataSaved;
  return EDITS_BYTES + voxelEditsBytes(edits) < leafBytes ? edits : undefined;
}

function voxelsOf(
  content: Content | undefined,
  position: Position,
  realize: RealizeChunk | undefined,
): Chunk | undefined {
  return isGenerated(content) ? realize?.(content, position) : content;
}

function isGenerated(content: Content | undefined): content is GeneratorRef {
  return content !== undefined && !(content instanceof Chunk);
}

/** Returns the bytes after the tag of a leaf; for a generator including those in the patch's table. */
function contentBytes(content: Content | undefined): number {
  if (content === undefined) return 0;
  if (isGenerated(content)) {
    const out = new ByteWriter();
    generatorRefCodec.write(out, content);
    return 1 + out.length;
  }
  return content.uniformBlock === undefined ? content.byteLength : varU32Bytes(content.uniformBlock);
}

function mayJoin(a: Told, b: Told): boolean {
  if (a === AIR_TOLD || b === AIR_TOLD) return a === b;
  return (isSpreadable(a) || (a instanceof Chunk && a.byteLength > ARRAY_BYTES)) && contentEquals(a, b);
}

function leafOf({ box, value }: { readonly box: Box; readonly value: Told }): PatchLeaf {
  if (value === AIR_TOLD) return { box, content: undefined };
  if (isSpreadable(value) || !(value instanceof Chunk)) return { box, content: value };
  const volume = boxVolume(box);
  if (volume === 1) return { box, content: value };
  return { box, content: new ChunkArray(box, new Array<Chunk>(volume).fill(value)) };
}
