import {
  type Box,
  type Chunk,
  GeneratorRef,
  isOrthantError,
  type Position,
  PositionSet,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
  type Vector,
} from "@orthant/core";
import type { World } from "@orthant/world";
import type { RegionNote } from "../message/from-world.ts";
import type { DroppedFile } from "../message/to-world.ts";
import type { SourceNumbers } from "../message/world-facts.ts";

import { type DroppedWorld, findDroppedWorld } from "./dropped-world.ts";
import type { EditAnswer, Sight, SourceEvents, ViewSource } from "./view-source.ts";

/** Regions loaded before the world is reopened, which frees the memory of those seen long ago. */
const REGIONS_LOADED_MAX = 8_192;

/** Shows a world from files dropped onto the page. Throws when there is none, or when it cannot be read. */
export async function openSavedSource(
  files: readonly DroppedFile[],
  events: SourceEvents,
): Promise<ViewSource> {
  events.onStatus({ kind: "connecting", text: "Reading what you dropped …" });
  const dropped = await findDroppedWorld(files, (done, steps) => {
    events.onStatus({ kind: "connecting", text: `Converting what you dropped: ${done} of ${steps} …` });
  });
  const world = await dropped.open();
  const source = new SavedSource(dropped, world, events);
  events.onFacts({
    name: world.name || dropped.name || "A dropped world",
    shape: world.shape,
    blocks: world.catalog.blocks,
    begin: beginOf(world, dropped),
    canEdit: false,
    origin: dropped.origin,
  });
  events.onStatus({ kind: "ready", text: dropped.remark });
  return source;
}

class SavedSource implements ViewSource {
  readonly #dropped: DroppedWorld;
  readonly #events: SourceEvents;
  #world: World;
  #loaded = new PositionSet();
  #wanted: Position[] = [];
  #isLoading = false;
  #sight = "";

  constructor(dropped: DroppedWorld, world: World, events: SourceEvents) {
    this.#dropped = dropped;
    this.#world = world;
    this.#events = events;
  }

  look({ chunks, center }: Sight): void {
    const regions = regionsTouching(chunks);
    const middle = regionOf(this.#chunkOf(center));
    const sight = `${regions.min} ${regions.max} ${middle}`;
    if (sight === this.#sight) return;
    this.#sight = sight;
    const distance = (region: Position): number =>
      Math.hypot(...region.map((at, axis) => at - (middle[axis] as number)));
    this.#wanted = [...positionsLexicographic(regions)]
      .filter((region) => !this.#loaded.has(...region))
      .sort((a, b) => distance(a) - distance(b));
    if (!this.#isLoading) void this.#load();
  }

  chunkAt(position: Position): Chunk | undefined {
    if (!this.#loaded.has(...regionOf(position))) return undefined;
    return this.#world.field.realizeChunk(...position);
  }

  edit(): Promise<EditAnswer> {
    return Promise.resolve({ refusal: "a world from your disk is only shown here" });
  }

  move(): void {
    // There are no other players.
  }

  async inspect(chunks: Box): Promise<readonly RegionNote[]> {
    const notes: RegionNote[] = [];
    for (const region of positionsLexicographic(regionsTouching(chunks))) {
      if (!this.#loaded.has(...region)) continue;
      const pieces = this.#world.field.queryRegion(regionBox(region), "symbolic").pieces();
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
        if (this.#loaded.size >= REGIONS_LOADED_MAX) await this.#beginAnew();
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

  async #beginAnew(): Promise<void> {
    const old = this.#world;
    this.#world = await this.#dropped.open();
    this.#loaded = new PositionSet();
    await old.close();
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

/** Returns the last position of a player, or a position with something to see, or the spawn. */
function beginOf(world: World, { begin }: DroppedWorld): Vector {
  const [player] = world.players;
  return player?.position ?? begin ?? world.spawn;
}
