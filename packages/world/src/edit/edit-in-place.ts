import type { Position } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import { U16_MAX } from "@orthant/core/bytes";
import type { ChunkEditor } from "@orthant/core/chunk";
import { chunkOfVoxel, comparePositions, PositionSet, regionOf, voxelIndex } from "@orthant/core/lattice";
import type { ClockChange } from "@orthant/core/tree";
import type { JournalChunk } from "@orthant/save/journal";
import type { WorldContent } from "../content/world-content.ts";
import type { VoxelBlock } from "./queued-edit.ts";

/** What an edit changed. */
export interface MadeEdit {
  /** The changed chunks, in lexicographic order. */
  readonly chunks: readonly Position[];
  readonly clocks: readonly ClockChange[];
  /** What a journal needs to replay it; `undefined` without a journal. */
  readonly logged: readonly JournalChunk[] | undefined;
}

/** Throws if a log could not store an edit of these chunks. */
type Admit = (chunks: readonly JournalChunk[]) => void;

const NOTHING: MadeEdit = { chunks: [], clocks: [], logged: [] };

/**
 * Sets blocks in place, in chunks that are in memory. Returns `undefined`, without an effect, if that cannot be: where voxels
 * have data, and for several voxels of a world with a journal. `admit` is that of the journal, if there is one.
 */
export function editInPlace(
  content: WorldContent,
  blocks: readonly VoxelBlock[],
  epoch: number,
  admit: Admit | undefined,
): MadeEdit | undefined {
  content.regions.beginInPlace();
  const [only] = blocks;
  if (only !== undefined && blocks.length === 1) return setOne(content, only, epoch, admit);
  return admit === undefined ? setMany(content, blocks, epoch) : undefined;
}

function setOne(
  content: WorldContent,
  { voxel, block }: VoxelBlock,
  epoch: number,
  admit: Admit | undefined,
): MadeEdit | undefined {
  const { regions } = content;
  const chunk = chunkOfVoxel(regions.shape, voxel);
  const editor = regions.editInPlace(chunk)?.editor;
  if (editor === undefined) return undefined;
  const index = voxelIndex(regions.shape, ...voxel);
  if (editor.get(index) === block) return NOTHING;
  requireInteger(block, 0, U16_MAX, "block");
  const chunks = [chunk];
  const logged = admit && [{ position: chunk, edits: [{ index, block }] }];
  // Before anything is changed, because no edit can be taken back.
  if (logged) admit(logged);
  const clocks = content.editedInPlace(chunks, [regionOf(chunk)], epoch);
  editor.set(index, block);
  return { chunks, clocks, logged };
}

function setMany(content: WorldContent, blocks: readonly VoxelBlock[], epoch: number): MadeEdit | undefined {
  const { regions } = content;
  const { shape } = regions;
  const editors: ChunkEditor[] = [];
  // Checks all before it changes any.
  for (const { voxel, block } of blocks) {
    const editor = regions.editInPlace(chunkOfVoxel(shape, voxel))?.editor;
    if (editor === undefined) return undefined;
    requireInteger(block, 0, U16_MAX, "block");
    editors.push(editor);
  }
  const changed = new PositionSet();
  for (const [at, { voxel, block }] of blocks.entries()) {
    const isChanged = editors[at]?.set(voxelIndex(shape, voxel[0], voxel[1], voxel[2], voxel[3]), block);
    if (isChanged === true) changed.add(...chunkOfVoxel(shape, voxel));
  }
  if (changed.size === 0) return NOTHING;
  const chunks = [...changed].sort(comparePositions);
  const clocks = content.editedInPlace(chunks, chunks.map(regionOf), epoch);
  return { chunks, clocks, logged: undefined };
}
