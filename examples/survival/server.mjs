// The server: who may play, what they may do, and what happens by itself. Pull its plug at any time.
// Usage: node server.mjs FOLDER PORT
import { existsSync } from "node:fs";
import { AIR, box, createServer, issueToken, openOrCreateWorld } from "orthant";
import { FLOCK, lambs, MEADOW, sheep, wolves } from "./animals.mjs";
import { furnace, SMELT_STEPS } from "./furnace.mjs";
import { grass } from "./grass.mjs";
import {
  BLOCKS,
  CHEST,
  FURNACE,
  hills,
  isWater,
  PLANK,
  PLAYER_SIZE,
  SAND,
  SHEEP,
  TORCH,
  WALK_SPEED,
  WATER,
  WOLF,
} from "./land.mjs";
import { sand } from "./sand.mjs";
import { water } from "./water.mjs";

/** Signs the players' tokens. A real game keeps it out of its code. */
const SECRET = "survival-example-secret-of-32-bytes";

const [folder = "my-world", port = "0"] = process.argv.slice(2);
const world = await openOrCreateWorld(
  folder,
  { dimensions: 3, name: "Survival", generator: hills({ seed: 7n }), blocks: BLOCKS, spawn: [0, 20, 0] },
  { durability: "journal" },
);

// What a player carries is stored with the player, as JSON: how many of each block.
const carriedBy = (player) =>
  player?.inventory.length ? JSON.parse(new TextDecoder().decode(player.inventory)) : undefined;
const pack = (carried) => new TextEncoder().encode(JSON.stringify(carried));
const show = (playerId) =>
  server.send(playerId, { type: "carried", carried: carriedBy(world.player(playerId)) });

const SPAWN = box([-8, -32, -8], [8, 64, 8]);
const touchesSpawn = (box) =>
  box?.min.every((low, axis) => low < SPAWN.max[axis] && SPAWN.min[axis] < box.max[axis]);

/** What players may put into a chest or a furnace: how many of each block, by name. */
function contents(data) {
  for (const [name, count] of Object.entries(data)) {
    if (!Number.isInteger(count) || count < 0) throw new Error(`There cannot be ${count} of anything.`);
    BLOCKS.id(name);
  }
  return data;
}

/** Yields what a voxel is worth: its block, and what lies in it if it is a chest or a furnace. */
function* itemsOf(block, data = {}) {
  // Only a spring can be carried, not the water that flowed from it.
  if (block !== AIR && !(isWater(block) && block !== WATER)) yield [block, 1];
  for (const [name, count] of Object.entries(data)) yield [BLOCKS.id(name), count];
}

/** Returns what a player carries after edits: what was there comes into the pocket, what is there now leaves it. */
function carriedAfter(player, changes) {
  const carried = carriedBy(player) ?? {};
  for (const { block, data, before, dataBefore } of changes) {
    for (const [item, count] of itemsOf(before, dataBefore)) carried[item] = (carried[item] ?? 0) + count;
    for (const [item, count] of itemsOf(block, data)) carried[item] = (carried[item] ?? 0) - count;
  }
  return carried;
}

const GIFT = { [PLANK]: 2_500, [SAND]: 64, [WATER]: 4, [CHEST]: 2, [FURNACE]: 1, [TORCH]: 16 };

const rules = {
  data: { chest: contents, furnace: contents },
  /** A player places what they carry, and neither changes nor copies the spawn. Two players who break one block get one drop. */
  beforeEdit({ player: { playerId }, box, source }) {
    if (touchesSpawn(box) || touchesSpawn(source)) return { reject: "The spawn is protected." };
    return {
      with(transaction, changes) {
        const carried = carriedAfter(transaction.player(playerId), changes);
        if (Object.values(carried).some((count) => count < 0))
          return { reject: "You do not carry enough of it." };
        transaction.upsertPlayer({ playerId, inventory: pack(carried) });
      },
    };
  },
  afterEdit: ({ player }) => show(player.playerId),
  onJoin({ player: { playerId } }) {
    if (!carriedBy(world.player(playerId))) world.upsertPlayer({ playerId, inventory: pack(GIFT) });
    show(playerId);
  },
  message(message) {
    if (message?.type !== "home") throw new Error("There is no such message.");
    return message;
  },
  onMessage({ player }) {
    server.movePlayer(player.playerId, { position: world.spawn }, "You are home.");
  },
};

const page = new URL("./dist/", import.meta.url);
const server = await createServer({
  world,
  port: Number(port),
  acknowledge: "durable",
  auth: { secret: SECRET },
  rules,
  movement: { speedMax: WALK_SPEED, size: PLAYER_SIZE }, // the server corrects players who walk faster or through walls
  ...(existsSync(page) ? { page } : {}),
  logger: false,
});

// Everything that moves by itself, twenty times a second: near players, and always on the meadow.
const simulation = world.simulate({
  touch: { fall: 1, flow: 2, smelt: SMELT_STEPS },
  systems: { sand, water, grass, furnace, sheep, lambs, wolves },
  activeRadius: 48,
  onError: (error, system) => console.error(`the system ${system} failed:`, error),
});
simulation.keepActive(MEADOW);
if ((await world.entitiesIn(MEADOW)).length === 0) {
  for (let at = 0; at < FLOCK; at++)
    world.spawnEntity({ kind: SHEEP, position: [at * 2, 14, 0], name: `Sheep ${at + 1}` });
  world.spawnEntity({ kind: WOLF, position: [-20.5, await groundAt(-21, -21), -20.5], name: "Wolf" });
}

/** Returns the height of the ground. */
async function groundAt(x, z) {
  for (let y = 30; ; y--) if ((await world.get([x, y - 1, z])) !== AIR) return y;
}

console.log(`playing at ${server.url}`);
for (const [playerId, name] of [
  [1n, "Ada"],
  [2n, "Bob"],
]) {
  const claims = { playerId, name, role: "builder", expiresInSeconds: 86_400 };
  const token = await issueToken(claims, { secret: SECRET });
  console.log(`${name}'s token: ${token}`);
  if (existsSync(page)) console.log(`${name} plays at http://127.0.0.1:${server.port}/#token=${token}`);
}
