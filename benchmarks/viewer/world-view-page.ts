// Runs in a browser: a `WorldView` of a generated world, which the suite moves about in.
import { CUBE_CHUNKS, DEFAULT_BLOCKS, terrain } from "@orthant/core";
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

/** The functions that the suite calls in the page. */
export interface WorldViewPage {
  complete(viewDistance: number): Promise<Completion>;
  /** Returns how many pictures after an edit it is in the picture. */
  edit(): Promise<number>;
  /** Goes far away and comes back. */
  visit(times: number): Promise<void>;
}

declare const requestAnimationFrame: (callback: () => void) => void;
declare const document: {
  createElement(name: "canvas"): object;
  readonly body: { append(element: unknown): void };
};
declare const Worker: new (address: string, options: { readonly type: "module" }) => globalThis.Worker;

const FRAMES = 30;
const FAR_VOXELS = 2_000;
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

async function settled(): Promise<void> {
  do await draw();
  while (view?.isComplete === false);
}

const page: WorldViewPage = {
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
