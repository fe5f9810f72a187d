// A second player, who looks at the house and at the sheep.
// Usage: node watcher.mjs ADDRESS TOKEN
import { connect } from "orthant";
import { hills, house, PLANK, SHEEP } from "./land.mjs";

const [address, token] = process.argv.slice(2);
const client = await connect(address, { token, dimensions: 3, generators: [hills] });
let steps = 0;
client.onEntity(() => steps++);
await client.setInterest({ center: [20, 20, 20], radius: 64 });

const voxels = [...house(30, 12, 30)];
const seen = () => voxels.filter((position) => client.voxelAt(position) === PLANK).length;
console.log(`${client.blocks.byId(PLANK).name}s in sight: ${seen()} of ${voxels.length}`);

const before = steps;
await new Promise((resolve) => setTimeout(resolve, 2_000));
const sheep = client.entities.filter(({ isPlayer, kind }) => !isPlayer && kind === SHEEP);
console.log(`sheep: ${sheep.length}, steps: ${steps - before}`);
await client.close();
