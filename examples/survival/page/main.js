// The page of one player: walk, mine, build, fill chests and furnaces, and go home.
import { Figures, Marks, Sky, WorldView } from "@orthant/three";
import { fitRenderer, GamePage, walking } from "@orthant/three/page";
import { AIR, connect } from "orthant/client";
import { PerspectiveCamera, Scene, WebGLRenderer } from "three";
import { BLOCKS, CHEST, FURNACE, hills, PLAYER_SIZE, WALK_SPEED } from "../land.mjs";
import { animal } from "./animals.js";

const ITEMS = ["plank", "rock", "sand", "glass", "chest", "furnace", "water", "torch", "turf"];
const REACH_VOXELS = 7;
const DAY_MS = 20 * 60_000;
const [canvas, place, panel, content] = ["canvas", "#place", "section", "#content"].map((name) =>
  document.querySelector(name),
);

const page = new GamePage(canvas, {
  name: "Survival",
  settings: { viewDistance: 96 },
  keys: { fly: [] }, // F puts things into chests
});
page.say("Connecting");
// What follows # is not sent to any server.
const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
const client = await connect(location.href.replace(/^http/, "ws").replace(/[?#].*/, ""), {
  token,
  dimensions: 3,
  generators: [hills], // so that the server sends only what players changed
  timeoutMs: Number.POSITIVE_INFINITY,
});

const scene = new Scene();
const camera = new PerspectiveCamera(72, 1, 0.05, 2_000);
camera.rotation.order = "YXZ";
const renderer = new WebGLRenderer({ canvas, antialias: true });
const sky = new Sky({ dayMinutes: Number.POSITIVE_INFINITY }); // the clock moves it
const view = new WorldView(client, { sky });
const figures = new Figures(client, { sky, make: animal });
const marks = new Marks(client, { sky });
scene.add(sky, view, figures, marks);

const walk = walking(client, { size: PLAYER_SIZE, speed: WALK_SPEED - 1, runSpeed: WALK_SPEED });
const player = client.predictPlayer(walk);
page.look(walk.state.orientation);

let carried = {};
let target; // what the player points at, or has touched last
let noted;

page.begin(client, {
  blocks: ITEMS,
  dig(point) {
    target = aim(point);
    if (target === undefined) return undefined;
    void settle(client.set(target.position, AIR));
    marks.crumble(target.position, target.block);
    return target.block;
  },
  place(point, block) {
    target = aim(point);
    // A finger that taps a chest wants to see what is in it.
    if (target === undefined || (page.controls.hasTouch && isContainer(target))) return false;
    if (walk.overlaps(player.position, target.adjacent) || !has(block)) return false;
    void settle(client.set(target.adjacent, block));
    return true;
  },
  keys: { KeyF: putIn, KeyG: takeOut, KeyH: goHome },
});
client.onMoved(({ reason }) => note(reason ?? ""));
client.onMessage((message) => {
  if (message.type !== "carried") return;
  carried = message.carried;
  page.hotbar.setCounts(new Map(Object.entries(carried).map(([id, count]) => [Number(id), count])));
});
for (const [name, act] of Object.entries({ "#put": putIn, "#take": takeOut, "#home": goHome }))
  document.querySelector(name).addEventListener("click", act);

renderer.setAnimationLoop(() => {
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
  const { pointer } = page.controls;
  if (pointer) target = aim(pointer);
  marks.outline(pointer && target?.position);
  place.value = player.position.map(Math.floor).join(" ");
  showContent();

  fitRenderer(renderer, camera);
  sky.time = timeOfDay();
  sky.update(camera, seconds);
  view.update(camera);
  figures.update(seconds);
  marks.update(seconds);
  renderer.render(scene, camera);
});

function aim(point) {
  return view.pick({ camera, point }, REACH_VOXELS);
}

/** The same for all players: 0.25 at dawn, 0.5 at noon. Three quarters of a day are light. */
function timeOfDay() {
  const share = (Date.now() % DAY_MS) / DAY_MS;
  return share < 0.75 ? 0.23 + share * 0.72 : 0.77 + (share - 0.75) * 1.84;
}

/** Edits show at once, and are taken back if the server refuses them. */
async function settle(edit) {
  const { status, detail } = await edit;
  if (status === "rejected") note(detail);
}

/** Shows a line for some seconds. */
function note(text) {
  page.say(text);
  clearTimeout(noted);
  noted = setTimeout(() => page.say(""), 4_000);
}

function has(block) {
  if (carried[block] > 0) return true;
  note(`You carry no ${BLOCKS.byId(block).name}.`);
  return false;
}

function isContainer({ position }) {
  return [CHEST, FURNACE].includes(client.voxelAt(position));
}

/** Shows what is in the chest or furnace that the player points at. */
function showContent() {
  panel.hidden = page.isPaused || target === undefined || !isContainer(target);
  if (panel.hidden) return;
  const items = Object.entries(client.dataAt(target.position) ?? {}).filter(([, count]) => count > 0);
  const list = items.map(([name, count]) => `${count} ${name}`).join(", ") || "empty";
  content.value = `${BLOCKS.byId(client.voxelAt(target.position)).name}: ${list}`;
}

function putIn() {
  if (panel.hidden || !has(page.hotbar.chosen)) return;
  const { name } = BLOCKS.byId(page.hotbar.chosen);
  const inside = client.dataAt(target.position) ?? {};
  void settle(client.setData(target.position, { ...inside, [name]: (inside[name] ?? 0) + 1 }));
}

function takeOut() {
  if (!panel.hidden) void settle(client.setData(target.position, null));
}

function goHome() {
  client.send({ type: "home" });
}
