import type { EntityTraits } from "./entity-grid.ts";

/** Returns what other players see of a player besides the pose. */
export function playerTraits(playerId: bigint, name: string): EntityTraits {
  return { isPlayer: true, id: playerId, entityClass: 0, kind: 0, scale: 1, block: 0, name };
}
