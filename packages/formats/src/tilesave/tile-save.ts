import type { TileChunk } from "@orthant/core";

/** What the original game knows when it is not running. */
export interface TileSave {
  readonly tickIndex: bigint;
  readonly localPlayerId: number;
  /** Of the mods that change the game. */
  readonly gameplayFingerprint: string;
  /** Of the mods that only change its looks. */
  readonly cosmeticFingerprint: string;
  /** `undefined` when the save has no such section; the same for the other two. */
  readonly gameplay: GameplaySection | undefined;
  readonly chunks: readonly TileChunk[] | undefined;
  readonly debug: DebugSection | undefined;
  /** Keys that nobody here knows, in the order of the file. */
  readonly others: readonly UnknownEntry[];
}

/** How far the player has come. */
export interface GameplaySection {
  readonly woodCollected: bigint;
  readonly stoneCollected: bigint;
  readonly workbenchBuilt: boolean;
  readonly swordCrafted: boolean;
  readonly enemyKillCount: bigint;
  readonly bossHealth: bigint;
  readonly bossDefeated: boolean;
  readonly loopComplete: boolean;
}

/** What the network did, as far as anybody noticed. */
export interface DebugSection {
  readonly sessionTransitions: bigint;
  readonly timeoutDisconnects: bigint;
  readonly manualDisconnects: bigint;
  readonly lastHeartbeatTick: bigint;
  readonly droppedCommands: bigint;
  readonly droppedRemotePayloads: bigint;
  readonly lastTransitionReason: string;
}

/** A line of which only the form is known. */
export interface UnknownEntry {
  readonly key: string;
  readonly value: string;
}

/** A save of a game that has just begun. */
export const EMPTY_TILE_SAVE: TileSave = {
  tickIndex: 0n,
  localPlayerId: 1,
  gameplayFingerprint: "",
  cosmeticFingerprint: "",
  gameplay: undefined,
  chunks: undefined,
  debug: undefined,
  others: [],
};
