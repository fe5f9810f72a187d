import type { OpenSocket } from "@orthant/client/replica";
import { isOrthantError } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer, type ServerOptions } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { WebSocket } from "ws";

/** Returns a world of platforms in memory, with edits all over it. */
export async function builtWorld(): Promise<WorldEngine> {
  const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
  const world = await createWorldEngine(new MemoryDisk(), { name: "Isles", generator });
  const prng = new Prng(1);
  await world.edit(
    Array.from({ length: 4000 }, () => ({
      voxel: [prng.below(48) - 24, prng.below(40) + 14, prng.below(48) - 24, prng.below(48) - 24] as const,
      block: 1 + prng.below(15),
    })),
  );
  return world;
}

/** Serves a world at a port of this machine. */
export async function serve(
  world: WorldEngine,
  options: Partial<ServerOptions> = {},
): Promise<OrthantServer> {
  return createServer({ world, tickMs: 20, logger: false, ...options });
}

/**
 * Serves a world at a port to which a server can return: one that the system does not give to others meanwhile, as it does
 * with those above 32,767.
 */
export async function serveAtOwnPort(world: WorldEngine): Promise<OrthantServer> {
  for (;;) {
    try {
      return await serve(world, { port: 20_000 + Math.floor(Math.random() * 10_000) });
    } catch (error) {
      if (!isOrthantError(error, "ORT_LISTEN")) throw error;
    }
  }
}

/** Counts the bytes received over the sockets it creates. */
export function countingSockets(): { readonly socket: OpenSocket; readonly bytes: () => number } {
  let bytes = 0;
  const socket = (url: string): WebSocket => {
    const made = new WebSocket(url);
    made.addEventListener("message", ({ data }) => {
      if (data instanceof ArrayBuffer) bytes += data.byteLength;
    });
    return made;
  };
  return { socket, bytes: () => bytes };
}
