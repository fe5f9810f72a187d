import {
  BoxGeometry,
  EdgesGeometry,
  Group,
  LinearSRGBColorSpace,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import type { ScenePoint } from "../slice/slice.ts";
import { LayerStack } from "./layer-stack.ts";
import { skyMaterial } from "./voxel-materials.ts";

const FIELD_OF_VIEW_DEGREES = 62;
const PIXEL_RATIO_MAX = 2;
/** Near and far plane of the camera, in voxels. */
const NEAR = 0.1;
const FAR = 4_000;
/** Fog begins and ends at these shares of the reach, so that it hides the last mesh blocks. */
const FOG_FROM = 0.45;
const FOG_TO = 0.86;

/** The three.js scene: the slices, the sky, and marks that other modules add. */
export class Stage {
  readonly layers: LayerStack;
  /** Objects that other modules add to the scene. */
  readonly marks: Group = new Group();
  readonly camera: PerspectiveCamera = new PerspectiveCamera(FIELD_OF_VIEW_DEGREES, 1, NEAR, FAR);
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #cursor: LineSegments;

  /** Throws when the browser cannot draw. */
  constructor(canvas: HTMLCanvasElement, isCalm: () => boolean) {
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    // The shaders write colours as screens expect them.
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    this.#renderer.info.autoReset = true;
    const slices = new Group();
    this.layers = new LayerStack(slices, isCalm);
    const sky = new Mesh(new BoxGeometry(2, 2, 2), skyMaterial());
    sky.frustumCulled = false;
    sky.renderOrder = -1;
    this.#cursor = cursorLines();
    this.#scene.add(sky, slices, this.marks, this.#cursor);
    this.camera.rotation.order = "YXZ";
  }

  /** Moves the camera; angles in radians, 0 looks to the back of the scene. */
  place(eye: ScenePoint, yaw: number, pitch: number): void {
    this.camera.position.set(...eye);
    this.camera.rotation.set(pitch, yaw, 0);
    this.camera.updateMatrixWorld();
  }

  /** Sets the distance up to which mesh blocks are visible. */
  setReach(reach: number): void {
    this.layers.setFog(reach * FOG_FROM, reach * FOG_TO);
  }

  /** Marks a cube of `edge` voxels from a corner on; hides the mark when the corner is `undefined`. */
  mark(corner: ScenePoint | undefined, edge = 1): void {
    this.#cursor.visible = corner !== undefined;
    if (corner === undefined) return;
    this.#cursor.position.set(corner[0] + edge / 2, corner[1] + edge / 2, corner[2] + edge / 2);
    this.#cursor.scale.setScalar(edge + 0.01);
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

  /** Draws a frame at the current size of the canvas. */
  draw(): void {
    const { domElement } = this.#renderer;
    const { clientWidth, clientHeight } = domElement;
    if (clientWidth === 0 || clientHeight === 0) return;
    const ratio = Math.min(devicePixelRatio, PIXEL_RATIO_MAX);
    const isOtherSize =
      domElement.width !== Math.floor(clientWidth * ratio) ||
      domElement.height !== Math.floor(clientHeight * ratio);
    if (isOtherSize) {
      this.#renderer.setPixelRatio(ratio);
      this.#renderer.setSize(clientWidth, clientHeight, false);
      this.camera.aspect = clientWidth / clientHeight;
      this.camera.updateProjectionMatrix();
    }
    this.#renderer.render(this.#scene, this.camera);
  }

  /** Frees everything on the graphics card, and the drawing context: a browser has few of them. */
  dispose(): void {
    this.layers.clear();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  /** Counts of what the graphics card holds and draws. */
  get drawn(): { readonly geometries: number; readonly calls: number; readonly triangles: number } {
    const { memory, render } = this.#renderer.info;
    return { geometries: memory.geometries, calls: render.calls, triangles: render.triangles };
  }
}

function cursorLines(): LineSegments {
  const material = new LineBasicMaterial({ color: 0xff_ff_ff, transparent: true, opacity: 0.85 });
  const lines = new LineSegments(new EdgesGeometry(new BoxGeometry(1, 1, 1)), material);
  lines.renderOrder = 5;
  lines.visible = false;
  return lines;
}
