import {
  createServer,
  type Disk,
  type OrthantServer,
  openOrCreateWorld,
  type ServerOptions,
  terrain,
} from "orthant";
import { logger } from "./log.ts";

/** The game's own types of blocks. New ones may be added at any time. */
const BLOCKS = {
  planks: { colour: 0xb08551 },
  torch: { colour: 0xffc766, solid: false, transparent: true, light: 14 },
} as const;

/** Opens the world in a folder, or creates it there, and lets players in. */
export async function startServer(
  folder: string | Disk,
  options: Pick<ServerOptions, "host" | "port" | "page"> = {},
): Promise<OrthantServer> {
  const world = await openOrCreateWorld(
    folder,
    {
      dimensions: 2,
      generator: terrain({ seed: 7n, relief: 40 }),
      spawn: [2.5, 4],
      blocks: BLOCKS,
    },
    { durability: "journal" },
  );
  return createServer({
    ...options,
    world,
    auth: { anonymous: true }, // all who reach the server may play
    acknowledge: "durable", // an edit is acknowledged once it would survive a crash
    closeWorld: true,
    logger,
  });
}
