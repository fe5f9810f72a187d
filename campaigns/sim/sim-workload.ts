import type { Axis, Box, ChunkShape, Position, Vector } from "@orthant/core";
import {
  boxBetween,
  positionFrom,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
  regionBox,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Pose } from "@orthant/protocol";
import type { InterestArea } from "@orthant/protocol/client";
import type { Prng } from "@orthant/testkit";
import type { SimPlan } from "./sim-plan.ts";
import { FORBIDDEN_BLOCK } from "./sim-server.ts";

/** Voxels around which clients edit again and again, so that their edits conflict. */
const HOT_SPOTS = 3;
const EDIT_VOXELS_MAX = 6;
const OPERATOR_VOXELS_MAX = 120;
const BLOCK_MAX = 5;
const DATA_BYTES_MAX = 200;

/** Draws random actions for the clients and the server of one case. */
export class SimWorkload {
  readonly #prng: Prng;
  readonly #plan: SimPlan;
  /** Voxels of the arena, on the axes that the world has. */
  readonly #voxels: Box;
  readonly #hotSpots: readonly Position[];
  /** What clients of a crowd look at. */
  readonly #sharedBoxes: readonly Box[];
  /** The voxels of the region where their players are. */
  readonly #sharedRegion: Box;

  constructor(prng: Prng, plan: SimPlan) {
    this.#prng = prng;
    this.#plan = plan;
    this.#voxels = onAxes(plan.shape, voxelsOfChunks(plan.shape, plan.arena));
    this.#hotSpots = Array.from({ length: HOT_SPOTS }, () => this.#voxelIn(this.#voxels));
    this.#sharedBoxes = [this.#box(), this.#box()];
    const [region = [0, 0, 0, 0]] = positionsLexicographic(regionsTouching(plan.arena));
    this.#sharedRegion = onAxes(plan.shape, voxelsOfChunks(plan.shape, regionBox(region)));
  }

  /** Draws a client edit of a few voxels. */
  edit(): readonly VoxelPlacement[] {
    const prng = this.#prng;
    const middle = prng.chance(0.7) ? prng.pick(this.#hotSpots) : this.#voxelIn(this.#voxels);
    const count = prng.chance(0.6) ? 1 : prng.between(2, EDIT_VOXELS_MAX);
    return this.#around(middle, count, prng.chance(0.02) ? FORBIDDEN_BLOCK : undefined);
  }

  /** Draws a server edit of many voxels in several regions. */
  largeEdit(): readonly VoxelPlacement[] {
    const prng = this.#prng;
    const block = prng.between(0, BLOCK_MAX);
    return Array.from({ length: prng.between(1, OPERATOR_VOXELS_MAX) }, () => ({
      voxel: this.#voxelIn(this.#voxels),
      block: prng.chance(0.8) ? block : prng.between(0, BLOCK_MAX),
    }));
  }

  /** Returns two edits that together change every region, whatever its content. */
  editsEverywhere(): readonly (readonly VoxelPlacement[])[] {
    const voxels = Array.from(
      positionsLexicographic(regionsTouching(this.#plan.arena)),
      (region) => voxelsOfChunks(this.#plan.shape, regionBox(region)).min,
    );
    return [1, 2].map((block) => voxels.map((voxel) => ({ voxel, block })));
  }

  /** Draws an interest: one or two boxes that reach into a few regions. */
  interest(): InterestArea {
    const prng = this.#prng;
    const isShared = this.#plan.isCrowded && prng.chance(0.9);
    const boxes = isShared
      ? [prng.pick(this.#sharedBoxes)]
      : Array.from({ length: prng.chance(0.8) ? 1 : 2 }, () => this.#box());
    const center = this.#voxelIn(this.#voxels);
    const motion: Vector = prng.chance(0.5) ? [0, 0, 0, 0] : positionFrom(() => prng.between(-9, 9));
    return { boxes, center, motion };
  }

  /** Draws a pose in the arena. */
  pose(): Pose {
    const prng = this.#prng;
    const isShared = this.#plan.isCrowded && prng.chance(0.9);
    const voxel = this.#voxelIn(isShared ? this.#sharedRegion : this.#voxels);
    return {
      position: positionFrom((axis) => voxel[axis] + prng.fraction()),
      orientation: positionFrom(() => prng.fraction() * 2 - 1),
    };
  }

  /** Draws a position that saves and messages represent exactly. */
  exactPosition(): Vector {
    const voxel = this.#voxelIn(this.#voxels);
    return positionFrom((axis) => voxel[axis] + this.#prng.below(64) / 64);
  }

  #around(middle: Position, count: number, block: number | undefined): readonly VoxelPlacement[] {
    const prng = this.#prng;
    const { min, max } = this.#voxels;
    return Array.from({ length: count }, () => ({
      voxel: positionFrom((axis) =>
        Math.min(
          max[axis] - 1,
          Math.max(min[axis], middle[axis] + (prng.chance(0.5) ? 0 : prng.between(-2, 2))),
        ),
      ),
      ...this.#content(block),
    }));
  }

  /** Draws a block, sometimes with data, sometimes only data. */
  #content(block: number | undefined): Pick<VoxelPlacement, "block" | "data"> {
    const prng = this.#prng;
    const drawn = { block: block ?? prng.between(0, BLOCK_MAX) };
    if (prng.chance(0.6)) return drawn;
    const data = prng.chance(0.2) ? null : prng.bytes(prng.pick([0, 4, 40, DATA_BYTES_MAX]));
    return block === undefined && prng.chance(0.4) ? { data } : { ...drawn, data };
  }

  #box(): Box {
    const prng = this.#prng;
    const { arena } = this.#plan;
    const min = positionFrom((axis) => prng.between(arena.min[axis], arena.max[axis] - 1));
    return boxBetween(
      min,
      positionFrom((axis) => Math.min(arena.max[axis], min[axis] + prng.between(1, 2 * REGION_EDGE_CHUNKS))),
    );
  }

  #voxelIn({ min, max }: Box): Position {
    return positionFrom((axis) => this.#prng.between(min[axis], max[axis] - 1));
  }
}

/** Cuts a box of voxels to coordinate 0 on the axes that a world lacks. */
function onAxes({ extents }: ChunkShape, { min, max }: Box): Box {
  const isMissing = (axis: Axis): boolean => extents[axis] === 1;
  return boxBetween(
    positionFrom((axis) => (isMissing(axis) ? 0 : min[axis])),
    positionFrom((axis) => (isMissing(axis) ? 1 : max[axis])),
  );
}
