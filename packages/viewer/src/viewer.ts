import type { Box, Vector } from "@orthant/core";
import { Camera, type Viewpoint } from "./controls/camera.ts";
import type { DrawnEntity, Hit, RegionInfo, View, WorkerMessage, WorldFacts } from "./message/messages.ts";
import { compassOn } from "./overlay/compass.ts";
import type { ViewerElements } from "./overlay/elements.ts";
import { labelsOn, sliceSlider } from "./overlay/panels.ts";
import { EntityView, type NameTag } from "./scene/entity-view.ts";
import { MapCanvas } from "./scene/map-canvas.ts";
import { RegionMarks } from "./scene/region-marks.ts";
import { Stage } from "./scene/stage.ts";
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
  /** The slice whose mesh blocks are all made. */
  #doneId = -1;

  /** Calls `onView` when the view changes. Throws when the browser cannot draw. */
  constructor(elements: ViewerElements, onView: (view: View) => void) {
    this.#onView = onView;
    this.#space = elements.find("space", HTMLCanvasElement);
    this.#mapView = elements.find("map", HTMLCanvasElement);
    this.#orbitButton = elements.find("toggle-orbit", HTMLElement);
    this.#showCompass = compassOn(elements);
    this.#showLabels = labelsOn(elements);
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.stage = new Stage(this.#space, () => calm.matches);
    this.map = new MapCanvas(this.#mapView);
    this.#showSlider = sliceSlider(
      elements,
      (at) => this.sliceAt(at),
      () => this.turn(),
    );
    this.stage.marks.add(this.#entityView.group, this.#marks.group);
    this.#space.addEventListener("webglcontextrestored", () => this.#redraw());
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
    return this.#doneId === this.#sliceId && !this.#isDirty && (this.#isMap || this.stage.layers.isSettled);
  }

  /** Number of frames drawn. */
  get frames(): number {
    return this.#frames;
  }

  /** The visitor's position in the world. */
  get position(): Vector {
    return toWorld(this.#slice, this.camera.position);
  }

  /** Requests another frame. */
  touch(): void {
    this.#isDirty = true;
  }

  /** Sets the world. The first time, moves the visitor to the link's position, or else to the spawn. */
  know(facts: WorldFacts, link: Viewpoint | undefined): void {
    const isFirst = this.#facts === undefined;
    this.#facts = facts;
    if (!isFirst) return;
    this.#reach = axesOf(facts.shape).length === 4 ? REACH.four : REACH.three;
    this.#hasGhosts = true;
    this.stage.setReach(this.#reach);
    if (link === undefined) this.#begin(facts);
    else this.goTo(link);
  }

  /** Forgets the world, before another one is shown. */
  leave(): void {
    this.#facts = undefined;
    this.#entities = [];
    this.#notes = [];
    this.#clocks = [];
    this.stage.layers.clear();
    this.map.clear();
    this.touch();
  }

  /** Moves the visitor to a viewpoint. */
  goTo({ eye: wanted, yaw, pitch, hidden, mapZoom }: Viewpoint): void {
    const { shape } = this.#facts ?? {};
    if (shape === undefined) return;
    const eye = nearestInside(shape, wanted);
    const isFour = axesOf(shape).length === 4;
    this.#setSlice(hidden !== undefined && isFour ? sliceHiding(hidden, eye) : firstSlice(shape, eye), eye);
    this.camera.yaw = yaw;
    this.camera.pitch = pitch;
    if (mapZoom !== undefined) this.map.zoom = mapZoom;
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
    this.stage.setReach(this.#reach);
    this.touch();
  }

  /** Shows or hides the neighbouring slices. */
  toggleGhosts(): void {
    this.#hasGhosts = !this.#hasGhosts;
    this.#newSlice();
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

  /** Marks the voxels that a click would change. */
  point(hit: Hit | undefined, edge: number, isBefore: boolean): void {
    const voxel = hit === undefined ? undefined : toScene(this.#slice, isBefore ? hit.before : hit.voxel);
    const shift = (edge - 1) / 2;
    this.stage.mark(
      voxel === undefined ? undefined : (voxel.map((at) => at - shift) as unknown as ScenePoint),
      edge,
    );
    this.touch();
  }

  /** Handles mesh blocks, tiles and progress from the worker. */
  take(
    message: Extract<WorkerMessage, { kind: "materials" | "meshBlock" | "drop" | "mapTile" | "progress" }>,
  ): void {
    if (message.kind === "materials") this.stage.layers.materials.set(message.materials);
    else if (message.kind === "mapTile") this.map.addTile(message);
    else if (message.kind === "progress") {
      if (message.isNearReady) this.stage.layers.ready(message.sliceId);
      this.#doneId = message.isDone ? message.sliceId : -1;
    } else this.stage.layers.take(message);
    this.touch();
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
    if (this.stage.layers.advance(nowMs, seconds)) this.touch();
    if (this.#marks.advance(seconds)) this.touch();
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#frames++;
    this.#draw();
  }

  #draw(): void {
    this.stage.place(this.camera.position, this.camera.yaw, this.camera.pitch);
    if (this.#isMap) this.#drawMap();
    else this.stage.draw();
    const names = this.#entityView.show(this.#entities, this.#slice);
    this.#showLabels([...this.#visibleTags(names, "label"), ...this.#visibleTags(this.#clocks, "clock")]);
    const { shape } = this.#facts ?? {};
    if (shape === undefined) return;
    this.#showCompass(this.#slice, axesOf(shape), this.position, (direction) => this.#onScreen(direction));
    this.#showSlider(this.#slice, canSweep(shape));
    // Turning the slice ends the orbit too.
    this.#orbitButton.setAttribute("aria-pressed", String(this.camera.isOrbiting));
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

  /** Restores the scene after the graphics card lost its content. */
  #redraw(): void {
    this.stage.layers.clear();
    this.#newSlice();
  }

  #newSlice(): void {
    this.#sliceId++;
    if (this.#isMap) this.map.clear();
    else this.stage.layers.show(this.#sliceId, this.#slice, performance.now());
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
      ghosts: this.#hasGhosts,
      map: this.#isMap ? this.map.window : undefined,
    };
    const text = JSON.stringify(view);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#sentMs = nowMs;
    this.#onView(view);
  }
}
