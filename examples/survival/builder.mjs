// A bot that builds a house of 2,000 voxels with plain calls of set, also when the server dies meanwhile.
// Usage: node builder.mjs ADDRESS TOKEN
import { connect } from "orthant";
import { hills, house, PLANK } from "./land.mjs";

const [address, token] = process.argv.slice(2);
const client = await connect(address, { token, dimensions: 3, generators: [hills] });
await client.setInterest({ center: [43, 20, 43], radius: 48 });

const count = {};
const sets = [...house(30, 12, 30)].map(async (position) => {
  const { status } = await client.set(position, PLANK);
  count[status] = (count[status] ?? 0) + 1;
  if (count[status] % 500 === 0) console.log(`${count[status]} ${status}`);
});
await Promise.all(sets);
console.log(`the house stands: ${JSON.stringify(count)}`);

const { status, detail } = await client.set([0, 30, 0], PLANK);
console.log(`at the spawn: ${status}, ${detail}`);
await client.close();
