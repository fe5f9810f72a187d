// Runs in a browser: a scene of three.js without a world, a plain of grey stone with a few boxes, under a `Sky`.
import { SKY_GLSL, Sky } from "@orthant/three";
import {
  BoxGeometry,
  Mesh,
  MeshLambertMaterial,
  PerspectiveCamera,
  Scene,
  ShaderMaterial,
  WebGLRenderer,
} from "three";

const canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%";
document.body.append(canvas);
const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
renderer.setSize(innerWidth, innerHeight, false);
const scene = new Scene();
const camera = new PerspectiveCamera(72, innerWidth / innerHeight, 0.1, 500);
camera.rotation.order = "YXZ";
camera.position.set(0, 30, 0);

const sky = new Sky();
scene.add(sky);
const ground = new ShaderMaterial({
  uniforms: { ...sky.uniforms },
  vertexShader: `varying vec3 fromEye; void main() {
    vec4 place = modelMatrix * vec4(position, 1.0);
    fromEye = place.xyz - cameraPosition;
    gl_Position = projectionMatrix * viewMatrix * place;
  }`,
  fragmentShader: `varying vec3 fromEye; ${SKY_GLSL} void main() {
    gl_FragColor = vec4(throughAir(vec3(0.19, 0.27, 0.13) * skyLight * cloudShade(fromEye), fromEye), 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
  }`,
});
const plain = new Mesh(new BoxGeometry(400, 2, 400), ground);
scene.add(plain);
for (let index = 0; index < 24; index++) {
  const block = new Mesh(new BoxGeometry(6, 6 + (index % 5) * 7, 6), ground);
  block.position.set(Math.sin(index * 2.4) * (20 + index * 5), 3, Math.cos(index * 2.4) * (20 + index * 5));
  scene.add(block);
}
const ball = new Mesh(new BoxGeometry(4, 4, 4), new MeshLambertMaterial({ color: 0xffffff }));
ball.position.set(5, 27, -14);
ball.rotation.y = 0.6;
scene.add(ball);

globalThis.game = {
  sky,
  scene,
  camera,
  renderer,
  /** Draws a frame at a time of day, with the eyes turned. */
  draw(time, yaw = 0, pitch = 0.15, seconds = 0) {
    sky.time = time;
    camera.rotation.set(pitch, yaw, 0);
    sky.update(camera, seconds);
    renderer.render(scene, camera);
  },
};
