import type { Box, Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import {
  type AXES,
  boxBetween,
  boxVolume,
  chunkOfVoxel,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  regionBox,
  regionOf,
} from "@orthant/core/lattice";
import { nextTurn } from "@orthant/core/time";
import { ListenerSet } from "@orthant/core/world";
import type { EngineSteps, StepReach } from "../engine/engine-steps.ts";
import type { WorldEngine } from "../engine/world-engine.ts";
import { voxelsAround } from "../steps/voxels-around.ts";

/** Maximum number of regions that a game keeps active, and that are active around one player. */
const ACTIVE_REGIONS_MAX = 16_384;
/** Maximum number of regions that are active for the players of a part of a world. */
const PART_REGIONS_MAX = 65_536;
/** Regions that are listed before other work gets its turn; one that is added or removed counts as several. */
const SLICE_REGIONS = 2_048;
const CHANGED_WEIGHT = 32;

/** A world whose regions are simulated by these steps. */
interface SimulatedWorld {
  readonly engine: WorldEngine;
  readonly steps: EngineSteps;
  /** Distance from players within which regions are active, in voxels. */
  readonly radius: number;
}

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
export class ActiveRegions implements StepReach {
  readonly #engine: WorldEngine;
  readonly #steps: EngineSteps;
  readonly #radius: number;
  /** The regions that a game keeps active, by box. */
  readonly #kept = new Set<Box>();
  readonly #regions = new PositionMap<ActiveRegion>();
  readonly #reachListeners = new ListenerSet<[regions: readonly Position[]]>();
  readonly #onFailure: (error: unknown) => void;
  /** What the regions were last chosen for. */
  #chosenFor = "";
  /** Resolves when the choice that takes several slices is complete. */
  #choosing: Promise<void> | undefined;
  #isClosed = false;

  /** Reading errors go to `onFailure`. */
  constructor({ engine, steps, radius }: SimulatedWorld, onFailure: (error: unknown) => void) {
    this.#engine = engine;
    this.#steps = steps;
    this.#radius = radius;
    this.#onFailure = onFailure;
    const around = boxVolume(this.#regionsOf(voxelsAround([0, 0, 0, 0], radius, engine.shape)));
    requireAtMost(
      around,
      ACTIVE_REGIONS_MAX,
      `active regions around each player (activeRadius is ${radius})`,
      "choose a smaller radius",
    );
  }

  /** Keeps a box of voxels active. Returns a function that ends it. Throws `ORT_LIMIT` for too many regions. */
  keep(voxels: Box): () => void {
    const box = this.#regionsOf(voxels);
    const count = [...this.#kept, box].reduce((sum, regions) => sum + boxVolume(regions), 0);
    const advice = "keep smaller boxes active, and release those that you no longer need";
    requireAtMost(count, ACTIVE_REGIONS_MAX, "regions in voxels and the boxes that are kept already", advice);
    this.#kept.add(box);
    return () => void this.#kept.delete(box);
  }

  /** Whether a region is active. */
  readonly isActive = (region: Position): boolean =>
    this.#regions.get(...region)?.isLoaded === true && this.#owns(region);

  /** Whether a region is active or beside an active one. It is in memory then, and stays there. */
  readonly isInReach = (region: Position): boolean => {
    if (this.isActive(region)) return true;
    for (const other of positionsLexicographic(this.#around(region))) if (this.isActive(other)) return true;
    return false;
  };

  readonly onReach = (listener: (regions: readonly Position[]) => void): (() => void) =>
    this.#reachListeners.add(listener);

  /** Makes a change of one region, and tells the listeners which of those around it have another reach. */
  #changeReach(region: Position, change: () => void): void {
    const around = this.#reachListeners.isEmpty ? [] : [...positionsLexicographic(this.#around(region))];
    const before = around.map((other) => this.isInReach(other));
    change();
    const changed = around.filter((other, index) => this.isInReach(other) !== before[index]);
    if (changed.length > 0) this.#reachListeners.emit(changed);
  }

  /** Returns the active regions in lexicographic order. */
  *positions(): Generator<Position> {
    for (const { position } of this.#regions.values()) if (this.isActive(position)) yield position;
  }

  /**
   * Chooses the regions again. New ones become active once they are loaded. A choice of many regions goes on after this
   * returns, in slices; until it is complete, no other one begins.
   */
  update(): void {
    if (this.#choosing !== undefined || this.#isClosed) return;
    const boxes = this.#boxes();
    const chosenFor = [...boxes.keys()].join(" ");
    if (chosenFor === this.#chosenFor) return;
    this.#chosenFor = chosenFor;
    const slices = this.#choose([...boxes.values()]);
    if (slices.next().done === true) return;
    this.#choosing = this.#finish(slices).finally(() => {
      this.#choosing = undefined;
    });
  }

  /** Chooses the regions again, and resolves when all of them are active. */
  async whenActive(): Promise<void> {
    // Another choice may be in work.
    await this.#choosing;
    this.update();
    await this.#choosing;
    await Promise.all(Array.from(this.#regions.values(), ({ loading }) => loading));
  }

  /** Ends all activity. */
  close(): void {
    this.#isClosed = true;
    for (const { release } of this.#regions.values()) release();
    for (const position of [...this.#regions.positions()]) this.#regions.delete(...position);
    this.#kept.clear();
  }

  /** Returns the boxes of regions that should be active, each once, under its text. */
  #boxes(): ReadonlyMap<string, Box> {
    const boxes = new Map<string, Box>();
    const add = (box: Box): void => void boxes.set(`${box.min}:${box.max}`, box);
    for (const box of this.#kept) add(box);
    for (const { position } of this.#steps.players())
      add(this.#regionsOf(voxelsAround(position, this.#radius, this.#engine.shape)));
    let count = 0;
    for (const voxels of this.#steps.part?.activeBoxes() ?? []) {
      const box = this.#regionsOf(voxels);
      count += boxVolume(box);
      // The rest is active when players look at less.
      if (count > PART_REGIONS_MAX) break;
      add(box);
    }
    return boxes;
  }

  /** Makes exactly the regions of these boxes active, one slice with each step of the generator. */
  *#choose(boxes: readonly Box[]): Generator<void, void, void> {
    let left = SLICE_REGIONS;
    const isSliceDone = (weight = 1): boolean => {
      left -= weight;
      if (left > 0) return false;
      left = SLICE_REGIONS;
      return true;
    };
    const wanted = new PositionMap<true>();
    for (const box of boxes)
      for (const region of positionsLexicographic(box)) {
        if (this.#owns(region)) wanted.set(...region, true);
        if (isSliceDone()) yield;
      }
    for (const [position, region] of [...this.#regions]) {
      if (wanted.has(...position)) continue;
      this.#changeReach(position, () => {
        region.release();
        this.#regions.delete(...position);
      });
      if (isSliceDone(CHANGED_WEIGHT)) yield;
    }
    for (const position of wanted.positions()) {
      if (this.#regions.has(...position)) continue;
      this.#add(position);
      if (isSliceDone(CHANGED_WEIGHT)) yield;
    }
  }

  async #finish(slices: Generator<void, void, void>): Promise<void> {
    do await nextTurn();
    while (!this.#isClosed && slices.next().done !== true);
  }

  #owns(region: Position): boolean {
    return this.#steps.part?.owns(region) ?? true;
  }

  #add(position: Position): void {
    const { min, max } = this.#around(position);
    const last = positionFrom((axis) => max[axis] - 1);
    const loaded = boxBetween(regionBox(min).min, regionBox(last).max);
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
      this.#changeReach(region.position, () => {
        region.isLoaded = true;
      });
      this.#steps.activate(region.position);
    } catch (error) {
      if (isCurrent()) this.#onFailure(error);
    }
  }

  /** Returns a region and those around it. */
  #around(region: Position): Box {
    const { extents } = this.#engine.shape;
    const margin = (axis: (typeof AXES)[number]): number => (extents[axis] > 1 ? 1 : 0);
    return boxBetween(
      positionFrom((axis) => region[axis] - margin(axis)),
      positionFrom((axis) => region[axis] + margin(axis) + 1),
    );
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
