import type { TileChunk } from "@orthant/core";

/** Stored state of the original game. */
export interface TileSave {
  readonly tickIndex: bigint;
  readonly localPlayerId: number;
  /** Fingerprint of the mods that change gameplay. */
  readonly gameplayFingerprint: string;
  /** Fingerprint of the mods that only change appearance. */
  readonly cosmeticFingerprint: string;
  /** `undefined` if the save lacks this section, as for the next two. */
  readonly gameplay: GameplaySection | undefined;
  readonly chunks: readonly TileChunk[] | undefined;
  readonly debug: DebugSection | undefined;
  /** Unknown keys, in file order. */
  readonly others: readonly UnknownEntry[];
}

/** The player's progress. */
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

/** Network statistics. */
export interface DebugSection {
  readonly sessionTransitions: bigint;
  readonly timeoutDisconnects: bigint;
  readonly manualDisconnects: bigint;
  readonly lastHeartbeatTick: bigint;
  readonly droppedCommands: bigint;
  readonly droppedRemotePayloads: bigint;
  readonly lastTransitionReason: string;
}

/** A line with an unknown key. */
export interface UnknownEntry {
  readonly key: string;
  readonly value: string;
}

/** The save of a new game. */
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
