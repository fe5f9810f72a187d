import type { BlockChanges, BlockPlacement, Dimensions, Vector, VoxelBox } from "@orthant/core";
import { type Check, callback, fieldsOf, requireObject } from "@orthant/core/arguments";
import { requireValidator, type Validator } from "@orthant/core/world";
import type { Player } from "@orthant/protocol/server";
import type { Transaction } from "@orthant/world";

/** A connected player. */
export interface OnlinePlayer<D extends Dimensions = Dimensions> extends Omit<Player, "position"> {
  readonly position: Vector<D>;
}

/** Where a player is and which way they look. */
export interface PlayerPose<D extends Dimensions = Dimensions> {
  readonly position: Vector<D>;
  /** Four numbers from -1 to 1 with a meaning of the game's own, such as a quaternion. */
  readonly orientation: Vector;
}

/** An edit that a player wants to make, or has made. */
export interface PlayerEditEvent<D extends Dimensions = Dimensions> {
  readonly player: OnlinePlayer<D>;
  /** The smallest box around the voxels that it sets, known without reading them. */
  readonly box: VoxelBox<D>;
  /** The box that a copy reads; `undefined` for other edits. */
  readonly source: VoxelBox<D> | undefined;
  /** Number of voxels that it sets, known without reading them: of a fill, the volume of its box. */
  readonly count: number;
  /**
   * Before an edit: all voxels that it sets, with the block that each one has. After it: the voxels that changed, with
   * the block that each one had. Each is made when it is read, so a rule costs what it reads.
   */
  readonly changes: BlockChanges<D>;
}

/** An operation that a player wants to do. */
export interface PlayerOperationEvent<D extends Dimensions = Dimensions> {
  readonly player: OnlinePlayer<D>;
  /** What it does, as docs/reference/operations.md explains; `undo` or `redo` for one that takes another back. */
  readonly text: string;
  /** Contains all voxels that it changes. */
  readonly box: VoxelBox<D>;
  /** The number of voxels that it changes. */
  readonly count: number;
}

/** A pose that a player wants to have. */
export interface PlayerMoveEvent<D extends Dimensions = Dimensions> {
  readonly player: OnlinePlayer<D>;
  readonly to: PlayerPose<D>;
}

/** A change of what a player's client sees. */
export interface PlayerInterestEvent<D extends Dimensions = Dimensions> {
  readonly player: OnlinePlayer<D>;
  readonly entered: readonly VoxelBox<D>[];
  readonly left: readonly VoxelBox<D>[];
}

/** A rule's refusal, with a text for the player. */
export interface RuleRejection {
  readonly reject: string;
}

/** A rule's answer: `undefined` allows, `reject` refuses, `replace` does something else instead. */
export type RuleDecision<Replacement> = undefined | RuleRejection | { readonly replace: Replacement };

/**
 * Changes other things together with an edit: both are made or neither is, also in a crash. Gets the voxels that the edit sets, each
 * with the block that it has now. Runs again if something has changed meanwhile, so it should do nothing else.
 */
export type EditCompanion<D extends Dimensions> = (
  transaction: Transaction<D>,
  changes: BlockChanges<D>,
) => undefined | RuleRejection | Promise<undefined | RuleRejection>;

/** A rule's answer about an edit: `with` allows it together with other changes. */
export type EditDecision<D extends Dimensions = Dimensions> =
  | RuleDecision<readonly BlockPlacement<D>[]>
  | { readonly with: EditCompanion<D> };

/**
 * A game's rules for what players do. All are optional. What the program itself does with its world passes no rule.
 *
 * @example
 * const rules: GameRules<3> = {
 *   beforeEdit: ({ box }) => (box.max[1] > 100 ? { reject: "The sky belongs to all." } : undefined),
 *   afterEdit: ({ player, changes }) => giveItems(player.playerId, Array.from(changes, ({ before }) => before)),
 * };
 */
export interface GameRules<D extends Dimensions = Dimensions, Message = unknown> {
  /**
   * Decides about an edit. For each chunk of the edit, this rule, the edit and `afterEdit` run without those of any
   * other player's edit between them, also if they are asynchronous. Edits elsewhere go on meanwhile. A rule that takes
   * longer than the limit `ruleMs` rejects the edit. Edits above `ruleVoxelsMax` never get here.
   */
  readonly beforeEdit?: (edit: PlayerEditEvent<D>) => EditDecision<D> | Promise<EditDecision<D>>;
  /**
   * Decides about an operation, which may change millions of voxels: `box` contains them, and `text` says what it does. It is asked
   * instead of `beforeEdit` and `canReach`, and `reach` of `movement` does not count; perhaps several times, when others edit
   * meanwhile. Without this rule, a game that has others about edits is asked about each voxel, and `ruleVoxelsMax` holds.
   */
  readonly beforeOperation?: (
    operation: PlayerOperationEvent<D>,
  ) => undefined | RuleRejection | Promise<undefined | RuleRejection>;
  /** Called after an edit has changed the world, with exactly what changed. */
  readonly afterEdit?: (edit: PlayerEditEvent<D>) => void | Promise<void>;
  /**
   * Returns whether a player may edit a voxel, or copy from it, from where they are. Asked about each voxel of an edit, so it
   * must be quick.
   */
  readonly canReach?: (request: {
    readonly player: OnlinePlayer<D>;
    readonly position: BlockPlacement<D>["position"];
  }) => boolean;
  /** Decides about a move. A rejected player stays, and the client learns where the player is. Must be quick. */
  readonly beforeMove?: (
    move: PlayerMoveEvent<D>,
  ) => RuleDecision<Pick<PlayerPose<D>, "position"> & Partial<PlayerPose<D>>>;
  /** Called for each message of a player to the game: what the client gave to `send`. */
  readonly onMessage?: (event: { readonly player: OnlinePlayer<D>; readonly message: Message }) => void;
  /** Checks each message before `onMessage` gets it. One that it refuses does not reach the game. Default: takes any. */
  readonly message?: Validator<Message>;
  /**
   * The data that players may give to blocks, by the name of the type; `any` allows all. Default: none, and copies of blocks with
   * data are refused too. The program itself may give any.
   */
  readonly data?: "any" | Readonly<Record<string, Validator>>;
  /** Called when a player has joined. */
  readonly onJoin?: (event: { readonly player: OnlinePlayer<D> }) => void;
  /**
   * Called when a player's client wants to see other parts of the world, so that the game can send what belongs to them.
   * The boxes are of whole regions. The client has their content a little later.
   */
  readonly onInterest?: (event: PlayerInterestEvent<D>) => void;
  /** Called when a player has left. */
  readonly onLeave?: (event: { readonly player: OnlinePlayer<D> }) => void;
}

/** Checks the rules of a game: functions, with names that exist. */
export const requireRules: Check<GameRules> = fieldsOf<GameRules>({
  beforeEdit: callback,
  beforeOperation: callback,
  afterEdit: callback,
  canReach: callback,
  beforeMove: callback,
  onMessage: callback,
  message: requireValidator,
  data(name, value) {
    if (value === "any") return value;
    requireObject(name, value, 'it is "any", or validators by the names of types: { chest: contents }');
    for (const [type, validator] of Object.entries(value)) requireValidator(`${name}.${type}`, validator);
    return value as Readonly<Record<string, Validator>>;
  },
  onJoin: callback,
  onInterest: callback,
  onLeave: callback,
});
