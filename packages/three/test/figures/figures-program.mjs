// Runs in a browser: two players, two animals and a cart on a plain, with marks around a block.
import { AIR, DEFAULT_BLOCKS } from "@orthant/core";
import { Figures, Marks, Sky } from "@orthant/three";
import {
  BoxGeometry,
  Group,
  Mesh,
  MeshLambertMaterial,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from "three";

const canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%";
document.body.append(canvas);
const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
renderer.setSize(innerWidth, innerHeight, false);
const scene = new Scene();
const camera = new PerspectiveCamera(60, innerWidth / innerHeight, 0.1, 500);
camera.position.set(0, 1.7, 5.5);
camera.rotation.x = -0.12;

const entity = (id, values) => ({
  id,
  isPlayer: true,
  kind: 0,
  orientation: [0, 0, 0, 1],
  scale: 1,
  block: 0,
  name: "",
  tags: [],
  data: new Uint8Array(),
  ...values,
});
const entities = [
  entity(0x51a2c3d4e5f6n, { position: [-1.6, 0, 0], name: "Ada", orientation: [0, 0.96, 0, 0.28] }),
  entity(0x97b1ffn, { position: [0.1, 0, -1], name: "Bob", orientation: [0.1, 0.87, 0.1, 0.47] }),
  entity(7n, { position: [1.8, 0, 0], isPlayer: false, kind: 1 }),
  entity(8n, { position: [3.4, 0, -1.5], isPlayer: false, kind: 2, orientation: [0, 0.9, 0, 0.43] }),
  entity(9n, { position: [-3.2, 0, -1], isPlayer: false, kind: 9 }),
];
const [STONE] = [DEFAULT_BLOCKS.id("stone")];
const voxels = new Map([["1,0,2", DEFAULT_BLOCKS.id("grass")]]);
const world = {
  blocks: DEFAULT_BLOCKS,
  light: { sky: 15, block: 0 },
  entitiesAt: () => entities,
  voxelAt: ([x, y, z]) => voxels.get(`${x},${y},${z}`) ?? (y < 0 ? STONE : AIR),
  lightAt: () => world.light,
};
const sky = new Sky({ time: 0.42, dayMinutes: Infinity });
const cart = () => {
  const group = new Group();
  group.add(new Mesh(new BoxGeometry(1, 1, 1), new MeshLambertMaterial({ color: 0xff0000 })));
  return group;
};
const figures = new Figures(world, { sky, make: ({ kind }) => (kind === 9 ? cart() : undefined) });
const marks = new Marks(world, { sky });
const plain = new Mesh(new BoxGeometry(300, 2, 300), new MeshLambertMaterial({ color: 0x6a9f4b }));
plain.position.y = -1;
const block = new Mesh(new BoxGeometry(1, 1, 1), new MeshLambertMaterial({ color: 0x6a9f4b }));
block.position.set(1.5, 0.5, 2.5);
scene.add(sky, figures, marks, plain, block);

globalThis.game = {
  sky,
  figures,
  marks,
  world,
  entities,
  camera,
  chosen: DEFAULT_BLOCKS.id("brick"),
  grass: DEFAULT_BLOCKS.id("grass"),
  draw(seconds = 0) {
    sky.update(camera, seconds);
    figures.update(seconds);
    marks.update(seconds);
    renderer.render(scene, camera);
  },
};
