import type { Box, Vector } from "@orthant/core";
import { defaultLooks, joinLooks, type LookPack } from "@orthant/mesh/looks";
import { Camera, type Viewpoint } from "./controls/camera.ts";
import { lookKey } from "./message/look-key.ts";
import type { DrawnEntity, Hit, RegionInfo, View, WorkerMessage, WorldFacts } from "./message/messages.ts";
import { WorldMirror } from "./mirror/world-mirror.ts";
import { compassOn } from "./overlay/compass.ts";
import type { ViewerElements } from "./overlay/elements.ts";
import { labelsOn, type PageNumbers, sliceSlider } from "./overlay/panels.ts";
import { EntityView, type NameTag } from "./scene/entity-view.ts";
import { MapCanvas } from "./scene/map-canvas.ts";
import { PointerMarks } from "./scene/pointer-marks.ts";
import { RegionMarks } from "./scene/region-marks.ts";
import { MORNING, Stage } from "./scene/stage.ts";
import {
  axesOf,
  canSweep,
  directionToWorld,
  firstSlice,
  isFlat,
  mapPlane,
  nearestInside,
  type ScenePoint,
  type Slice,
  sliceHiding,
  toScene,
  toWorld,
  turned,
} from "./slice/slice.ts";
import { visibleChunks } from "./worker/visible-chunks.ts";

const REACH = { three: 176, four: 104, map: 80 } as const;
const REACH_MIN = 48;
const REACH_MAX = 320;
const REACH_STEP = 16;
/** Minimum interval between messages to the worker about the visitor's position. */
const VIEW_MS = 80;
/** Initial viewpoint: a few voxels above and behind the spawn. */
const BEGIN_UP = 7;
const BEGIN_BACK = 16;
const BEGIN_PITCH = -0.3;
const FRAME_SECONDS_MAX = 0.1;
/** Shortest time between two frames: screens may ask for more than anybody sees. */
const FRAME_MS = 1000 / 61;
/** Frames for each that shows only what has arrived: a slow graphics card must not hold up the rest. */
const NEWS_FRAMES = 4;
/** Times of day that a key goes through: morning, noon, dusk, night. */
const TIMES: readonly number[] = [MORNING, 0.5, 0.74, 0];

const NOTHING_DRAWN = { bytes: 0, drawnSections: 0, pendingSections: 0 } as const;

/** What a viewer needs of the page. */
interface ViewerEvents {
  /** Called when the view changes. */
  readonly onView: (view: View) => void;
  /** Starts the viewer's worker program. */
  readonly worker: () => Worker;
  /** Called when a part of the world cannot be drawn. */
  readonly onFailure: (error: unknown) => void;
}

/** The view of a world, in 3D or as a map, and the visitor's position in it. */
export class Viewer {
  readonly camera: Camera = new Camera();
  readonly stage: Stage;
  readonly map: MapCanvas;
  readonly #onView: (view: View) => void;
  readonly #space: HTMLCanvasElement;
  readonly #mapView: HTMLCanvasElement;
  readonly #orbitButton: HTMLElement;
  readonly #showCompass: ReturnType<typeof compassOn>;
  readonly #showSlider: ReturnType<typeof sliceSlider>;
  readonly #showLabels: ReturnType<typeof labelsOn>;
  readonly #entityView = new EntityView();
  readonly #marks = new RegionMarks();
  readonly #pointer = new PointerMarks();
  #mirror: WorldMirror | undefined;
  #looks: LookPack | undefined;
  #facts: WorldFacts | undefined;
  #slice: Slice = sliceHiding(3, [0, 0, 0, 0]);
  #sliceId = 0;
  #isMap = false;
  #reach: number = REACH.three;
  #hasGhosts = true;
  #hasRegions = false;
  #entities: readonly DrawnEntity[] = [];
  #notes: readonly RegionInfo[] = [];
  #clocks: readonly NameTag[] = [];
  #isDirty = true;
  #sentMs = 0;
  #sent = "";
  #lastEye: Vector = [0, 0, 0, 0];
  #motion: Vector = [0, 0, 0, 0];
  #frames = 0;
  #drawnMs = 0;
  /** Time that the last frame took the graphics card; `undefined` until the next one begins. */
  #frameMs: number | undefined;
  /** Whether meshes have arrived that are not drawn. */
  #hasNews = false;
  /** The map of which all tiles are made. */
  #doneId = -1;

  /** Throws when the browser cannot draw. */
  constructor(elements: ViewerElements, { onView, worker, onFailure }: ViewerEvents) {
    this.#onView = onView;
    this.#space = elements.find("space", HTMLCanvasElement);
    this.#mapView = elements.find("map", HTMLCanvasElement);
    this.#orbitButton = elements.find("toggle-orbit", HTMLElement);
    this.#showCompass = compassOn(elements);
    this.#showLabels = labelsOn(elements);
    this.stage = new Stage(this.#space, worker, onFailure);
    this.map = new MapCanvas(this.#mapView);
    this.#showSlider = sliceSlider(
      elements,
      (at) => this.sliceAt(at),
      () => this.turn(),
    );
    this.stage.marks.add(this.#entityView.group, this.#marks.group, this.#pointer.group);
    this.#space.addEventListener("webglcontextrestored", () => this.#show());
  }

  get facts(): WorldFacts | undefined {
    return this.#facts;
  }

  get slice(): Slice {
    return this.#slice;
  }

  get isMap(): boolean {
    return this.#isMap;
  }

  /** Whether regions and their clocks are shown. */
  get hasRegions(): boolean {
    return this.#hasRegions;
  }

  /** Whether everything in reach is drawn, and nothing moves. */
  get isSettled(): boolean {
    if (this.#isDirty || this.#hasNews || this.#facts === undefined) return false;
    return this.#isMap ? this.#doneId === this.#sliceId : this.stage.world?.isSettled === true;
  }

  /** Counters of what is drawn. */
  get numbers(): PageNumbers {
    const { bytes, drawnSections, pendingSections } = this.stage.world?.stats ?? NOTHING_DRAWN;
    return {
      meshBytes: bytes,
      sections: drawnSections,
      waiting: pendingSections,
      ...this.stage.drawn,
      pictures: this.#frames,
    };
  }

  /** Number of frames drawn. */
  get frames(): number {
    return this.#frames;
  }

  /** The visitor's position in the world. */
  get position(): Vector {
    return toWorld(this.#slice, this.camera.position);
  }

  /** Called when another part of the world is seen: another slice, or the map. */
  onSlice: () => void = () => undefined;
  /** Called after each frame, to move what lies over it. */
  onFrame: () => void = () => undefined;

  /** Returns where a point of the world is on the page, in pixels; `undefined` behind the visitor. */
  project(point: Vector): readonly [left: number, top: number] | undefined {
    if (!this.#isMap) return this.stage.project(toScene(this.#slice, point));
    const { shape } = this.#facts ?? {};
    if (shape === undefined) return undefined;
    const { across, down } = mapPlane(shape, this.#slice);
    return this.map.pixelAt(point[across], point[down]);
  }

  /** Requests another frame. */
  touch(): void {
    this.#isDirty = true;
  }

  /** Sets the world. The first time, moves the visitor to the link's position, or else to the spawn. */
  know(facts: WorldFacts, link: Viewpoint | undefined): void {
    const isFirst = this.#facts === undefined;
    this.#facts = facts;
    this.#mirror?.know(facts);
    if (!isFirst) return;
    this.#reach = axesOf(facts.shape).length === 4 ? REACH.four : REACH.three;
    this.#hasGhosts = true;
    this.#mirror = new WorldMirror(facts);
    this.#looks = undefined;
    this.#show();
    if (link === undefined) this.#begin(facts);
    else this.goTo(link);
  }

  /** Forgets the world, before another one is shown. */
  leave(): void {
    this.#facts = undefined;
    this.#entities = [];
    this.#notes = [];
    this.#clocks = [];
    this.#mirror = undefined;
    this.#show();
    this.map.clear();
    this.touch();
  }

  /** Moves the visitor to a viewpoint. */
  goTo({ eye: wanted, yaw, pitch, hidden, mapZoom, time }: Viewpoint): void {
    const { shape } = this.#facts ?? {};
    if (shape === undefined) return;
    const eye = nearestInside(shape, wanted);
    const isFour = axesOf(shape).length === 4;
    this.#setSlice(hidden !== undefined && isFour ? sliceHiding(hidden, eye) : firstSlice(shape, eye), eye);
    this.camera.yaw = yaw;
    this.camera.pitch = pitch;
    if (mapZoom !== undefined) this.map.zoom = mapZoom;
    if (time !== undefined) this.time = time;
    this.showMap(isFlat(shape) || mapZoom !== undefined);
  }

  /** The current viewpoint, for a link. */
  get link(): Viewpoint {
    const isFour = this.#facts !== undefined && axesOf(this.#facts.shape).length === 4;
    return {
      eye: this.position,
      yaw: this.camera.yaw,
      pitch: this.camera.pitch,
      hidden: isFour ? this.#slice.hidden : undefined,
      mapZoom: this.#isMap ? this.map.zoom : undefined,
      time: this.time === MORNING ? undefined : this.time,
    };
  }

  /** Switches between the map and the 3D view; a world with two axes has only a map. */
  showMap(isMap: boolean): void {
    const { shape } = this.#facts ?? {};
    this.#isMap = isMap || (shape !== undefined && isFlat(shape));
    this.#space.hidden = this.#isMap;
    this.#mapView.hidden = !this.#isMap;
    this.#newSlice();
  }

  /** Hides another axis. */
  turn(): void {
    if (this.#facts === undefined || !canSweep(this.#facts.shape)) return;
    const position = this.position;
    this.camera.fly();
    this.#setSlice(turned(this.#slice, position), position);
  }

  /** Moves the slice to a voxel coordinate on the hidden axis. */
  sliceAt(at: number): void {
    if (this.#facts === undefined || !canSweep(this.#facts.shape) || at === this.#slice.at) return;
    this.#slice = { ...this.#slice, at };
    this.#newSlice();
  }

  /** Increases the view distance by `steps`, or decreases it. */
  seeFurther(steps: number): void {
    this.#reach = Math.max(REACH_MIN, Math.min(REACH_MAX, this.#reach + steps * REACH_STEP));
    this.touch();
  }

  /** Shows or hides the neighbouring slices. */
  toggleGhosts(): void {
    this.#hasGhosts = !this.#hasGhosts;
    if (this.stage.world !== undefined) this.stage.world.hasGhosts = this.#hasGhosts;
    this.touch();
  }

  /** The time of day, from 0 at midnight to 1. */
  get time(): number {
    return this.stage.sky.time;
  }

  set time(time: number) {
    this.stage.sky.time = time;
    this.touch();
  }

  /** Goes on to the next of a few times of day. */
  nextTime(): void {
    this.time = TIMES[(TIMES.indexOf(this.time) + 1) % TIMES.length] as number;
  }

  /** Draws the world with a resource pack. */
  wear({ textures, looks }: Extract<WorkerMessage, { kind: "looks" }>): void {
    this.#looks = joinLooks(defaultLooks(), {
      textures,
      lookOf: ({ name }, properties) => looks.get(lookKey(name, properties)),
    });
    if (this.stage.world !== undefined) this.stage.world.looks = this.#looks;
    this.#pointer.know(this.#mirror, this.stage.sky, this.#looks);
    this.touch();
  }

  /** Shows or hides regions. */
  showRegions(isOn: boolean): void {
    this.#hasRegions = isOn;
    if (!isOn) {
      this.#marks.hide();
      this.#clocks = [];
    }
    this.touch();
  }

  /** Marks the voxels that a click would change, and the block that it would place, if any. */
  point(hit: Hit | undefined, edge: number, placed: number | undefined): void {
    const at = (position: Hit["voxel"]): ScenePoint => toScene(this.#slice, position);
    this.#pointer.show(
      hit && { block: hit.block, voxel: at(hit.voxel), before: at(hit.before), edge, placed },
    );
    this.touch();
  }

  /** Handles chunks, tiles and progress from the worker. */
  take(message: Extract<WorkerMessage, { kind: "chunks" | "forget" | "mapTile" | "progress" }>): void {
    if (message.kind === "mapTile") this.map.addTile(message);
    else if (message.kind === "progress") this.#doneId = message.isDone ? message.sliceId : -1;
    else this.#mirror?.take(message);
    if (this.#isMap) this.touch();
  }

  /** Updates the other players. */
  setEntities(entities: readonly DrawnEntity[]): void {
    this.#entities = entities;
    this.touch();
  }

  /** Updates the notes on regions. */
  note(notes: readonly RegionInfo[]): void {
    this.#notes = notes;
    if (this.#facts !== undefined && this.#hasRegions) {
      this.#clocks = this.#marks.show(notes, this.#facts.shape, this.#slice, this.camera.position);
      this.touch();
    }
  }

  /** Flashes boxes of chunks that changed. */
  flash(boxes: readonly Box[]): void {
    if (this.#facts !== undefined && this.#hasRegions)
      this.#marks.flash(boxes, this.#facts.shape, this.#slice);
  }

  /** Moves the map by pixels. */
  pan(right: number, down: number): void {
    if (this.#facts === undefined) return;
    const plane = mapPlane(this.#facts.shape, this.#slice);
    const scale = devicePixelRatio / this.map.zoom;
    const position = [...this.position] as [number, number, number, number];
    position[plane.across] -= right * scale;
    position[plane.down] -= down * scale * (plane.isUpright ? -1 : 1);
    this.camera.position = toScene(this.#slice, position);
    this.touch();
  }

  /** Advances all animation by a frame, and draws if anything changed. */
  advance(nowMs: number, secondsGone: number): void {
    const seconds = Math.min(secondsGone, FRAME_SECONDS_MAX);
    const position = this.position;
    if (seconds > 0) {
      const speed = (axis: 0 | 1 | 2 | 3): number => (position[axis] - this.#lastEye[axis]) / seconds;
      this.#motion = [speed(0), speed(1), speed(2), speed(3)];
    }
    if (position.some((at, axis) => at !== this.#lastEye[axis as 0])) this.touch();
    this.#lastEye = position;
    this.#sendView(nowMs);
    this.stage.place(this.camera.position, this.camera.yaw, this.camera.pitch);
    if (!this.#isMap && this.stage.world?.update(this.stage.camera) === true) this.#hasNews = true;
    if (this.#marks.advance(seconds)) this.touch();
    if (this.#isFrameDue(nowMs)) this.#drawFrame(nowMs);
  }

  /** Whether to draw: at once what the visitor does, and in a part of the time what arrives while they look. */
  #isFrameDue(nowMs: number): boolean {
    const sinceMs = nowMs - this.#drawnMs;
    this.#frameMs ??= sinceMs;
    if (this.#isDirty) return sinceMs >= FRAME_MS;
    return this.#hasNews && sinceMs >= this.#frameMs * NEWS_FRAMES;
  }

  #drawFrame(nowMs: number): void {
    this.#draw((nowMs - this.#drawnMs) / 1000);
    this.#isDirty = false;
    this.#hasNews = false;
    this.#frames++;
    this.#drawnMs = nowMs;
    this.#frameMs = undefined;
  }

  #draw(seconds: number): void {
    if (this.#isMap) this.#drawMap();
    else this.stage.draw(Math.min(seconds, FRAME_SECONDS_MAX));
    const names = this.#entityView.show(this.#entities, this.#slice);
    this.#showLabels([...this.#visibleTags(names, "label"), ...this.#visibleTags(this.#clocks, "clock")]);
    const { shape } = this.#facts ?? {};
    if (shape === undefined) return;
    this.#showCompass(this.#slice, axesOf(shape), this.position, (direction) => this.#onScreen(direction));
    this.#showSlider(this.#slice, canSweep(shape));
    // Turning the slice ends the orbit too.
    this.#orbitButton.setAttribute("aria-pressed", String(this.camera.isOrbiting));
    this.onFrame();
  }

  /** Converts a direction of the scene to one on the page: right, up, and towards the visitor. */
  #onScreen([right, up, back]: ScenePoint): ScenePoint {
    if (this.#isMap) {
      const isUpright = this.#facts !== undefined && mapPlane(this.#facts.shape, this.#slice).isUpright;
      return isUpright ? [right, up, back] : [right, -back, up];
    }
    const { elements } = this.stage.camera.matrixWorldInverse;
    const along = (row: 0 | 1 | 2): number =>
      (elements[row] as number) * right +
      (elements[row + 4] as number) * up +
      (elements[row + 8] as number) * back;
    return [along(0), along(1), along(2)];
  }

  #drawMap(): void {
    const { shape } = this.#facts ?? {};
    if (shape === undefined) return;
    const plane = mapPlane(shape, this.#slice);
    const position = this.position;
    this.map.centerOn([position[plane.across], position[plane.down]], plane.isUpright);
    this.map.draw();
  }

  #visibleTags(
    tags: readonly NameTag[],
    kind: "label" | "clock",
  ): { text: string; at: readonly [number, number]; kind: "label" | "clock" }[] {
    if (this.#isMap) return [];
    return tags.flatMap(({ text, point }) => {
      const at = this.stage.project(point);
      return at === undefined ? [] : [{ text, at, kind }];
    });
  }

  #begin({ shape, begin, isReturn }: WorldFacts): void {
    const [x, y, z, w] = nearestInside(shape, begin);
    const isThere = isReturn || isFlat(shape);
    const eye: Vector = isThere ? [x, y, z, w] : [x + 0.5, y + BEGIN_UP, z + BEGIN_BACK, w];
    this.#setSlice(firstSlice(shape, eye), eye);
    this.camera.yaw = 0;
    this.camera.pitch = BEGIN_PITCH;
    this.showMap(isFlat(shape));
  }

  #setSlice(slice: Slice, eye: Vector): void {
    this.#slice = slice;
    this.camera.position = toScene(slice, eye);
    this.#newSlice();
  }

  /** Shows the world from the beginning, such as after the graphics card lost its content. */
  #show(): void {
    this.stage.show(this.#mirror, this.#slice);
    const { world, sky } = this.stage;
    this.#pointer.know(this.#mirror, sky, this.#looks);
    if (world !== undefined) {
      world.hasGhosts = this.#hasGhosts;
      if (this.#looks !== undefined) world.looks = this.#looks;
    }
    this.touch();
  }

  #newSlice(): void {
    this.#sliceId++;
    this.onSlice();
    if (this.#isMap) this.map.clear();
    else if (this.stage.world !== undefined) this.stage.world.slice = this.#slice;
    this.#sentMs = 0;
    this.note(this.#notes);
    this.touch();
  }

  #sendView(nowMs: number): void {
    if (this.#facts === undefined || nowMs - this.#sentMs < VIEW_MS) return;
    const { shape } = this.#facts;
    const position = nearestInside(shape, this.position);
    if (this.#isMap) {
      const plane = mapPlane(shape, this.#slice);
      this.map.centerOn([position[plane.across], position[plane.down]], plane.isUpright);
    }
    const view: View = {
      sliceId: this.#sliceId,
      slice: this.#slice,
      eye: position,
      motion: this.#motion,
      facing: directionToWorld(this.#slice, this.camera.forward),
      reach: this.#isMap ? REACH.map : this.#reach,
      isLit: this.#mirror?.source.skyAbove !== undefined,
      map: this.#isMap ? this.map.window : undefined,
    };
    if (this.stage.world !== undefined) this.stage.world.reach = visibleChunks(view, shape).reach;
    const text = JSON.stringify(view);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#sentMs = nowMs;
    this.#onView(view);
  }
}
