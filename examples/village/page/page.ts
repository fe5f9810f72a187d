// The page: joins the world, shows it, and lets the player walk, dig, build, talk and craft.
import { Figures, Marks, Sky, WorldView } from "@orthant/three";
import { fitRenderer, GamePage, type ScreenPoint, walking } from "@orthant/three/page";
import { AIR, type BlockProperties, connect, type EditResult, type Position } from "orthant/client";
import * as three from "three";
import * as game from "../src/game.ts";
import { fillBag, find, hear, logIn, startChat, talk, textOf } from "./panels.ts";

const canvas = find<HTMLCanvasElement>("canvas");
const token = await logIn();
const page = new GamePage(canvas, { name: "Village", without: ["fieldOfView"] });
page.say("Connecting");
const world = await connect(`${location.origin.replace("http", "ws")}/world`, {
  dimensions: 3,
  token,
  generators: [game.village], // so that the server sends only what players changed
  timeoutMs: Number.POSITIVE_INFINITY,
});

const scene = new three.Scene();
const camera = new three.PerspectiveCamera(72, 1, 0.05, 2_000);
camera.rotation.order = "YXZ";
const renderer = new three.WebGLRenderer({ canvas, antialias: true });
const sky = new Sky({ dayMinutes: Number.POSITIVE_INFINITY }); // the clock moves it
const view = new WorldView(world, { sky });
const figures = new Figures(world, { sky });
const marks = new Marks(world, { sky });
const fences = new three.Group();
scene.add(sky, view, figures, marks, fences);

const { size, speed, reach } = game.PLAYER;
const walk = walking(world, { size, speed: speed - 2, runSpeed: speed });
const player = world.predictPlayer(walk);
page.look(walk.state.orientation);

let shift = 0;
let plots: game.Plots = {};
const send = (wish: game.Wish): void => {
  if (world.send(wish) !== "sent") hear("The server did not hear you.");
};
startChat((say) => send({ say }));

page.begin(world, {
  blocks: game.HOTBAR,
  dig(point) {
    const target = aim(point);
    if (target === undefined) return undefined;
    settle(world.set(target.position, AIR));
    marks.crumble(target.position, target.block);
    return target.block;
  },
  place(point, block) {
    const target = aim(point);
    if (target?.type === "door") send({ open: target.position });
    if (!target || target.type === "door" || walk.overlaps(player.position, target.adjacent)) return false;
    settle(world.set(target.adjacent, turned(block, target)));
    return true;
  },
  keys: { KeyT: talk, KeyB: openBag, KeyG: takeAll, KeyP: putOne },
});

world.onMoved(({ reason }) => reason && hear(reason));
world.onMessage((message) => {
  const news = message as game.News;
  shift = news.shift ?? shift;
  if (news.say !== undefined) hear(news.say);
  if (news.plots !== undefined) showPlots(news.plots);
  if (news.items === undefined) return;
  const { items } = news;
  fillBag(items, (craft) => send({ craft }));
  page.hotbar.setCounts(new Map(game.HOTBAR.map((name) => [world.blocks.id(name), items[name] ?? 0])));
});

renderer.setAnimationLoop(() => {
  const seconds = page.seconds();
  const { viewDistance, brightness } = page.settings.values;
  Object.assign(view, { viewDistance, brightness });
  const state = player.move(page.read(seconds), seconds);
  page.follow(state, walk.eyes(state.position));
  camera.position.set(...walk.eyes(player.position));
  camera.rotation.set(page.controls.pitch, page.controls.yaw, 0);
  const target = page.controls.pointer && aim(page.controls.pointer);
  marks.outline(target?.position);
  showTarget(target);

  fitRenderer(renderer, camera);
  sky.time = game.timeOfDay(shift);
  sky.update(camera, seconds);
  view.update(camera);
  figures.update(seconds);
  marks.update(seconds);
  renderer.render(scene, camera);
});

/** Returns what the player points at. Of a door it is the lower half, to which the upper one belongs. */
function aim(point: ScreenPoint = { x: 0, y: 0 }) {
  const target = view.pick({ camera, point }, reach);
  const { type, properties } = (target && world.blocks.describe(target.block)) ?? {};
  const down = properties?.["half"] === "upper" ? 1 : 0;
  return target && { ...target, type, position: below(target.position, down) };
}
type Target = NonNullable<ReturnType<typeof aim>>;

function below([x, y, z]: Position<3>, down: number): Position<3> {
  return [x, y - down, z];
}

/** Returns a block as it is to be placed: turned by how the player looks, or to the wall to which a torch is fixed. */
function turned(block: number, { side = "+y", point, position }: Target): number {
  const quarter = Math.round(page.controls.yaw / (Math.PI / 2));
  const compass = (turns: number): string => ["north", "west", "south", "east"][(quarter + turns) & 3] ?? "";
  const isHigh = side === "-y" || (side !== "+y" && point.y - position[1] > 0.5);
  const walls: Readonly<Record<string, string>> = {
    "+x": "east",
    "-x": "west",
    "+z": "south",
    "-z": "north",
  };
  const properties: Readonly<Record<string, BlockProperties>> = {
    torch: { facing: walls[side] ?? "up" },
    door: { facing: compass(0) },
    chest: { facing: compass(2) },
    stairs: { facing: compass(0), half: isHigh ? "top" : "bottom" },
    slab: { type: isHigh ? "top" : "bottom" },
  };
  const name = world.blocks.byId(block)?.name ?? "";
  return world.blocks.id(name, properties[name]);
}

/** Edits show at once, and are taken back if the server refuses them. */
function settle(edit: Promise<EditResult>): void {
  void edit.then((result) => result.status === "rejected" && hear(result.detail));
}

function openBag(): void {
  const dialog = find<HTMLDialogElement>("#bag");
  page.controls.isActive = false; // the mouse is for the bag
  dialog.onclose = () => Object.assign(page.controls, { isActive: true });
  dialog.showModal();
}

function takeAll(): void {
  const target = aim();
  if (target?.type === "chest") send({ take: target.position });
}

function putOne(): void {
  const [target, item] = [aim(), world.blocks.byId(page.hotbar.chosen ?? AIR)?.name];
  if (target?.type === "chest" && item) send({ put: target.position, item });
}

/** Says where the player is, and what they point at. */
function showTarget({ type = "", position }: Partial<Target> = {}): void {
  const [x, y, z] = player.position.map(Math.floor) as unknown as Position<3>;
  const owner = plots[game.plotAt(x, z)];
  const inside = type === "chest" && position ? textOf((world.dataAt(position) ?? {}) as game.Items) : "";
  const chest = inside && `with ${inside}. G: take all, P: put one in`;
  find("#target").textContent = `${x} ${y} ${z} ${owner ? `plot of ${owner}` : ""} ${type} ${chest}`;
}

/** Shows walls of light around each plot. */
function showPlots(fenced: game.Plots): void {
  plots = fenced;
  const boxes = Object.keys(plots).map((plot) => {
    const [x = 0, z = 0] = plot.split(",").map(Number);
    const look = {
      color: 0xffd36b,
      transparent: true,
      opacity: 0.2,
      side: three.DoubleSide,
      depthWrite: false,
    };
    const geometry = new three.BoxGeometry(game.PLOT, 200, game.PLOT);
    const fence = new three.Mesh(geometry, new three.MeshBasicMaterial(look));
    fence.position.set((x + 0.5) * game.PLOT, 0, (z + 0.5) * game.PLOT);
    return fence;
  });
  fences.clear().add(...boxes);
}
