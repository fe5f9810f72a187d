// The page: joins the world, shows it, and lets the player walk, dig and build.
import { Figures, Marks, Sky, WorldView } from "@orthant/three";
import { fitRenderer, GamePage, type ScreenPoint, walking } from "@orthant/three/page";
import { AIR, type Position } from "orthant/client";
import { PerspectiveCamera, Scene, WebGLRenderer } from "three";
import { joinWorld } from "./join.ts";

/** The blocks to build with: at most nine. */
const BLOCKS = ["grass", "stone", "planks", "brick", "wood", "glass", "sand", "lamp", "torch"];
const REACH_VOXELS = 7;
const DAY_MS = 20 * 60_000;
/** The block to build is shown as a ghost for this long after it was chosen, or built. */
const GHOST_MS = 4_000;

const canvas = document.querySelector("canvas") as HTMLCanvasElement;
const page = new GamePage(canvas, { name: "My world", canFly: true });
const world = await joinWorld(page).catch((error: Error) => {
  page.say(error.message);
  throw error;
});

const scene = new Scene();
const camera = new PerspectiveCamera(72, 1, 0.05, 2_000);
camera.rotation.order = "YXZ";
const renderer = new WebGLRenderer({ canvas, antialias: true });
const sky = new Sky({ dayMinutes: Number.POSITIVE_INFINITY }); // the clock moves it
let timeShift = 0;
const view = new WorldView(world, { sky });
const figures = new Figures(world, { sky });
const marks = new Marks(world, { sky });
scene.add(sky, view, figures, marks);

const walk = walking(world, { canFly: true });
const player = world.predictPlayer(walk);
page.look(walk.state.orientation);

let ghostUntil = 0;
let chosen = AIR;

page.begin(world, {
  blocks: BLOCKS,
  dig(point) {
    const target = aim(point);
    if (target === undefined) return undefined;
    void world.set(target.position, AIR);
    marks.crumble(target.position, target.block);
    return target.block;
  },
  place(point, block) {
    const target = aim(point);
    if (target === undefined || !isFree(target.adjacent)) return false;
    void world.set(target.adjacent, block);
    ghostUntil = performance.now() + GHOST_MS;
    return true;
  },
  sliders: [
    {
      label: "Time of day",
      min: 0,
      max: 24,
      step: 0.25,
      value: () => sky.time * 24,
      text: (hour) => `${Math.floor(hour)} h`,
      set: (hour) => {
        timeShift = hour / 24 - timeOfDay();
      },
    },
  ],
});

renderer.setAnimationLoop((now) => {
  const seconds = page.seconds();
  const { viewDistance, brightness, fieldOfView } = page.settings.values;
  Object.assign(view, { viewDistance, brightness });
  if (camera.fov !== fieldOfView) {
    camera.fov = fieldOfView;
    camera.updateProjectionMatrix();
  }

  const state = player.move(page.read(seconds), seconds);
  page.follow(state, walk.eyes(state.position));
  camera.position.set(...walk.eyes(player.position));
  camera.rotation.set(page.controls.pitch, page.controls.yaw, 0);
  const target = page.controls.pointer && aim(page.controls.pointer);
  marks.outline(target?.position);
  if (page.hotbar.chosen !== chosen) ghostUntil = now + GHOST_MS;
  chosen = page.hotbar.chosen ?? AIR;
  const isBuilding = target !== undefined && now < ghostUntil && isFree(target.adjacent);
  marks.ghost(isBuilding ? target.adjacent : undefined, chosen);

  fitRenderer(renderer, camera);
  sky.time = timeOfDay() + timeShift;
  sky.update(camera, seconds);
  view.update(camera);
  figures.update(seconds);
  marks.update(seconds);
  renderer.render(scene, camera);
});

/** What the player points at. */
function aim(point: ScreenPoint) {
  return view.pick({ camera, point }, REACH_VOXELS);
}

/** The same for all players: 0.25 at dawn, 0.5 at noon. Three quarters of a day are light. */
function timeOfDay(): number {
  const share = (Date.now() % DAY_MS) / DAY_MS;
  return share < 0.75 ? 0.23 + share * 0.72 : 0.77 + (share - 0.75) * 1.84;
}

/** Whether a block can be placed there: not inside the player. */
function isFree(voxel: Position<3>): boolean {
  return !walk.overlaps(player.position, voxel);
}
