import { boolText, type FieldText, plainText, u32Text, u64Text } from "./field-text.ts";
import type { DebugSection, GameplaySection, TileSave } from "./tile-save.ts";

/** The fields of a part of a save, in the order of the file: the key of each and its text. */
export type Fields<Value> = {
  readonly [Name in keyof Value]-?: readonly [key: string, text: FieldText<Value[Name]>];
};

/** What stands before all sections, without the version. */
export const HEADER_FIELDS: Fields<
  Pick<TileSave, "localPlayerId" | "gameplayFingerprint" | "cosmeticFingerprint">
> = {
  localPlayerId: ["local_player_id", u32Text],
  gameplayFingerprint: ["gameplay_fingerprint", plainText],
  cosmeticFingerprint: ["cosmetic_fingerprint", plainText],
};

/** Behind `gameplay_section.core.`. */
export const GAMEPLAY_FIELDS: Fields<GameplaySection> = {
  woodCollected: ["wood_collected", u64Text],
  stoneCollected: ["stone_collected", u64Text],
  workbenchBuilt: ["workbench_built", boolText],
  swordCrafted: ["sword_crafted", boolText],
  enemyKillCount: ["enemy_kill_count", u64Text],
  bossHealth: ["boss_health", u64Text],
  bossDefeated: ["boss_defeated", boolText],
  loopComplete: ["loop_complete", boolText],
};

/** Behind `debug_section.net.`. */
export const DEBUG_FIELDS: Fields<DebugSection> = {
  sessionTransitions: ["session_transitions", u64Text],
  timeoutDisconnects: ["timeout_disconnects", u64Text],
  manualDisconnects: ["manual_disconnects", u64Text],
  lastHeartbeatTick: ["last_heartbeat_tick", u64Text],
  droppedCommands: ["dropped_commands", u64Text],
  droppedRemotePayloads: ["dropped_remote_payloads", u64Text],
  lastTransitionReason: ["last_transition_reason", plainText],
};

/** The first line of a save. */
export const TICK_KEY = "tick_index";
/** The second line of a save. */
export const VERSION_KEY = "format_version";
/** What all keys of how far the player has come begin with. */
export const GAMEPLAY_PREFIX = "gameplay_section.core.";
/** What all keys of the chunks begin with. */
export const WORLD_PREFIX = "world_section.core.";
/** What all keys of the network's figures begin with. */
export const DEBUG_PREFIX = "debug_section.net.";
/** Keys of the network's figures before they had a section. */
export const LEGACY_DEBUG_PREFIX = "debug_net_";
/** What a key is made of. */
export const KEY_FORM: RegExp = /^[A-Za-z0-9_.]+$/;
