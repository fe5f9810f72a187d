import type { ClockStep, RegionClock } from "@orthant/core";
import type {
  ClientEdits,
  GlobalState,
  JournalChunk,
  JournalEdit,
  JournalEntry,
  SaveChange,
  SegmentId,
  WorldDescription,
} from "@orthant/formats";

/** An edit with the clocks that its regions had before. */
export interface LoggedEdit extends JournalEdit {
  readonly clocks: readonly (RegionClock & { readonly before: number })[];
}

/** Something that happened to a world, as a log is told of it. */
export type LoggedEntry = Exclude<JournalEntry, JournalEdit> | LoggedEdit;

/** Whom a log tells. */
export interface LogEvents {
  /** A save should be made now. */
  onFull(): void;
  onFailure(error: unknown): void;
}

/** Where a world writes down what happens to it, in its order. Every entry has a position. */
export interface WorldLog {
  /** Says whom to tell. */
  attach(events: LogEvents): void;
  /** Takes an entry; a step of an entity may wait for others. */
  add(entry: LoggedEntry, isStep?: boolean): void;
  /** Resolves when all entries taken so far are safe. */
  whenSafe(): Promise<void>;
  /** A commit takes all that there is at this moment; gives the position of the last entry that it has. */
  rotate(segment: SegmentId): number;
  /** What that commit writes; the log may hold it back until it may be written, and add to it. */
  prepare(change: SaveChange, global: () => GlobalState, position: number): Promise<SaveChange>;
  /** The generation that was taken at this position is durable. */
  committed(generation: number, position: number): Promise<void>;
  /** Takes nothing more, and tells all who wait. */
  stop(error: unknown): void;
  /** Closes the log. This generation is durable; `isEnded` is true when its manifest names no journal. */
  close(generation: number, isEnded: boolean): Promise<void>;
}

/** Edits that were logged, in some regions, as they are made again. */
export interface LoggedChange {
  /** The clocks that the regions had, and have then. */
  readonly steps: readonly ClockStep[];
  readonly chunks: readonly JournalChunk[];
  readonly origins: readonly ClientEdits[];
}

/** A log that lies elsewhere than in the world's folder, and outlives its owner. */
export interface OutsideLog extends WorldLog {
  /** The epoch in which this opening issues clocks. It has to be later than all before. */
  readonly epoch: number;
  /** What was logged since the generation with this description, in order. Nobody else logs any more. */
  recover(description: WorldDescription): AsyncIterable<LoggedChange>;
}
