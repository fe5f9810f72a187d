import { type BlockCatalog, type Chunk, emptyChunk, type Position, type Vector } from "@orthant/core";
import { diffChunks, diffVoxelData, type VoxelEdit } from "@orthant/core/chunk";
import { PositionMap } from "@orthant/core/lattice";
import type { ChunkBlocks, ClockChange, VoxelPlacement, WorldState } from "@orthant/core/tree";
import type { GlobalState, LastClientEdit, SaveChange, StoredEntity, WorldDescription } from "@orthant/save";
import {
  type ChunkTickChanges,
  type JournalChunk,
  type JournalEdit,
  type JournalEntity,
  type JournalEntry,
  type JournalStep,
  journalChunkBytesMax,
  type LogEvents,
  type SegmentId,
} from "@orthant/save/journal";

/** What a step did to an entity: also where it was before, and its state if it went to another part of the world. */
export type LoggedStepEntity = JournalEntity & {
  readonly from: Vector | undefined;
  readonly leaving?: StoredEntity;
};

/** A tick that a step schedules in another part of the world. */
export interface BorderTick {
  readonly voxel: Position;
  readonly tick: string;
  /** Steps from the step that schedules it; 0 removes the tick. */
  readonly inSteps: number;
}

/** A change of a voxel in another part of the world, which a step of that part makes. */
export type BorderEdit = VoxelPlacement | BorderTick;

/** A step, with what a log needs of a part of a larger world. */
export interface LoggedStep extends JournalStep {
  readonly entities: readonly LoggedStepEntity[];
  /** Its edits in other parts of a larger world, in order. */
  readonly sent: readonly BorderEdit[];
}

/** A change to a world, as a log receives it. */
export type LoggedEntry = Exclude<JournalEntry, JournalStep> | LoggedStep;

/**
 * Logs the changes of a world in order, for example in the journal beside the save (`JournalWriter`). Every
 * entry has a position.
 */
export interface ChangeLog {
  /** Sets the callbacks. */
  attach(events: LogEvents): void;
  /** Throws if the log could not store an edit of these chunks. Such an edit is not made. */
  admit?(chunks: readonly JournalChunk[]): void;
  /** Does the same for a step. */
  admitStep?(step: Omit<LoggedStep, "clocks">): void;
  /** Adds an entry. An entity movement may wait for other entries. */
  add(entry: LoggedEntry, isOnlyMovement?: boolean): void;
  /** Adds a step that changed nothing in this world. Omitted by a log that only has to replay what changed. */
  addStep?(step: LoggedStep): void;
  /** Resolves when all entries added so far are durable. */
  whenDurable(): Promise<void>;
  /**
   * Called at the start of a commit: entries added from now on go to `segment`. Returns the position of the
   * last entry that the commit includes.
   */
  rotate(segment: SegmentId): number;
  /**
   * Called before the commit is written. Waits until the log is ready for it, and returns the change, possibly
   * extended.
   */
  prepare(change: SaveChange, global: () => GlobalState, position: number): Promise<SaveChange>;
  /** Called when the generation that includes the entries up to `position` is durable. */
  committed(generation: number, position: number): Promise<void>;
  /** Accepts no more entries and rejects all waiting calls. */
  stop(error: unknown): void;
  /** Closes the log. `generation` is durable; `isEnded` is true when its manifest names no journal. */
  close(generation: number, isEnded: boolean): Promise<void>;
}

/** A change of an entity, as a log has it. */
export type LoggedEntityChange = Extract<JournalEntry, { readonly kind: "entity" | "entityGone" }>;

/** Logged edits to some regions, to be replayed; without regions, only the clients that made them. */
export interface LoggedChange {
  /** The clocks of the regions before and after. */
  readonly clocks: readonly ClockChange[];
  readonly chunks: readonly JournalChunk[];
  readonly origins: readonly LastClientEdit[];
  /** Changes of entities, in order. An entity that is gone may be unknown. */
  readonly entities?: readonly LoggedEntityChange[];
  /** The scheduled ticks that a step changed, and its number. */
  readonly ticks?: readonly ChunkTickChanges[];
  readonly step?: number;
  /** Drops all entities for which this returns false, after the other changes. */
  readonly keepsEntity?: (entity: StoredEntity) => boolean;
}

/** A log that is stored outside the world's folder and outlives the process that owns the world. */
export interface ExternalLog extends ChangeLog {
  /** The epoch in which this session issues clocks. It must be later than all previous ones. */
  readonly epoch: number;
  /** Yields all changes since the generation with this description, in order. Nothing else logs any more. */
  recover(description: WorldDescription): AsyncIterable<LoggedChange>;
  /** Returns the blocks that the logged changes use, for a world whose own are `held`: those or later ones. */
  newerBlocks?(held: BlockCatalog): BlockCatalog;
}

/** The effect of an edit on the chunks of a world. */
interface ChangedChunks {
  readonly before: WorldState;
  readonly after: WorldState;
  readonly chunks: readonly Position[];
  /** The chunks of the requested voxels, with their new blocks, when the edit set voxels one by one. */
  readonly blocks: readonly ChunkBlocks[] | undefined;
}

/** Chunks up to this size are written whole, without computing what changed. */
const SMALL_CHUNK_BYTES = 16;
/** The data of a chunk that was never edited. */
const NO_DATA = emptyChunk(1).data;
/** Approximate size of a voxel in a list. */
const VOXEL_BYTES = 4;

/** Returns the changes of chunks needed to replay an edit. */
export function loggedChunksOf({ before, after, chunks, blocks }: ChangedChunks): readonly JournalChunk[] {
  const asked = new PositionMap<ChunkBlocks>();
  for (const ofChunk of blocks ?? []) asked.set(...ofChunk.chunk, ofChunk);
  return chunks.map((position) => journalChunkOf(before, after, position, editsOf(asked.get(...position))));
}

/** Returns clocks as a log has them. */
export function loggedClocksOf(clocks: readonly ClockChange[]): JournalEdit["clocks"] {
  return clocks.map(({ region, before, after: clock }) => ({ region, before, clock }));
}

/** Returns the log entry needed to replay a chunk that changed. `asked` has the blocks that it got, if they are known. */
export function journalChunkOf(
  before: WorldState,
  after: WorldState,
  position: Position,
  asked: readonly VoxelEdit[] | undefined,
): JournalChunk {
  const chunk = after.realizeChunk(...position);
  // Generated chunks have no data.
  const dataBefore = before.overrides.at(...position)?.data;
  const hasData = chunk.data.size > 0 || (dataBefore !== undefined && dataBefore.size > 0);
  if (!hasData && asked !== undefined && asked.length * VOXEL_BYTES < leastBytesOf(chunk))
    return { position, edits: asked };
  if (!hasData && chunk.byteLength <= SMALL_CHUNK_BYTES) return { position, chunk };
  const edits = asked ?? diffChunks(before.realizeChunk(...position), chunk);
  if (!hasData)
    return edits.length * VOXEL_BYTES < chunk.byteLength ? { position, edits } : { position, chunk };
  const data = diffVoxelData(dataBefore ?? NO_DATA, chunk.data);
  const change = { position, edits, data: data.length === 0 ? undefined : data };
  const whole = { position, chunk };
  return journalChunkBytesMax(change) < journalChunkBytesMax(whole) ? change : whole;
}

/** Returns a bound that is known without encoding: each 64 voxels of a chunk with several blocks take a byte at least. */
function leastBytesOf(chunk: Chunk): number {
  const bytes = chunk.uniformBlock === undefined ? Math.floor(chunk.volume / 64) : 0;
  return bytes > SMALL_CHUNK_BYTES ? bytes : 0;
}

/** Returns the blocks of voxels, ascending by voxel; the last one for a voxel wins. */
function editsOf(asked: ChunkBlocks | undefined): readonly VoxelEdit[] | undefined {
  if (asked === undefined) return undefined;
  const edits = new Map(asked.indices.map((index, at) => [index, asked.blocks[at] as number]));
  return Array.from(edits, ([index, block]) => ({ index, block })).sort((a, b) => a.index - b.index);
}
