import type { Box, Position } from "@orthant/core";
import type { VoxelPlacement, WorldState } from "@orthant/core/tree";
import type { Pose } from "../message/entity.ts";
import type { RequestedEdit } from "../message/requested-edit.ts";
import type { Player } from "./account.ts";

/** An edit that a player wants to make, or has made. */
export interface PlayerEdit {
  readonly player: Player;
  readonly edit: RequestedEdit;
  /**
   * The world before the edit, with all chunks that the edit reads or changes. In `afterEdit` it is the world to which
   * the edit was applied.
   */
  readonly before: WorldState;
}

/** An operation that a player wants to do. */
export interface PlayerOperation {
  readonly player: Player;
  /** As in docs/reference/operations.md; `undo` or `redo` for one that takes another back. */
  readonly text: string;
  /** Contains all voxels that it changes. */
  readonly box: Box;
  /** The number of voxels that it changes. */
  readonly count: number;
}

/** A rule's answer: `undefined` allows, `reject` refuses with a text for the player, `replace` changes the request. */
export type RuleAnswer<Replacement> =
  | undefined
  | { readonly reject: string }
  | { readonly replace: Replacement };

type Answer<Value> = Value | Promise<Value>;

/**
 * What a rule changes together with an edit, or why the edit is refused. Gets what the world offers for that, and the world
 * before the edit. It may be called again when something has changed meanwhile.
 */
export type Companion = (
  transaction: never,
  before: WorldState,
) => Promise<{ readonly reject: string } | undefined>;

/** A rule's answer about an edit: `with` allows it together with other changes. */
export type EditAnswer = RuleAnswer<readonly VoxelPlacement[]> | { readonly with: Companion };

/** A game's rules for players. All are optional. */
export interface SyncRules {
  /** Decides about an edit. No other rule about one of its chunks runs until `afterEdit` has ended. */
  readonly beforeEdit?: (edit: PlayerEdit) => Answer<EditAnswer>;
  /**
   * Decides about an operation that is computed and not done yet. It is asked instead of `beforeEdit`, `canReach` and
   * `isWithinReach`; perhaps several times, when others edit meanwhile. Without it, a game with rules about edits is asked about
   * the voxels of an operation as of an edit.
   */
  readonly beforeOperation?: (operation: PlayerOperation) => Answer<{ readonly reject: string } | undefined>;
  /** Called after an edit has changed the world. */
  readonly afterEdit?: (edit: PlayerEdit) => Answer<void>;
  /** Returns why players may not give this data to this block; `undefined` if they may. Must be quick. */
  readonly dataFault?: (data: Uint8Array, block: number) => string | undefined;
  /** Returns true when a player may edit every voxel of a box, or copy it, from their position. Must cost the same for all boxes. */
  readonly isWithinReach?: (request: { readonly player: Player; readonly box: Box }) => boolean;
  /** Returns true when a player may edit a voxel, or copy it, from their position. Asked about each voxel of an edit. */
  readonly canReach?: (request: { readonly player: Player; readonly voxel: Position }) => boolean;
  /** Decides about a pose that a player requests. A player who is rejected stays where they are. */
  readonly beforeMove?: (move: { readonly player: Player; readonly to: Pose }) => RuleAnswer<Pose>;
  /** Called with the payload of each game message from a player. */
  readonly onMessage?: (event: { readonly player: Player; readonly payload: Uint8Array }) => void;
  readonly onJoin?: (event: { readonly player: Player }) => void;
  /** Called when a client's interest has changed, with the regions that came to it and those that it has no longer. */
  readonly onInterest?: (event: {
    readonly player: Player;
    readonly entered: readonly Position[];
    readonly left: readonly Position[];
  }) => void;
  readonly onLeave?: (event: { readonly player: Player }) => void;
}
