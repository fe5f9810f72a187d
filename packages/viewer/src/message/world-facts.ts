import type { Block, ChunkShape, Vector } from "@orthant/core";

/** A world's properties, known before any of it is shown. */
export interface WorldFacts {
  readonly name: string;
  readonly shape: ChunkShape;
  readonly blocks: readonly Block[];
  /** Initial position of a visitor. */
  readonly begin: Vector;
  /** Whether the visitor may edit the world. */
  readonly canEdit: boolean;
  /** Short description of where the world comes from. */
  readonly origin: string;
}

/** State of the page's connection to its world. */
export interface WorldStatus {
  readonly kind: "connecting" | "ready" | "offline" | "refused" | "outdated" | "failed";
  /** Text for people; empty when there is nothing to say. */
  readonly text: string;
}

/** Another player or entity. */
export interface Other {
  readonly id: string;
  readonly name: string;
  readonly position: Vector;
  /** View direction. */
  readonly facing: Vector;
  readonly isPlayer: boolean;
}

/** Counters of a world's source. */
export interface SourceNumbers {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly framesIn: number;
  readonly patches: number;
  readonly resyncs: number;
  readonly heldRegions: number;
}

/** Counters of the mesher. */
export interface MeshNumbers {
  readonly meshBytes: number;
  readonly meshBlocksMade: number;
  readonly meshBlocksWaiting: number;
  /** Chunks meshed so far, and the time spent on them. */
  readonly meshedChunks: number;
  readonly meshMs: number;
  /** Cached chunk cuts. */
  readonly keptCuts: number;
  readonly keptCutBytes: number;
}

/** All counters of a session. */
export interface Numbers extends SourceNumbers, MeshNumbers {
  /** Time from the last edit to its result; `undefined` before the first. */
  readonly roundTripMs: number | undefined;
}
