import type { BlockChange, Dimensions, VoxelBox, VoxelPlacement } from "@orthant/core";
import {
  type Axes,
  PositionMap,
  requireBlock,
  requireList,
  requireObject,
  requireText,
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

/**
 * Adapts a game's rules for a sync server: with the coordinates of the world, and with checked answers. A rule that
 * throws, or whose answer is no answer, is reported and refuses what it was asked about, without harming the server.
 */
export function syncRulesOf<D extends Dimensions>(
  rules: GameRules<D>,
  axes: Axes<D>,
  onError: (rule: keyof GameRules, error: unknown) => void,
): SyncRules {
  const { beforeEdit, afterEdit, canReach, beforeMove, onMessage, onJoin, onLeave } = rules;
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
    ...(beforeEdit && {
      beforeEdit: async (edit) => {
        try {
          return editAnswer(axes, await beforeEdit(new ShownEdit(axes, edit, "all")));
        } catch (error) {
          onError("beforeEdit", error);
          return { reject: FAILED };
        }
      },
    }),
    ...(afterEdit && {
      afterEdit: async (edit) => {
        try {
          await afterEdit(new ShownEdit(axes, edit, "changed"));
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
    ...(onLeave && { onLeave: ({ player }) => notify("onLeave", () => onLeave({ player: show(player) })) }),
  };
}

/** Returns a player with the coordinates that the world shows. */
export function onlinePlayer<D extends Dimensions>(axes: Axes<D>, player: Player): OnlinePlayer<D> {
  return { ...player, position: axes.shown(player.position) };
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
    Array.isArray(value) &&
    value.length === 4 &&
    value.every((component) => typeof component === "number" && Math.abs(component) <= 1);
  if (!isOrientation) throw wrongArgument(name, value, "it is a list of four numbers from -1 to 1");
  return value as unknown as Pose["orientation"];
}

/** An edit as a rule sees it. */
class ShownEdit<D extends Dimensions> implements PlayerEditEvent<D> {
  readonly player: OnlinePlayer<D>;
  readonly box: VoxelBox<D>;
  readonly #list: () => readonly BlockChange<D>[];
  #changes: readonly BlockChange<D>[] | undefined;

  constructor(axes: Axes<D>, { player, edit, before }: PlayerEdit, which: "all" | "changed") {
    this.player = onlinePlayer(axes, player);
    const { min, max } = changedBox(edit);
    this.box = { unit: "voxels", min: axes.shown(min), max: axes.shown(max) };
    this.#list = () => {
      const blocks = new PositionMap<number>();
      for (const { voxel, block } of placementsOf(edit, (source) => before.voxelAt(...source))) {
        blocks.set(...voxel, block);
      }
      const changes: BlockChange<D>[] = [];
      for (const [voxel, block] of blocks) {
        const old = before.voxelAt(...voxel);
        if (which === "all" || old !== block)
          changes.push({ position: axes.shown(voxel), block, before: old });
      }
      return changes;
    };
  }

  get changes(): readonly BlockChange<D>[] {
    this.#changes ??= this.#list();
    return this.#changes;
  }
}

function editAnswer<D extends Dimensions>(
  axes: Axes<D>,
  answer: unknown,
): RuleAnswer<readonly VoxelPlacement[]> {
  const decision = decisionIn("beforeEdit", answer, "{ replace: [{ position, block }] }");
  if (decision === undefined || "reject" in decision) return decision;
  const { replace } = decision;
  const name = "the replace that beforeEdit returned";
  requireList(name, replace, "it is a list of { position, block }");
  return {
    replace: replace.map((placement, index) => {
      requireObject(`${name}, at ${index}`, placement, "it is { position, block }");
      const { position, block }: { position?: unknown; block?: unknown } = placement;
      return {
        voxel: axes.position(`${name}, at ${index}: position`, position),
        block: requireBlock(`${name}, at ${index}: block`, block),
      };
    }),
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
