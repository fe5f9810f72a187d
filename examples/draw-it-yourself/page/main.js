// A page of our own: three.js draws the world; @orthant/mesh says what to draw, what a ray hits and where one can walk.
import { buildMesh, castRay, moveBox } from "@orthant/mesh";
import { connect, EditHistory } from "orthant/client";
import * as THREE from "three";

const VIEW_VOXELS = 64;
const REACH_VOXELS = 8;
const MESH_MS = 8;
const [EYE, SPEED, JUMP, GRAVITY] = [1.6, 6, 9, 28];
const canvas = document.querySelector("canvas");
const status = document.querySelector("#status");

const world = await connect(location.href.replace(/^http/, "ws").replace(/[?#].*/, ""), { dimensions: 3 });
const history = new EditHistory(world);
const brick = world.blocks.id("brick");
const air = world.blocks.id("air");
let player = { position: world.pose.position, size: [0.6, 1.8, 0.6] };

const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
const scene = new THREE.Scene();
const sky = new THREE.Color(0x9c_c8_ec);
scene.background = sky;
scene.fog = new THREE.Fog(sky, VIEW_VOXELS * 0.6, VIEW_VOXELS);
const sun = new THREE.DirectionalLight(0xff_f4_e0, 1.6);
sun.position.set(3, 6, 2);
scene.add(sun, new THREE.HemisphereLight(0xff_ff_ff, 0x9a_90_80, 1.8));
const camera = new THREE.PerspectiveCamera(70, 1, 0.05, VIEW_VOXELS * 2);
camera.rotation.order = "YXZ";

const materials = {
  opaque: new THREE.MeshLambertMaterial({ vertexColors: true }),
  transparent: new THREE.MeshLambertMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
};

const drawn = new Map(); // by the chunk's position as text: a group with its meshes
const stale = new Map(); // by the same: the positions of chunks to draw again

world.onChunks((boxes) => {
  for (const { min, max } of boxes) {
    // A chunk's mesh depends on the chunks beside it: they hide and shade its faces.
    for (let x = min[0] - 1; x <= max[0]; x++)
      for (let y = min[1] - 1; y <= max[1]; y++)
        for (let z = min[2] - 1; z <= max[2]; z++) stale.set(`${x},${y},${z}`, [x, y, z]);
  }
});

/** Draws chunks that changed, for a few milliseconds in each frame. */
function drawChunks() {
  const start = performance.now();
  for (const [key, position] of stale) {
    if (performance.now() - start > MESH_MS) break;
    stale.delete(key);
    const mesh = buildMesh(world, position);
    // Without the chunks beside it, a chunk stays as it is drawn; without the chunk itself, it goes.
    if (mesh === undefined && world.chunkAt(position) !== undefined) continue;
    remove(key);
    if (mesh === undefined) continue;
    const group = new THREE.Group();
    group.position.set(...mesh.origin);
    for (const kind of ["opaque", "transparent"]) {
      if (mesh[kind].indices.length > 0) group.add(new THREE.Mesh(geometryOf(mesh[kind]), materials[kind]));
    }
    if (group.children.length === 0) continue; // most chunks are all air or all ground
    drawn.set(key, group);
    scene.add(group);
  }
}

function remove(key) {
  const group = drawn.get(key);
  if (group === undefined) return;
  for (const { geometry } of group.children) geometry.dispose();
  scene.remove(group);
  drawn.delete(key);
}

function geometryOf({ positions, normals, colours, indices }) {
  return new THREE.BufferGeometry()
    .setAttribute("position", new THREE.BufferAttribute(positions, 3))
    .setAttribute("normal", new THREE.BufferAttribute(normals, 3))
    .setAttribute("color", new THREE.BufferAttribute(colours, 4))
    .setIndex(new THREE.BufferAttribute(indices, 1));
}

const keys = new Set();
const held = (key) => Number(keys.has(key));
const velocity = [0, 0, 0];
let center;

/** Walks, falls and jumps. Solid blocks stop the player, and so does what has not arrived yet. */
function walk(seconds) {
  camera.rotation.y += (held("arrowleft") - held("arrowright")) * 2 * seconds;
  turn(0, (held("arrowdown") - held("arrowup")) * 400 * seconds);
  const [sine, cosine] = [Math.sin(camera.rotation.y), Math.cos(camera.rotation.y)];
  const [ahead, aside] = [held("w") - held("s"), held("d") - held("a")];
  velocity[0] = (aside * cosine - ahead * sine) * SPEED;
  velocity[1] -= GRAVITY * seconds;
  velocity[2] = (-aside * sine - ahead * cosine) * SPEED;
  player = moveBox(
    world,
    player,
    velocity.map((part) => part * seconds),
  );
  if (player.hit[1] !== 0) velocity[1] = player.onGround && keys.has(" ") ? JUMP : 0;
  const [x, y, z] = player.position;
  camera.position.set(x, y + EYE, z);
  world.move({ position: player.position, orientation: camera.quaternion.toArray() });
  if (center === undefined || camera.position.distanceTo(center) > 16) {
    center = camera.position.clone();
    world.setInterest({ center: player.position, radius: VIEW_VOXELS });
  }
}

function turn(right, down) {
  camera.rotation.y -= right * 0.003;
  camera.rotation.x = Math.max(-1.5, Math.min(1.5, camera.rotation.x - down * 0.003));
}

const aim = () =>
  castRay(world, camera.position, camera.getWorldDirection(new THREE.Vector3()), REACH_VOXELS);
const actions = {
  q: () => aim() && history.edit([{ position: aim().position, block: air }]),
  e: () => aim() && history.edit([{ position: aim().adjacent, block: brick }]),
  z: () => history.undo(),
};

addEventListener("keydown", ({ key }) => keys.add(key.toLowerCase()));
addEventListener("keydown", ({ key }) => actions[key.toLowerCase()]?.());
addEventListener("keyup", ({ key }) => keys.delete(key.toLowerCase()));
addEventListener("mousemove", ({ movementX, movementY }) => {
  if (document.pointerLockElement === canvas) turn(movementX, movementY);
});
canvas.addEventListener("mousedown", ({ button }) => {
  if (document.pointerLockElement !== canvas) canvas.requestPointerLock();
  else actions[button === 0 ? "q" : "e"]();
});
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

let last = performance.now();
renderer.setAnimationLoop((now) => {
  const { clientWidth, clientHeight } = canvas;
  renderer.setSize(clientWidth, clientHeight, false);
  camera.aspect = clientWidth / clientHeight;
  camera.updateProjectionMatrix();
  walk(Math.max(0, Math.min(0.05, (now - last) / 1000)));
  last = now;
  drawChunks();
  renderer.render(scene, camera);
  const hit = aim();
  const place = player.position.map((part) => part.toFixed(1)).join(" ");
  status.value = `at ${place}, facing ${hit ? world.blocks.byId(hit.block)?.name : "nothing"}, ${renderer.info.render.triangles} triangles`;
});
