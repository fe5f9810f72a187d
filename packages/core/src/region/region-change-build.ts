import { ByteWriter } from "../bytes/byte-writer.ts";
import { Chunk, emptyChunk, type VoxelEdit } from "../chunk/chunk.ts";
import { diffChunks } from "../chunk/chunk-diff.ts";
import { varU32Bytes } from "../chunk/encoded-size.ts";
import { type Box, boxVolume } from "../lattice/box.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { type Content, contentEquals, isSpreadable } from "../tree/content.ts";
import type { GeneratorRef } from "../tree/generator-ref.ts";
import type { Difference } from "../tree/tree-walk.ts";
import { ChunkArray } from "./chunk-array.ts";
import { type ChunkEdits, voxelEditsBytes } from "./chunk-edits.ts";
import { generatorRefCodec } from "./generator-ref-codec.ts";
import { coverRegion, forEachRegionCell, REGION_CELLS } from "./region-cells.ts";
import type { ChangeBase, PatchLeaf, RegionChange } from "./region-patch.ts";

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
  const told = new Array<Told | undefined>(REGION_CELLS).fill(undefined);
  let toldCount = 0;
  for (const difference of differences) {
    const voxels = editsOf(difference, form);
    if (voxels === undefined) {
      forEachRegionCell(difference.box, (cell) => {
        told[cell] = difference.after ?? AIR_TOLD;
        toldCount++;
      });
      // Different contents may still have the same voxels.
    } else if (voxels.length > 0) edits.push({ chunk: difference.box.min, edits: voxels });
  }
  edits.sort((a, b) => comparePositions(a.chunk, b.chunk));
  const leaves = toldCount === 0 ? [] : coverRegion(region, told, mayJoin).map(leafOf);
  return { region, base, next, piece: 0, leaves, edits };
}

/** Returns edits if they are shorter than the new content; otherwise `undefined`. */
function editsOf(
  { box, before, after }: Difference<Content>,
  { detail, realize }: ChangeForm,
): readonly VoxelEdit[] | undefined {
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
  return EDITS_BYTES + voxelEditsBytes(edits) < LEAF_BYTES + contentBytes(after) ? edits : undefined;
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
