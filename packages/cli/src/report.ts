import {
  type Box,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  isOrthantError,
  mazeGenerator,
  type Position,
  parametersOf,
  platformsGenerator,
  printable,
  terrainGenerator,
  type WorldGenerator,
} from "@orthant/core";
import type { GlobalState } from "@orthant/save";

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;
const DURATIONS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** Formats a number of bytes for people: `512 bytes`, `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  const text = unit === 0 ? formatCount(Math.round(amount)) : amount.toFixed(1);
  return `${text} ${unit === 0 && Math.round(amount) === 1 ? "byte" : BYTE_UNITS[unit]}`;
}

/** Formats a whole number with commas between thousands, on every machine. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a number of things: `1 leaf`, `2 leaves`. */
export function formatAmount(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a time span in its two largest units: `1 h 5 min`, `12 s`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000)) * 1000;
  const parts: string[] = [];
  for (const [name, unitMs] of DURATIONS) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0 || (name === "s" && parts.length === 0)) parts.push(`${count} ${name}`);
  }
  return parts.slice(0, 2).join(" ");
}

/** Formats a time for people, in UTC; as its number when it is outside the calendar. */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return `${ms} ms after 1970`;
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Formats a position: `[1, -2, 3, 0]`. */
export function formatPosition(position: Position | readonly number[]): string {
  return `[${position.join(", ")}]`;
}

/** Formats a half-open box: `[0, 0, 0, 0] to [8, 8, 8, 8]`. */
export function formatBox({ min, max }: Box): string {
  return `${formatPosition(min)} to ${formatPosition(max)}`;
}

/** Aligns rows in columns; the first row may be a heading. Numbers are right-aligned. */
export function tableLines(cells: readonly (readonly string[])[]): readonly string[] {
  // Escape before measuring: an escape sequence is longer than its character.
  const rows = cells.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return /^-?[\d,.]+$/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Returns one line per name and value. Omits values that are `undefined`. */
export function factLines(
  facts: readonly (readonly [name: string, value: string | undefined])[],
): readonly string[] {
  const shown = facts.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}

/**
 * Returns one line of JSON, with escapes for everything that a terminal would act on. Bigints become decimal
 * text, because a JSON reader might round them.
 */
export function jsonLine(value: object): string {
  return printable(
    JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item)),
  );
}

/** The generator of a world, as far as it is known here. */
export interface GeneratorInfo {
  /** `null` is nothing but air. */
  readonly id: string | null;
  readonly seed: bigint;
  /** `null` when the generator, or its version, is unknown here. */
  readonly parameters: object | null;
}

const KNOWN: readonly WorldGenerator<object>[] = [
  flatGenerator,
  mazeGenerator,
  platformsGenerator,
  terrainGenerator,
] as readonly WorldGenerator<object>[];

/** Returns the generator of a world; a world without a usable generator is air. */
export function generatorInfo({ base, generators, worldSeed }: GlobalState): GeneratorInfo {
  if (base.kind === "empty") return { id: null, seed: worldSeed, parameters: null };
  if (base.kind === "flatFloor") {
    return generatorInfoOf(generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, worldSeed));
  }
  const [first] = generators;
  if (first === undefined) return { id: null, seed: worldSeed, parameters: null };
  return generatorInfoOf(new GeneratorRef(first.generatorId, first.params, first.seed, first.versionHash));
}

/** Describes a generator reference. */
export function generatorInfoOf(ref: GeneratorRef): GeneratorInfo {
  const { generatorId: id, seed } = ref;
  const generator = KNOWN.find((known) => known.id === id);
  return { id, seed, parameters: generator === undefined ? null : readParameters(generator, ref) };
}

/** Formats a generator for people: `terrain, seed 7, relief 64`. */
export function describeGenerator({ id, seed, parameters }: GeneratorInfo): string {
  if (id === null) return "none: air";
  const shown = Object.entries(parameters ?? {}).map(([name, value]) => `${name} ${valueText(value)}`);
  const unknown = parameters === null ? ["unknown here"] : [];
  return [id, `seed ${seed}`, ...shown, ...unknown].join(", ");
}

/** Parameters of another version cannot be read; the rest is still shown. */
function readParameters(generator: WorldGenerator<object>, ref: GeneratorRef): object | null {
  try {
    return parametersOf(generator, ref);
  } catch (error) {
    if (isOrthantError(error)) return null;
    throw error;
  }
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value ?? "none");
}
