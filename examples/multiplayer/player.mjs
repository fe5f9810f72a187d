// Joins a shared world, says where it is, puts up a lamp and leaves when it has seen the lamps of two players.
// Usage: node player.mjs ADDRESS NAME; start it twice, with two names
import { connectReplica } from "@orthant/client/node";

const [address = "ws://127.0.0.1:8080", name = "Ada"] = process.argv.slice(2);
const shared = connectReplica(address, { name, interest: { center: [0, 88, 0, 0], radiusChunks: 1 } });
shared.onStatus((status, { error }) =>
  console.log(`${name} is ${status}${error ? `: ${error.message}` : ""}`),
);
shared.onEntities(({ entered }) => {
  for (const entity of entered) if (entity.isPlayer) console.log(`${name} sees ${entity.name}`);
});

await shared.complete();
shared.move({ position: [0, 88, 0, 0], orientation: [0, 0, 0, 1] });

// Each player's lamp hangs where the first letter of the name says.
const lamp = shared.catalog.byName("lamp").id;
const x = (name.codePointAt(0) ?? 0) % 8;
const lampsInSight = () => [0, 1, 2, 3, 4, 5, 6, 7].filter((at) => shared.voxelAt([at, 90, 0, 0]) === lamp);
const bothSeen = new Promise((resolve) => {
  const look = () => lampsInSight().length >= 2 && resolve();
  shared.onChange(look);
  look();
});

const built = await shared.setVoxel([x, 90, 0, 0], lamp);
console.log(`${name}'s lamp: ${built.status}`);
const result = await shared.setVoxel([x, 101, 0, 0], lamp);
console.log(`${name}'s star: ${result.status}, because ${result.detail}`);

await bothSeen;
console.log(`${name} sees lamps at x = ${lampsInSight().join(" and ")}`);
await shared.close();
