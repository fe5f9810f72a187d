import { setTimeout as delay } from "node:timers/promises";
import type { ClusterNode } from "@orthant/cluster";
import { type Box, isOrthantError, type Vector } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import type { WorldEngine } from "@orthant/world/engine";

/** Above where builders build, and around the corner where the first four shards meet. */
export const MEADOW: Box = boxBetween([-24, 60, -24, 0], [24, 62, 24, 400]);
const STEP_MS = 2_000;
const STRIDE = 8;

/** Puts entities into a world, which owners then walk. */
export function addWalkers(world: WorldEngine, count: number): void {
  for (let index = 0; index < count; index++) world.entities.spawn({ kind: 1, position: anyPlace() });
}

/** Walks the entities of all shards that a node owns, for as long as the process lives. */
export async function walk(node: ClusterNode): Promise<never> {
  for (;;) {
    await Promise.all([...node.shards.keys()].map((shard) => walkShard(node, shard)));
    await delay(STEP_MS);
  }
}

async function walkShard(node: ClusterNode, shard: string): Promise<void> {
  try {
    const entities = node.entities(shard);
    const found = (await entities?.in(MEADOW)) ?? [];
    await Promise.all(
      found.map(({ entityId, position }) => entities?.change(entityId, { position: stepFrom(position) })),
    );
  } catch (error) {
    // The shard may be lost or full; the next step finds out what is left of it.
    if (!isOrthantError(error)) throw error;
  }
}

function anyPlace(): Vector {
  const { min, max } = MEADOW;
  const at = (axis: 0 | 1 | 2 | 3): number => min[axis] + Math.random() * (max[axis] - min[axis] - 1);
  return [at(0), at(1), at(2), at(3)];
}

function stepFrom([x, y, z, w]: Vector): Vector {
  const inside = (at: number): number => Math.min(Math.max(at, MEADOW.min[0]), MEADOW.max[0] - 1);
  const stride = (): number => (Math.random() - 0.5) * STRIDE;
  return [inside(x + stride()), y, inside(z + stride()), w];
}
