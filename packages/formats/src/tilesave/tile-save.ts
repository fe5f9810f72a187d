import { BlockCatalog } from "@orthant/core";
import type { TileChunk } from "@orthant/core/chunk";

/** The save. */
export const TILE_SAVE_FILE = "world.sav";
/** The previous save. */
export const TILE_SAVE_BACKUP_FILE = "world.sav.bak";
/** The only known version. */
export const TILE_SAVE_VERSION = 3;
/** Version of each section. */
export const SECTION_VERSION = 1;
/** Maximum bytes of the file. */
export const TILE_SAVE_BYTES_MAX = 268_435_456;
/** Maximum chunks of a save; as many fit the file. */
export const TILE_SAVE_CHUNKS_MAX = 65_536;

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
interface UnknownEntry {
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

/** Blocks of the original game, by its numbers. */
export const TILE_BLOCKS: BlockCatalog = new BlockCatalog([
  { id: 0, name: "air", colour: 0x00_0000, solid: false },
  { id: 1, name: "dirt", colour: 0x7a_5a_3c, solid: true },
  { id: 2, name: "stone", colour: 0x86_88_8c, solid: true },
  { id: 3, name: "grass", colour: 0x5d_9c_48, solid: true },
  { id: 4, name: "water", colour: 0x3f_78_c4, solid: false },
  { id: 5, name: "wood", colour: 0x98_6d_40, solid: true },
  { id: 6, name: "leaves", colour: 0x3f_80_3c, solid: false },
  { id: 7, name: "coal ore", colour: 0x3c_3d_42, solid: true },
  { id: 8, name: "torch", colour: 0xff_d9_7a, solid: false },
  { id: 9, name: "workbench", colour: 0xb0_7e_48, solid: true },
]);
