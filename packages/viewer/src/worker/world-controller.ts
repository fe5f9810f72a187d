import {
  AIR,
  AXES,
  type Axis,
  type Box,
  type Chunk,
  chunkOfVoxel,
  intersectBoxes,
  isOrthantError,
  type Position,
  positionFrom,
  type VoxelPlacement,
  voxelIndex,
} from "@orthant/core";
import { brushVoxels } from "../edit/brush.ts";
import { castRay } from "../edit/cast-ray.ts";
import { EditHistory } from "../edit/edit-history.ts";
import { blockLooks } from "../mesh/block-looks.ts";
import type { FromWorld, Hit } from "../message/from-world.ts";
import type { ToWorld, View } from "../message/to-world.ts";
import type { WorldFacts, WorldStatus } from "../message/world-facts.ts";
import { type ScenePoint, type Slice, voxelAt } from "../slice/slice.ts";
import { openSource } from "../source/open-source.ts";
import type { ViewSource } from "../source/view-source.ts";
import { MapMaker } from "./map-maker.ts";
import { MeshBlockMaker } from "./mesh-block-maker.ts";
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
  readonly tell: (message: FromWorld, transfer: readonly ArrayBuffer[]) => void;
  /** Runs `work` soon, after the messages already queued. */
  readonly soon: (work: () => void) => void;
}

/** Everything about the shown world: its source, the visible part, and the edits. */
export class WorldController {
  readonly #options: WorldControllerOptions;
  #history = new EditHistory();
  #source: ViewSource | undefined;
  #openings = 0;
  #facts: WorldFacts | undefined;
  #meshBlocks: MeshBlockMaker | undefined;
  #map: MapMaker | undefined;
  #view: View | undefined;
  #sight: Box | undefined;
  #isWorking = false;
  #isInspecting = false;
  #isInspectionUnderWay = false;
  #roundTripMs: number | undefined;

  constructor(options: WorldControllerOptions) {
    this.#options = options;
    setInterval(() => this.#tellNumbers(), NUMBERS_MS);
  }

  /** Handles a message from the page. */
  async receive(message: ToWorld): Promise<void> {
    switch (message.kind) {
      case "open":
        await this.#open(message);
        break;
      case "view":
        this.#look(message.view);
        break;
      case "pick":
        this.#options.tell(
          { kind: "picked", id: message.id, hit: this.#pick(message.from, message.direction) },
          [],
        );
        break;
      case "brush": {
        const { brush, center, block, slice } = message;
        const placements = brushVoxels(brush, center, slice).map((voxel) => ({ voxel, block }));
        await this.#edit(placements, true);
        break;
      }
      case "undo":
        await this.#undo();
        break;
      case "voxel":
        this.#options.tell({ kind: "voxel", id: message.id, block: this.#blockAt(message.position) }, []);
        break;
      case "inspect":
        this.#isInspecting = message.isOn;
        await this.#inspect();
        break;
      case "alive":
        this.#options.tell({ kind: "alive", id: message.id }, []);
    }
  }

  /** Opens another world. A later request replaces one that is still being opened. */
  async #open({ opening }: Extract<ToWorld, { kind: "open" }>): Promise<void> {
    const number = ++this.#openings;
    const isWanted = (): boolean => number === this.#openings;
    const tellStatus = (status: WorldStatus): void => {
      if (isWanted()) this.#options.tell({ kind: "status", status }, []);
    };
    const before = this.#source;
    this.#source = undefined;
    this.#facts = undefined;
    this.#meshBlocks = undefined;
    this.#map = undefined;
    await before?.close();
    if (!isWanted()) return;
    try {
      const source = await openSource(opening, {
        onFacts: (facts) => isWanted() && this.#know(facts),
        onStatus: tellStatus,
        onChange: (boxes) => isWanted() && this.#changed(boxes),
        onOthers: (others) => isWanted() && this.#options.tell({ kind: "others", others }, []),
      });
      if (isWanted()) this.#source = source;
      else await source.close();
    } catch (error) {
      const text = isOrthantError(error) ? `${error.code}: ${error.detail}` : String(error);
      tellStatus({ kind: "failed", text });
    }
  }

  #know(facts: WorldFacts): void {
    const isSame = this.#facts !== undefined && sameWorld(this.#facts, facts);
    this.#facts = facts;
    if (!isSame) {
      const looks = blockLooks(facts.blocks);
      const parts = {
        shape: facts.shape,
        looks,
        chunkAt: (position: Position) => this.#source?.chunkAt(position),
        tell: this.#options.tell,
      };
      this.#meshBlocks = new MeshBlockMaker(parts);
      this.#map = new MapMaker(parts);
      this.#sight = undefined;
      this.#history = new EditHistory();
    }
    this.#options.tell({ kind: "facts", facts }, []);
    if (this.#view !== undefined) this.#look(this.#view);
  }

  #look(view: View): void {
    this.#view = view;
    if (this.#facts === undefined) return;
    const sight = visibleChunks(view, this.#facts.shape);
    this.#sight = sight;
    this.#source?.look({ chunks: sight, center: view.eye, motion: view.motion });
    this.#source?.move(view.eye, view.facing);
    if (view.map === undefined) this.#meshBlocks?.setView(view);
    else this.#map?.setView(view);
    this.#wake();
  }

  #changed(boxes: readonly Box[]): void {
    this.#meshBlocks?.changed(boxes);
    this.#map?.changed(boxes);
    this.#options.tell({ kind: "changed", boxes: boxes.slice(0, 256) }, []);
    this.#wake();
  }

  #wake(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#options.soon(() => this.#work());
  }

  #work(): void {
    this.#isWorking = false;
    const maker = this.#view?.map === undefined ? this.#meshBlocks : this.#map;
    if (maker?.work(WORK_MS) === true) this.#wake();
  }

  #pick(from: ScenePoint, direction: ScenePoint): Hit | undefined {
    const slice = this.#view?.slice;
    if (slice === undefined) return undefined;
    const isFree = (...point: [number, number, number]): boolean | undefined => {
      const block = this.#blockAt(voxelAt(slice, point));
      return block === undefined ? undefined : block === AIR;
    };
    const hit = castRay(from, direction, POINT_VOXELS, isFree);
    if (hit === undefined) return undefined;
    return hitOf(slice, hit.voxel, hit.before, hit.distance, (position) => this.#blockAt(position) ?? AIR);
  }

  async #edit(wanted: readonly VoxelPlacement[], isRemembered: boolean): Promise<void> {
    const changes = wanted.flatMap((placement) => {
      const old = this.#blockAt(placement.voxel);
      return old === undefined || old === placement.block ? [] : [{ placement, old }];
    });
    if (changes.length === 0) return;
    const placements = changes.map(({ placement }) => placement);
    const before = changes.map(({ placement, old }) => ({ voxel: placement.voxel, block: old }));
    const withdraw = isRemembered ? this.#history.remember(before) : () => undefined;
    const startMs = performance.now();
    const answer = await this.#source?.edit(placements);
    this.#roundTripMs = performance.now() - startMs;
    if (answer?.refusal === undefined) return;
    withdraw();
    this.#options.tell({ kind: "notice", text: `Taken back: ${answer.refusal}`, isBad: true }, []);
  }

  async #undo(): Promise<void> {
    const undo = this.#history.takeLast();
    if (undo === undefined) this.#options.tell({ kind: "notice", text: "Nothing to undo", isBad: false }, []);
    else await this.#edit(undo, false);
  }

  async #inspect(): Promise<void> {
    const box = this.#inspected();
    if (!this.#isInspecting || this.#isInspectionUnderWay || box === undefined) return;
    this.#isInspectionUnderWay = true;
    try {
      const notes = (await this.#source?.inspect(box)) ?? [];
      this.#options.tell({ kind: "regions", notes }, []);
    } finally {
      this.#isInspectionUnderWay = false;
    }
  }

  /** Returns the chunks near the visitor; frames further away would not be visible. */
  #inspected(): Box | undefined {
    const { shape } = this.#facts ?? {};
    const view = this.#view;
    if (shape === undefined || view === undefined || this.#sight === undefined) return undefined;
    const near = (axis: Axis, side: number): number =>
      Math.floor((view.eye[axis] + side * INSPECT_VOXELS) / shape.extents[axis]);
    const box = {
      min: positionFrom((axis) => near(axis, -1)),
      max: positionFrom((axis) => near(axis, 1) + 1),
    };
    return intersectBoxes(this.#sight, box);
  }

  #tellNumbers(): void {
    if (this.#source === undefined || this.#meshBlocks === undefined) return;
    const numbers = {
      ...this.#source.numbers(),
      ...this.#meshBlocks.numbers,
      roundTripMs: this.#roundTripMs,
    };
    this.#options.tell({ kind: "numbers", numbers }, []);
    void this.#inspect();
  }

  #blockAt(position: Position): number | undefined {
    const shape = this.#facts?.shape;
    if (shape === undefined) return undefined;
    const chunk: Chunk | undefined = this.#source?.chunkAt(chunkOfVoxel(shape, position));
    return chunk?.get(voxelIndex(shape, ...position));
  }
}

function hitOf(
  slice: Slice,
  voxel: ScenePoint,
  before: ScenePoint,
  distance: number,
  blockAt: (position: Position) => number,
): Hit {
  const position = voxelAt(slice, voxel);
  return { voxel: position, before: voxelAt(slice, before), block: blockAt(position), distance };
}

/** Whether the drawn mesh blocks of one world are also valid for the other. */
function sameWorld(a: WorldFacts, b: WorldFacts): boolean {
  return (
    a.name === b.name &&
    AXES.every((axis) => a.shape.extents[axis] === b.shape.extents[axis]) &&
    JSON.stringify(a.blocks) === JSON.stringify(b.blocks)
  );
}
