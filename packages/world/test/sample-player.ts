import type { StoredPlayer } from "@orthant/save";

/** Returns a player at the origin with nothing. */
export function player(playerId: bigint): StoredPlayer {
  return {
    playerId,
    authKey: new Uint8Array(0),
    name: `Player ${playerId}`,
    position: [0, 0, 0, 0],
    orientation: [0, 0, 0, 1],
    tags: [],
    inventory: new Uint8Array(0),
    metadata: [],
    lastSavedMs: 0,
  };
}
