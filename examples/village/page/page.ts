// The page: joins the world, shows it, and lets the player walk, dig, build, talk and craft.
import { Figures, Marks, Sky, WorldView } from "@orthant/three";
import { fitRenderer, GamePage, type ScreenPoint, walking } from "@orthant/three/page";
import { AIR, connect, type EditResult, type Position } from "orthant/client";
import * as three from "three";
import * as game from "../src/game.ts";
import { find, hear, logIn, startChat, talk, textOf } from "./panels.ts";

const canvas = find<HTMLCanvasElement>("canvas");
const token = await logIn();
const page = new GamePage(canvas, { name: "Village", without: ["fieldOfView"] });
page.say("Connecting");
// With the generator of the land, the server sends only what players changed.
const options = { dimensions: 3, token, generators: [game.village], timeoutMs: Infinity } as const;
const world = await connect(`${location.origin.replace("http", "ws")}/world`, options);

const scene = new three.Scene();
const camera = new three.PerspectiveCamera(72, 1, 0.05, 2_000);
camera.rotation.order = "YXZ";
const renderer = new three.WebGLRenderer({ canvas, antialias: true });
const sky = new Sky({ dayMinutes: Number.POSITIVE_INFINITY }); // the clock moves it
const view = new WorldView(world, { sky });
const [figures, marks] = [new Figures(world, { sky }), new Marks(world, { sky })];
const fences = new three.Group();
scene.add(sky, view, figures, marks, fences);

const { size, speedMax, reach } = game.PLAYER;
const walk = walking(world, { size, speed: speedMax - 2, runSpeed: speedMax });
const player = world.predictPlayer(walk);
page.look(walk.state.orientation);
let shift = 0;
let plots: game.Plots = {};
const send = (wish: game.Wish): unknown => world.send(wish) === "sent" || hear("The server did not hear it.");
const nameOf = (block = AIR): string => world.blocks.byId(block)?.name ?? "";
startChat((say) => send({ say }));
for (const [craft, recipe] of Object.entries(game.RECIPES))
  page.addButton(`Make ${textOf(recipe)}`, () => send({ craft }));

page.begin(world, {
  blocks: game.HOTBAR,
  dig(point) {
    const target = aim(point);
    if (target) marks.crumble(target.position, target.block);
    if (target) settle(world.set(target.position, AIR));
    return target?.block;
  },
  place(point, block) {
    const target = aim(point);
    if (target?.type === "door") send({ open: target.position });
    if (!target || target.type === "door" || walk.overlaps(player.position, target.adjacent)) return false;
    settle(world.set(target.adjacent, turned(block, target)));
    return true;
  },
  keys: {
    KeyT: talk,
    KeyG: () => useChest((take) => send({ take })),
    KeyP: () => useChest((put) => send({ put, item: nameOf(page.hotbar.chosen) })),
  },
});

world.onMoved(({ reason }) => reason && hear(reason));
world.onMessage((message) => {
  const { say, items, plots: fenced, shift: ahead = shift } = message as game.News;
  shift = ahead;
  if (say !== undefined) hear(say);
  if (fenced !== undefined) showPlots(fenced);
  if (items === undefined) return;
  find("#bag").replaceChildren(`You carry ${textOf(items)}.`);
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
  for (const part of [figures, marks]) part.update(seconds);
  renderer.render(scene, camera);
});

/** Returns what the player points at. Of a door it is the lower half, which the upper one follows. */
function aim(point: ScreenPoint) {
  const target = view.pick({ camera, point }, reach);
  if (target === undefined) return undefined;
  const [x, y, z] = target.position;
  const down = world.blocks.describe(target.block)?.properties["half"] === "upper" ? 1 : 0;
  return { ...target, position: [x, y - down, z] as Position<3>, type: nameOf(target.block) };
}
type Target = NonNullable<ReturnType<typeof aim>>;

/** Returns a block as it is to be placed: turned by how the player looks, or to the wall to which a torch is fixed. */
function turned(block: number, { side = "+y" }: Target): number {
  const ahead = ["north", "west", "south", "east"][Math.round(page.controls.yaw / (Math.PI / 2)) & 3] ?? "";
  const walls: Record<string, string> = { "+x": "east", "-x": "west", "+z": "south", "-z": "north" };
  const [type, wall] = [nameOf(block), walls[side]];
  const facing = { torch: wall ?? "up", chest: wall ?? "south", door: ahead, stairs: ahead }[type];
  return facing === undefined ? block : world.blocks.id(type, { facing });
}

/** Says why the server takes an edit back, if it does. */
function settle(edit: Promise<EditResult>): void {
  void edit.then((result) => result.status === "rejected" && hear(result.detail));
}

function useChest(use: (chest: Position<3>) => void, target = aim({ x: 0, y: 0 })): void {
  if (target?.type === "chest") use(target.position);
}

/** Says where the player is, and what they point at. */
function showTarget({ type = "", position }: Partial<Target> = {}): void {
  const feet = player.position.map(Math.floor);
  const owner = plots[game.plotAt(feet)];
  const inside = type === "chest" && position && textOf((world.dataAt(position) ?? {}) as game.Items);
  const chest = inside ? ` with ${inside}. G: take all, P: put one in` : "";
  find("#target").replaceChildren(`${feet.join(" ")}${owner ? ` plot of ${owner}` : ""} ${type}${chest}`);
}

function showPlots(fenced: game.Plots): void {
  plots = fenced;
  fences.clear();
  for (const plot of Object.keys(fenced)) {
    const [x = 0, z = 0] = plot.split(",").map((at) => Number(at) * game.PLOT);
    const box = new three.Box3().setFromArray([x, -9, z, x + game.PLOT, 40, z + game.PLOT]);
    fences.add(new three.Box3Helper(box, 0xffd36b));
  }
}
