import type { ClockStep, RegionClock } from "@orthant/core";
import type {
  ClientEdits,
  GlobalState,
  JournalChunk,
  JournalEdit,
  JournalEntry,
  LogEvents,
  SaveChange,
  SegmentId,
  WorldDescription,
} from "@orthant/save";

/** An edit with the clocks that its regions had before. */
export interface LoggedEdit extends JournalEdit {
  readonly clocks: readonly (RegionClock & { readonly before: number })[];
}

/** A change to a world, as a log receives it. */
export type LoggedEntry = Exclude<JournalEntry, JournalEdit> | LoggedEdit;

/** Logs the changes of a world in order. Every entry has a position. */
export interface WorldLog {
  /** Sets the callbacks. */
  attach(events: LogEvents): void;
  /** Adds an entry. An entity movement may wait for other entries. */
  add(entry: LoggedEntry, isStep?: boolean): void;
  /** Resolves when all entries added so far are safe. */
  whenSafe(): Promise<void>;
  /** Marks the moment at which a commit takes its changes. Returns the position of its last entry. */
  rotate(segment: SegmentId): number;
  /** Returns what that commit writes. The log may delay the commit and add to it. */
  prepare(change: SaveChange, global: () => GlobalState, position: number): Promise<SaveChange>;
  /** Handles that the generation taken at this position is durable. */
  committed(generation: number, position: number): Promise<void>;
  /** Accepts no more entries and rejects all waiting calls. */
  stop(error: unknown): void;
  /** Closes the log. `generation` is durable; `isEnded` is true when its manifest names no journal. */
  close(generation: number, isEnded: boolean): Promise<void>;
}

/** Logged edits to some regions, to be replayed. */
export interface LoggedChange {
  /** The clocks of the regions before and after. */
  readonly steps: readonly ClockStep[];
  readonly chunks: readonly JournalChunk[];
  readonly origins: readonly ClientEdits[];
}

/** A log that is stored outside the world's folder and outlives the process that owns the world. */
export interface ExternalLog extends WorldLog {
  /** The epoch in which this session issues clocks. It must be later than all previous ones. */
  readonly epoch: number;
  /** Yields all changes since the generation with this description, in order. Nothing else logs any more. */
  recover(description: WorldDescription): AsyncIterable<LoggedChange>;
}
