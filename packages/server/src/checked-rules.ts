import type {
  BlockCatalog,
  BlockChange,
  ChunkShape,
  DataCodec,
  Dimensions,
  Position,
  VoxelBox,
  VoxelPlacement,
} from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import {
  type Axes,
  boxesOfRegions,
  isListOf,
  PositionMap,
  requireList,
  requireObject,
  requireText,
  sameTypeIn,
  shownChange,
  voxelPlacement,
  voxelsOfChunks,
  wrongArgument,
} from "@orthant/core/engine";
import {
  changedBox,
  gameMessageIn,
  type Player,
  type PlayerEdit,
  type Pose,
  placementsOf,
  type RuleAnswer,
  type SyncRules,
} from "@orthant/protocol";
import type { GameRules, OnlinePlayer, PlayerEditEvent, PlayerPose } from "./game-rules.ts";

/** What a player reads when a rule fails. */
const FAILED = "the rules of the game failed";

/** What rules need of the world. */
export interface RuledWorld<D extends Dimensions> {
  readonly axes: Axes<D>;
  /** Its catalog changes when types of blocks are added. */
  readonly world: { readonly catalog: BlockCatalog; readonly shape: ChunkShape };
  readonly dataCodec: DataCodec;
}

/**
 * Adapts a game's rules for a sync server: with the coordinates of the world, and with checked answers. A rule that
 * throws, or whose answer is no answer, is reported and refuses what it was asked about, without harming the server.
 */
export function syncRulesOf<D extends Dimensions>(
  rules: GameRules<D>,
  world: RuledWorld<D>,
  onError: (rule: keyof GameRules, error: unknown) => void,
): SyncRules {
  const { axes } = world;
  const { beforeEdit, afterEdit, canReach, beforeMove, onMessage, onJoin, onLeave, onInterest } = rules;
  const show = (player: Player): OnlinePlayer<D> => onlinePlayer(axes, player);
  /** Calls a rule without an answer. */
  const notify = (rule: keyof GameRules, call: () => unknown): void => {
    try {
      Promise.resolve(call()).catch((error: unknown) => onError(rule, error));
    } catch (error) {
      onError(rule, error);
    }
  };
  return {
    isData: (data) => canRead(world.dataCodec, data),
    ...(beforeEdit && {
      beforeEdit: async (edit) => {
        try {
          return editAnswer(world, await beforeEdit(new ShownEdit(world, edit, "all")));
        } catch (error) {
          onError("beforeEdit", error);
          return { reject: FAILED };
        }
      },
    }),
    ...(afterEdit && {
      afterEdit: async (edit) => {
        try {
          await afterEdit(new ShownEdit(world, edit, "changed"));
        } catch (error) {
          onError("afterEdit", error);
        }
      },
    }),
    ...(canReach && {
      canReach: ({ player, voxel }) => {
        try {
          return isTrue(canReach({ player: show(player), position: axes.shown(voxel) }));
        } catch (error) {
          onError("canReach", error);
          return false;
        }
      },
    }),
    ...(beforeMove && {
      beforeMove: ({ player, to }) => {
        try {
          return moveAnswer(axes, beforeMove({ player: show(player), to: shownPose(axes, to) }), to);
        } catch (error) {
          onError("beforeMove", error);
          return { reject: FAILED };
        }
      },
    }),
    ...(onMessage && {
      onMessage: ({ player, payload }) => {
        const received = gameMessageIn(payload);
        if (received === undefined) return;
        notify("onMessage", () => onMessage({ player: show(player), ...received }));
      },
    }),
    ...(onJoin && { onJoin: ({ player }) => notify("onJoin", () => onJoin({ player: show(player) })) }),
    ...(onInterest && {
      onInterest: ({ player, entered, left }) => {
        const event = { player: show(player), entered: boxesOf(world, entered), left: boxesOf(world, left) };
        notify("onInterest", () => onInterest(event));
      },
    }),
    ...(onLeave && { onLeave: ({ player }) => notify("onLeave", () => onLeave({ player: show(player) })) }),
  };
}

/** Returns a player with the coordinates that the world shows. */
export function onlinePlayer<D extends Dimensions>(axes: Axes<D>, player: Player): OnlinePlayer<D> {
  return { ...player, position: axes.shown(player.position) };
}

/** Returns boxes of voxels that are together the regions. */
function boxesOf<D extends Dimensions>(
  { axes, world }: RuledWorld<D>,
  regions: readonly Position[],
): readonly VoxelBox<D>[] {
  return boxesOfRegions(regions).map((chunks) => axes.shownVoxels(voxelsOfChunks(world.shape, chunks)));
}

function shownPose<D extends Dimensions>(axes: Axes<D>, { position, orientation }: Pose): PlayerPose<D> {
  return { position: axes.shown(position), orientation };
}

/** Returns a pose from a game's program, which may have no orientation. */
export function checkedPose<D extends Dimensions>(
  axes: Axes<D>,
  name: string,
  pose: unknown,
): Pick<Pose, "position"> & Partial<Pose> {
  requireObject(name, pose, "it is a pose such as { position: [0, 64, 0] }");
  const { position, orientation }: Partial<Pose> = pose;
  return {
    position: axes.vector(`${name}.position`, position),
    ...(orientation !== undefined && {
      orientation: checkedOrientation(`${name}.orientation`, orientation),
    }),
  };
}

function checkedOrientation(name: string, value: unknown): Pose["orientation"] {
  const isOrientation =
    isListOf(value, (part) => typeof part === "number" && Math.abs(part) <= 1) && value.length === 4;
  if (!isOrientation) throw wrongArgument(name, value, "it is a list of four numbers from -1 to 1");
  return value as unknown as Pose["orientation"];
}

/** An edit as a rule sees it. */
class ShownEdit<D extends Dimensions> implements PlayerEditEvent<D> {
  readonly player: OnlinePlayer<D>;
  readonly box: VoxelBox<D>;
  readonly #list: () => readonly BlockChange<D>[];
  #changes: readonly BlockChange<D>[] | undefined;

  constructor(
    { axes, world, dataCodec }: RuledWorld<D>,
    { player, edit, before }: PlayerEdit,
    which: "all" | "changed",
  ) {
    this.player = onlinePlayer(axes, player);
    const { min, max } = changedBox(edit);
    this.box = { unit: "voxels", min: axes.shown(min), max: axes.shown(max) };
    this.#list = () => {
      const isSameType = sameTypeIn(world.catalog);
      const reached = new PositionMap<VoxelContent>();
      const contentAt = (voxel: Position): VoxelContent =>
        reached.get(...voxel) ?? { block: before.voxelAt(...voxel), data: before.dataAt(...voxel) };
      for (const { voxel, block, data } of placementsOf(edit, before)) {
        const old = contentAt(voxel);
        const stays = data === undefined && isSameType(old.block, block);
        reached.set(...voxel, { block, data: stays ? old.data : (data ?? undefined) });
      }
      const changes: BlockChange<D>[] = [];
      for (const [voxel, { block, data }] of reached) {
        const old = before.voxelAt(...voxel);
        const oldData = before.dataAt(...voxel);
        if (which === "changed" && old === block && isSameData(oldData, data)) continue;
        const shown = shownChange(dataCodec, oldData, data);
        changes.push({ position: axes.shown(voxel), block, before: old, ...shown });
      }
      return changes;
    };
  }

  get changes(): readonly BlockChange<D>[] {
    this.#changes ??= this.#list();
    return this.#changes;
  }
}

/** The block and the data of a voxel. */
interface VoxelContent {
  readonly block: number;
  readonly data: Uint8Array | undefined;
}

function isSameData(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}

/** Whether a game's codec reads some data. */
function canRead(codec: DataCodec, data: Uint8Array): boolean {
  try {
    codec.decode(data.slice());
    return true;
  } catch {
    // The player's program wrote something else than the game expects.
    return false;
  }
}

function editAnswer<D extends Dimensions>(
  { axes, dataCodec }: RuledWorld<D>,
  answer: unknown,
): RuleAnswer<readonly VoxelPlacement[]> {
  const decision = decisionIn("beforeEdit", answer, "{ replace: [{ position, block }] }");
  if (decision === undefined || "reject" in decision) return decision;
  const { replace } = decision;
  const name = "the replace that beforeEdit returned";
  requireList(name, replace, "it is a list of { position, block }");
  return {
    replace: replace.map((placement, index) =>
      voxelPlacement(axes, `${name}[${index}]`, placement, dataCodec),
    ),
  };
}

function moveAnswer<D extends Dimensions>(axes: Axes<D>, answer: unknown, to: Pose): RuleAnswer<Pose> {
  const decision = decisionIn("beforeMove", answer, "{ replace: { position } }");
  if (decision === undefined || "reject" in decision) return decision;
  const pose = checkedPose(axes, "the replace that beforeMove returned", decision.replace);
  return { replace: { orientation: to.orientation, ...pose } };
}

function decisionIn(rule: keyof GameRules, answer: unknown, replacement: string): RuleAnswer<unknown> {
  if (answer === undefined) return undefined;
  const { reject, replace }: { reject?: unknown; replace?: unknown } =
    typeof answer === "object" ? Object(answer) : {};
  if (replace !== undefined) return { replace };
  if (reject !== undefined) return { reject: requireText(`the reject that ${rule} returned`, reject) };
  const wanted = `it must return undefined, { reject: "text" } or ${replacement}`;
  throw wrongArgument(`the result of ${rule}`, answer, wanted);
}

function isTrue(answer: unknown): boolean {
  if (typeof answer === "boolean") return answer;
  throw wrongArgument("the result of canReach", answer, "it must return true or false");
}
