import { printable } from "@orthant/core";

/** Rows with their columns under each other; the first row may be a heading. Numbers are aligned at their ends. */
export function tableLines(cells: readonly (readonly string[])[]): readonly string[] {
  // Escaped before they are measured: an escape is longer than what it stands for.
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

/** Names with what they stand for, a line each. A value that is `undefined` is left out. */
export function factLines(
  facts: readonly (readonly [name: string, value: string | undefined])[],
): readonly string[] {
  const shown = facts.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}
