// The server: who may play, what they may do, and the sheep. Pull its plug at any time.
// Usage: node server.mjs FOLDER PORT
import { AIR, box, createServer, issueToken, openOrCreateWorld } from "orthant";
import { BLOCKS, hills, PLANK, SECRET } from "./land.mjs";

const [folder = "my-world", port = "0"] = process.argv.slice(2);
const world = await openOrCreateWorld(
  folder,
  { dimensions: 3, name: "Survival", generator: hills({ seed: 7n }), blocks: BLOCKS, spawn: [0, 20, 0] },
  { durability: "journal" },
);

// What a player carries is stored with the player, as JSON: how many of each block.
const carriedBy = (playerId) => {
  const bytes = world.player(playerId)?.inventory;
  return bytes?.length ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
};
const carry = (playerId, blocks) =>
  world.upsertPlayer({ playerId, inventory: new TextEncoder().encode(JSON.stringify(blocks)) });

const SPAWN = box([-8, -32, -8], [8, 64, 8]);
const touchesSpawn = ({ min, max }) =>
  min.every((low, axis) => low < SPAWN.max[axis] && SPAWN.min[axis] < max[axis]);

const rules = {
  /** A player places what they carry, and nothing at the spawn. */
  beforeEdit({ player, box, changes }) {
    if (touchesSpawn(box)) return { reject: "The spawn is protected." };
    const carried = carriedBy(player.playerId) ?? {};
    const placed = changes.filter(({ block, before }) => block !== AIR && block !== before);
    for (const { block } of placed) carried[block] = (carried[block] ?? 0) - 1;
    if (Object.values(carried).some((count) => count < 0))
      return { reject: "You do not carry enough of it." };
  },
  /** What was there before drops into the player's pocket. Two players who break one block get one drop. */
  afterEdit({ player, changes }) {
    const carried = carriedBy(player.playerId) ?? {};
    for (const { block, before } of changes) {
      if (block !== AIR) carried[block] = (carried[block] ?? 0) - 1;
      if (before !== AIR) carried[before] = (carried[before] ?? 0) + 1;
    }
    carry(player.playerId, carried);
  },
  onJoin({ player }) {
    if (carriedBy(player.playerId) === undefined) carry(player.playerId, { [PLANK]: 2_500 });
  },
};

const server = await createServer({
  world,
  port: Number(port),
  acknowledge: "durable",
  auth: { secret: SECRET },
  rules,
  logger: false,
});

// Five sheep walk about at the spawn, ten times a second.
const MEADOW = box([-40, -40, -40], [40, 60, 40]);
let sheep = await world.entitiesIn(MEADOW);
if (sheep.length === 0) {
  for (let at = 0; at < 5; at++)
    world.spawnEntity({ kind: 1, position: [at * 2, 14, 0], name: `Sheep ${at + 1}` });
  sheep = await world.entitiesIn(MEADOW);
}
let tick = 0;
setInterval(() => {
  tick++;
  for (const [index, { id }] of sheep.entries()) {
    const angle = tick / 20 + index;
    world.changeEntity(id, { position: [index * 2 + 3 * Math.cos(angle), 14, 3 * Math.sin(angle)] });
  }
}, 100);

console.log(`playing at ${server.url}`);
for (const [playerId, name] of [
  [1n, "Ada"],
  [2n, "Bob"],
]) {
  const claims = { playerId, name, role: "builder", expiresInSeconds: 86_400 };
  console.log(`${name}'s token: ${await issueToken(claims, { secret: SECRET })}`);
}
