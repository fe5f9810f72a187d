// Shares a world, and a page to play it on, from a folder until Ctrl-C; players find it as they left it.
// Usage: node server.mjs FOLDER [PORT]
import { existsSync } from "node:fs";
import { CUBE_CHUNKS, generatorRef, TERRAIN_DEFAULTS, terrainGenerator } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { hasSave } from "@orthant/save";
import { createServer } from "@orthant/server";
import { createWorldStore, openWorldStore } from "@orthant/world/store";

const [folder, port = "8080"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node server.mjs FOLDER [PORT]");

const disk = await NodeDisk.create(folder);
const generator = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n);
const isNew = !(await hasSave(disk));
const world = isNew
  ? await createWorldStore(disk, { name: "Valley", shape: CUBE_CHUNKS, generator })
  : await openWorldStore(disk);

// Nobody may build above y = 100. Everything else is for the server to check: rates, sizes, roles, tokens.
const beforeEdit = ({ changes }) =>
  changes.some(({ position: [, y] }) => y > 100) ? { reject: "the sky belongs to all" } : undefined;
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
