import type { Box } from "@orthant/core";
import { optionalBytesEqual } from "@orthant/core/bytes";
import { voxelOfIndex } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { RequestedEdit } from "../../message/requested-edit.ts";
import type { Player } from "../account.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import { type EditBounds, findVoxelRejection, looksAtVoxels, RefusedEdit } from "../edits/edit-checks.ts";
import type { AdmittedEdit, RuledEdits } from "../edits/ruled-edits.ts";
import { RefusedOperation } from "./refused-operation.ts";
import type { PlannedChanges } from "./sync-operations.ts";

/** What rules about operations need of their server. */
interface OperationRulesContext {
  readonly bounds: EditBounds;
  readonly ruled: RuledEdits | undefined;
  readonly nowMs: () => number;
}

/** Asks the rules of a game about one operation, each time that it was computed. */
export class OperationRules {
  readonly #context: OperationRulesContext;
  readonly #player: () => Player;
  readonly #budget: PlayerBudget;
  readonly #text: string;
  #admitted: AdmittedEdit | undefined;
  /** Bytes of data that the player's budget has paid. */
  #paidBytes = 0;

  constructor(context: OperationRulesContext, player: () => Player, budget: PlayerBudget, text: string) {
    this.#context = context;
    this.#player = player;
    this.#budget = budget;
    this.#text = text;
  }

  /** Throws why the operation is refused, if so. */
  async accept(changes: PlannedChanges): Promise<void> {
    this.#leave();
    const { box, count } = changes;
    if (box === undefined) return;
    this.#requireInWorld(box);
    this.#requireData(changes);
    const { bounds, ruled } = this.#context;
    const { rules } = bounds;
    const player = this.#player();
    if (rules?.beforeOperation !== undefined) {
      const refusal = await ruled?.refusalOf({ player, text: this.#text, box, count });
      if (refusal !== undefined) throw new RefusedOperation("vetoed", refusal);
      return;
    }
    if (rules?.isWithinReach?.({ player, box }) === false) {
      throw new RefusedOperation("vetoed", `the box from [${box.min}] to [${box.max}] is out of reach`);
    }
    if (looksAtVoxels(rules)) await this.#askAboutVoxels(player, changes);
  }

  /** Tells the rules that the operation was done. */
  async done(): Promise<void> {
    const admitted = this.#admitted;
    this.#admitted = undefined;
    await admitted?.made();
  }

  /** Ends the operation without a change. */
  ended(): void {
    this.#leave();
  }

  #leave(): void {
    this.#admitted?.leave();
    this.#admitted = undefined;
  }

  /** A game without a rule about operations is asked about the voxels, as about those of an edit. */
  async #askAboutVoxels(player: Player, { changed, count }: PlannedChanges): Promise<void> {
    const { bounds, ruled, nowMs } = this.#context;
    const { ruleVoxelsMax } = bounds.limits;
    if (count > ruleVoxelsMax) {
      throw new RefusedOperation(
        "vetoed",
        `${count} voxels for the rules of the game to check, the limit is ${ruleVoxelsMax}`,
      );
    }
    if (!this.#budget.take("ruleVoxels", count, nowMs()))
      throw new RefusedOperation(
        "vetoed",
        "too many voxels for the rules of the game to check; try again later",
      );
    const edit: RequestedEdit = { kind: "voxels", placements: placementsIn(changed, bounds.world) };
    const rejection = findVoxelRejection(edit, player, bounds);
    if (rejection !== undefined) throw new RefusedEdit(rejection);
    this.#admitted = await ruled?.admit(player, edit);
  }

  #requireInWorld({ min, max }: Box): void {
    const { world, limits } = this.#context.bounds;
    const { extents } = world.shape;
    const isOutside = [...min, ...max].some((coordinate, index) => {
      const chunk = Math.floor(coordinate / (extents[index % extents.length] as number));
      return Math.abs(chunk) > limits.chunkCoordinateMax;
    });
    if (isOutside) throw new RefusedOperation("operation", "it reaches beyond the world");
  }

  /** Players give no block data by an operation that they could not give it by an edit. */
  #requireData({ changed }: PlannedChanges): void {
    const { bounds, nowMs } = this.#context;
    const { rules, limits } = bounds;
    let bytes = 0;
    for (const { before, chunk } of changed) {
      if (chunk.data.size === 0) continue;
      for (const { index, data } of chunk.data) {
        if (optionalBytesEqual(before.dataAt(index), data)) continue;
        bytes += data.length;
        if (bytes > limits.editDataBytesMax) {
          throw new RefusedOperation(
            "vetoed",
            `more than ${limits.editDataBytesMax} bytes of data of voxels, the limit is editDataBytesMax`,
          );
        }
        const fault = rules?.dataFault?.(data, chunk.get(index));
        if (fault !== undefined) throw new RefusedOperation("vetoed", `the data of a voxel: ${fault}`);
      }
    }
    const owed = bytes - this.#paidBytes;
    if (owed <= 0) return;
    if (!this.#budget.take("editData", owed, nowMs()))
      throw new RefusedOperation("vetoed", `${bytes} bytes of data of voxels; try again later`);
    this.#paidBytes = bytes;
  }
}

/** Returns all changed voxels as placements. */
function placementsIn(
  changed: PlannedChanges["changed"],
  { shape }: EditBounds["world"],
): readonly VoxelPlacement[] {
  const placements: VoxelPlacement[] = [];
  for (const { position, before, chunk } of changed) {
    for (let index = 0; index < shape.volume; index++) {
      const [old, now] = [before.dataAt(index), chunk.dataAt(index)];
      const hasNewData = !optionalBytesEqual(old, now);
      if (before.get(index) === chunk.get(index) && !hasNewData) continue;
      const data = hasNewData ? { data: now ?? null } : {};
      placements.push({ voxel: voxelOfIndex(shape, position, index), block: chunk.get(index), ...data });
    }
  }
  return placements;
}
