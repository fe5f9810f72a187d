import type { Box, Chunk, ChunkShape, Position } from "@orthant/core";
import { editBlocks } from "@orthant/core/chunk";
import {
  boxContains,
  chunkOfVoxel,
  PositionMap,
  positionsEqual,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
  voxelIndex,
} from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { SyncClient } from "@orthant/protocol/client";
import type { RegionState, RegionStates } from "./region-states.ts";
import type { SimPlan } from "./sim-plan.ts";

interface Shown {
  readonly region: Position;
  clock: number | undefined;
  isTouched: boolean;
}

/** Compares what a client shows with what the server had: each region at its clock, plus the open edits. */
export class ReplicaCheck {
  readonly #shape: ChunkShape;
  readonly #detail: "symbolic" | "concrete";
  readonly #states: RegionStates;
  readonly #openEdits: ReadonlyMap<number, readonly VoxelPlacement[]>;
  readonly #shown: readonly Shown[];
  readonly #byRegion = new PositionMap<Shown>();

  constructor(
    { shape, arena }: SimPlan,
    detail: "symbolic" | "concrete",
    states: RegionStates,
    openEdits: ReadonlyMap<number, readonly VoxelPlacement[]>,
  ) {
    this.#shape = shape;
    this.#detail = detail;
    this.#states = states;
    this.#openEdits = openEdits;
    this.#shown = Array.from(positionsLexicographic(regionsTouching(arena)), (region) => ({
      region,
      clock: undefined,
      isTouched: false,
    }));
    for (const shown of this.#shown) this.#byRegion.set(...shown.region, shown);
  }

  /** Returns the regions that some boxes of chunks touch. */
  regionsIn(boxes: readonly Box[]): readonly Position[] {
    const regions = boxes.map(regionsTouching);
    return this.#shown.flatMap(({ region }) =>
      regions.some((box) => boxContains(box, region)) ? [region] : [],
    );
  }

  /** Marks the regions of these chunks for the next check. */
  touchChunks(boxes: readonly Box[]): void {
    for (const box of boxes)
      for (const region of positionsLexicographic(regionsTouching(box))) this.#touch(region);
  }

  /** Marks the regions of these voxels for the next check. */
  touch(placements: readonly VoxelPlacement[]): void {
    for (const { voxel } of placements) this.#touch(regionOf(chunkOfVoxel(this.#shape, voxel)));
  }

  /** Resets the check for a new client. */
  clear(): void {
    for (const shown of this.#shown) {
      shown.clock = undefined;
      shown.isTouched = true;
    }
  }

  /** Checks every region that is marked or whose clock changed. */
  run(syncClient: SyncClient): void {
    for (const shown of this.#shown) {
      const clock = syncClient.replica?.clockOf(shown.region);
      if (clock === shown.clock && !shown.isTouched) continue;
      shown.clock = clock;
      shown.isTouched = false;
      if (clock !== undefined) this.#compare(syncClient, shown.region, clock);
    }
  }

  /** Checks every chunk of every region. */
  runEverywhere(syncClient: SyncClient): void {
    for (const { region } of this.#shown) {
      const clock = syncClient.replica?.clockOf(region);
      const state = clock === undefined ? undefined : this.#stateAt(region, clock);
      for (const position of positionsLexicographic(regionBox(region))) {
        if (state !== undefined) this.#compareChunk(syncClient, position, state);
        else if (syncClient.replica?.chunkAt(position) !== undefined)
          throw new Error(`chunk [${position}] is shown, and its region is not held`);
      }
    }
  }

  #compare(syncClient: SyncClient, region: Position, clock: number): void {
    const state = this.#stateAt(region, clock);
    const wanted = this.#detail === "symbolic" ? state.symbolic : state.concrete;
    // Equal trees mean equal content, but different trees may hold the same content.
    for (const { box } of syncClient.replica?.region(regionBox(region)).differences(wanted) ?? []) {
      for (const position of positionsLexicographic(box)) this.#compareChunk(syncClient, position, state);
    }
    for (const position of this.#predictedIn(region)) this.#compareChunk(syncClient, position, state);
  }

  #compareChunk(syncClient: SyncClient, position: Position, state: RegionState): void {
    const wanted = this.#predicted(position, this.#states.chunkAt(position, state));
    const shown = syncClient.replica?.chunkAt(position);
    if (shown?.equals(wanted) === true) return;
    const clock = syncClient.replica?.clockOf(regionOf(position));
    throw new Error(`chunk [${position}] at clock ${clock} is not what the server had at that clock`);
  }

  #stateAt(region: Position, clock: number): RegionState {
    const state = this.#states.at(region, clock);
    if (state === undefined) throw new Error(`region [${region}] at clock ${clock}, which was never issued`);
    return state;
  }

  #predicted(position: Position, chunk: Chunk): Chunk {
    let predicted = chunk;
    for (const placements of this.#openEdits.values()) {
      const here = placements.flatMap(({ voxel, block, data }) =>
        positionsEqual(chunkOfVoxel(this.#shape, voxel), position)
          ? [{ index: voxelIndex(this.#shape, ...voxel), block, data }]
          : [],
      );
      predicted = editBlocks(predicted, here, Object.is);
    }
    return predicted;
  }

  #predictedIn(region: Position): readonly Position[] {
    const chunks: Position[] = [];
    for (const placements of this.#openEdits.values()) {
      for (const { voxel } of placements) {
        const chunk = chunkOfVoxel(this.#shape, voxel);
        if (positionsEqual(regionOf(chunk), region)) chunks.push(chunk);
      }
    }
    return chunks;
  }

  #touch(region: Position): void {
    const shown = this.#byRegion.get(...region);
    if (shown !== undefined) shown.isTouched = true;
  }
}
