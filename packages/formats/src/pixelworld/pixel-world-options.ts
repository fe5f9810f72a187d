import { type Clock, OrthantError, systemClock, systemRandomBits } from "@orthant/core";
import {
  AUTOSAVE_MS,
  AUTOSAVE_MS_MAX,
  AUTOSAVE_MS_MIN,
  COMPACTION_BYTES_MIN,
  DEAD_SHARE_MAX,
  PENDING_MAX,
  PENDING_MAX_LIMIT,
} from "./limits.ts";
import type { PixelLayer } from "./pixels/pixel-layers.ts";
import type { PixelGenerator } from "./pixels/stored-chunk.ts";
import type { PixelFacts } from "./save.ts";

/** Constants of a game that a file has to agree with. Those that are left out are not compared. */
export interface PixelConstants {
  /** Pixels along the edge of a chunk. */
  readonly chunkEdge?: number;
  /** Pixels along the edge of a tile of the simulation. */
  readonly tileEdge?: number;
  /** The bytes of a pixel, in their order, and which bits of them are kept. */
  readonly layers?: readonly PixelLayer[];
}

/** What an open world does about a damaged chunk or body: throw, or regenerate it and report it. */
export type PixelDamageMode = "strict" | "regenerate";

/** How a world is opened. */
export interface PixelWorldOptions {
  /** What makes the chunks that nobody touched; the one that the world was made with, exactly. */
  readonly generator?: PixelGenerator;
  /** Where the time comes from; the machine when it is left out. */
  readonly clock?: Clock;
  /** Whether the world saves by itself; `true` by default. */
  readonly autosave?: boolean;
  /** Time from the first change since the last save to the autosave; 100 to 86,400,000, by default 60,000. */
  readonly autosaveMs?: number;
  /** The file is compacted when more than this share of it is dead; 0 to 1, by default 0.25. */
  readonly compactAtDeadShare?: number;
  /** Files below this are never compacted, however much of them is dead; by default 262,144. */
  readonly compactFromBytes?: number;
  /** Changes that wait in memory to be written; 1 to 4,096, by default 64. The next one waits for room. */
  readonly pendingMax?: number;
  /** `strict` by default. `regenerate` needs a generator, and reports what it replaces in `PixelWorld.damage`. */
  readonly onDamage?: PixelDamageMode;
  /** The game's own constants. A file that has others is refused with `ORT_VERSION`. */
  readonly expect?: PixelConstants;
  /** Gives 64 random bits, for ids of bodies. The machine's when it is left out. */
  readonly random?: () => bigint;
}

/** The options of a world with their defaults filled in. */
export interface PixelWorldSettings {
  readonly generator: PixelGenerator | undefined;
  readonly clock: Clock;
  readonly autosave: boolean;
  readonly autosaveMs: number;
  readonly compactAtDeadShare: number;
  readonly compactFromBytes: number;
  readonly pendingMax: number;
  readonly onDamage: PixelDamageMode;
  readonly expect: PixelConstants;
  readonly random: () => bigint;
}

/** Checks options and fills in the defaults. `ORT_ARGUMENT` names the option that is out of range. */
export function settingsOf(options: PixelWorldOptions): PixelWorldSettings {
  const settings: PixelWorldSettings = {
    generator: options.generator,
    clock: options.clock ?? systemClock,
    autosave: options.autosave ?? true,
    autosaveMs: options.autosaveMs ?? AUTOSAVE_MS,
    compactAtDeadShare: options.compactAtDeadShare ?? DEAD_SHARE_MAX,
    compactFromBytes: options.compactFromBytes ?? COMPACTION_BYTES_MIN,
    pendingMax: options.pendingMax ?? PENDING_MAX,
    onDamage: options.onDamage ?? "strict",
    expect: options.expect ?? {},
    random: options.random ?? systemRandomBits,
  };
  requireOption("autosaveMs", settings.autosaveMs, AUTOSAVE_MS_MIN, AUTOSAVE_MS_MAX);
  requireOption("compactFromBytes", settings.compactFromBytes, 0, Number.MAX_SAFE_INTEGER);
  requireOption("pendingMax", settings.pendingMax, 1, PENDING_MAX_LIMIT);
  const { compactAtDeadShare, onDamage, generator } = settings;
  if (!(compactAtDeadShare >= 0 && compactAtDeadShare <= 1))
    throw new OrthantError("ORT_ARGUMENT", `compactAtDeadShare: ${compactAtDeadShare} is not from 0 to 1`);
  if (onDamage !== "strict" && onDamage !== "regenerate")
    throw new OrthantError("ORT_ARGUMENT", `onDamage: "${onDamage}" is neither "strict" nor "regenerate"`);
  if (onDamage === "regenerate" && generator === undefined)
    throw new OrthantError("ORT_ARGUMENT", 'onDamage: "regenerate" needs a generator');
  return settings;
}

/** Throws `ORT_VERSION` when a file was made by a game with other constants. */
export function requireConstants(facts: PixelFacts, expected: PixelConstants, path: string): void {
  const { chunkEdge = facts.chunkEdge, tileEdge = facts.tileEdge, layers = facts.layers } = expected;
  const differences: readonly (readonly [what: string, found: string, wanted: string, effect: string])[] = [
    ["chunk edge", `${facts.chunkEdge}`, `${chunkEdge}`, "its chunks cannot be loaded"],
    ["tile edge", `${facts.tileEdge}`, `${tileEdge}`, "its simulation would act differently"],
    ["layers", namesOf(facts.layers), namesOf(layers), "its pixels would mean something else"],
  ];
  for (const [what, found, wanted, effect] of differences) {
    if (found === wanted) continue;
    const detail = `${what} ${found} in the file, ${wanted} in the game: ${effect}`;
    throw new OrthantError("ORT_VERSION", detail, { path });
  }
}

function requireOption(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new OrthantError("ORT_ARGUMENT", `${name}: ${value} is not an integer from ${min} to ${max}`);
}

function namesOf(layers: readonly PixelLayer[]): string {
  return layers.map(({ name, kept }) => `${name} (${kept})`).join(", ");
}
