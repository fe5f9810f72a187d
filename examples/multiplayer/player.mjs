// Joins a shared world, says where it is, puts up a lamp and leaves when it has seen the lamps of two players.
// Usage: node player.mjs ADDRESS NAME; start it twice, with two names
import { connect } from "orthant";

const [address = "ws://127.0.0.1:8080", name = "Ada"] = process.argv.slice(2);
const client = await connect(address, { name, dimensions: 3 });
console.log(`${name} is ${client.status}`);
client.onStatus((status, { error }) =>
  console.log(`${name} is ${status}${error ? `: ${error.message}` : ""}`),
);
const greeted = new Set();
client.onEntity(({ entity }) => {
  if (!entity?.isPlayer || greeted.has(entity.id)) return;
  greeted.add(entity.id);
  console.log(`${name} sees ${entity.name}`);
});

await client.setInterest({ center: [0, 88, 0], radius: 32 });
client.move({ position: [0, 88, 0] });

// Each player's lamp hangs where the first letter of the name says.
const lamp = client.blocks.id("lamp");
const x = name.charCodeAt(0) % 8;
const lampsInSight = () => [0, 1, 2, 3, 4, 5, 6, 7].filter((at) => client.voxelAt([at, 90, 0]) === lamp);
const bothSeen = new Promise((resolve) => {
  const look = () => lampsInSight().length >= 2 && resolve();
  client.onEdit(look);
  look();
});

const built = await client.set([x, 90, 0], lamp);
console.log(`${name}'s lamp: ${built.status}`);
const star = await client.set([x, 101, 0], lamp);
console.log(`${name}'s star: ${star.status}, because ${star.detail}`);

await bothSeen;
console.log(`${name} sees lamps at x = ${lampsInSight().join(" and ")}`);
await client.close();
