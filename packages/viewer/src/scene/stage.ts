import { Sky } from "@orthant/three";
import { fitRenderer } from "@orthant/three/page";
import { type MeshPool, meshPool } from "@orthant/worker-pool/browser";
import { Group, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import type { PageMessage } from "../message/messages.ts";
import type { WorldMirror } from "../mirror/world-mirror.ts";
import type { ScenePoint, Slice } from "../slice/slice.ts";
import { DrawnWorld } from "./drawn-world.ts";

const FIELD_OF_VIEW_DEGREES = 62;
/** Near and far plane of the camera, in voxels. */
const NEAR = 0.1;
const FAR = 4_000;
/** Each worker keeps chunks of its own. */
const WORKERS_MAX = 4;
/** Clouds are above everything that is generated. */
const CLOUDS_VOXELS = 160;
const CLOUDS_ABOVE_VOXELS = 64;
/** The time of day at first: the sun is up, and shadows still show the shape of the land. */
export const MORNING = 0.375;

/** The three.js scene: the world under its sky, and marks that other modules add. */
export class Stage {
  /** Objects that other modules add to the scene. */
  readonly marks: Group = new Group();
  readonly camera: PerspectiveCamera = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES, 1, NEAR, FAR);
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #pool: MeshPool;
  readonly #onFailure: (error: unknown) => void;
  #sky = new Sky({ time: MORNING, dayMinutes: Number.POSITIVE_INFINITY, lights: false });
  #world: DrawnWorld | undefined;

  /** `start` starts the viewer's worker program. Throws when the browser cannot draw. */
  constructor(canvas: HTMLCanvasElement, start: () => Worker, onFailure: (error: unknown) => void) {
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.#onFailure = onFailure;
    this.#pool = meshPool({
      workers: Math.max(1, Math.min(WORKERS_MAX, navigator.hardwareConcurrency - 1)),
      startWorker: () => {
        const worker = start();
        worker.postMessage({ kind: "serveMeshes" } satisfies PageMessage);
        return worker;
      },
    });
    this.#scene.add(this.#sky, this.marks);
    this.camera.rotation.order = "YXZ";
  }

  /** The world; `undefined` while there is none. */
  get world(): DrawnWorld | undefined {
    return this.#world;
  }

  get sky(): Sky {
    return this.#sky;
  }

  /** Shows a world, or none. */
  show(mirror: WorldMirror | undefined, slice: Slice): void {
    this.#world?.dispose();
    this.#world = undefined;
    if (mirror === undefined) return;
    const { time } = this.#sky;
    this.#sky.removeFromParent();
    this.#sky.dispose();
    const { skyAbove } = mirror.source;
    const clouds = skyAbove !== undefined && Math.max(CLOUDS_VOXELS, skyAbove + CLOUDS_ABOVE_VOXELS);
    this.#sky = new Sky({ time, dayMinutes: Number.POSITIVE_INFINITY, lights: false, clouds });
    const onFailure = this.#onFailure;
    this.#world = new DrawnWorld(mirror, { pool: this.#pool, sky: this.#sky, slice, onFailure });
    this.#scene.add(this.#sky, this.#world.group);
  }

  /** Moves the camera; angles in radians, 0 looks to the back of the scene. */
  place(eye: ScenePoint, yaw: number, pitch: number): void {
    this.camera.position.set(...eye);
    this.camera.rotation.set(pitch, yaw, 0);
    this.camera.updateMatrixWorld();
  }

  /** Returns the direction through a point of the canvas, from -1 to 1 on both axes, with y upwards. */
  direction(across: number, up: number): ScenePoint {
    const point = new Vector3(across, up, 0.5).unproject(this.camera).sub(this.camera.position).normalize();
    return [point.x, point.y, point.z];
  }

  /** Returns the canvas position of a point of the scene, in pixels; `undefined` if it is behind the eye. */
  project(point: ScenePoint): readonly [left: number, top: number] | undefined {
    const seen = new Vector3(...point).project(this.camera);
    if (seen.z > 1) return undefined;
    const { clientWidth, clientHeight } = this.#renderer.domElement;
    return [((seen.x + 1) / 2) * clientWidth, ((1 - seen.y) / 2) * clientHeight];
  }

  /** Draws a frame at the current size of the canvas, `seconds` after the last one. */
  draw(seconds: number): void {
    const { clientWidth, clientHeight } = this.#renderer.domElement;
    if (clientWidth === 0 || clientHeight === 0) return;
    fitRenderer(this.#renderer, this.camera);
    this.#sky.update(this.camera, seconds);
    this.#renderer.render(this.#scene, this.camera);
  }

  /** Frees everything on the graphics card, and the drawing context: a browser has few of them. Ends the workers. */
  dispose(): void {
    this.#world?.dispose();
    this.#sky.dispose();
    void this.#pool.close();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  /** Counts of the last frame. */
  get drawn(): { readonly calls: number; readonly triangles: number } {
    const { render } = this.#renderer.info;
    return { calls: render.calls, triangles: render.triangles };
  }
}
