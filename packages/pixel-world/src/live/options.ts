import { OrthantError, systemTime, type TimeSource } from "@orthant/core";
import {
  callback,
  checkedOptions,
  choiceOf,
  fieldsOf,
  requireFlag,
  requireId,
  requireInteger,
  requireTime,
  upTo,
  whole,
  wrongArgument,
} from "@orthant/core/arguments";
import { I32_MAX, I32_MIN } from "@orthant/core/bytes";
import { GeneratorRef } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import {
  AUTOSAVE_MS,
  AUTOSAVE_MS_MAX,
  AUTOSAVE_MS_MIN,
  COMPACTION_BYTES_MIN,
  DEAD_SHARE_MAX,
  PENDING_MAX,
  PENDING_MAX_LIMIT,
} from "../format/limits.ts";
import { checkedLayers, type PixelGenerator, type PixelLayer } from "../format/pixels.ts";
import type { PixelFacts } from "../format/save.ts";

/** Constants of a game that a file must match. Omitted ones are not compared. */
export interface PixelConstants {
  /** Pixels along a chunk edge. */
  readonly chunkEdge?: number;
  /** Pixels along an edge of a simulation tile. */
  readonly tileEdge?: number;
  /** The layers in order, each with the bits that it keeps. */
  readonly layers?: readonly PixelLayer[];
}

/** What a world does about damage: throw, or go on with what is whole, regenerate the rest and report it. */
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
  const checked = checkedOptions("the options", options, {
    generator: requirePixelGenerator,
    time: requireTime,
    autosave: requireFlag,
    autosaveMs: whole(AUTOSAVE_MS_MIN, AUTOSAVE_MS_MAX),
    compactAtDeadShare: upTo(1),
    compactFromBytes: whole(0),
    pendingMax: whole(1, PENDING_MAX_LIMIT),
    onDamage: choiceOf("strict", "regenerate"),
    expect: fieldsOf<PixelConstants>({ chunkEdge: whole(1), tileEdge: whole(1), layers: checkedLayers }),
    random: callback,
  });
  if (checked.onDamage === "regenerate" && checked.generator === undefined)
    throw new OrthantError("ORT_ARGUMENT", 'onDamage: "regenerate" needs a generator');
  return { ...DEFAULTS, ...checked };
}

const DEFAULTS: PixelWorldSettings = {
  generator: undefined,
  time: systemTime,
  autosave: true,
  autosaveMs: AUTOSAVE_MS,
  compactAtDeadShare: DEAD_SHARE_MAX,
  compactFromBytes: COMPACTION_BYTES_MIN,
  pendingMax: PENDING_MAX,
  onDamage: "strict",
  expect: {},
  random: systemRandomBits,
};

/** Returns `value` if it is a generator of pixels. */
export function requirePixelGenerator(name: string, value: unknown): PixelGenerator {
  const { ref, fill } = (typeof value === "object" ? (value ?? {}) : {}) as Partial<PixelGenerator>;
  if (ref instanceof GeneratorRef && typeof fill === "function") return value as PixelGenerator;
  throw wrongArgument(name, value, "it has a ref, which is a GeneratorRef, and the method fill");
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

function namesOf(layers: readonly PixelLayer[]): string {
  return layers.map(({ name, kept }) => `${name} (${kept})`).join(", ");
}

/** Throws `ORT_ARGUMENT` unless these are valid chunk coordinates. */
export function requirePosition(x: number, y: number): void {
  requireInteger(x, I32_MIN, I32_MAX, "x");
  requireInteger(y, I32_MIN, I32_MAX, "y");
}

/** Throws `ORT_ARGUMENT` unless `pixels` has the size of one chunk. */
export function requirePixels(pixels: Uint8Array, bytes: number): void {
  if (pixels instanceof Uint8Array && pixels.length === bytes) return;
  throw wrongArgument("pixels", pixels, `it is a Uint8Array of ${bytes} bytes, the pixels of a chunk`);
}

/** Throws `ORT_ARGUMENT` unless `id` is a valid body id. */
export function requireBodyId(id: bigint): void {
  requireId("id", id);
}
