import type { BeingTraits } from "./being-grid.ts";

/** Returns what other players see of a player besides the pose. */
export function playerTraits(playerId: bigint, name: string): BeingTraits {
  return { isPlayer: true, id: playerId, entityClass: 0, kind: 0, scale: 1, material: 0, name };
}
