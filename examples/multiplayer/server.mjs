// Shares a world, and a page to play it on, from a folder until Ctrl-C; players find it as they left it.
// Usage: node server.mjs FOLDER [PORT]
import { existsSync } from "node:fs";
import { createServer, openOrCreateWorld, terrain } from "orthant";

const [folder, port = "8080"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node server.mjs FOLDER [PORT]");

const world = await openOrCreateWorld(
  folder,
  { dimensions: 3, name: "Valley", generator: terrain({ seed: 7n }) },
  { durability: "journal" },
);

// No player may build above y = 100. The server itself checks everything else: rates, sizes, roles, tokens.
const beforeEdit = ({ box }) => (box.max[1] > 101 ? { reject: "the sky belongs to all" } : undefined);
const page = new URL("./dist/", import.meta.url);
const server = await createServer({
  world,
  port: Number(port),
  acknowledge: "durable",
  rules: { beforeEdit },
  ...(existsSync(page) ? { page } : {}),
  logger: false,
  closeWorld: true,
});
console.log(`"${world.name}" is at ${server.url}`);
console.log(
  existsSync(page) ? `play at http://127.0.0.1:${server.port}/` : "build the page to play: npm start",
);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
