import { AIR, type Dimensions } from "@orthant/core";
import {
  checkedOptions,
  matching,
  requireFlag,
  requireFunction,
  upTo,
  wrongArgument,
} from "@orthant/core/arguments";
import type { RayOptions } from "@orthant/mesh";
import { defaultLooks, type LookPack } from "@orthant/mesh/looks";
import { type VolumeSlice, XYZ } from "@orthant/mesh/volume";
import { type MeshPool, meshPool } from "@orthant/worker-pool/browser";
import { Camera, Frustum, Group, Matrix4, type Vector2, Vector3 } from "three";
import type { MakeMaterial } from "../material/voxel-materials.ts";
import { LAMP_LIGHT } from "../sky/light-levels.ts";
import { type SkyUniforms, skyUniforms } from "../sky/sky-uniforms.ts";
import { Drawing, type DrawingOptions } from "./drawing.ts";
import { DrawnSections, quadsIn } from "./drawn-sections.ts";
import { type Picked, type PickRay, pickIn } from "./pick.ts";
import type { Section } from "./section.ts";
import { SectionGrid, type ViewPoint } from "./section-grid.ts";
import { Sections } from "./sections.ts";
import { blockIn, feedOf, type ViewedWorld, type WorldFeed } from "./world-feed.ts";

/** What a view needs of a `Sky`. */
export interface ViewSky {
  readonly uniforms: SkyUniforms;
  /** The view says whether the eyes are under water. */
  isUnderWater?: boolean;
}

/** Options of a view. */
export interface WorldViewOptions {
  /** How blocks are drawn. Default: `defaultLooks()`. */
  readonly looks?: LookPack;
  /** How far one sees, in voxels. Default: 128. */
  readonly viewDistance?: number;
  /** How far the darkest place is brightened, from 0 to 1. Default: 0.3. */
  readonly brightness?: number;
  /** What lights the world, and what it fades into. Default: noon on a clear day. */
  readonly sky?: ViewSky;
  /** Whether light of the sky and of lamps is computed. Default: in worlds with a sky; others are evenly lit. */
  readonly isLit?: boolean;
  /** The three axes that are shown, and where; for worlds of four dimensions. Default: x, y and z, at w = 0. */
  readonly slice?: VolumeSlice;
  /** The workers. Default: a pool of the view's own. */
  readonly pool?: MeshPool;
  /** Makes materials of your own. */
  readonly material?: MakeMaterial;
  /** Whether the interest of a client follows the camera. Default: true. */
  readonly followsCamera?: boolean;
  /** Bytes of meshes that one picture may bring to the graphics card; a slow one more. Default: 4 MiB. */
  readonly uploadBytes?: number;
  /** Most bytes of all meshes. Beyond that, the farthest are left out, and fog is nearer. Default: 96 MiB. */
  readonly meshBytes?: number;
  /** Milliseconds that one picture may spend on new meshes; a slow one more. Default: 3. */
  readonly uploadMs?: number;
  /** Called when a section cannot be meshed or read. Default: it is an unhandled rejection. */
  readonly onFailure?: (error: unknown) => void;
}

/** What a view has and does. */
export interface WorldViewStats {
  /** Sections in sight, and those of them with something to draw: up to four draw calls each. */
  readonly sections: number;
  readonly drawnSections: number;
  /** Sections that wait for chunks, for workers, or for their turn to come into the picture. */
  readonly pendingSections: number;
  /** How far one sees, in voxels: less than the view distance where meshes would take more than `meshBytes`. */
  readonly reach: number;
  readonly triangles: number;
  /** Of meshes on the graphics card. */
  readonly bytes: number;
  /** Of meshes that the last picture brought there. */
  readonly uploadedBytes: number;
  /** Time of the last `update`. */
  readonly updateMs: number;
}

/** A slice of a world, with its meshes. */
interface SliceSections {
  readonly grid: SectionGrid;
  readonly drawn: DrawnSections;
  readonly sections: Sections;
}

const VIEW_DISTANCE = 128;
const VIEW_DISTANCE_MAX = 1_024;
const BRIGHTNESS = 0.3;
const UPLOAD_BYTES = 4 * 1024 * 1024;
const UPLOAD_MS = 3;
const MESH_BYTES = 96 * 1024 * 1024;
/** Shares of the view distance at which fog begins and ends. */
const FOG_FROM = 0.55;
const FOG_TO = 0.95;
/** Light of the darkest place, by brightness. */
const DARKEST = 0.02;
const DARKEST_MORE = 0.08;
/** Jobs are sorted again when the camera has moved or turned by this much, in voxels and radians. */
const SORT_VOXELS = 6;
const SORT_RADIANS = 0.2;
/** Longest wait for what is near in another slice before it is shown as far as it is there. */
const SLICE_WAIT_MS = 700;

const viewOptions = {
  looks: matching<LookPack>("it is what defaultLooks or parseLooks returns", isObject),
  viewDistance: upTo(VIEW_DISTANCE_MAX),
  brightness: upTo(1),
  sky: matching<ViewSky>("it is a Sky", (value) => isObject(value) && "uniforms" in value),
  isLit: requireFlag,
  slice: matching<VolumeSlice>("it is { right: 0, up: 1, back: 2, hidden: 3, at: 0 }", isSlice),
  pool: matching<MeshPool>("it is what meshPool returns", (value) => isObject(value) && "openScene" in value),
  material: requireFunction<MakeMaterial> as (name: string, value: unknown) => MakeMaterial,
  followsCamera: requireFlag,
  uploadBytes: upTo(Number.POSITIVE_INFINITY),
  uploadMs: upTo(Number.POSITIVE_INFINITY),
  meshBytes: upTo(Number.POSITIVE_INFINITY),
  onFailure: requireFunction as (name: string, value: unknown) => (error: unknown) => void,
};

/**
 * A world in a scene. Add it to the scene, and call `update` before each picture: it keeps the meshes around the camera up to
 * date, which workers build with their light.
 *
 * @example
 * const view = new WorldView(world, { viewDistance: 192 });
 * scene.add(view);
 * renderer.setAnimationLoop(() => {
 *   view.update(camera);
 *   renderer.render(scene, camera);
 * });
 */
export class WorldView<D extends Dimensions = Dimensions> extends Group {
  /** What the shaders of all its materials read. */
  readonly uniforms: DrawingOptions["light"];
  readonly #feed: WorldFeed;
  readonly #options: WorldViewOptions;
  readonly #pool: MeshPool;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #frustum = new Frustum();
  #looks: LookPack;
  #drawing: Drawing;
  #shown: SliceSections;
  /** The slice before, which stays in the picture until the one that is shown is there. */
  #leaving: SliceSections | undefined;
  #leftMs = 0;
  #viewDistance: number;
  #brightness = 0;
  #followed = "";
  #sortedAt = new Vector3(Number.NaN);
  #sortedTowards = new Vector3();
  #updateMs = 0;
  #isDisposed = false;

  constructor(world: ViewedWorld<D>, options: WorldViewOptions = {}) {
    super();
    if (!isObject(world)) throw wrongArgument("world", world, "it is what connect or openWorld returns");
    const own = checkedOptions("the options", options, viewOptions);
    this.name = "WorldView";
    this.#options = own;
    this.#feed = feedOf(world);
    this.#pool = own.pool ?? meshPool();
    this.uniforms = {
      ...(own.sky?.uniforms ?? skyUniforms()),
      lampLight: { value: LAMP_LIGHT.clone() },
      darkest: { value: 0 },
    };
    this.#viewDistance = own.viewDistance ?? VIEW_DISTANCE;
    this.brightness = own.brightness ?? BRIGHTNESS;
    this.#looks = own.looks ?? defaultLooks();
    this.#drawing = this.#newDrawing();
    this.#shown = this.#sliceSections(own.slice ?? XYZ, this);
    this.#unsubscribe = [
      this.#feed.onChange((boxes, isOwn) => this.#shown.sections.changed(boxes, isOwn === true)),
      this.#feed.onBlocks(() => this.#redraw()),
    ];
  }

  /** How far one sees, in voxels. */
  get viewDistance(): number {
    return this.#viewDistance;
  }

  set viewDistance(distance: number) {
    this.#viewDistance = viewOptions.viewDistance("viewDistance", distance);
  }

  /** How far the darkest place is brightened, from 0 to 1. */
  get brightness(): number {
    return this.#brightness;
  }

  set brightness(brightness: number) {
    this.#brightness = viewOptions.brightness("brightness", brightness);
    this.uniforms.darkest.value = DARKEST + DARKEST_MORE * brightness;
  }

  /** The axes that are shown, and where. The slice before stays in the picture until another one is there. */
  get slice(): VolumeSlice {
    return this.#shown.grid.slice;
  }

  set slice(slice: VolumeSlice) {
    const before = this.#shown;
    const checked = viewOptions.slice("slice", slice);
    if (this.#leaving !== undefined || before.sections.size === 0) before.sections.clear();
    else {
      this.#leaving = before;
      this.#leftMs = performance.now();
      before.sections.rest();
    }
    this.#shown = this.#sliceSections(checked, this.#leaving === undefined ? this : new Group());
  }

  /** How blocks are drawn. What is drawn stays until other looks are there. */
  get looks(): LookPack {
    return this.#looks;
  }

  set looks(looks: LookPack) {
    this.#looks = viewOptions.looks("looks", looks);
    this.#redraw();
  }

  /** Whether everything in sight is in the picture. */
  get isComplete(): boolean {
    return this.#shown.sections.size > 0 && this.#leaving === undefined && this.stats.pendingSections === 0;
  }

  /** What the view has and does. */
  get stats(): WorldViewStats {
    const { sections, drawn } = this.#shown;
    const bytes = drawn.bytes + (this.#leaving?.drawn.bytes ?? 0);
    return {
      sections: sections.size,
      drawnSections: drawn.count,
      pendingSections: sections.pending + drawn.arriving,
      reach: sections.reach,
      triangles: quadsIn(bytes) * 2,
      bytes,
      uploadedBytes: drawn.uploadedBytes,
      updateMs: this.#updateMs,
    };
  }

  /** Follows the camera, and brings meshes that are finished into the picture. Call it before each picture. */
  update(camera: Camera): void {
    if (!(camera instanceof Camera)) throw wrongArgument("camera", camera, "it is a camera of three.js");
    if (this.#isDisposed) return;
    const start = performance.now();
    camera.updateWorldMatrix(true, false);
    this.updateWorldMatrix(true, false);
    const eye = this.#toLocal(camera.getWorldPosition(new Vector3()));
    const { grid, sections, drawn } = this.#shown;
    this.#look(camera);
    sections.move(eye, this.#viewDistance);
    if (this.#options.followsCamera !== false) this.#follow(eye);
    this.#sortJobs(camera, eye);
    const { uploadBytes = UPLOAD_BYTES, uploadMs = UPLOAD_MS } = this.#options;
    const distanceOf = ({ cell }: Section): number => grid.distanceTo(cell, eye);
    drawn.upload({ bytes: uploadBytes, milliseconds: uploadMs }, distanceOf);
    sections.keepBudget();
    drawn.sort(eye, distanceOf);
    this.#changeSlices();
    this.#setAir(eye);
    this.#updateMs = performance.now() - start;
  }

  /**
   * Returns what a ray hits: the first block that stops it within `distance`, by default 8 voxels. Unless `stopsAt` says
   * otherwise, air and liquids do not. The ray is that of a raycaster, or goes from a camera through a point of the picture,
   * from -1 to 1 to the right and up.
   *
   * @example
   * const target = view.pick({ camera, point: { x: 0, y: 0 } });
   * if (target) world.set(target.adjacent, world.blocks.id("brick"));
   */
  pick(ray: PickRay, distance = 8, options: RayOptions = {}): Picked<D> | undefined {
    this.updateWorldMatrix(true, false);
    const { looks } = this.#drawing;
    const stopsAt = (block: number): boolean => block !== AIR && !looks.lookOf(block).isLiquid;
    return pickIn(this.#feed, this.#shown.grid, this.matrixWorld, ray, distance, { stopsAt, ...options });
  }

  /** Frees everything on the graphics card and in workers. The world stays open. */
  override dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#shown.sections.clear();
    this.#leaving?.sections.clear();
    this.#drawing.close();
    if (this.#options.pool === undefined) void this.#pool.close();
    this.removeFromParent();
    // Before 0.187, objects of three.js have nothing to free.
    super.dispose?.();
  }

  #newDrawing(): Drawing {
    const { material: make } = this.#options;
    const { source } = this.#feed;
    const { uniforms: light } = this;
    const options = { pool: this.#pool, source, pack: this.#looks, make, isLit: this.#isLit, light };
    return new Drawing(options, this.#feed.blocks());
  }

  get #isLit(): boolean {
    return this.#options.isLit ?? this.#feed.source.skyAbove !== undefined;
  }

  #sliceSections(slice: VolumeSlice, group: Group): SliceSections {
    const grid = new SectionGrid(this.#feed.shape, slice, this.#isLit);
    const drawn = new DrawnSections(group);
    const sections = new Sections(grid, this.#drawing, {
      feed: this.#feed,
      drawn,
      meshBytes: this.#options.meshBytes ?? MESH_BYTES,
      onFailure: this.#options.onFailure ?? ((error) => void Promise.reject(error)),
      isSeen: ({ box }) => this.#frustum.intersectsBox(box),
    });
    return { grid, drawn, sections };
  }

  /** Shows another slice as soon as what is near is there. */
  #changeSlices(): void {
    if (this.#leaving === undefined) return;
    const isLate = performance.now() - this.#leftMs > SLICE_WAIT_MS;
    if (!isLate && !this.#shown.sections.isNearDrawn) return;
    this.#leaving.sections.clear();
    this.#leaving = undefined;
    this.#shown.drawn.moveTo(this);
  }

  #redraw(): void {
    const before = this.#drawing;
    this.#drawing = this.#newDrawing();
    this.#shown.sections.redraw(this.#drawing);
    before.close();
  }

  #toLocal(point: Vector3): ViewPoint {
    const { x, y, z } = this.worldToLocal(point);
    return [x, y, z];
  }

  #look(camera: Camera): void {
    const matrix = new Matrix4().copy(camera.matrixWorld).invert();
    matrix.premultiply(camera.projectionMatrix).multiply(this.matrixWorld);
    this.#frustum.setFromProjectionMatrix(matrix, camera.coordinateSystem, camera.reversedDepth);
  }

  #follow(eye: ViewPoint): void {
    const { grid } = this.#shown;
    const chunks = grid.chunksWithin(eye, this.#viewDistance);
    const key = `${chunks.min} ${chunks.max} ${grid.cellOf(eye)}`;
    if (key === this.#followed) return;
    this.#followed = key;
    this.#feed.follow(chunks, grid.pointAt(eye));
  }

  #sortJobs(camera: Camera, eye: ViewPoint): void {
    const at = new Vector3(...eye);
    const towards = camera.getWorldDirection(new Vector3());
    const isSame =
      at.distanceTo(this.#sortedAt) < SORT_VOXELS && towards.angleTo(this.#sortedTowards) < SORT_RADIANS;
    if (isSame || this.#shown.sections.pending === 0) return;
    this.#sortedAt = at;
    this.#sortedTowards = towards;
    this.#pool.sort();
  }

  #setAir(eye: ViewPoint): void {
    const { fog, time, underWater } = this.uniforms;
    const { grid, sections } = this.#shown;
    // Shaders know distances in the scene, in which the view may be scaled.
    const reach = sections.reach * this.matrixWorld.getMaxScaleOnAxis();
    (fog.value as Vector2).set(reach * FOG_FROM, reach * FOG_TO);
    const block = blockIn(this.#feed, grid.voxelAt(eye));
    const isUnderWater = block !== undefined && this.#drawing.looks.lookOf(block).isLiquid;
    underWater.value = Number(isUnderWater);
    const { sky } = this.#options;
    if (sky === undefined) time.value = performance.now() / 1_000;
    else sky.isUnderWater = isUnderWater;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isSlice(value: unknown): boolean {
  const { right, up, back, hidden, at } = (isObject(value) ? value : {}) as Partial<VolumeSlice>;
  return String([right, up, back, hidden].sort()) === "0,1,2,3" && Number.isSafeInteger(at);
}
