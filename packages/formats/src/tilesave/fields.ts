import { OrthantError } from "@orthant/core";
import { decodeUtf8, U32_MAX, U64_MAX } from "@orthant/core/bytes";
import type { DebugSection, GameplaySection, TileSave } from "./tile-save.ts";

/** Text form of a value after a key. */
export interface FieldText<Value> {
  /** Formats a value. Throws `ORT_ARGUMENT` for one that no line can hold. */
  write(value: Value): string;
  /** Parses a value; `undefined` for any text that `write` would not produce. */
  read(text: string): Value | undefined;
}

const DECIMAL = /^(?:0|[1-9]\d{0,19})$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** A decimal 64-bit number, without sign, spaces or leading zeros. */
export const u64Text: FieldText<bigint> = {
  write(value) {
    if (value < 0n || value > U64_MAX) throw new OrthantError("ORT_ARGUMENT", `${value} has not 64 bits`);
    return String(value);
  },
  read(text) {
    if (!DECIMAL.test(text)) return undefined;
    const value = BigInt(text);
    return value <= U64_MAX ? value : undefined;
  },
};

/** A decimal 32-bit number in the same form. */
export const u32Text: FieldText<number> = {
  write(value) {
    if (!Number.isInteger(value) || value < 0 || value > U32_MAX) {
      throw new OrthantError("ORT_ARGUMENT", `${value} has not 32 bits`);
    }
    return String(value);
  },
  read(text) {
    const value = u64Text.read(text);
    return value !== undefined && value <= BigInt(U32_MAX) ? Number(value) : undefined;
  },
};

/** `true` or `false`. */
const boolText: FieldText<boolean> = {
  write: String,
  read: (text) => (text === "true" || text === "false" ? text === "true" : undefined),
};

/** Text without control characters, so that a value cannot break its line. */
export const plainText: FieldText<string> = {
  write(value) {
    if (!CONTROL_CHARACTER.test(value)) return value;
    throw new OrthantError("ORT_ARGUMENT", `${JSON.stringify(value)} has characters that no line can hold`);
  },
  read: (text) => (CONTROL_CHARACTER.test(text) ? undefined : text),
};

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

interface Entry {
  readonly value: string;
  /** Starts at 1. */
  readonly line: number;
}

/** The lines of a save, each key once. Readers take entries out; the rest are unknown. */
export class Entries {
  readonly #path: string;
  readonly #entries = new Map<string, Entry>();

  /** Splits a text. Throws `ORT_TILE_SAVE` for malformed lines, or a duplicate key. */
  constructor(bytes: Uint8Array, path: string) {
    this.#path = path;
    const text = decodeUtf8(bytes, 0, bytes.length);
    if (text === undefined) throw new OrthantError("ORT_UTF8", "a tile save that is not UTF-8", { path });
    if (text.includes("\r")) throw this.fail("its lines end as on Windows; make them end with LF alone");
    const lines = text.split("\n");
    if (lines.pop() !== "") throw this.fail(`line ${lines.length + 1} has no end: the file was cut`);
    for (const [index, line] of lines.entries()) this.#add(line, index + 1);
  }

  /** Returns whether a key exists. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Returns the keys with a prefix. */
  keysWith(prefix: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
  }

  /** Takes out the text of a key; `undefined` if it does not exist. */
  takeText(key: string): string | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    return entry?.value;
  }

  /** Takes out the value of a key; `undefined` if it does not exist. */
  take<Value>(key: string, text: FieldText<Value>): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    const value = text.read(entry.value);
    if (value !== undefined) return value;
    throw this.fail(
      `line ${entry.line}: ${JSON.stringify(entry.value.slice(0, 40))} is not a value of ${key}`,
    );
  }

  /** Takes out the value of a required key. */
  takeRequired<Value>(key: string, text: FieldText<Value>): Value {
    const value = this.take(key, text);
    if (value === undefined) throw this.fail(`${key} is missing`);
    return value;
  }

  /** Returns the entries that were not taken out. */
  rest(): readonly { readonly key: string; readonly value: string }[] {
    return Array.from(this.#entries, ([key, { value }]) => ({ key, value }));
  }

  /** Returns an error about this save. */
  fail(detail: string): OrthantError {
    return new OrthantError("ORT_TILE_SAVE", detail, { path: this.#path });
  }

  #add(line: string, number: number): void {
    const end = line.indexOf("=");
    const key = line.slice(0, Math.max(0, end));
    if (!KEY_FORM.test(key)) throw this.fail(`line ${number} is not a key with a value`);
    if (this.#entries.has(key)) throw this.fail(`line ${number} has ${key} a second time`);
    this.#entries.set(key, { value: line.slice(end + 1), line: number });
  }
}
