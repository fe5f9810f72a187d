import type { Position } from "@orthant/core";
import type { ChunkEditor } from "@orthant/core/chunk";
import { comparePositions, regionOf } from "@orthant/core/lattice";
import type { ChunkBlocks, ClockChange } from "@orthant/core/tree";
import type { JournalChunk } from "@orthant/save/journal";
import type { WorldContent } from "../content/world-content.ts";

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
  edited: readonly ChunkBlocks[],
  epoch: number,
  admit: Admit | undefined,
): MadeEdit | undefined {
  content.regions.beginInPlace();
  const [only] = edited;
  if (edited.length === 1 && only?.indices.length === 1) {
    const [index, block] = [only.indices[0] as number, only.blocks[0] as number];
    return setInPlace(content, { chunk: only.chunk, index, block }, epoch, admit);
  }
  return admit === undefined ? setMany(content, edited, epoch) : undefined;
}

/** A voxel and its new block. */
interface VoxelBlock {
  readonly chunk: Position;
  /** The voxel of the chunk. */
  readonly index: number;
  readonly block: number;
}

/** Does what {@link editInPlace} does for one voxel. `beginInPlace` of the regions must have been called. */
export function setInPlace(
  content: WorldContent,
  { chunk, index, block }: VoxelBlock,
  epoch: number,
  admit: Admit | undefined,
): MadeEdit | undefined {
  const editor = content.regions.editInPlace(chunk)?.editor;
  if (editor === undefined) return undefined;
  if (editor.get(index) === block) return NOTHING;
  const chunks = [chunk];
  const logged = admit && [{ position: chunk, edits: [{ index, block }] }];
  // Before anything is changed, because no edit can be taken back.
  if (logged) admit(logged);
  const clocks = content.editedInPlace(chunks, [regionOf(chunk)], epoch);
  editor.set(index, block);
  return { chunks, clocks, logged };
}

function setMany(content: WorldContent, edited: readonly ChunkBlocks[], epoch: number): MadeEdit | undefined {
  const editors: ChunkEditor[] = [];
  // All of them before any is changed.
  for (const { chunk } of edited) {
    const editor = content.regions.editInPlace(chunk)?.editor;
    if (editor === undefined) return undefined;
    editors.push(editor);
  }
  const changed = edited.filter(({ indices, blocks }, at) =>
    setBlocks(editors[at] as ChunkEditor, indices, blocks),
  );
  if (changed.length === 0) return NOTHING;
  const chunks = changed.map(({ chunk }) => chunk).sort(comparePositions);
  const clocks = content.editedInPlace(chunks, chunks.map(regionOf), epoch);
  return { chunks, clocks, logged: undefined };
}

/** Returns whether a voxel had another block. */
function setBlocks(editor: ChunkEditor, indices: readonly number[], blocks: readonly number[]): boolean {
  let isChanged = false;
  for (let at = 0; at < indices.length; at++)
    if (editor.set(indices[at] as number, blocks[at] as number)) isChanged = true;
  return isChanged;
}
