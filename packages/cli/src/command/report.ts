import type { Box } from "@orthant/core";
import { printable } from "@orthant/core/arguments";
import { AXES } from "@orthant/core/lattice";
import type { Finding } from "@orthant/disk/files";

const DURATIONS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

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

/** Returns the coordinates of a position that `formatPosition` shows in a world of these dimensions. */
export function positionJson(position: readonly number[], dimensions: number): readonly number[] {
  const isInWorld = position.slice(dimensions).every((coordinate) => coordinate === 0);
  return isInWorld ? position.slice(0, dimensions) : position;
}

/** A box in JSON. */
export interface BoxJson {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** Returns the corners of a box as `formatBox` shows them. */
export function boxJson({ min, max }: Box, dimensions: number): BoxJson {
  const shown = positionJson(min, dimensions);
  return { min: shown, max: max.slice(0, shown.length) };
}

/** Converts a finding to JSON; unknown values are `null`. Without `dimensions`, positions have four coordinates. */
export function findingJson(finding: Finding, dimensions: number = AXES.length): object {
  const { severity, file, offset, code, message, generation, chunks } = finding;
  return {
    severity,
    file,
    offset: offset ?? null,
    code: code ?? null,
    message,
    generation: generation ?? null,
    chunks: chunks === undefined ? null : boxJson(chunks, dimensions),
  };
}
