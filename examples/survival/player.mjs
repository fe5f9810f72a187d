// A player who tries everything: drops sand, pours water, fills a chest and a furnace, and looks at the wolf.
// Usage: node player.mjs ADDRESS TOKEN
import { AIR, connect } from "orthant";
import { CHEST, FURNACE, hills, isWater, SAND, WATER, WOLF } from "./land.mjs";

const [address, token] = process.argv.slice(2);
const client = await connect(address, { token, dimensions: 3, generators: [hills] });
await client.setInterest({ center: [12, 8, 12], radius: 48 });

const groundAt = (x, z) => {
  for (let y = 30; ; y--) if (client.voxelAt([x, y - 1, z]) !== AIR) return y;
};
const wolf = () => client.entities.find(({ kind, isPlayer }) => !isPlayer && kind === WOLF);
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const set = async (position, block, options) => {
  const { status, detail = "" } = await client.set(position, block, options);
  if (status !== "applied") console.log(`[${position}] ${status}: ${detail}`);
};

const ground = groundAt(12, 12);
const before = wolf()?.position;
await set([12, ground + 9, 12], SAND);
await set([16, groundAt(16, 16) + 1, 16], WATER);
const [chest, furnace] = [
  [20, 25, 12],
  [21, 25, 12],
];
await set(chest, CHEST, { data: { plank: 20 } });
await set(furnace, FURNACE, { data: { sand: 1 } });
await set([22, 25, 12], CHEST, { data: { plank: 99_999 } });
await after(4_000);

console.log(`sand on the ground: ${client.voxelAt([12, ground, 12]) === SAND}`);
let wet = 0;
for (let x = 6; x < 26; x++)
  for (let z = 6; z < 26; z++) for (let y = -12; y < 16; y++) if (isWater(client.voxelAt([x, y, z]))) wet++;
console.log(`water: ${wet} voxels`);
console.log(
  `chest: ${JSON.stringify(client.dataAt(chest))}, furnace: ${JSON.stringify(client.dataAt(furnace))}`,
);
const [from, to] = [before, wolf()?.position].map((position) => position?.map(Math.round).join(", "));
console.log(`the wolf came from ${from} to ${to}`);
await client.close();
