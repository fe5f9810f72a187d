// The page of one player: walk, mine, build, fill chests and furnaces, and go home.
import { castRay, moveBox } from "@orthant/mesh";
import { AIR, connect } from "orthant/client";
import { Vector3 } from "three";
import { BLOCKS, CHEST, FURNACE, hills, PLAYER_SIZE, WALK_SPEED } from "../land.mjs";
import { Picture } from "./picture.js";

const VIEW_VOXELS = 56;
const [EYE, JUMP, GRAVITY, REACH] = [1.6, 9, 28, 8];
const ITEMS = ["plank", "rock", "sand", "glass", "chest", "furnace", "water"].map((name) => BLOCKS.id(name));
const [canvas, place, aimed, hand, status] = ["canvas", "#place", "#aim", "#hand", "#status"].map((name) =>
  document.querySelector(name),
);

// What follows # is not sent to any server.
const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
const client = await connect(location.href.replace(/^http/, "ws").replace(/[?#].*/, ""), {
  token,
  dimensions: 3,
  generators: [hills], // so that the server sends only what players changed
  timeoutMs: Number.POSITIVE_INFINITY,
});
const picture = new Picture(canvas, client, VIEW_VOXELS);
const { camera } = picture;

const keys = new Set();
const held = (key) => Number(keys.has(key));
let item = ITEMS[0];
let carried = {};
let center;

/** Walks, falls and jumps. Solid blocks stop the player, and so does what has not arrived yet. */
function walk({ position, velocity, onGround }, { ahead, aside, jump, yaw }, seconds) {
  const speed = WALK_SPEED / Math.max(1, Math.hypot(ahead, aside));
  const [sine, cosine] = [Math.sin(yaw) * speed, Math.cos(yaw) * speed];
  const next = [
    aside * cosine - ahead * sine,
    (jump && onGround ? JUMP : velocity[1]) - GRAVITY * seconds,
    -aside * sine - ahead * cosine,
  ];
  const moved = moveBox(
    client,
    { position, size: PLAYER_SIZE },
    next.map((part) => part * seconds),
  );
  if (moved.hit[1] !== 0) next[1] = 0;
  // Others see which way the player looks, level with the ground.
  const orientation = [0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2)];
  return { position: moved.position, orientation, velocity: next, onGround: moved.onGround };
}

const player = client.predictPlayer({
  state: { position: client.pose.position, velocity: [0, 0, 0], onGround: false },
  step: walk,
});
client.onMoved(({ reason }) => say(reason));

client.onMessage((message) => {
  if (message.type !== "carried") return;
  carried = message.carried;
  showHand();
});
client.onStatus((now, { error }) => say(error ? error.message : now));
say(client.status);

function say(text) {
  if (text) status.value = text;
}

function showHand() {
  hand.replaceChildren(
    ...ITEMS.map((id, index) => {
      const entry = document.createElement("li");
      entry.className = id === item ? "held" : "";
      entry.textContent = `${index + 1} ${BLOCKS.byId(id).name} ${carried[id] ?? 0}`;
      return entry;
    }),
  );
}

const aim = () => castRay(client, camera.position, camera.getWorldDirection(new Vector3()), REACH);

/** Edits show at once, and are taken back if the server refuses them. */
async function settle(edit) {
  const { status: result, detail } = await edit;
  say(result === "rejected" ? detail : result);
}

function fill(change) {
  const target = aim();
  if (target === undefined || ![CHEST, FURNACE].includes(target.block))
    return say("Look at a chest or a furnace.");
  return settle(client.setData(target.position, change(client.dataAt(target.position) ?? {})));
}

const actions = {
  q: () => aim() && settle(client.set(aim().position, AIR)),
  e: () => aim() && settle(client.set(aim().adjacent, item)),
  f() {
    const { name } = BLOCKS.byId(item);
    fill((content) => ({ ...content, [name]: (content[name] ?? 0) + 1 }));
  },
  g: () => fill(() => null),
  h: () => client.send({ type: "home" }),
};
ITEMS.forEach((id, index) => {
  actions[index + 1] = () => {
    item = id;
    showHand();
  };
});

function turn(right, down) {
  camera.rotation.y -= right * 0.003;
  camera.rotation.x = Math.max(-1.5, Math.min(1.5, camera.rotation.x - down * 0.003));
}

addEventListener("keydown", ({ key, repeat }) => {
  keys.add(key.toLowerCase());
  if (!repeat) actions[key.toLowerCase()]?.();
});
addEventListener("keyup", ({ key }) => keys.delete(key.toLowerCase()));
addEventListener("blur", () => keys.clear());
addEventListener("mousemove", ({ movementX, movementY }) => {
  if (document.pointerLockElement === canvas) turn(movementX, movementY);
});
canvas.addEventListener("mousedown", ({ button }) => {
  if (document.pointerLockElement !== canvas) canvas.requestPointerLock();
  else actions[button === 0 ? "q" : "e"]();
});
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

showHand();
let last = performance.now();
function frame(now) {
  const seconds = Math.max(0, Math.min(0.05, (now - last) / 1000));
  last = now;
  turn(
    (held("arrowright") - held("arrowleft")) * 600 * seconds,
    (held("arrowdown") - held("arrowup")) * 400 * seconds,
  );
  if (client.status === "joined") {
    const [ahead, aside] = [held("w") - held("s"), held("d") - held("a")];
    player.move({ ahead, aside, jump: keys.has(" "), yaw: camera.rotation.y }, seconds);
  }
  const [x, y, z] = player.position;
  camera.position.set(x, y + EYE, z);
  if (center === undefined || camera.position.distanceTo(center) > 16) {
    center = camera.position.clone();
    client.setInterest({ center: [x, y, z], radius: VIEW_VOXELS });
  }
  place.value = [x, y, z].map((part) => part.toFixed(1)).join(" ");
  picture.draw();
  const target = aim();
  const content = target && client.dataAt(target.position);
  aimed.value = target ? `${BLOCKS.byId(target.block)?.name} ${content ? JSON.stringify(content) : ""}` : "";
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
