// Shares a world, and the page that draws it, from a folder until Ctrl-C.
// Usage: node server.mjs FOLDER [PORT]
import { createServer, openOrCreateWorld, terrain } from "orthant";

const [folder, port = "8080"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node server.mjs FOLDER [PORT]");

const world = await openOrCreateWorld(folder, {
  dimensions: 3,
  generator: terrain({ seed: 7n }),
  spawn: [-19.5, 20, 12.5], // above a clearing: players fall onto it
});
const page = new URL("./dist/", import.meta.url);
const server = await createServer({ world, port: Number(port), page, logger: false, closeWorld: true });
console.log(`The world is at ${server.url}`);
console.log(`Play at http://127.0.0.1:${server.port}/`);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
