import { TILES_PER_CHUNK, type TileChunk } from "@orthant/core/chunk";
import { EMPTY_TILE_SAVE, type TileSave } from "@orthant/formats";

/** Returns a chunk with tiles of one block. */
export function chunkOf(x: number, y: number, block: number): TileChunk {
  return { x, y, tiles: new Uint16Array(TILES_PER_CHUNK).fill(block) };
}

/** A save with every field. */
export const FULL_SAVE: TileSave = {
  ...EMPTY_TILE_SAVE,
  tickIndex: 2n ** 64n - 1n,
  localPlayerId: 9,
  gameplayFingerprint: "mods:v1:é=1",
  gameplay: {
    woodCollected: 42n,
    stoneCollected: 0n,
    workbenchBuilt: true,
    swordCrafted: false,
    enemyKillCount: 3n,
    bossHealth: 50n,
    bossDefeated: false,
    loopComplete: false,
  },
  chunks: [chunkOf(-1, -1, 0), chunkOf(0, 0, 7), chunkOf(0, 1, 65_535)],
  debug: {
    sessionTransitions: 7n,
    timeoutDisconnects: 2n,
    manualDisconnects: 3n,
    lastHeartbeatTick: 2n ** 64n - 1n,
    droppedCommands: 11n,
    droppedRemotePayloads: 5n,
    lastTransitionReason: "heartbeat_timeout",
  },
  others: [{ key: "future.key", value: "1" }],
};
