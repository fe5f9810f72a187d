import { type Box, type ChunkShape, OrthantError, type Position, type Vector } from "@orthant/core";
import {
  AXES,
  boxBetween,
  boxContainsBox,
  boxVolume,
  clipToAxes,
  PositionSet,
  positionFrom,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
  regionsTouching,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import type { InterestMessage } from "../message/client-message.ts";

import { INTEREST_BOXES_MAX, INTEREST_REGIONS_MAX } from "../message/limits.ts";
import { hasElapsed } from "./outgoing.ts";
import type { InterestArea } from "./sync-client-options.ts";

/** An interest in whole voxels, with its regions. */
export interface InterestRegions {
  readonly boxes: readonly Box[];
  readonly center: Vector;
  readonly motion: Vector;
  readonly regions: PositionSet;
}

const STILL: Vector = [0, 0, 0, 0];

/**
 * Returns an interest's regions, without those on axes that a world of this shape does not have. Throws
 * `ORT_ARGUMENT` if invalid, `ORT_LIMIT` if no server grants it.
 */
export function interestRegions(
  { boxes, center, motion = STILL }: InterestArea,
  shape: ChunkShape | undefined,
): InterestRegions {
  if (boxes.length > INTEREST_BOXES_MAX) {
    throw new OrthantError("ORT_LIMIT", `${boxes.length} boxes, the limit is ${INTEREST_BOXES_MAX}`);
  }
  const regions = new PositionSet();
  const checked = boxes.flatMap(({ min, max }) => {
    const box = boxBetween(min, max);
    return shape === undefined ? [box] : (clipToAxes(shape, box) ?? []);
  });
  for (const box of checked) {
    if (!boxContainsBox(WHOLE_LATTICE, box)) {
      throw new OrthantError("ORT_ARGUMENT", `[${box.min}] to [${box.max}] are not chunks of the lattice`);
    }
    const touched = regionsTouching(box);
    if (boxVolume(touched) > INTEREST_REGIONS_MAX) throw tooMany();
    for (const region of positionsLexicographic(touched)) regions.add(...region);
    if (regions.size > INTEREST_REGIONS_MAX) throw tooMany();
  }
  return { boxes: checked, center: wholeVoxels(center), motion: wholeVoxels(motion), regions };
}

/** Returns a comparator that orders regions by distance from a voxel; `extents` are those of a chunk. */
export function nearestFirst(center: Vector, extents: Position): (a: Position, b: Position) => number {
  const middle = positionFrom((axis) => center[axis] / extents[axis] / REGION_EDGE_CHUNKS - 0.5);
  const distance = (region: Position): number =>
    AXES.reduce<number>((sum, axis) => sum + (region[axis] - middle[axis]) ** 2, 0);
  return (a, b) => distance(a) - distance(b);
}

function wholeVoxels(vector: Vector): Vector {
  const whole = positionFrom((axis) => Math.round(vector[axis]) + 0);
  if (whole.every(Number.isSafeInteger)) return whole;
  throw new OrthantError("ORT_ARGUMENT", `[${vector}] is not a point`);
}

function tooMany(): OrthantError {
  return new OrthantError("ORT_LIMIT", `an interest in more than ${INTEREST_REGIONS_MAX} regions`);
}

/** Time to wait for the server's confirmation before sending an interest again. */
const INTEREST_REPEAT_MS = 1_000;
/** Minimum time between two different interests, which is half the rate that a server grants. */
const INTEREST_WAIT_MS = 200;

/** The held regions that are offered with the first interest. */
export type Offer = Pick<InterestMessage, "held" | "heldBlank">;

const NOTHING: Offer = { held: [], heldBlank: [] };

/** Sends the latest interest to the server of one connection until the server confirms it. */
export class InterestQueue {
  #sent: InterestMessage | undefined;
  #sentMs: number | undefined;
  #area: InterestRegions | undefined;
  #receivedId = 0;

  /** Replaces the interest to send. */
  setInterest(area: InterestRegions): void {
    this.#area = area;
  }

  /** Records the newest interest that the server has received. */
  received(interestId: number): void {
    this.#receivedId = Math.max(this.#receivedId, interestId);
  }

  /** Returns true when `interestId` is the latest interest sent and no newer one is waiting. */
  isCurrent(interestId: number): boolean {
    return this.#area === undefined && this.#sent?.interestId === interestId;
  }

  /** Returns the interest to send now, if any. Calls `offer` for the held regions the first time. */
  due(nowMs: number, offer: (area: InterestRegions) => Offer): InterestMessage | undefined {
    const sent = this.#sent;
    const isReceived = sent === undefined || this.#receivedId >= sent.interestId;
    // If an offer were lost, client and server would disagree about which regions are held.
    const maySendNew = isReceived || sent.held.length + sent.heldBlank.length === 0;
    if (this.#area !== undefined && maySendNew && hasElapsed(this.#sentMs, nowMs, INTEREST_WAIT_MS)) {
      const { boxes, center, motion } = this.#area;
      const interestId = (sent?.interestId ?? 0) + 1;
      const offered = sent === undefined ? offer(this.#area) : NOTHING;
      this.#area = undefined;
      return this.#send({ kind: "interest", interestId, center, motion, boxes, ...offered }, nowMs);
    }
    if (isReceived || !hasElapsed(this.#sentMs, nowMs, INTEREST_REPEAT_MS)) return undefined;
    return this.#send(sent, nowMs);
  }

  #send(interest: InterestMessage, nowMs: number): InterestMessage {
    this.#sent = interest;
    this.#sentMs = nowMs;
    return interest;
  }
}
