// Runs in a browser: views of worlds that tests build.

import { connect } from "@orthant/client";
import { box, flat, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { Sky, WorldView } from "@orthant/three";
import { meshPool } from "@orthant/worker-pool/browser";
import { createWorld } from "@orthant/world";
import { Color, PerspectiveCamera, Scene, WebGLRenderer } from "three";

const canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%";
document.body.append(canvas);
const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
renderer.setSize(innerWidth, innerHeight, false);
const scene = new Scene();
scene.background = new Color(0xbcdcf2);
const camera = new PerspectiveCamera(72, innerWidth / innerHeight, 0.05, 2_000);
const startWorker = () => new Worker("/worker.js", { type: "module" });

let frames = 0;
let view;
let sky;
renderer.setAnimationLoop(() => {
  sky?.update(camera, 0);
  view?.update(camera);
  renderer.render(scene, camera);
  frames++;
});

Object.assign(globalThis, {
  tried: {
    renderer,
    scene,
    camera,
    box,
    flat,
    terrain,
    get view() {
      return view;
    },
    get frames() {
      return frames;
    },
    connect: (url, options = {}) => connect(url, { dimensions: 3, ...options }),
    /** Counts pictures until something holds. */
    async framesUntil(holds, most = 200) {
      for (let count = 1; count <= most; count++) {
        await new Promise(requestAnimationFrame);
        if (holds()) return count;
      }
      return most;
    },
    world: (options = {}) => createWorld(new MemoryDisk(), { dimensions: 3, ...options }),
    /** Shows a world. */
    show(world, options = {}) {
      view?.dispose();
      view = new WorldView(world, { pool: meshPool({ startWorker }), ...options });
      scene.add(view);
      return view;
    },
    /** Resolves when everything in sight is in the picture. */
    async complete() {
      while (!view.isComplete) await new Promise(requestAnimationFrame);
      await this.drawn();
    },
    async drawn(count = 2) {
      for (let left = count; left > 0; left--) await new Promise(requestAnimationFrame);
    },
    /** Puts the scene under a sky at a time of day. */
    skyAt(time) {
      sky = new Sky({ time, dayMinutes: Number.POSITIVE_INFINITY });
      scene.add(sky);
      return sky;
    },
    background(colour) {
      scene.background = new Color(colour);
    },
    look([x, y, z], yaw = 0, pitch = 0) {
      camera.position.set(x, y, z);
      camera.rotation.set((pitch * Math.PI) / 180, (yaw * Math.PI) / 180, 0, "YXZ");
    },
  },
});
