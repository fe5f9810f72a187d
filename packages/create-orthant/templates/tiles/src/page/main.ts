// The page: joins the world, shows it from the side, and lets the player walk, dig and build.
import { Figures, Marks, Sky, WorldView } from "@orthant/three";
import { fitRenderer, GamePage, type ScreenPoint, walking } from "@orthant/three/page";
import { AIR, connect, indexedDbCache, type Position } from "orthant/client";
import { PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { inSpace } from "./in-space.ts";

/** The blocks to build with: at most nine. */
const BLOCKS = ["grass", "stone", "planks", "brick", "wood", "glass", "sand", "lamp", "torch"];
const REACH_TILES = 8;
/** The fewest tiles that the picture shows, from side to side and from top to bottom. */
const [TILES_WIDE, TILES_HIGH] = [12, 15];
const DAY_MS = 20 * 60_000;

const canvas = document.querySelector("canvas") as HTMLCanvasElement;
const page = new GamePage(canvas, {
  name: "My world",
  mouse: "points",
  without: ["viewDistance", "fieldOfView", "sensitivity"],
  keys: {
    left: ["KeyA", "ArrowLeft"],
    right: ["KeyD", "ArrowRight"],
    jump: ["Space", "KeyW", "ArrowUp"],
    down: ["KeyS", "ArrowDown"],
    ...{ lookLeft: [], lookRight: [], lookUp: [], lookDown: [], ahead: [], back: [] },
  },
});
page.say("Connecting");
const world = await connect(`${location.origin.replace("http", "ws")}/world`, {
  dimensions: 2,
  name: playerName(),
  cache: indexedDbCache("my-world"), // who comes back is the same player
  timeoutMs: Number.POSITIVE_INFINITY, // the server may start after the page
});

const walk = walking(world, { size: [0.7, 1.7], speed: 7, runSpeed: 10, jumpSpeed: 10.5 });
const player = world.predictPlayer(walk);
const space = inSpace(world, () => player.position);

const scene = new Scene();
const camera = new PerspectiveCamera(35, 1, 0.05, 2_000);
const renderer = new WebGLRenderer({ canvas, antialias: true });
const sky = new Sky({ dayMinutes: Number.POSITIVE_INFINITY }); // the clock moves it
let timeShift = 0;
const view = new WorldView(world, { sky, viewDistance: 96 });
const figures = new Figures(space, { sky });
const marks = new Marks(space, { sky });
scene.add(sky, view, figures, marks);

page.begin(world, {
  blocks: BLOCKS,
  dig(point) {
    const tile = tileAt(point);
    const block = tile && world.voxelAt(tile);
    if (tile === undefined || !block) return undefined;
    void world.set(tile, AIR);
    marks.crumble([...tile, 0], block);
    return block;
  },
  place(point, block) {
    const tile = tileAt(point);
    if (tile === undefined || !isFree(tile)) return false;
    void world.set(tile, block);
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

renderer.setAnimationLoop(() => {
  const seconds = page.seconds();
  view.brightness = page.settings.values.brightness;
  page.follow(player.move(page.read(seconds), seconds));
  fitRenderer(renderer, camera);
  const [x, y] = player.position;
  const high = Math.max(TILES_HIGH, TILES_WIDE / camera.aspect);
  camera.position.set(x, y + 1, 1 + high / 2 / Math.tan((camera.fov / 360) * Math.PI));

  const tile = page.controls.pointer && tileAt(page.controls.pointer);
  marks.outline(tile && [...tile, 0]);
  marks.ghost(tile && isFree(tile) ? [...tile, 0] : undefined, page.hotbar.chosen ?? AIR);
  sky.time = timeOfDay() + timeShift;
  sky.update(camera, seconds);
  view.update(camera);
  figures.update(seconds);
  marks.update(seconds);
  renderer.render(scene, camera);
});

/** The tile at a point of the canvas, if the player reaches it. */
function tileAt(point: ScreenPoint): Position<2> | undefined {
  const towards = new Vector3(point.x, point.y, 0.5).unproject(camera).sub(camera.position);
  const front = camera.position.clone().addScaledVector(towards, (1 - camera.position.z) / towards.z);
  const [x, y] = player.position;
  if (Math.hypot(front.x - x, front.y - y - 1) > REACH_TILES) return undefined;
  return [Math.floor(front.x), Math.floor(front.y)];
}

/** Whether a block can be placed there: in air or water, and not inside the player. */
function isFree(tile: Position<2>): boolean {
  const block = world.voxelAt(tile);
  return block !== undefined && !world.blocks.isSolid(block) && !walk.overlaps(player.position, tile);
}

/** The same for all players: 0.25 at dawn, 0.5 at noon. Three quarters of a day are light. */
function timeOfDay(): number {
  const share = (Date.now() % DAY_MS) / DAY_MS;
  return share < 0.75 ? 0.23 + share * 0.72 : 0.77 + (share - 0.75) * 1.84;
}

/** The name for others: that of the address, such as `?name=Ada`, or one that this browser keeps. */
function playerName(): string {
  const given = new URLSearchParams(location.search).get("name");
  if (given) localStorage.setItem("name", given.slice(0, 20));
  const name = localStorage.getItem("name") ?? `Guest ${Math.ceil(Math.random() * 999)}`;
  localStorage.setItem("name", name);
  return name;
}
