import {
  I32_MAX,
  I32_MIN,
  OrthantError,
  requireBigint,
  requireInteger,
  systemRandomBits,
  systemTime,
  type TimeSource,
  U64_MAX,
} from "@orthant/core";
import {
  AUTOSAVE_MS,
  AUTOSAVE_MS_MAX,
  AUTOSAVE_MS_MIN,
  COMPACTION_BYTES_MIN,
  DEAD_SHARE_MAX,
  PENDING_MAX,
  PENDING_MAX_LIMIT,
} from "./limits.ts";
import type { PixelGenerator, PixelLayer } from "./pixels.ts";
import type { PixelFacts } from "./save.ts";

/** Constants of a game that a file must match. Omitted ones are not compared. */
export interface PixelConstants {
  /** Pixels along a chunk edge. */
  readonly chunkEdge?: number;
  /** Pixels along an edge of a simulation tile. */
  readonly tileEdge?: number;
  /** The layers in order, each with the bits that it keeps. */
  readonly layers?: readonly PixelLayer[];
}

/** What an open world does about a damaged chunk or body: throw, or regenerate it and report it. */
export type PixelDamageMode = "strict" | "regenerate";

/** Options for opening a world. */
export interface PixelWorldOptions {
  /** Generates unmodified chunks. Must be exactly the generator that the world was created with. */
  readonly generator?: PixelGenerator;
  /** Source of time; the system clock by default. */
  readonly time?: TimeSource;
  /** Whether the world saves automatically; `true` by default. */
  readonly autosave?: boolean;
  /** Milliseconds from the first unsaved change to the autosave; 100 to 86,400,000, by default 60,000. */
  readonly autosaveMs?: number;
  /** Dead share of the file above which the world compacts it; 0 to 1, by default 0.25. */
  readonly compactAtDeadShare?: number;
  /** File size in bytes below which the world never compacts, whatever its dead share; by default 262,144. */
  readonly compactFromBytes?: number;
  /** Changes that may wait in memory; 1 to 4,096, by default 64. The next `store` waits for room. */
  readonly pendingMax?: number;
  /**
   * `strict` by default. `regenerate` needs a generator and reports what it replaces in `PixelWorld.damage`.
   */
  readonly onDamage?: PixelDamageMode;
  /** Constants of the game. A file that differs is rejected with `ORT_VERSION`. */
  readonly expect?: PixelConstants;
  /** Returns 64 random bits, for body ids; the system's random source by default. */
  readonly random?: () => bigint;
}

/** Options of a world with defaults filled in. */
export interface PixelWorldSettings {
  readonly generator: PixelGenerator | undefined;
  readonly time: TimeSource;
  readonly autosave: boolean;
  readonly autosaveMs: number;
  readonly compactAtDeadShare: number;
  readonly compactFromBytes: number;
  readonly pendingMax: number;
  readonly onDamage: PixelDamageMode;
  readonly expect: PixelConstants;
  readonly random: () => bigint;
}

/** Validates options and fills in the defaults. `ORT_ARGUMENT` names the option that is out of range. */
export function pixelWorldSettings(options: PixelWorldOptions): PixelWorldSettings {
  const settings: PixelWorldSettings = {
    generator: options.generator,
    time: options.time ?? systemTime,
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

/** Throws `ORT_VERSION` if the constants in a file differ from those of the game. */
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

/** Throws `ORT_ARGUMENT` unless these are valid chunk coordinates. */
export function requirePosition(x: number, y: number): void {
  requireInteger(x, I32_MIN, I32_MAX);
  requireInteger(y, I32_MIN, I32_MAX);
}

/** Throws `ORT_ARGUMENT` unless `pixels` has the size of one chunk. */
export function requirePixels(pixels: Uint8Array, bytes: number): void {
  if (pixels instanceof Uint8Array && pixels.length === bytes) return;
  throw new OrthantError("ORT_ARGUMENT", `the pixels of a chunk are a Uint8Array of ${bytes} bytes`);
}

/** Throws `ORT_ARGUMENT` unless `id` is a valid body id. */
export function requireBodyId(id: bigint): void {
  requireBigint(id, 0n, U64_MAX);
}
