import type { Position } from "orthant/client";
import {
  Box3,
  Box3Helper,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";

const SKY = new Color(0xa9d4f5);
const canvas = document.querySelector("canvas") as HTMLCanvasElement;
const renderer = new WebGLRenderer({ canvas, antialias: true });

/** What is drawn. */
export const scene = new Scene();
scene.background = SKY;
scene.fog = new Fog(SKY, 36, 68);
const sun = new DirectionalLight(0xfff1d6, 2.2);
sun.position.set(3, 5, 2);
scene.add(sun, new HemisphereLight(0xdcecff, 0x8a7f70, 1.7));

/** Where it is seen from. */
export const camera = new PerspectiveCamera(72, 1, 0.05, 200);
camera.rotation.set(-0.2, 0.6, 0, "YXZ");

const outlined = new Box3Helper(new Box3(), 0x222222);
scene.add(outlined);

/** Draws the edges of a voxel: the one that the player points at. */
export function outline(voxel: Position<3> | undefined): void {
  outlined.visible = voxel !== undefined;
  if (voxel)
    outlined.box.set(new Vector3(...voxel), new Vector3(...voxel).addScalar(1)).expandByScalar(0.003);
}

/** Draws the scene again and again, each time after `update`, which gets the seconds since the last time. */
export function render(update: (seconds: number) => void): void {
  let last = performance.now();
  renderer.setAnimationLoop((now) => {
    const { clientWidth, clientHeight } = canvas;
    renderer.setSize(clientWidth, clientHeight, false);
    camera.aspect = clientWidth / clientHeight;
    camera.updateProjectionMatrix();
    update(Math.min(0.05, Math.max(0, now - last) / 1000));
    last = now;
    renderer.render(scene, camera);
  });
}
