import type { Box, Position } from "@orthant/core";
import type { TurnStep } from "@orthant/core/operations";

/** What the page asks of the builder's tools in the worker. A selection is a text such as `box(0,60,0,16,64,16)`. */
export type BuildRequest =
  /** Finds the connected voxels that have the type of one. */
  | { readonly kind: "wand"; readonly at: Position }
  | { readonly kind: "copy"; readonly selection: string; readonly isCut: boolean }
  | { readonly kind: "turn"; readonly turn: TurnStep }
  /** Pastes the clipboard with its lowest corner at a voxel. */
  | { readonly kind: "paste"; readonly at: Position }
  /** Does an operation, in a selection unless its text has one. */
  | { readonly kind: "run"; readonly text: string; readonly selection: string | undefined }
  | { readonly kind: "complete"; readonly text: string }
  | { readonly kind: "undo" }
  | { readonly kind: "redo" }
  /** Ends what is being done. */
  | { readonly kind: "cancel" };

/** A box of blocks to show, such as the clipboard. */
export interface BlockPicture {
  readonly extents: Position;
  /** Ids of blocks, x fastest, 0 where nothing is; `undefined` if they are too many to show. */
  readonly blocks: Uint16Array<ArrayBuffer> | undefined;
}

/** What the worker answers. */
export type BuildAnswer =
  | {
      readonly kind: "selected";
      readonly selection: string;
      readonly box: Box;
      readonly count: number;
      readonly picture: BlockPicture;
    }
  | { readonly kind: "clipboard"; readonly picture: BlockPicture; readonly count: number | undefined }
  | { readonly kind: "done"; readonly count: number }
  | {
      readonly kind: "completed";
      readonly from: number;
      readonly words: readonly string[];
      /** What is wrong with the text; `undefined` if it is right so far. */
      readonly fault: BuildFault | undefined;
    }
  | { readonly kind: "nothing" }
  | { readonly kind: "failed"; readonly fault: BuildFault };

/** Why something cannot be done. */
export interface BuildFault {
  readonly text: string;
  /** Where in the text of an operation, from 1 on. */
  readonly column: number | undefined;
}

/** A change that can be undone, or done again. */
export interface BuildStep {
  readonly text: string;
  readonly count: number;
  readonly isUndone: boolean;
}

/** What the worker tells without being asked: all steps, the oldest first; and how far the current one is. */
export type BuildNews =
  | { readonly kind: "steps"; readonly steps: readonly BuildStep[] }
  | { readonly kind: "progress"; readonly done: number; readonly total: number };
