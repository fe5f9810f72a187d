// Shares a world of floating platforms, from a folder, until Ctrl-C; players find it as they left it.
// Usage: node examples/shared-world/server.mjs FOLDER [PORT]
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { detectSave } from "@orthant/formats";
import { createServer } from "@orthant/server";
import { createWorld, openWorld } from "@orthant/world";

const [folder, port = "8080"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node examples/shared-world/server.mjs FOLDER [PORT]");

const disk = await NodeDisk.create(folder);
const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
const isNew = (await detectSave(disk)) === undefined;
const world = isNew ? await createWorld(disk, { name: "Isles", generator }) : await openWorld(disk);

// Nobody may build above y = 100. Everything else is for the server to check: rates, sizes, roles, tokens.
const onEdit = (_player, placements) =>
  placements.some(({ voxel }) => voxel[1] > 100) ? "the sky belongs to all" : undefined;
const server = await createServer({
  world,
  port: Number(port),
  acknowledge: "durable",
  rules: { onEdit },
  logger: false,
  closeWorld: true,
});
console.log(`"${world.name}" is at ${server.url}`);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
