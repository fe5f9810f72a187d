// Runs in a browser: a `WorldView` of a generated world, which the suite moves about in.
import { box, CUBE_CHUNKS, DEFAULT_BLOCKS, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { WorldView } from "@orthant/three";
import { meshPool } from "@orthant/worker-pool/browser";
import { createWorld, type World } from "@orthant/world";
import { PerspectiveCamera, Scene, WebGLRenderer } from "three";

/** What it took to have everything in the picture. */
export interface Completion {
  readonly ms: number;
  readonly triangles: number;
  readonly drawCalls: number;
  readonly bytes: number;
  /** Mean time of `update` and `render` on the page's own thread, once everything is there. */
  readonly frameMs: number;
}

/** What a flight took, on the page's own thread. */
export interface Flight {
  readonly frames: number;
  /** The most at any time. */
  readonly bytes: number;
  readonly triangles: number;
  readonly drawCalls: number;
  /** Times of `update` and of `render`, the mean and the longest. */
  readonly updateMs: number;
  readonly longestUpdateMs: number;
  readonly renderMs: number;
  readonly longestRenderMs: number;
}

/** The functions that the suite calls in the page. */
export interface WorldViewPage {
  /** Sets the size of pictures. Returns the name of the graphics card. */
  resize(width: number, height: number): string;
  complete(viewDistance: number): Promise<Completion>;
  /** Returns how many pictures after an edit it is in the picture. */
  edit(): Promise<number>;
  /** Builds a town where the flight goes. */
  build(): Promise<void>;
  /** Flies over land and the town, at the view distance of the last completion. */
  fly(seconds: number): Promise<Flight>;
  /** Goes far away and comes back. */
  visit(times: number): Promise<void>;
}

type Point = readonly [number, number, number];

declare const requestAnimationFrame: (callback: () => void) => void;
declare const document: {
  createElement(name: "canvas"): object;
  readonly body: { append(element: unknown): void };
};
declare const Worker: new (address: string, options: { readonly type: "module" }) => globalThis.Worker;

const FRAMES = 30;
const DRAW_MS = 1_000;
const FAR_VOXELS = 2_000;
const FLIGHT_VOXELS_A_SECOND = 20;
/** Houses of the town on each axis, and voxels from one to the next. */
const HOUSES = 12;
const HOUSE_STEP = 14;
const WIDTH = 320;
const HEIGHT = 180;

const canvas = document.createElement("canvas");
document.body.append(canvas);
const renderer = new WebGLRenderer({ canvas: canvas as never });
renderer.setSize(WIDTH, HEIGHT, false);
const scene = new Scene();
const camera = new PerspectiveCamera(72, WIDTH / HEIGHT, 0.05, 2_000);
camera.position.set(8, 45, 8);
camera.lookAt(60, 30, -80);
const pool = meshPool({ startWorker: () => new Worker("/worker.js", { type: "module" }) });
let world: World<3> | undefined;
let view: WorldView | undefined;
let edits = 0;

const nextFrame = (): Promise<void> => new Promise((resume) => requestAnimationFrame(() => resume()));

async function draw(): Promise<void> {
  await nextFrame();
  view?.update(camera);
  renderer.render(scene, camera);
}

/** Draws once in a while only: pictures by software would take the processors from the workers, as graphics cards do not. */
async function settled(): Promise<void> {
  let drawnAt = 0;
  do {
    await nextFrame();
    view?.update(camera);
    if (performance.now() - drawnAt < DRAW_MS) continue;
    renderer.render(scene, camera);
    drawnAt = performance.now();
  } while (view?.isComplete === false);
  await draw();
}

export const page: WorldViewPage = {
  resize(width, height) {
    renderer.setSize(width, height);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    const gl = renderer.getContext();
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    return String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  },

  async complete(viewDistance) {
    world ??= await createWorld(new MemoryDisk(), {
      dimensions: 3,
      chunkShape: CUBE_CHUNKS,
      generator: terrain({ seed: 7n }),
    });
    view?.dispose();
    const start = performance.now();
    view = new WorldView(world, { viewDistance, pool });
    scene.add(view);
    await settled();
    const ms = performance.now() - start;
    let busyMs = 0;
    for (let frame = 0; frame < FRAMES; frame++) {
      await nextFrame();
      const begin = performance.now();
      view.update(camera);
      renderer.render(scene, camera);
      busyMs += performance.now() - begin;
    }
    const { triangles, bytes } = view.stats;
    return { ms, triangles, drawCalls: renderer.info.render.calls, bytes, frameMs: busyMs / FRAMES };
  },

  async edit() {
    const before = view?.stats.triangles;
    await world?.set([8, 44, 8 - 2 * ++edits], DEFAULT_BLOCKS.id("brick"));
    for (let frames = 1; ; frames++) {
      await draw();
      if (view?.stats.triangles !== before) return frames;
    }
  },

  async build() {
    const blocks = DEFAULT_BLOCKS;
    const fill = (from: Point, to: Point, name: string): unknown =>
      world?.fill(box(from, to), blocks.id(name));
    for (let house = 0; house < HOUSES * HOUSES; house++) {
      const x = 200 + (house % HOUSES) * HOUSE_STEP;
      const z = (Math.floor(house / HOUSES) - HOUSES / 2) * HOUSE_STEP;
      await fill([x, 0, z], [x + 10, 36, z + 10], "stone");
      await fill([x, 36, z], [x + 10, 42, z + 10], "brick");
      await fill([x + 1, 36, z + 1], [x + 9, 41, z + 9], "air");
      await fill([x + 3, 38, z], [x + 7, 40, z + 10], "glass");
      await fill([x + 4, 36, z + 4], [x + 5, 37, z + 5], "lamp");
      for (let step = 0; step < 5; step++)
        await fill([x + step, 42 + step, z], [x + 10 - step, 43 + step, z + 10], "wood");
    }
  },

  async fly(seconds) {
    const { x } = camera.position;
    const found = { frames: 0, bytes: 0, triangles: 0, drawCalls: 0, longestUpdateMs: 0, longestRenderMs: 0 };
    let [updateMs, renderMs] = [0, 0];
    const start = performance.now();
    camera.position.y = 60;
    for (let now = start; now - start < seconds * 1000; now = performance.now()) {
      await nextFrame();
      camera.position.x = x + ((now - start) / 1000) * FLIGHT_VOXELS_A_SECOND;
      camera.lookAt(camera.position.x + 60, 40, 20 * Math.sin(now / 3000));
      const before = performance.now();
      view?.update(camera);
      const between = performance.now();
      renderer.render(scene, camera);
      const after = performance.now();
      updateMs += between - before;
      renderMs += after - between;
      const { bytes = 0, triangles = 0 } = view?.stats ?? {};
      found.frames++;
      found.bytes = Math.max(found.bytes, bytes);
      found.triangles = Math.max(found.triangles, triangles);
      found.drawCalls = Math.max(found.drawCalls, renderer.info.render.calls);
      found.longestUpdateMs = Math.max(found.longestUpdateMs, between - before);
      found.longestRenderMs = Math.max(found.longestRenderMs, after - between);
    }
    camera.position.x = x;
    return { ...found, updateMs: updateMs / found.frames, renderMs: renderMs / found.frames };
  },

  async visit(times) {
    for (let time = 0; time < times; time++) {
      camera.position.x += FAR_VOXELS;
      await settled();
      camera.position.x -= FAR_VOXELS;
      await settled();
    }
  },
};
Object.assign(globalThis, { page });
