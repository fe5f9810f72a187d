import type { Box, ChunkShape, Position, Vector } from "@orthant/core";
import { boxVolume, clipToAxes, REGION_EDGE_CHUNKS, regionsTouching } from "@orthant/core/lattice";
import type { InterestMessage } from "../../message/client-message.ts";

import type { SyncLimits } from "../sync-limits.ts";
import type { SharedTick } from "./region-changes.ts";
import type { Holding } from "./watched-regions.ts";

/** How far ahead, at the client's speed, a position counts as near. */
const AHEAD_SECONDS = 1;

/**
 * Returns an interest's regions as boxes, which may overlap, or the name of the limit that it exceeds. Leaves out
 * chunks on axes that the world does not have. Rule N40.
 */
export function interestBoxes(
  { boxes }: InterestMessage,
  shape: ChunkShape,
  limits: SyncLimits,
): readonly Box[] | keyof SyncLimits {
  for (const { min, max } of boxes) {
    const isNear =
      min.every((coordinate) => coordinate >= -limits.chunkCoordinateMax) &&
      max.every((end) => end - 1 <= limits.chunkCoordinateMax);
    if (!isNear) return "chunkCoordinateMax";
  }
  const regions = boxes.flatMap((box) => {
    const inside = clipToAxes(shape, box);
    return inside === undefined ? [] : [regionsTouching(inside)];
  });
  return regions.some((box) => boxVolume(box) > limits.interestRegionsMax) ? "interestRegionsMax" : regions;
}

/** Returns where a client is or will soon be, in regions. */
export function focusOf({ center, motion }: InterestMessage, shape: ChunkShape): Vector {
  return [
    inRegions(center[0] + motion[0] * AHEAD_SECONDS, shape.extents[0]),
    inRegions(center[1] + motion[1] * AHEAD_SECONDS, shape.extents[1]),
    inRegions(center[2] + motion[2] * AHEAD_SECONDS, shape.extents[2]),
    inRegions(center[3] + motion[3] * AHEAD_SECONDS, shape.extents[3]),
  ];
}

/** Returns the squared distance, in voxels, of a region's center from a point. */
function distanceTo(region: Position, focus: Vector, { extents }: ChunkShape): number {
  let sum = 0;
  for (let axis = 0; axis < 4; axis++) {
    const regions = (region[axis] as number) + 0.5 - (focus[axis] as number);
    const voxels = regions * REGION_EDGE_CHUNKS * (extents[axis] as number);
    sum += voxels * voxels;
  }
  return sum;
}

function inRegions(voxels: number, extent: number): number {
  return voxels / (extent * REGION_EDGE_CHUNKS);
}

/** Regions examined per client and tick. */
const ATTEMPTS_PER_CLIENT = 512;

/** `sent` removes a region from the queue, `later` keeps it and continues, `full` keeps it and stops. */
export type SendOutcome = "sent" | "later" | "full";

/** The regions to send completely to a client, nearest first. */
export class SendQueue {
  readonly #shape: ChunkShape;
  /** Nearest last, unless they must be sorted again. */
  #holdings: Holding[] = [];
  #isInOrder = true;
  #focus: Vector = [0, 0, 0, 0];

  constructor(shape: ChunkShape) {
    this.#shape = shape;
  }

  /** Number of waiting regions. */
  get size(): number {
    return this.#holdings.length;
  }

  /** Adds a region unless it is queued already. */
  add(holding: Holding): void {
    if (holding.isQueued) return;
    holding.isQueued = true;
    holding.distance = distanceTo(holding.region.position, this.#focus, this.#shape);
    this.#holdings.push(holding);
    this.#isInOrder = false;
  }

  /** Drops regions that the client no longer wants, and sorts the rest by distance from a new point. */
  aim(focus: Vector): void {
    this.#focus = focus;
    this.#holdings = this.#holdings.filter(({ slot }) => slot >= 0);
    for (const holding of this.#holdings) {
      holding.distance = distanceTo(holding.region.position, focus, this.#shape);
    }
    this.#isInOrder = false;
  }

  /** Calls `attempt` with regions, nearest first, to decide what happens to each. */
  take(tick: SharedTick, attempt: (holding: Holding) => SendOutcome): void {
    const holdings = this.#holdings;
    if (!this.#isInOrder) holdings.sort((a, b) => b.distance - a.distance);
    this.#isInOrder = true;
    const left: Holding[] = [];
    for (let sendAttempts = 0; sendAttempts < ATTEMPTS_PER_CLIENT && tick.takeAttempt(); sendAttempts++) {
      const holding = holdings.pop();
      if (holding === undefined) break;
      // The client no longer wants it.
      if (holding.slot < 0) {
        holding.isQueued = false;
        continue;
      }
      const outcome = attempt(holding);
      if (outcome === "sent") holding.isQueued = false;
      else left.push(holding);
      if (outcome === "full") break;
    }
    for (let holding = left.pop(); holding !== undefined; holding = left.pop()) holdings.push(holding);
    // An array keeps the memory of what was in it.
    if (holdings.length === 0) this.#holdings = [];
  }
}
