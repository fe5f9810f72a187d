import { setTimeout as delay } from "node:timers/promises";
import { connectReplica } from "@orthant/client/node";
import type { Position } from "@orthant/core";
import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import type { Prng } from "@orthant/testkit";
import { WebSocket } from "ws";
import { tokenOf } from "../sim/sim-plan.ts";

const THRASHERS = 8;
const THRASH_MS = 10_000;
const CHANGE_MS = 100;
const RADIUS_CHUNKS = 6;
const FAR_VOXELS = 4_000;
const W_MAX = 400;
/** Behind the numbers of all builders. */
const FIRST_PLAYER = 10_000;

/** Lets players look at another place of the world, in any shard, ten times a second. */
export async function thrashInterest(gateways: readonly string[], prng: Prng): Promise<void> {
  const place = (): Position => [
    prng.between(-FAR_VOXELS, FAR_VOXELS),
    prng.between(-FAR_VOXELS, FAR_VOXELS),
    prng.between(-FAR_VOXELS, FAR_VOXELS),
    prng.between(0, W_MAX),
  ];
  const players = Array.from({ length: THRASHERS }, (_, number) => {
    const url = gateways[number % gateways.length] ?? "";
    return connectReplica(url, {
      name: `thrasher ${number}`,
      token: tokenOf(FIRST_PLAYER + number, "builder"),
      interest: { center: place(), radiusChunks: RADIUS_CHUNKS },
      timeoutMs: Number.POSITIVE_INFINITY,
      socket: () => new WebSocket(url, { maxPayload: SERVER_FRAME_BYTES_MAX, perMessageDeflate: false }),
    });
  });
  const endMs = performance.now() + THRASH_MS;
  while (performance.now() < endMs) {
    for (const player of players) player.setInterest({ center: place(), radiusChunks: RADIUS_CHUNKS });
    await delay(CHANGE_MS);
  }
  await Promise.all(players.map((player) => player.close()));
}
