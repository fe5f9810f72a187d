import { box } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { openWorld } from "@orthant/world";
import { endWithParent } from "../child.ts";

// A server of the world in a folder, with a journal and a simulation in which nothing happens: simulated-server FOLDER.

const [folder = ""] = process.argv.slice(2);
const world = await openWorld(new NodeDisk(folder), { durability: "journal" });
const simulation = world.simulate({ systems: { nothing: () => undefined } });
simulation.keepActive(box([0, 0, 0], [64, 64, 64]));
await simulation.whenActive();
const server = await createServer({ world: world.engine, logger: false, auth: { anonymous: true } });

endWithParent();
process.send?.(server.port);
