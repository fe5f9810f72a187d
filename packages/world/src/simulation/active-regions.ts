import type { Box, ChunkShape, Position } from "@orthant/core";
import {
  type AXES,
  boxBetween,
  chunkOfVoxel,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  regionBox,
  regionOf,
} from "@orthant/core/engine";
import type { WorldEngine } from "../world-engine.ts";
import type { SimulatedPart } from "./step-part.ts";
import { voxelsAround } from "./voxels-around.ts";

interface ActiveRegion {
  readonly position: Position;
  release: () => void;
  loading: Promise<void>;
  isLoaded: boolean;
}

/**
 * The regions that a simulation keeps active: near players, and where a game asks for it. An active region and its
 * neighbours are loaded, so that a step can read and edit across its border.
 */
export class ActiveRegions {
  readonly #engine: WorldEngine;
  readonly #radius: number;
  readonly #boxes = new Set<Box>();
  readonly #regions = new PositionMap<ActiveRegion>();
  readonly #onFailure: (error: unknown) => void;
  readonly #part: SimulatedPart | undefined;
  /** What the regions were last chosen for. */
  #chosenFor = "";

  /** `radius` is in voxels. Reading errors go to `onFailure`. */
  constructor(
    engine: WorldEngine,
    radius: number,
    onFailure: (error: unknown) => void,
    part?: SimulatedPart,
  ) {
    this.#engine = engine;
    this.#radius = radius;
    this.#onFailure = onFailure;
    this.#part = part;
  }

  /** Keeps a box of voxels active. Returns a function that ends it. */
  keep(voxels: Box): () => void {
    const box = { ...voxels };
    this.#boxes.add(box);
    return () => void this.#boxes.delete(box);
  }

  /** Whether a region is active. */
  has(region: Position): boolean {
    return this.#regions.get(...region)?.isLoaded === true && this.#owns(region);
  }

  /** Returns the active regions in lexicographic order. */
  *positions(): Generator<Position> {
    for (const { position } of this.#regions.values()) if (this.has(position)) yield position;
  }

  /** Chooses the regions again. New ones become active once they are loaded. */
  update(): void {
    const boxes = [...this.#boxes].map((box) => this.#regionsOf(box));
    for (const { position } of this.#engine.steps.players())
      boxes.push(this.#regionsOf(voxelsAround(position, this.#radius, this.#engine.shape)));
    for (const box of this.#part?.activeBoxes() ?? []) boxes.push(this.#regionsOf(box));
    const chosenFor = boxes.map(({ min, max }) => `${min}:${max}`).join(" ");
    if (chosenFor === this.#chosenFor) return;
    this.#chosenFor = chosenFor;
    const wanted = new PositionMap<true>();
    for (const box of boxes)
      for (const region of positionsLexicographic(box)) if (this.#owns(region)) wanted.set(...region, true);
    for (const [position, region] of [...this.#regions]) {
      if (wanted.has(...position)) continue;
      region.release();
      this.#regions.delete(...position);
    }
    for (const position of wanted.positions()) if (!this.#regions.has(...position)) this.#add(position);
  }

  /** Resolves when all chosen regions are active. */
  async whenLoaded(): Promise<void> {
    await Promise.all(Array.from(this.#regions.values(), ({ loading }) => loading));
  }

  /** Ends all activity. */
  close(): void {
    for (const { release } of this.#regions.values()) release();
    for (const position of [...this.#regions.positions()]) this.#regions.delete(...position);
    this.#boxes.clear();
  }

  #owns(region: Position): boolean {
    return this.#part === undefined || this.#part.owns(region);
  }

  #add(position: Position): void {
    const loaded = withNeighbours(position, this.#engine.shape);
    const release = this.#engine.keep(loaded);
    const region: ActiveRegion = { position, release, isLoaded: false, loading: Promise.resolve() };
    this.#regions.set(...position, region);
    region.loading = this.#load(region, loaded);
  }

  async #load(region: ActiveRegion, chunks: Box): Promise<void> {
    const isCurrent = (): boolean => this.#regions.get(...region.position) === region;
    try {
      await this.#engine.load(chunks);
      // A step cannot wait for a generator.
      const { state } = this.#engine;
      const forget = state.isAsynchronous ? await state.keepGenerated([chunks]) : () => undefined;
      if (!isCurrent()) return forget();
      const { release } = region;
      region.release = () => {
        release();
        forget();
      };
      region.isLoaded = true;
      this.#engine.steps.activate(region.position);
    } catch (error) {
      if (isCurrent()) this.#onFailure(error);
    }
  }

  #regionsOf({ min, max }: Box): Box {
    const { shape } = this.#engine;
    const last = positionFrom((axis) => Math.max(min[axis], max[axis] - 1));
    const [from, to] = [regionOf(chunkOfVoxel(shape, min)), regionOf(chunkOfVoxel(shape, last))];
    return boxBetween(
      from,
      positionFrom((axis) => to[axis] + 1),
    );
  }
}

/** Returns the chunks of a region and of those around it. */
function withNeighbours(region: Position, { extents }: ChunkShape): Box {
  const margin = (axis: (typeof AXES)[number]): number => (extents[axis] > 1 ? 1 : 0);
  const lowest = regionBox(positionFrom((axis) => region[axis] - margin(axis)));
  const highest = regionBox(positionFrom((axis) => region[axis] + margin(axis)));
  return boxBetween(lowest.min, highest.max);
}
