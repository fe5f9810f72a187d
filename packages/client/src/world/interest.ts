import {
  type Axis,
  type Box,
  type ChunkShape,
  isOrthantError,
  OrthantError,
  type Position,
  type Vector,
} from "@orthant/core";
import {
  AXES,
  boxEquals,
  chunkOfVoxel,
  intersectBoxes,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  regionsTouching,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { INTEREST_BOXES_MAX } from "@orthant/protocol";
import type { InterestArea, SyncClient } from "@orthant/protocol/client";
import { type Deferred, deferred } from "./callbacks.ts";

/** What a client wants to hold: everything within some chunks of a point, or boxes of chunks. */
export type ReplicaInterest = ReplicaInterestAround | ReplicaInterestInBoxes;

/** All chunks within a distance, on every axis of the world. */
export interface ReplicaInterestAround {
  /** In voxels. The server sends regions near it first. */
  readonly center: Vector;
  readonly radiusChunks: number;
  /** In voxels per second. The server sends regions ahead before those behind. */
  readonly motion?: Vector;
}

/** Boxes of chunks. The server sends regions near the center, in voxels, first. */
export interface ReplicaInterestInBoxes {
  readonly boxes: readonly Box[];
  readonly center?: Vector;
  readonly motion?: Vector;
}

const STILL: Vector = [0, 0, 0, 0];

/** Converts an interest for a world of this shape. Throws `ORT_ARGUMENT` or `ORT_LIMIT` if it is invalid. */
function interestArea(shape: ChunkShape, interest: ReplicaInterest): Required<InterestArea> {
  const boxes = "boxes" in interest ? interest.boxes : [boxAround(shape, interest)];
  if (boxes.length === 0 || boxes.length > INTEREST_BOXES_MAX) {
    throw new OrthantError("ORT_LIMIT", `${boxes.length} boxes, expected 1 to ${INTEREST_BOXES_MAX}`);
  }
  const center = interest.center ?? middleOf(shape, boxes[0] ?? WHOLE_LATTICE);
  return { boxes, center, motion: interest.motion ?? STILL };
}

/** Returns true when two areas are equal to a server: the same boxes, center chunk and motion. */
function interestsEqual(
  { extents }: ChunkShape,
  a: Required<InterestArea>,
  b: Required<InterestArea>,
): boolean {
  return (
    a.boxes.length === b.boxes.length &&
    a.boxes.every((box, index) => boxEquals(box, b.boxes[index] ?? WHOLE_LATTICE)) &&
    AXES.every(
      (axis) =>
        Math.floor(a.center[axis] / extents[axis]) === Math.floor(b.center[axis] / extents[axis]) &&
        Math.round(a.motion[axis]) === Math.round(b.motion[axis]),
    )
  );
}

function boxAround(shape: ChunkShape, { center, radiusChunks }: ReplicaInterestAround): Box {
  if (!Number.isInteger(radiusChunks) || radiusChunks < 0) {
    throw new OrthantError("ORT_ARGUMENT", `a radius of ${radiusChunks} chunks`);
  }
  const voxel = positionFrom((axis) => Math.floor(center[axis]));
  const chunk = chunkOfVoxel(shape, voxel);
  // An axis with one voxel per chunk does not exist in the world.
  const isAbsent = (axis: Axis): boolean => shape.extents[axis] === 1;
  const around: Box = {
    min: positionFrom((axis) => (isAbsent(axis) ? 0 : chunk[axis] - radiusChunks)),
    max: positionFrom((axis) => (isAbsent(axis) ? 1 : chunk[axis] + radiusChunks + 1)),
  };
  return intersectBoxes(around, WHOLE_LATTICE) ?? around;
}

function middleOf({ extents }: ChunkShape, { min, max }: Box): Vector {
  return positionFrom((axis) => ((min[axis] + max[axis]) / 2) * extents[axis]);
}

/** The interest of a client, and the promises that wait for its regions. */
export class InterestTracker {
  readonly #waits = new RegionWaits();
  #interest: ReplicaInterest | undefined;
  #area: Required<InterestArea> | undefined;
  #syncClient: SyncClient | undefined;
  #completion: Deferred<void> | undefined;
  #ending: OrthantError | undefined;

  constructor(interest: ReplicaInterest | undefined) {
    this.#interest = interest;
  }

  /** Reads regions from this client from now on. */
  follow(syncClient: SyncClient): void {
    this.#syncClient = syncClient;
  }

  /** Changes the interest. An invalid one throws at once if the world's shape is known, or else later. */
  setInterest(interest: ReplicaInterest): void {
    const shape = this.#syncClient?.world?.shape;
    if (shape !== undefined) {
      const area = interestArea(shape, interest);
      // A game may repeat its interest in every frame it draws.
      if (this.#area === undefined || !interestsEqual(shape, this.#area, area)) this.#apply(area);
    }
    this.#interest = interest;
  }

  /** Applies the interest that was requested before the shape was known. Returns what is wrong with it, if anything. */
  welcomed(shape: ChunkShape): OrthantError | undefined {
    if (this.#interest === undefined || this.#area !== undefined) return undefined;
    try {
      this.#apply(interestArea(shape, this.#interest));
      return undefined;
    } catch (error) {
      if (isOrthantError(error)) return error;
      throw error;
    }
  }

  /** Handles the arrival of a region. */
  held(region: Position): void {
    this.#waits.held(region);
  }

  /** Handles the arrival of the whole interest. */
  completed(): void {
    this.#completion?.resolve();
    this.#completion = undefined;
  }

  /** Rejects all waits, because nothing more will arrive. */
  end(error: OrthantError): void {
    this.#ending = error;
    this.#completion?.reject(error);
    this.#waits.endUnless(
      () => false,
      () => error,
    );
  }

  /** Resolves when the whole interest has arrived. */
  async complete(): Promise<void> {
    if (this.#ending !== undefined) throw this.#ending;
    if (this.#interest === undefined) throw notHeld("no interest is set: call setInterest first");
    if (this.#syncClient?.isComplete) return;
    this.#completion ??= deferred<void>();
    await this.#completion.promise;
  }

  /** Resolves when every region of a box of chunks is held. Call it after the client has joined. */
  async holding(box: Box): Promise<SyncClient> {
    const regions = [...positionsLexicographic(regionsTouching(box))];
    for (;;) {
      const syncClient = this.#syncClient;
      if (syncClient === undefined) throw notHeld("the client has not joined");
      const missing = regions.filter((region) => syncClient.replica?.clockOf(region) === undefined);
      const [next] = missing;
      if (next === undefined) return syncClient;
      if (this.#ending !== undefined) throw this.#ending;
      const outside = missing.find((region) => !syncClient.wants(region));
      if (outside !== undefined) throw outsideInterest(outside);
      await this.#waits.whenHeld(next);
    }
  }

  #apply(area: Required<InterestArea>): void {
    const { boxes, center, motion } = area;
    this.#syncClient?.setInterest({ boxes, center, motion });
    this.#area = area;
    this.#waits.endUnless((region) => this.#syncClient?.wants(region) ?? false, outsideInterest);
  }
}

/** Returns the error for a request that the client cannot answer. */
export function notHeld(detail: string): OrthantError {
  return new OrthantError("ORT_NOT_HELD", detail);
}

function outsideInterest(region: Position): OrthantError {
  return notHeld(
    `the client does not hold region [${region}], outside its interest: call setInterest around the place first`,
  );
}

/** Promises for regions that are not held yet. */
class RegionWaits {
  readonly #waits = new PositionMap<Deferred<void>>();

  /** Returns a promise that resolves when the region arrives. */
  whenHeld(region: Position): Promise<void> {
    const known = this.#waits.get(...region);
    if (known !== undefined) return known.promise;
    const wait = deferred<void>();
    this.#waits.set(...region, wait);
    return wait.promise;
  }

  /** Resolves the wait for a region. */
  held(region: Position): void {
    const wait = this.#waits.get(...region);
    if (wait === undefined) return;
    this.#waits.delete(...region);
    wait.resolve();
  }

  /** Rejects the waits for all regions that can no longer arrive. */
  endUnless(mayCome: (region: Position) => boolean, error: (region: Position) => Error): void {
    for (const region of [...this.#waits.positions()]) {
      if (mayCome(region)) continue;
      this.#waits.get(...region)?.reject(error(region));
      this.#waits.delete(...region);
    }
  }
}
