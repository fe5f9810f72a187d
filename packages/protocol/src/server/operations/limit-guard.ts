import type { OperationLimits } from "../../message/operation-limits.ts";
import type { ExceededLimit } from "../../message/operation-message.ts";
import { RefusedOperation } from "./refused-operation.ts";
import type { OperationGuard } from "./sync-operations.ts";

/** Thrown in a dry run when to go on would be more work than the operation may take. */
export class PlanCut extends Error {}

/** Holds one operation to the limits of a role; a dry run learns what it exceeds. */
export class LimitGuard implements OperationGuard {
  readonly #limits: OperationLimits;
  readonly #isDry: boolean;
  readonly #exceeded = new Map<keyof OperationLimits, ExceededLimit>();
  #work = 0;

  constructor(limits: OperationLimits, isDry: boolean) {
    this.#limits = limits;
    this.#isDry = isDry;
  }

  /** How many comparisons and reads it takes, as far as it was planned. */
  get work(): number {
    return sendable(this.#work);
  }

  get exceeded(): readonly ExceededLimit[] {
    return [...this.#exceeded.values()];
  }

  spend(work: number, voxels: number): void {
    this.#work += work * voxels;
    // Not even a dry run does more.
    this.#hold("voxelWorkMax", work, "comparisons and reads for one voxel", "cut");
    this.#hold("workMax", this.#work, "comparisons and reads", "cut");
  }

  remember(voxels: number): void {
    this.#hold("listedVoxelsMax", voxels, "connected or drawn voxels", "cut");
  }

  change(voxels: number): void {
    this.#hold("voxelsMax", voxels, "voxels", "goOn");
  }

  #hold(limit: keyof OperationLimits, value: number, things: string, then: "cut" | "goOn"): void {
    const max = this.#limits[limit];
    if (value <= max) return;
    const exceeded = { limit, value: sendable(value), max: sendable(max) };
    if (!this.#isDry) throw exceeding(exceeded, things);
    this.#exceeded.set(limit, exceeded);
    if (then === "cut") throw new PlanCut();
  }
}

/** Returns the refusal of an operation that exceeds a limit. */
export function exceeding(exceeded: ExceededLimit, things: string): RefusedOperation {
  const { limit, value, max } = exceeded;
  return new RefusedOperation("limit", `${value} ${things}, the limit ${limit} is ${max}`, [exceeded]);
}

function sendable(number: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(number));
}
