import {
  type BlockPlacement,
  type Box,
  type EditResult,
  isOrthantError,
  type Position,
  type Vector,
} from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import {
  boxAt,
  PositionSet,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import { type SceneSource, stateSource } from "@orthant/worker-pool/browser";
import type { WorldEngine } from "@orthant/world/engine";
import { engineBuilder } from "../edit/engine-builder.ts";
import type { SourceBuilder } from "../edit/source-builder.ts";
import type { RegionInfo, SourceNumbers } from "../message/messages.ts";
import { enginePlacement } from "./engine-placement.ts";
import type { SourceEvents, ViewInterest, ViewSource } from "./view-source.ts";

/** A world that this worker has opened itself, from files: to look, or also to edit. */
export class EngineSource implements ViewSource {
  readonly chunks: SceneSource;
  readonly #world: WorldEngine;
  readonly #events: SourceEvents;
  readonly #canEdit: boolean;
  /** Regions of the interest that are in memory. The world may evict all others. */
  #loaded = new PositionSet();
  #wanted: Position[] = [];
  #isLoading = false;
  #interestKey = "";
  #release: () => void = () => undefined;

  constructor(world: WorldEngine, events: SourceEvents, canEdit = false) {
    this.#world = world;
    this.#events = events;
    this.#canEdit = canEdit;
    this.chunks = stateSource(
      () => world.state,
      (box) => this.#areLoaded(box),
    );
    if (canEdit) world.onEdit(({ chunks }) => events.onChange(chunks.map(boxAt), true));
  }

  setInterest({ chunks, center }: ViewInterest): void {
    const regions = regionsTouching(chunks);
    const middle = regionOf(this.#chunkOf(center));
    const key = `${regions.min} ${regions.max} ${middle}`;
    if (key === this.#interestKey) return;
    this.#interestKey = key;
    const release = this.#release;
    this.#release = this.#world.keep(chunks);
    release();
    const loaded = new PositionSet();
    const wanted: Position[] = [];
    for (const region of positionsLexicographic(regions)) {
      if (this.#loaded.has(...region)) loaded.add(...region);
      else wanted.push(region);
    }
    const distance = (region: Position): number =>
      Math.hypot(...region.map((at, axis) => at - (middle[axis] as number)));
    this.#loaded = loaded;
    this.#wanted = wanted.sort((a, b) => distance(a) - distance(b));
    if (!this.#isLoading) void this.#load();
  }

  #areLoaded(chunks: Box): boolean {
    for (const region of positionsLexicographic(regionsTouching(chunks)))
      if (!this.#loaded.has(...region)) return false;
    return true;
  }

  async edit(placements: readonly BlockPlacement<4>[]): Promise<EditResult> {
    if (!this.#canEdit)
      return { status: "rejected", reason: "role", detail: "a world from your disk is only shown here" };
    try {
      const { status } = await this.#world.edit(placements.map(enginePlacement));
      return { status };
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      return { status: "rejected", reason: "world", detail: error.detail };
    }
  }

  async builder(): Promise<SourceBuilder | undefined> {
    return this.#canEdit ? engineBuilder(this.#world) : undefined;
  }

  move(): void {
    // There are no other players.
  }

  async inspect(chunks: Box): Promise<readonly RegionInfo[]> {
    const notes: RegionInfo[] = [];
    for (const region of positionsLexicographic(regionsTouching(chunks))) {
      if (!this.#loaded.has(...region)) continue;
      const pieces = this.#world.state.queryRegion(regionBox(region), "symbolic").pieces();
      const isConcrete = [...pieces].some(({ content }) => !(content instanceof GeneratorRef));
      notes.push({ region, clock: undefined, isConcrete });
    }
    return notes;
  }

  numbers(): SourceNumbers {
    const heldRegions = this.#loaded.size;
    return { bytesIn: 0, bytesOut: 0, framesIn: 0, patches: 0, resyncs: 0, heldRegions };
  }

  async close(): Promise<void> {
    this.#wanted = [];
    await this.#world.close();
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      for (let region = this.#wanted.shift(); region !== undefined; region = this.#wanted.shift()) {
        await this.#world.load(regionBox(region));
        this.#loaded.add(...region);
        this.#events.onChange([regionBox(region)]);
      }
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      this.#events.onStatus({ kind: "failed", text: `Damaged: ${error.detail}` });
    } finally {
      this.#isLoading = false;
    }
    if (this.#wanted.length > 0) void this.#load();
  }

  #chunkOf(point: Vector): Position {
    const { extents } = this.#world.shape;
    return [
      Math.floor(point[0] / extents[0]),
      Math.floor(point[1] / extents[1]),
      Math.floor(point[2] / extents[2]),
      Math.floor(point[3] / extents[3]),
    ];
  }
}
