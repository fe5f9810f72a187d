import { wrongArgument } from "@orthant/core/arguments";

/** What a player can set, and keeps. */
export interface Settings {
  /** In voxels. */
  readonly viewDistance: number;
  /** From the top to the bottom of the picture, in degrees. */
  readonly fieldOfView: number;
  /** How fast the view turns; 1 is usual. */
  readonly sensitivity: number;
  /** How bright the dark is, from 0 to 1. */
  readonly brightness: number;
  /** From 0 to 1. */
  readonly volume: number;
}

/** A setting's name. */
export type SettingName = keyof Settings;

/** The least and the largest value of each setting, and the steps between. */
export const SETTING_RANGES: Readonly<
  Record<SettingName, { readonly min: number; readonly max: number; readonly step: number }>
> = {
  viewDistance: { min: 32, max: 512, step: 16 },
  fieldOfView: { min: 50, max: 110, step: 1 },
  sensitivity: { min: 0.2, max: 3, step: 0.1 },
  brightness: { min: 0, max: 1, step: 0.05 },
  volume: { min: 0, max: 1, step: 0.05 },
};

const DEFAULTS: Settings = {
  viewDistance: 128,
  fieldOfView: 72,
  sensitivity: 1,
  brightness: 0.3,
  volume: 0.5,
};
const NAMES = Object.keys(DEFAULTS) as readonly SettingName[];

/** Keeps the settings of a game's page in the browser, under the game's name. */
export class GameSettings {
  readonly #key: string;
  readonly #listeners = new Set<(values: Settings) => void>();
  #values: Settings;

  /** `defaults` are the game's own, for players who have set nothing. */
  constructor(game: string, defaults: Partial<Settings> = {}) {
    this.#key = `orthant settings ${game}`;
    for (const [name, value] of Object.entries(defaults)) requireSetting(name, value);
    this.#values = { ...DEFAULTS, ...defaults, ...stored(this.#key) };
  }

  /** All of them, as they are now. */
  get values(): Settings {
    return this.#values;
  }

  /** Changes one of them, for this visit and the next ones. Throws `ORT_ARGUMENT` for a value outside of its range. */
  set(name: SettingName, value: number): void {
    requireSetting(name, value);
    this.#values = { ...this.#values, [name]: value };
    keep(this.#key, JSON.stringify(this.#values));
    for (const listener of [...this.#listeners]) listener(this.#values);
  }

  /** Calls `listener` after each change. Returns an unsubscribe function. */
  onChange(listener: (values: Settings) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function requireSetting(name: string, value: unknown): void {
  const range = SETTING_RANGES[name as SettingName];
  if (range === undefined) throw wrongArgument("the setting", name, `it is one of ${NAMES.join(", ")}`);
  if (!isIn(value, range))
    throw wrongArgument(name, value, `it is a number from ${range.min} to ${range.max}`);
}

function isIn(value: unknown, { min, max }: { readonly min: number; readonly max: number }): value is number {
  return typeof value === "number" && value >= min && value <= max;
}

/** Returns what was kept and is still valid. Anything may have written it. */
function stored(key: string): Partial<Settings> {
  try {
    const values: unknown = JSON.parse(kept(key) ?? "{}");
    if (typeof values !== "object" || values === null) return {};
    const entries = Object.entries(values).filter(([name, value]) => {
      const range = Object.hasOwn(SETTING_RANGES, name) && SETTING_RANGES[name as SettingName];
      return range && isIn(value, range);
    });
    return Object.fromEntries(entries) as Partial<Settings>;
  } catch {
    return {}; // not written by this class
  }
}

/** Returns what this browser keeps under a key. */
export function kept(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // some pages have no access to storage
  }
}

/** Keeps text in this browser. */
export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Without storage, it holds until the page is closed.
  }
}
