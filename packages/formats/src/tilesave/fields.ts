import { boolText, type FieldText, plainText, u32Text, u64Text } from "./field-text.ts";
import type { DebugSection, GameplaySection, TileSave } from "./tile-save.ts";

/** The fields of a part of a save, in file order: the key of each and its text form. */
export type Fields<Value> = {
  readonly [Name in keyof Value]-?: readonly [key: string, text: FieldText<Value[Name]>];
};

/** Fields before all sections, without the version. */
export const HEADER_FIELDS: Fields<
  Pick<TileSave, "localPlayerId" | "gameplayFingerprint" | "cosmeticFingerprint">
> = {
  localPlayerId: ["local_player_id", u32Text],
  gameplayFingerprint: ["gameplay_fingerprint", plainText],
  cosmeticFingerprint: ["cosmetic_fingerprint", plainText],
};

/** Fields under `gameplay_section.core.`. */
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

/** Fields under `debug_section.net.`. */
export const DEBUG_FIELDS: Fields<DebugSection> = {
  sessionTransitions: ["session_transitions", u64Text],
  timeoutDisconnects: ["timeout_disconnects", u64Text],
  manualDisconnects: ["manual_disconnects", u64Text],
  lastHeartbeatTick: ["last_heartbeat_tick", u64Text],
  droppedCommands: ["dropped_commands", u64Text],
  droppedRemotePayloads: ["dropped_remote_payloads", u64Text],
  lastTransitionReason: ["last_transition_reason", plainText],
};

/** Key of the first line of a save. */
export const TICK_KEY = "tick_index";
/** Key of the second line of a save. */
export const VERSION_KEY = "format_version";
/** Prefix of the keys for the player's progress. */
export const GAMEPLAY_PREFIX = "gameplay_section.core.";
/** Prefix of the keys for the chunks. */
export const WORLD_PREFIX = "world_section.core.";
/** Prefix of the keys for network statistics. */
export const DEBUG_PREFIX = "debug_section.net.";
/** Prefix of the keys for network statistics before they had a section. */
export const LEGACY_DEBUG_PREFIX = "debug_net_";
/** Form of a key. */
export const KEY_FORM: RegExp = /^[A-Za-z0-9_.]+$/;
