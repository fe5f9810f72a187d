import { join } from "node:path";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { capture, temporaryFolder } from "./captured.ts";

/** Keeps no hourly generation, so that a test that runs across a full hour sees the same generations. */
export const NEWEST_TWO = { newest: 2, hours: 0, days: 0 };

/** Creates a world of hills with a brick house, a distant lamp, an entity and a player. */
export async function makeSampleWorld(): Promise<string> {
  const folder = join(await temporaryFolder(), "hills");
  await capture(["create", folder, "--template", "terrain", "--seed", "7"]);
  const world = await openWorldEngine(new NodeDisk(folder), { retention: NEWEST_TWO });
  await world.fill({ min: [0, 100, 0, 0], max: [4, 104, 4, 1] }, 11);
  await world.set([-100, 100, 0, 0], 13);
  world.entities.spawn({ kind: 3, position: [1.5, 104, 1.5, 0], displayName: "Bob", tags: ["cat"] });
  world.upsertPlayer({ playerId: 5n, name: "Ann" });
  await world.close();
  return folder;
}
