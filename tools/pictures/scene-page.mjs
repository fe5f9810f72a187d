// Runs in a browser: a world as the page of a game shows it.
import { connect } from "@orthant/client";
import { Figures, Sky, WorldView } from "@orthant/three";
import { GamePage } from "@orthant/three/page";
import { meshPool } from "@orthant/worker-pool/browser";
import { PerspectiveCamera, Scene, WebGLRenderer } from "three";

/** Pictures after which figures stand and waves lie where they are to be. */
const LAST_PICTURES = 3;

const viewport = { name: "viewport", content: "width=device-width" };
document.head.append(Object.assign(document.createElement("meta"), viewport));
document.body.style.cssText = "margin: 0; overflow: hidden";
const canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%";
document.body.append(canvas);

/** Shows a world at a time of day, from a place, with the hotbar of a game if there are blocks for it. */
async function show({ url, at, yaw, pitch, time, viewDistance, blocks, fieldOfView = 66 }) {
  const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(innerWidth, innerHeight, false);
  const world = await connect(url, { dimensions: 3 });
  const pool = meshPool({ startWorker: () => new Worker("/worker.js", { type: "module" }) });
  const sky = new Sky({ time, dayMinutes: Number.POSITIVE_INFINITY });
  const view = new WorldView(world, { sky, pool, viewDistance });
  const figures = new Figures(world, { sky });
  const scene = new Scene();
  scene.add(sky, view, figures);
  const camera = new PerspectiveCamera(fieldOfView, innerWidth / innerHeight, 0.05, 2_000);
  camera.rotation.order = "YXZ";
  camera.position.set(...at);
  camera.rotation.set((pitch * Math.PI) / 180, (yaw * Math.PI) / 180, 0);
  if (blocks !== undefined) {
    const page = new GamePage(canvas, { name: "My world" });
    page.begin(world, { blocks, dig: () => undefined, place: () => false });
  }
  const draw = async () => {
    await new Promise(requestAnimationFrame);
    sky.update(camera, 0);
    view.update(camera);
    figures.update(0.1);
  };
  do await draw();
  while (!view.isComplete);
  for (let picture = 0; picture < LAST_PICTURES; picture++) {
    await draw();
    renderer.render(scene, camera);
  }
}

Object.assign(globalThis, { show });
