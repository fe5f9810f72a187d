import { type BrushPlacements, EditHistory } from "@orthant/client";
import {
  AIR,
  type Axis,
  BlockCatalog,
  type Box,
  type Chunk,
  type DataCodec,
  DEFAULT_BLOCKS,
  type EditResult,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import { AXES, boxAt, chunkOfVoxel, intersectBoxes, positionFrom, voxelIndex } from "@orthant/core/lattice";
import { BlockAppearance, castRay } from "@orthant/mesh";
import type { BuildAnswer, BuildRequest } from "../edit/build-messages.ts";
import { brushPlacements } from "../edit/edit.ts";
import type { WorldBuilder } from "../edit/world-builder.ts";
import type {
  Hit,
  LocalOpening,
  OpenRequest,
  PageMessage,
  View,
  WorkerMessage,
  WorldFacts,
  WorldStatus,
} from "../message/messages.ts";
import { type ScenePoint, voxelAt } from "../slice/slice.ts";
import { SharedSource } from "../source/server-source.ts";
import type { SourceEvents, ViewSource } from "../source/view-source.ts";
import { ChunkSender } from "./chunk-sender.ts";
import { MapTileBuilder } from "./map-tile-builder.ts";
import { visibleChunks } from "./visible-chunks.ts";

/** Time slice of work between messages. */
const WORK_MS = 8;
const NUMBERS_MS = 500;
/** Distance from the visitor within which regions are inspected. */
const INSPECT_VOXELS = 112;
/** Reach of the pointer. */
const POINT_VOXELS = 96;

/** What the controller needs from the worker. */
export interface WorldControllerOptions {
  readonly send: (message: WorkerMessage, transfer: readonly ArrayBuffer[]) => void;
  /** Runs `work` soon, after the messages already queued. */
  readonly soon: (work: () => void) => void;
  /** Opens a world without a server; `undefined` in a worker that shows only worlds of servers. */
  readonly openLocal?: (opening: LocalOpening, events: SourceEvents) => Promise<ViewSource>;
  /** Reads resource packs for the blocks of a world; `undefined` in a worker that takes none. */
  readonly readLooks?: (files: readonly Blob[], blocks: BlockCatalog) => Promise<ReadLooks>;
  /** Loads the builder's tools; `undefined` in a worker that has none. */
  readonly loadBuilder?: () => Promise<typeof import("../edit/world-builder.ts")>;
}

/** How a resource pack draws blocks. */
export type ReadLooks = Omit<Extract<WorkerMessage, { kind: "looks" }>, "kind">;

/** Everything about the shown world: its source, the visible part, and the edits. */
export class WorldController {
  readonly #options: WorldControllerOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #blocks = DEFAULT_BLOCKS;
  #history = this.#newHistory();
  #source: ViewSource | undefined;
  #openings = 0;
  #facts: WorldFacts | undefined;
  #sender: ChunkSender | undefined;
  #map: MapTileBuilder | undefined;
  #view: View | undefined;
  #chunks: Box | undefined;
  #isWorking = false;
  #isInspecting = false;
  #isInspectionUnderWay = false;
  #roundTripMs: number | undefined;
  #builder: WorldBuilder | undefined;

  constructor(options: WorldControllerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sendNumbers(), NUMBERS_MS);
  }

  /** Handles a message from the page. */
  async receive(message: PageMessage): Promise<void> {
    switch (message.kind) {
      case "open":
        await this.#open(message);
        break;
      case "view":
        this.#setView(message.view);
        break;
      case "pick":
        this.#options.send(
          { kind: "picked", id: message.id, hit: this.#pick(message.from, message.direction) },
          [],
        );
        break;
      case "brush": {
        const { brush, center, block, slice } = message;
        await this.#edit(brushPlacements(brush, center, slice, block));
        break;
      }
      case "undo":
        await this.#undo();
        break;
      case "redo":
        await this.#redo();
        break;
      case "build": {
        const answer = await this.#build(message.request);
        const moved = "picture" in answer ? answer.picture.blocks : undefined;
        this.#options.send({ kind: "built", id: message.id, answer }, moved ? [moved.buffer] : []);
        break;
      }
      case "voxel":
        this.#sendVoxel(message.id, message.position);
        break;
      case "inspect":
        this.#isInspecting = message.isOn;
        await this.#inspect();
        break;
      case "looks":
        await this.#readLooks(message.files);
        break;
      case "alive":
        this.#options.send({ kind: "alive", id: message.id }, []);
        break;
      case "close":
        await this.#close();
    }
  }

  /** Opens another world. A later request replaces one that is still being opened. */
  async #open({ opening }: Extract<PageMessage, { kind: "open" }>): Promise<void> {
    const number = ++this.#openings;
    const isWanted = (): boolean => number === this.#openings;
    const sendStatus = (status: WorldStatus): void => {
      if (isWanted()) this.#options.send({ kind: "status", status }, []);
    };
    const before = this.#source;
    this.#source = undefined;
    this.#facts = undefined;
    this.#sender = undefined;
    this.#map = undefined;
    await before?.close();
    if (!isWanted()) return;
    try {
      const source = await this.#openSource(opening, {
        onFacts: (facts) => isWanted() && this.#setFacts(facts),
        onStatus: sendStatus,
        onChange: (boxes, isOwn) => isWanted() && this.#changed(boxes, isOwn === true),
        onEntities: (entities) => isWanted() && this.#options.send({ kind: "entities", entities }, []),
      });
      if (!isWanted()) await source.close();
      else {
        this.#source = source;
        if (this.#view !== undefined) this.#setView(this.#view);
      }
    } catch (error) {
      const text = isOrthantError(error) ? `${error.code}: ${error.detail}` : String(error);
      sendStatus({ kind: "failed", text });
    }
  }

  async #close(): Promise<void> {
    this.#openings++;
    clearInterval(this.#timer);
    const source = this.#source;
    this.#source = undefined;
    this.#view = undefined;
    await source?.close();
    this.#options.send({ kind: "closed" }, []);
  }

  /** Starts to show a world. Reports problems as a status, and throws when nothing can be shown. */
  async #openSource(opening: OpenRequest, events: SourceEvents): Promise<ViewSource> {
    if (opening.kind === "server") return new SharedSource(opening, events);
    const { openLocal } = this.#options;
    if (openLocal === undefined)
      throw new OrthantError("ORT_ARGUMENT", "this worker shows worlds of servers only, no files");
    return openLocal(opening, events);
  }

  #setFacts(facts: WorldFacts): void {
    const isSame = this.#facts !== undefined && sameWorld(this.#facts, facts);
    const hasSameBlocks = isSame && JSON.stringify(this.#facts?.blocks) === JSON.stringify(facts.blocks);
    this.#facts = facts;
    if (!hasSameBlocks) {
      this.#blocks = new BlockCatalog(facts.blocks);
      this.#map = new MapTileBuilder({
        shape: facts.shape,
        appearance: new BlockAppearance(this.#blocks),
        chunkAt: (position) => this.#chunkAt(position),
        send: this.#options.send,
      });
      this.#chunks = undefined;
    }
    if (!isSame) {
      this.#sender = undefined;
      this.#history = this.#newHistory();
      this.#builder = undefined;
    }
    this.#options.send({ kind: "facts", facts }, []);
    if (this.#view !== undefined) this.#setView(this.#view);
  }

  #setView(view: View): void {
    this.#view = view;
    const source = this.#source;
    if (this.#facts === undefined || source === undefined) return;
    const { chunks } = visibleChunks(view, this.#facts.shape);
    this.#chunks = chunks;
    source.setInterest({ chunks, center: view.eye, motion: view.motion });
    source.move(view.eye, view.facing);
    this.#sender ??= new ChunkSender({ chunks: source.chunks, send: this.#options.send });
    this.#sender.setInterest(view.map === undefined ? chunks : undefined);
    if (view.map === undefined) return;
    this.#map?.setView(view);
    this.#wake();
  }

  #changed(boxes: readonly Box[], isOwn: boolean): void {
    this.#sender?.changed(boxes, isOwn);
    this.#map?.changed(boxes);
    this.#options.send({ kind: "changed", boxes: boxes.slice(0, 256) }, []);
    this.#wake();
  }

  #wake(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#options.soon(() => this.#work());
  }

  #work(): void {
    this.#isWorking = false;
    if (this.#view?.map !== undefined && this.#map?.work(WORK_MS) === true) this.#wake();
  }

  #pick(from: ScenePoint, direction: ScenePoint): Hit | undefined {
    const slice = this.#view?.slice;
    // A page without a size has no directions.
    if (slice === undefined || !direction.every(Number.isFinite)) return undefined;
    const scene = {
      dimensions: 3,
      blocks: this.#blocks,
      voxelAt: (point: ScenePoint) => this.#blockAt(voxelAt(slice, point)),
    } as const;
    const hit = castRay(scene, from, direction, POINT_VOXELS);
    if (hit === undefined) return undefined;
    const { position, adjacent, block, distance } = hit;
    return { voxel: voxelAt(slice, position), before: voxelAt(slice, adjacent), block, distance };
  }

  async #readLooks(files: readonly Blob[]): Promise<void> {
    const { readLooks, send } = this.#options;
    try {
      if (readLooks === undefined) throw new OrthantError("ORT_ARGUMENT", "this worker takes no packs");
      const looks = await readLooks(files, this.#blocks);
      send({ kind: "looks", ...looks }, []);
    } catch (error) {
      const why = isOrthantError(error) ? error.detail : String(error);
      this.#notice(`This resource pack cannot be read: ${why}`, true);
    }
  }

  /** Edits the loaded voxels; the others stay as they are. */
  async #edit(wanted: BrushPlacements<Position>): Promise<void> {
    const placements = wanted.filter(({ position, block }) => {
      const old = this.#blockAt(position);
      return old !== undefined && old !== block;
    });
    if (placements.length === 0) return;
    const result = await this.#history.edit(placements);
    this.#report(result);
    if (result.status === "applied") this.#builder?.noteEdit(placements.length);
  }

  async #undo(): Promise<void> {
    if (this.#builder !== undefined) await this.#turnStep("undo");
    else this.#reportTurn(await this.#history.undo(), "undo");
  }

  async #redo(): Promise<void> {
    if (this.#builder !== undefined) await this.#turnStep("redo");
    else this.#reportTurn(await this.#history.redo(), "redo");
  }

  /** Takes back the last operation or edit, or does it again. */
  async #turnStep(kind: "undo" | "redo"): Promise<void> {
    const answer = await this.#build({ kind });
    if (answer.kind === "failed") this.#notice(answer.fault.text, true);
    else if (answer.kind === "nothing") this.#reportTurn(undefined, kind);
  }

  #reportTurn(result: EditResult | undefined, what: "undo" | "redo"): void {
    if (result !== undefined) this.#report(result);
    else this.#notice(`Nothing to ${what}`, false);
  }

  #notice(text: string, isBad: boolean): void {
    this.#options.send({ kind: "notice", text, isBad }, []);
  }

  /** Lets the builder's tools answer, which are loaded when they are first asked. */
  async #build(request: BuildRequest): Promise<BuildAnswer> {
    const facts = this.#facts;
    const { loadBuilder } = this.#options;
    const source = facts?.canEdit === true ? await this.#source?.builder?.() : undefined;
    if (facts === undefined || source === undefined || loadBuilder === undefined) {
      const text = "this world, or its server, lets you do no operations";
      return { kind: "failed", fault: { text, column: undefined } };
    }
    if (this.#builder === undefined) {
      const { WorldBuilder } = await loadBuilder();
      if (this.#facts !== facts) return this.#build(request);
      this.#builder ??= new WorldBuilder({
        source,
        shape: facts.shape,
        blocks: () => this.#blocks,
        blockAt: (position) => this.#blockAt(position),
        history: this.#history,
        onNews: (news) => this.#options.send({ kind: "buildNews", news }, []),
        nowMs: () => performance.now(),
        newCanceller: () => new AbortController(),
      });
    }
    return this.#builder.answer(request);
  }

  #report(result: EditResult): void {
    if (result.status !== "rejected") return;
    this.#notice(`Taken back: ${result.detail || result.reason}`, true);
  }

  /** Returns an empty history of the shown world. */
  #newHistory(): EditHistory<4> {
    return new EditHistory<4>({
      voxelAt: (position) => this.#blockAt(position),
      get: async (position) => this.#blockAt(position) ?? AIR,
      dataAt: (position) => this.#dataAt(position),
      data: async (position) => this.#dataAt(position),
      blocks: this.#blocks,
      dataCodec: BYTES_AS_DATA,
      edit: async (placements) => {
        const startMs = performance.now();
        const result = await this.#source?.edit(placements);
        this.#roundTripMs = performance.now() - startMs;
        return result ?? { status: "unchanged" };
      },
    });
  }

  async #inspect(): Promise<void> {
    const box = this.#inspected();
    if (!this.#isInspecting || this.#isInspectionUnderWay || box === undefined) return;
    this.#isInspectionUnderWay = true;
    try {
      const notes = (await this.#source?.inspect(box)) ?? [];
      this.#options.send({ kind: "regions", notes }, []);
    } finally {
      this.#isInspectionUnderWay = false;
    }
  }

  /** Returns the chunks near the visitor; frames further away would not be visible. */
  #inspected(): Box | undefined {
    const { shape } = this.#facts ?? {};
    const view = this.#view;
    if (shape === undefined || view === undefined || this.#chunks === undefined) return undefined;
    const near = (axis: Axis, side: number): number =>
      Math.floor((view.eye[axis] + side * INSPECT_VOXELS) / shape.extents[axis]);
    const box = {
      min: positionFrom((axis) => near(axis, -1)),
      max: positionFrom((axis) => near(axis, 1) + 1),
    };
    return intersectBoxes(this.#chunks, box);
  }

  #sendNumbers(): void {
    if (this.#source === undefined || this.#facts === undefined) return;
    const numbers = {
      ...this.#source.numbers(),
      chunkBytes: this.#sender?.bytes ?? 0,
      roundTripMs: this.#roundTripMs,
    };
    this.#options.send({ kind: "numbers", numbers }, []);
    void this.#inspect();
  }

  #sendVoxel(id: number, position: Position): void {
    // Copied: a message copies the whole buffer behind a view.
    const data = this.#dataAt(position)?.slice();
    this.#options.send({ kind: "voxel", id, block: this.#blockAt(position), data }, []);
  }

  #blockAt(position: Position): number | undefined {
    const shape = this.#facts?.shape;
    if (shape === undefined) return undefined;
    return this.#chunkAt(chunkOfVoxel(shape, position))?.get(voxelIndex(shape, ...position));
  }

  #dataAt(position: Position): Uint8Array | undefined {
    const shape = this.#facts?.shape;
    if (shape === undefined) return undefined;
    return this.#chunkAt(chunkOfVoxel(shape, position))?.dataAt(voxelIndex(shape, ...position));
  }

  /** Returns a chunk that is loaded. */
  #chunkAt(position: Position): Chunk | undefined {
    const chunks = this.#source?.chunks;
    return chunks?.has(boxAt(position)) === true ? chunks.chunkAt(...position) : undefined;
  }
}

/** The viewer knows no game, so it keeps the data of voxels as it is. */
const BYTES_AS_DATA: DataCodec = {
  encode: (value) => value as Uint8Array,
  decode: (bytes) => bytes,
};

/** Whether two worlds are the same, apart from the looks of their blocks. */
function sameWorld(a: WorldFacts, b: WorldFacts): boolean {
  return a.name === b.name && AXES.every((axis) => a.shape.extents[axis] === b.shape.extents[axis]);
}
