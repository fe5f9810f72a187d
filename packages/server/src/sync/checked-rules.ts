import type {
  BlockCatalog,
  BlockChange,
  BlockChanges,
  ChunkShape,
  DataCodec,
  Dimensions,
  Position,
  VoxelBox,
} from "@orthant/core";
import {
  isListOf,
  requireFunction,
  requireList,
  requireObject,
  requireText,
  wrongArgument,
} from "@orthant/core/arguments";
import { optionalBytesEqual } from "@orthant/core/bytes";
import { type IsSameType, sameTypeIn } from "@orthant/core/chunk";
import { type Axes, boxVolume, PositionMap, PositionSet, voxelsOfChunks } from "@orthant/core/lattice";
import { boxesOfRegions, type VoxelPlacement, type WorldState } from "@orthant/core/tree";
import { LazyChanges, publicDataChange, validated, voxelPlacement } from "@orthant/core/world";
import { changedBox, gameMessageIn, type Pose, placementsOf, type RequestedEdit } from "@orthant/protocol";
import type {
  Companion,
  EditAnswer,
  Player,
  PlayerEdit,
  RuleAnswer,
  SyncRules,
} from "@orthant/protocol/server";
import type { Transaction } from "@orthant/world";
import type { EngineTransaction } from "@orthant/world/engine";
import type { EditCompanion, GameRules, OnlinePlayer, PlayerEditEvent, PlayerPose } from "./game-rules.ts";

/** What a player reads when a rule fails. */
const FAILED = "the rules of the game failed";

/** What rules need of the world. */
export interface RuledWorld<D extends Dimensions> {
  readonly axes: Axes<D>;
  /** Its catalog changes when types of blocks are added. */
  readonly world: { readonly catalog: BlockCatalog; readonly shape: ChunkShape };
  readonly dataCodec: DataCodec;
  /** Returns a transaction as rules see it; omitted where there are none. */
  readonly transactionOf?: (transaction: EngineTransaction) => Transaction<D>;
}

/**
 * Adapts a game's rules for a sync server: with the coordinates of the world, and with checked answers. A rule that
 * throws, or whose answer is invalid, is reported and refuses what it was asked about, without harming the server.
 */
export function syncRulesOf<D extends Dimensions>(
  rules: GameRules<D>,
  world: RuledWorld<D>,
  onError: (rule: keyof GameRules, error: unknown) => void,
  onRefusedMessage: (player: Player, fault: string) => void = () => undefined,
): SyncRules {
  const { axes } = world;
  const { beforeOperation } = rules;
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
    dataFault: (data, block) => dataFault(world, rules.data, data, block),
    ...(beforeEdit && {
      beforeEdit: async (edit) => {
        try {
          const decision = await beforeEdit(new PublicEdit(world, edit, "all"));
          const { with: change }: { with?: unknown } = Object(decision);
          if (change === undefined) return editAnswer(world, decision);
          const companion = companionOf(world, edit, change);
          return {
            with: (transaction, before) =>
              companion(transaction, before).catch((error: unknown) => {
                onError("beforeEdit", error);
                return { reject: FAILED };
              }),
          };
        } catch (error) {
          onError("beforeEdit", error);
          return { reject: FAILED };
        }
      },
    }),
    ...(afterEdit && {
      afterEdit: async (edit) => {
        try {
          await afterEdit(new PublicEdit(world, edit, "changed"));
        } catch (error) {
          onError("afterEdit", error);
        }
      },
    }),
    ...(beforeOperation && {
      beforeOperation: async ({ player, text, box, count }) => {
        try {
          const shown = { player: show(player), text, box: axes.publicVoxels(box), count };
          const decision = decisionIn("beforeOperation", await beforeOperation(shown));
          return decision as { readonly reject: string } | undefined;
        } catch (error) {
          onError("beforeOperation", error);
          return { reject: FAILED };
        }
      },
    }),
    ...(canReach && {
      canReach: ({ player, voxel }) => {
        try {
          return isTrue(canReach({ player: show(player), position: axes.publicPosition(voxel) }));
        } catch (error) {
          onError("canReach", error);
          return false;
        }
      },
    }),
    ...(beforeMove && {
      beforeMove: ({ player, to }) => {
        try {
          return moveAnswer(axes, beforeMove({ player: show(player), to: publicPose(axes, to) }), to);
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
        notify("onMessage", () => {
          const checked =
            rules.message === undefined
              ? { value: received.message }
              : validated(rules.message, received.message);
          if ("value" in checked) return onMessage({ player: show(player), message: checked.value });
          return onRefusedMessage(player, checked.fault);
        });
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
  return { ...player, position: axes.publicPosition(player.position) };
}

/** Returns boxes of voxels that are together the regions. */
function boxesOf<D extends Dimensions>(
  { axes, world }: RuledWorld<D>,
  regions: readonly Position[],
): readonly VoxelBox<D>[] {
  return boxesOfRegions(regions).map((chunks) => axes.publicVoxels(voxelsOfChunks(world.shape, chunks)));
}

function publicPose<D extends Dimensions>(axes: Axes<D>, { position, orientation }: Pose): PlayerPose<D> {
  return { position: axes.publicPosition(position), orientation };
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
class PublicEdit<D extends Dimensions> implements PlayerEditEvent<D> {
  readonly player: OnlinePlayer<D>;
  readonly box: VoxelBox<D>;
  readonly source: VoxelBox<D> | undefined;
  readonly changes: BlockChanges<D>;
  readonly #edit: RequestedEdit;

  constructor(ruled: RuledWorld<D>, playerEdit: PlayerEdit, which: "all" | "changed") {
    const { player, edit } = playerEdit;
    this.player = onlinePlayer(ruled.axes, player);
    this.box = ruled.axes.publicVoxels(changedBox(edit));
    this.source = edit.kind === "copy" ? ruled.axes.publicVoxels(edit.box) : undefined;
    this.changes = new LazyChanges(() => publicChanges(ruled, playerEdit, which));
    this.#edit = edit;
  }

  get count(): number {
    const edit = this.#edit;
    if (edit.kind !== "voxels") return boxVolume(edit.box);
    const voxels = new PositionSet();
    for (const { voxel } of edit.placements) voxels.add(...voxel);
    return voxels.size;
  }
}

/** Yields the voxels of an edit, each once, or only those that it changes. */
function* publicChanges<D extends Dimensions>(
  { axes, world, dataCodec }: RuledWorld<D>,
  { edit, before }: PlayerEdit,
  which: "all" | "changed",
): Generator<BlockChange<D>, void, undefined> {
  const isSameType = sameTypeIn(world.catalog);
  const placements =
    edit.kind === "voxels" ? lastPlacements(edit, before, isSameType) : placementsOf(edit, before);
  for (const { voxel, block, data: placed } of placements) {
    const old = before.voxelAt(...voxel);
    const oldData = before.dataAt(...voxel);
    const data = dataAfter(oldData, placed, isSameType(old, block));
    if (which === "changed" && old === block && optionalBytesEqual(oldData, data)) continue;
    yield {
      position: axes.publicPosition(voxel),
      block,
      before: old,
      ...publicDataChange(dataCodec, oldData, data),
    };
  }
}

/** Returns what the placements of an edit leave in each of their voxels. */
function lastPlacements(
  edit: RequestedEdit,
  before: WorldState,
  isSameType: IsSameType,
): Iterable<VoxelPlacement & { readonly block: number }> {
  const last = new PositionMap<VoxelPlacement & { readonly block: number }>();
  for (const placement of placementsOf(edit, before)) {
    const { voxel, block, data } = placement;
    const earlier = last.get(...voxel);
    if (earlier === undefined) last.set(...voxel, placement);
    else {
      const reached = dataAfter(
        before.dataAt(...voxel),
        earlier.data,
        isSameType(before.voxelAt(...voxel), earlier.block),
      );
      const after = dataAfter(reached, data, isSameType(earlier.block, block));
      last.set(...voxel, { voxel, block, data: after ?? null });
    }
  }
  return last.values();
}

/** Returns the data of a voxel after a placement: `null` removes it, and without any it stays with its type of block. */
function dataAfter(
  before: Uint8Array | undefined,
  placed: Uint8Array | null | undefined,
  isSameType: boolean,
): Uint8Array | undefined {
  if (placed !== undefined) return placed ?? undefined;
  return isSameType ? before : undefined;
}

/** Returns why players may not give this data to a block, or `undefined`. */
function dataFault<D extends Dimensions>(
  { dataCodec, world }: RuledWorld<D>,
  allowed: GameRules["data"],
  data: Uint8Array,
  block: number,
): string | undefined {
  const name = world.catalog.byId(block)?.name ?? `the block ${block}`;
  const validator = typeof allowed === "object" && Object.hasOwn(allowed, name) ? allowed[name] : undefined;
  if (allowed !== "any" && validator === undefined) return `players give none to ${name}`;
  let value: unknown;
  try {
    value = dataCodec.decode(data.slice());
  } catch {
    // The player's program wrote something else than the game expects.
    return "the game cannot read it";
  }
  const checked = validator === undefined ? { value } : validated(validator, value);
  return "fault" in checked ? checked.fault : undefined;
}

/** Adapts what a rule changes together with an edit. */
function companionOf<D extends Dimensions>(
  world: RuledWorld<D>,
  { player, edit }: PlayerEdit,
  given: unknown,
): Companion {
  const name = "the with that beforeEdit returned";
  const change = requireFunction(name, given as EditCompanion<D>);
  const { transactionOf } = world;
  if (transactionOf === undefined)
    throw wrongArgument(name, given, "a world that a cluster shares has no transactions");
  return async (transaction, before) => {
    const changes = new LazyChanges(() => publicChanges(world, { player, edit, before }, "all"));
    const decision = decisionIn("the with of beforeEdit", await change(transactionOf(transaction), changes));
    return decision as { readonly reject: string } | undefined;
  };
}

function editAnswer<D extends Dimensions>({ axes, dataCodec }: RuledWorld<D>, answer: unknown): EditAnswer {
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

/** Returns the answer of a rule, which may have a replacement if `replacement` says which. */
function decisionIn(rule: string, answer: unknown, replacement?: string): RuleAnswer<unknown> {
  if (answer === undefined) return undefined;
  const { reject, replace }: { reject?: unknown; replace?: unknown } =
    typeof answer === "object" ? Object(answer) : {};
  if (replace !== undefined && replacement !== undefined) return { replace };
  if (reject !== undefined) return { reject: requireText(`the reject that ${rule} returned`, reject) };
  const wanted = ["undefined", '{ reject: "text" }', ...(replacement === undefined ? [] : [replacement])];
  const last = wanted.pop();
  throw wrongArgument(`the result of ${rule}`, answer, `it must return ${wanted.join(", ")} or ${last}`);
}

function isTrue(answer: unknown): boolean {
  if (typeof answer === "boolean") return answer;
  throw wrongArgument("the result of canReach", answer, "it must return true or false");
}
