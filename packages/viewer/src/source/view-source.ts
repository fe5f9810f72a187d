import type { Box, Chunk, Place, VoxelPlacement } from "@orthant/core";
import type { RegionNote } from "../message/from-world.ts";
import type { Other, SourceNumbers, WorldFacts, WorldStatus } from "../message/world-facts.ts";
import type { Vector } from "../slice/slice.ts";

/** What a source of a world tells. */
export interface SourceEvents {
  /** The world is known; told again when it has become another one. */
  readonly onFacts: (facts: WorldFacts) => void;
  readonly onStatus: (status: WorldStatus) => void;
  /** Boxes of chunks that look different now, or that came or went. */
  readonly onChange: (boxes: readonly Box[]) => void;
  readonly onOthers: (others: readonly Other[]) => void;
}

/** What to have at hand. */
export interface Sight {
  /** A box of chunks. */
  readonly chunks: Box;
  /** In voxels: what is near to it comes first. */
  readonly center: Vector;
  readonly motion: Vector;
}

/** What became of an edit: why it was refused, or nothing when it was not. */
export type EditAnswer = { readonly refusal: string | undefined };

/** A world that is shown, wherever it comes from. Nothing of it is there until it is looked at. */
export interface ViewSource {
  /** Says what to have at hand from now on; what lies outside may be forgotten. */
  look(sight: Sight): void;
  /** The voxels of a chunk at this moment; `undefined` when they are not here. */
  chunkAt(place: Place): Chunk | undefined;
  /** Changes voxels; resolves when it is decided. */
  edit(placements: readonly VoxelPlacement[]): Promise<EditAnswer>;
  /** Says where the visitor is, to whom it may concern. */
  move(position: Vector, facing: Vector): void;
  /** What is known of the regions of a box of chunks, as far as they are here. */
  inspect(chunks: Box): Promise<readonly RegionNote[]>;
  numbers(): SourceNumbers;
  close(): Promise<void>;
}
