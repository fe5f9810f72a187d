import type { ChunkShape, Material } from "@orthant/core";
import type { Vector } from "../slice/slice.ts";

/** What there is to know of a world before anything of it is seen. */
export interface WorldFacts {
  readonly name: string;
  readonly shape: ChunkShape;
  readonly materials: readonly Material[];
  /** Where a visitor begins. */
  readonly begin: Vector;
  /** Whether the visitor may change anything. */
  readonly canEdit: boolean;
  /** In a few words where the world comes from. */
  readonly origin: string;
}

/** How a page stands with the world that it shows. */
export interface WorldStatus {
  readonly kind: "connecting" | "ready" | "offline" | "refused" | "outdated" | "failed";
  /** For people; empty when there is nothing to say. */
  readonly text: string;
}

/** Somebody else. */
export interface Other {
  readonly id: string;
  readonly name: string;
  readonly position: Vector;
  /** Where they look, as a direction. */
  readonly facing: Vector;
  readonly isPlayer: boolean;
}

/** What only the source of a world counts. */
export interface SourceNumbers {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly framesIn: number;
  readonly patches: number;
  readonly resyncs: number;
  readonly heldRegions: number;
}

/** What is counted where meshes are made. */
export interface MeshNumbers {
  readonly meshBytes: number;
  readonly meshedBlocks: number;
  readonly waitingBlocks: number;
  /** Chunks that were meshed in all, and the time that took. */
  readonly meshedChunks: number;
  readonly meshMs: number;
  /** Chunks whose cuts are kept. */
  readonly keptCuts: number;
  readonly keptCutBytes: number;
}

/** The numbers of a session, all of them counted where they arise. */
export interface Numbers extends SourceNumbers, MeshNumbers {
  /** From the last edit to its verdict; `undefined` before the first. */
  readonly roundTripMs: number | undefined;
}
