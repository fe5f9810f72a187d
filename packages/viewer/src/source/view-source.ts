import type { BlockPlacement, Box, EditResult, Vector } from "@orthant/core";
import type { SceneSource } from "@orthant/worker-pool/browser";
import type { SourceBuilder } from "../edit/source-builder.ts";
import type { DrawnEntity, RegionInfo, SourceNumbers, WorldFacts, WorldStatus } from "../message/messages.ts";

/** Events of a world's source. */
export interface SourceEvents {
  /** Called when the world is known, and again when it has been replaced. */
  readonly onFacts: (facts: WorldFacts) => void;
  readonly onStatus: (status: WorldStatus) => void;
  /** Boxes of chunks that changed, were loaded or were unloaded, and whether by an edit of the visitor. */
  readonly onChange: (boxes: readonly Box[], isOwn?: boolean) => void;
  readonly onEntities: (entities: readonly DrawnEntity[]) => void;
}

/** The part of the world to load. */
export interface ViewInterest {
  /** A box of chunks. */
  readonly chunks: Box;
  /** In voxels; the source loads what is nearest to it first. */
  readonly center: Vector;
  readonly motion: Vector;
}

/** A world to show, from any source. It loads nothing before the first `setInterest`. */
export interface ViewSource {
  /** Sets the part of the world to load; the source may unload the rest. */
  setInterest(interest: ViewInterest): void;
  /** The chunks that are loaded; only once the world is known. */
  readonly chunks: SceneSource;
  /** Edits voxels. Resolves when the result is known. */
  edit(placements: readonly BlockPlacement<4>[]): Promise<EditResult>;
  /** Reports the visitor's position to the other players, if there are any. */
  move(position: Vector, facing: Vector): void;
  /** Returns notes on the loaded regions of a box of chunks. */
  inspect(chunks: Box): Promise<readonly RegionInfo[]>;
  numbers(): SourceNumbers;
  /** Changes many voxels at once; missing if the world, or its server, does not. */
  builder?(): Promise<SourceBuilder | undefined>;
  close(): Promise<void>;
}
