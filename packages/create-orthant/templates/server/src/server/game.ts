import {
  type BlockChange,
  createServer,
  type Disk,
  type OrthantServer,
  openOrCreateWorld,
  type ServerOptions,
  terrain,
} from "orthant";
import { logger } from "./log.ts";

/** Distance from the spawn within which the land stays as it is, in voxels. */
const PROTECTED_VOXELS = 16;

/** Opens the world in a folder, or creates it there, and lets players in. */
export async function startServer(
  folder: string | Disk,
  options: Pick<ServerOptions, "host" | "port"> = {},
): Promise<OrthantServer> {
  const world = await openOrCreateWorld(
    folder,
    { dimensions: 3, generator: terrain({ seed: 7n }) },
    { durability: "journal" },
  );
  const isProtected = ({ position: [x, , z] }: BlockChange<3>): boolean =>
    Math.hypot(x - world.spawn[0], z - world.spawn[2]) < PROTECTED_VOXELS;
  return createServer({
    ...options,
    world,
    auth: { anonymous: true }, // all who reach the server may play
    acknowledge: "durable", // an edit is acknowledged once it would survive a crash
    closeWorld: true,
    logger,
    rules: {
      // A player's edit has at most `limits.ruleVoxelsMax` voxels (4,096), so the rule may look at each of them.
      beforeEdit: ({ player, changes }) =>
        changes.some(isProtected) ? { reject: `${player.name}, the spawn is protected.` } : undefined,
    },
  });
}
