// Runs in a browser: views of worlds that tests build.

import { connect } from "@orthant/client";
import { box, flat, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { Sky, WorldView } from "@orthant/three";
import { meshPool, stateSource } from "@orthant/worker-pool/browser";
import { createWorld } from "@orthant/world";
import {
  BoxGeometry,
  Color,
  DirectionalLight,
  Group,
  Mesh,
  MeshLambertMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  WebGLRenderer,
} from "three";
import { EffectComposer } from "three/examples/jsm/postprocessing/EffectComposer.js";
import { OutputPass } from "three/examples/jsm/postprocessing/OutputPass.js";
import { RenderPass } from "three/examples/jsm/postprocessing/RenderPass.js";
import { ShaderPass } from "three/examples/jsm/postprocessing/ShaderPass.js";

const canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%";
document.body.append(canvas);
const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
renderer.setSize(innerWidth, innerHeight, false);
const scene = new Scene();
scene.background = new Color(0xbcdcf2);
const camera = new PerspectiveCamera(72, innerWidth / innerHeight, 0.05, 2_000);
const startWorker = () => new Worker("/worker.js", { type: "module" });

/** Turns colours round. */
const TURNED = {
  uniforms: { tDiffuse: { value: null } },
  vertexShader: `varying vec2 at;
    void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`,
  fragmentShader: `varying vec2 at;
    uniform sampler2D tDiffuse;
    void main() { gl_FragColor = vec4(1.0 - texture2D(tDiffuse, at).rgb, 1.0); }`,
};

let frames = 0;
let view;
let sky;
let composer;
/** Worlds beside the first one. */
const others = [];
renderer.setAnimationLoop(() => {
  sky?.update(camera, 0);
  view?.update(camera);
  for (const other of others) other.update(camera);
  if (composer === undefined) renderer.render(scene, camera);
  else composer.render();
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
    stateSource,
    group: () => new Group(),
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
    showToo(world, options = {}) {
      const other = new WorldView(world, { pool: meshPool({ startWorker }), ...options });
      others.push(other);
      scene.add(other);
      return other;
    },
    middle() {
      const gl = renderer.getContext();
      const pixel = new Uint8Array(4);
      gl.readPixels(canvas.width >> 1, canvas.height >> 1, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      return [...pixel.subarray(0, 3)];
    },
    compose(isTurned) {
      composer = new EffectComposer(renderer);
      composer.addPass(new RenderPass(scene, camera));
      composer.addPass(new OutputPass());
      if (isTurned) composer.addPass(new ShaderPass(TURNED));
    },
    castShadows() {
      renderer.shadowMap.enabled = true;
      const light = new DirectionalLight(0xffffff, 2);
      light.position.set(0, 30, 1);
      light.castShadow = true;
      Object.assign(light.shadow.camera, { left: -20, right: 20, top: 20, bottom: -20 });
      const material = new MeshLambertMaterial({ color: 0xffffff });
      const box = new Mesh(new BoxGeometry(2, 2, 2), material);
      box.castShadow = true;
      const floor = new Mesh(new PlaneGeometry(8, 8).rotateX(-Math.PI / 2), material);
      floor.receiveShadow = true;
      scene.add(light, box, floor);
      return { box, floor };
    },
    /** Resolves when everything in sight is in the picture. */
    async complete() {
      while ([view, ...others].some(({ isComplete }) => !isComplete))
        await new Promise(requestAnimationFrame);
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
