import {
  type Box,
  type Chunk,
  type EditResult,
  isOrthantError,
  OrthantError,
  type Position,
  RENDER_CACHE_LIMITS,
  type Vector,
} from "@orthant/core";
import {
  GeneratorRef,
  PositionSet,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/engine";
import type { Disk } from "@orthant/disk";
import { BlobDisk } from "@orthant/disk/browser";
import { type DetectedWorld, detectNativeSave } from "@orthant/formats";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { DroppedFile, RegionInfo, SourceNumbers } from "../message/messages.ts";
import type { OnStep } from "./converted-world.ts";
import type { SourceEvents, ViewInterest, ViewSource } from "./view-source.ts";

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
    blocks: world.catalog.types,
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
  #world: WorldEngine;
  #loaded = new PositionSet();
  #wanted: Position[] = [];
  #isLoading = false;
  #interestKey = "";

  constructor(dropped: DroppedWorld, world: WorldEngine, events: SourceEvents) {
    this.#dropped = dropped;
    this.#world = world;
    this.#events = events;
  }

  setInterest({ chunks, center }: ViewInterest): void {
    const regions = regionsTouching(chunks);
    const middle = regionOf(this.#chunkOf(center));
    const key = `${regions.min} ${regions.max} ${middle}`;
    if (key === this.#interestKey) return;
    this.#interestKey = key;
    const distance = (region: Position): number =>
      Math.hypot(...region.map((at, axis) => at - (middle[axis] as number)));
    this.#wanted = [...positionsLexicographic(regions)]
      .filter((region) => !this.#loaded.has(...region))
      .sort((a, b) => distance(a) - distance(b));
    if (!this.#isLoading) void this.#load();
  }

  chunkAt(position: Position): Chunk | undefined {
    if (!this.#loaded.has(...regionOf(position))) return undefined;
    return this.#world.state.realizeChunk(...position);
  }

  async edit(): Promise<EditResult> {
    return { status: "rejected", reason: "role", detail: "a world from your disk is only shown here" };
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
        if (this.#loaded.size >= REGIONS_LOADED_MAX) await this.#reopen();
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

  async #reopen(): Promise<void> {
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
function beginOf(world: WorldEngine, { begin }: DroppedWorld): Vector {
  const [player] = world.players;
  return player?.position ?? begin ?? world.spawn;
}

/** A world that a visitor dropped onto the page. */
interface DroppedWorld {
  /** Opens the world again, with an empty memory. */
  readonly open: () => Promise<WorldEngine>;
  /** Short description of its format. */
  readonly origin: string;
  /** Name to show when the world itself has none. */
  readonly name: string;
  /** A remark for people; empty when there is nothing to say. */
  readonly remark: string;
  /** A position with something to see; `undefined` when the world has its own spawn. */
  readonly begin: Position | undefined;
}

/**
 * Identifies the dropped files: a folder of a known format, or one file. Throws `ORT_NOT_FOUND` when it is
 * neither. Converts other formats and reports the progress to `onStep`.
 */
async function findDroppedWorld(files: readonly DroppedFile[], onStep: OnStep): Promise<DroppedWorld> {
  const [source, folder] = diskOf(files);
  const native = await detectNativeSave(source);
  if (native !== undefined) {
    return { open: opener(source), origin: originOf(native), name: folder, remark: "", begin: undefined };
  }
  // Few saves need conversion, so the page loads the converters on demand.
  const { convertInMemory } = await import("./converted-world.ts");
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const converted = await convertInMemory(source, bytes, onStep);
  if (converted === undefined) {
    throw new OrthantError("ORT_NOT_FOUND", "no world of a format that is known here was dropped");
  }
  const { world, disk, remark, begin } = converted;
  return { open: opener(disk), origin: originOf(world), name: folder || world.evidence, remark, begin };
}

function opener(disk: Disk): () => Promise<WorldEngine> {
  return () => openWorldEngine(disk, { readOnly: true, cacheLimits: RENDER_CACHE_LIMITS });
}

function originOf({ format, dialect }: DetectedWorld): string {
  return `${format}${dialect === undefined ? "" : `, ${dialect}`}, from your disk`;
}

/** Returns the files without their common folder, and the name of that folder. */
function diskOf(files: readonly DroppedFile[]): readonly [Disk, string] {
  const folder = files[0]?.path.split("/")[0] ?? "";
  const isInside = folder !== "" && files.every(({ path }) => path.startsWith(`${folder}/`));
  const skip = isInside ? folder.length + 1 : 0;
  return [
    new BlobDisk(new Map(files.map(({ path, file }) => [path.slice(skip), file]))),
    isInside ? folder : "",
  ];
}
