import { connectReplica, connectTiles } from "@orthant/client/node";
import { type Position, TILE_CHUNKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import type { Wire1GameCommand } from "@orthant/protocol/wire1";
import { createWorldEngine } from "@orthant/world/engine";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "./served-world.ts";

/** Runs the event loop until a condition holds. The test's own timeout ends it otherwise. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test("[W35, W37] clients of both protocols see the same world and each other's edits", async () => {
  const world = await createWorldEngine(new MemoryDisk(), { shape: TILE_CHUNKS });
  const commands: Wire1GameCommand[] = [];
  const wire1 = { onCommand: (_player: unknown, command: Wire1GameCommand) => void commands.push(command) };
  const server = await serve(world, { wire1, closeWorld: true });
  onTestFinished(() => server.close());
  const tiles = connectTiles({ port: server.wire1Port ?? 0, playerId: 4 });
  onTestFinished(() => tiles.close());
  const shared = connectReplica(server.url, { name: "Ada" });
  onTestFinished(() => void shared.close());
  shared.setInterest({ center: [0, 0, 0, 0] as Position, radiusChunks: 2 });
  await shared.complete();
  await until(() => [...tiles.client.chunks].length === 25);

  tiles.client.setTile(3, -2, 5);
  await until(() => shared.voxelAt([3, -2, 0, 0]) === 5 && tiles.client.tileAt(3, -2) === 5);
  await shared.setVoxel([-7, 9, 0, 0], 2);
  await until(() => tiles.client.tileAt(-7, 9) === 2);
  tiles.client.command({ kind: "actionPrimary", x: 1, y: 2, hotbarRow: 0, hotbarSlot: 3 });
  await until(() => commands.length > 0);
  expect(commands).toEqual([{ kind: "actionPrimary", x: 1, y: 2, hotbarRow: 0, hotbarSlot: 3 }]);
  expect(server.players).toHaveLength(2);
  await until(() => shared.entities.length === 1);
  expect(shared.entities[0]?.name).toBe("tile player 4");
});
