import type { WorldReplica } from "@orthant/client/replica";
import type { Position } from "@orthant/core";
import {
  boxContains,
  chunkOfVoxel,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import { roundPose } from "@orthant/protocol";
import type { WorldEngine } from "@orthant/world/engine";
import type { Bot } from "./bot.ts";

/** Result of a comparison of clients with the server's world. */
interface BotReport {
  readonly regions: number;
  readonly voxels: number;
  readonly faults: readonly string[];
}

/** Compares the world on the server's disk with each client's replica and its acknowledged edits. */
export async function compareBots(world: WorldEngine, bots: readonly Bot[]): Promise<BotReport> {
  const faults: string[] = [];
  let regions = 0;
  let voxels = 0;
  for (const bot of bots) {
    const fail = (detail: string): number => faults.push(`client ${bot.lane}: ${detail}`);
    for (const region of positionsLexicographic(regionsTouching(bot.interest))) {
      regions++;
      const fault = await faultOfRegion(bot, region, world);
      if (fault !== undefined) fail(fault);
    }
    for (const [voxel, block] of bot.built) {
      voxels++;
      const found = await world.get(voxel);
      if (found !== block) fail(`[${voxel}] is ${found}, not ${block} as it was acknowledged`);
    }
  }
  return { regions, voxels, faults };
}

/** Describes which players a client wrongly sees or misses while all stand still; `undefined` when none. */
export function faultOfEntities(bot: Bot, bots: readonly Bot[]): string | undefined {
  const interest = regionsTouching(bot.interest);
  const wanted = bots.flatMap((other) => {
    if (other === bot || other.pose === undefined) return [];
    const { position } = roundPose(other.pose);
    const [x, y, z, w] = position.map(Math.floor) as [number, number, number, number];
    const region = regionOf(chunkOfVoxel(bot.world.shape, [x, y, z, w]));
    return boxContains(interest, region) ? [`${other.world.playerId} at ${position}`] : [];
  });
  const seen = bot.world.entities.map(({ id, position }) => `${id} at ${position}`);
  const missing = wanted.filter((entity) => !seen.includes(entity));
  const extra = seen.filter((entity) => !wanted.includes(entity));
  if (missing.length + extra.length === 0) return undefined;
  return `client ${bot.lane} does not see ${missing.join(", ") || "none"}, and sees ${extra.join(", ") || "none"} wrongly`;
}

/** Describes how a client's copy of a region differs from the world; `undefined` when it does not. */
export async function faultOfRegion(
  {
    world: replica,
    lacksGenerators = false,
  }: { readonly world: WorldReplica; readonly lacksGenerators?: boolean },
  region: Position,
  world: WorldEngine,
): Promise<string | undefined> {
  const box = regionBox(region);
  if (replica.chunkAt(box.min) === undefined) return `region [${region}] is not held`;
  const held = await replica.region(box, "symbolic");
  // Equal trees mean equal content, but different trees may hold the same content.
  for (const difference of held.differences(
    await world.region(box, lacksGenerators ? "concrete" : "symbolic"),
  )) {
    for (const chunk of positionsLexicographic(difference.box)) {
      if (replica.chunkAt(chunk)?.equals(await world.chunk(chunk)) !== true)
        return `chunk [${chunk}] is not the server's`;
    }
  }
  return undefined;
}
