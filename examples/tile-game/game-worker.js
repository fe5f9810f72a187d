// The game: an endless land of tiles, seen from the side, through which the player walks and digs.
import { chunkBox, terrain } from "@orthant/core";
import { OpfsDisk } from "@orthant/disk/browser";
import { openOrCreateWorld } from "@orthant/world";
import { Walker } from "./walker.js";

const TILE_PIXELS = 20;
const CHUNK_TILES = 32;
const REACH_TILES = 8;
const PLAYER_ID = 1n;

let world;
let walker;
let context;
const pocket = []; // what was dug up, to be put elsewhere
const pressed = { left: false, right: false, jump: false };

const commands = {
  async begin(screen) {
    context = screen.getContext("2d");
    const disk = await OpfsDisk.open("tile-game");
    const tiles = { dimensions: 2, name: "Tiles", generator: terrain({ seed: 7n, relief: 40 }) };
    world = await openOrCreateWorld(disk, tiles, { durability: "journal" });
    const player = world.player(PLAYER_ID);
    const [x, y] = player?.position ?? [0.5, await groundAt(0)];
    walker = new Walker(x, y, (tileX, tileY) => world.blocks.byId(tileAt(tileX, tileY)).solid);
    await loadAround();
    postMessage(player === undefined ? "a new world" : "welcome back");
    requestAnimationFrame(frame);
  },

  async press(key, isDown) {
    pressed[key] = isDown;
  },

  async dig(left, top) {
    const [x, y] = tileUnder(left, top);
    const tile = tileAt(x, y);
    if (tile === 0 || !isInReach(x, y)) return;
    await world.set([x, y], 0); // kept by the journal when this returns
    pocket.push(tile);
    postMessage(`dug ${world.blocks.byId(tile).name}; ${pocket.length} in the pocket`);
  },

  async put(left, top) {
    const [x, y] = tileUnder(left, top);
    if (pocket.length === 0 || tileAt(x, y) !== 0 || !isInReach(x, y)) return;
    await world.set([x, y], pocket.pop());
    postMessage(`${pocket.length} in the pocket`);
  },

  async rest() {
    world.upsertPlayer({ playerId: PLAYER_ID, position: [walker.x, walker.y] });
    await world.save();
  },
};

let lastMs = 0;
let framesUntilNoted = 60;

function frame(nowMs) {
  walker.step(Math.min(0.05, (nowMs - lastMs) / 1000), pressed);
  lastMs = nowMs;
  draw();
  if (--framesUntilNoted === 0) {
    framesUntilNoted = 60;
    // The exact position does not matter: the world saves it with its next save.
    world.upsertPlayer({ playerId: PLAYER_ID, position: [walker.x, walker.y] });
    loadAround();
  }
  requestAnimationFrame(frame);
}

/** Returns the height of the first tile of air above the ground. */
async function groundAt(x) {
  let y = 200;
  while ((await world.get([x, y - 1])) === 0) y--;
  return y;
}

/** Loads the surroundings, so that the game never waits for the disk. */
function loadAround() {
  const [x, y] = [walker.x, walker.y].map((at) => Math.floor(at / CHUNK_TILES));
  return world.loadChunks(chunkBox([x - 2, y - 2], [x + 3, y + 3]));
}

function tileAt(x, y) {
  return world.voxelAt([x, y]) ?? 0;
}

function draw() {
  const { width, height } = context.canvas;
  context.fillStyle = "#a9d3ec";
  context.fillRect(0, 0, width, height);
  const [left, bottom] = [walker.x - width / 2 / TILE_PIXELS, walker.y - height / 2 / TILE_PIXELS];
  const fill = (x, y, wide, high, colour) => {
    context.fillStyle = colour;
    const top = height - (y + high - bottom) * TILE_PIXELS;
    context.fillRect(
      Math.round((x - left) * TILE_PIXELS),
      Math.round(top),
      wide * TILE_PIXELS,
      high * TILE_PIXELS,
    );
  };
  for (let x = Math.floor(left); x <= left + width / TILE_PIXELS; x++) {
    for (let y = Math.floor(bottom); y <= bottom + height / TILE_PIXELS; y++) {
      const tile = tileAt(x, y);
      if (tile !== 0) fill(x, y, 1, 1, `#${world.blocks.byId(tile).colour.toString(16).padStart(6, "0")}`);
    }
  }
  fill(walker.x - 0.4, walker.y, 0.8, 1.1, "#a84a3a");
  fill(walker.x - 0.3, walker.y + 1.1, 0.6, 0.6, "#f1c9a5");
}

function tileUnder(left, top) {
  const { width, height } = context.canvas;
  return [walker.x + (left - width / 2) / TILE_PIXELS, walker.y + (height / 2 - top) / TILE_PIXELS].map(
    Math.floor,
  );
}

function isInReach(x, y) {
  return Math.hypot(x - walker.x, y - walker.y) < REACH_TILES;
}

addEventListener("message", ({ data: [command, ...parameters] }) => {
  commands[command](...parameters).catch((error) => postMessage(error.message));
});
