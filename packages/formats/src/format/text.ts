import type { Box } from "@orthant/core";
import { printableName } from "@orthant/core/arguments";

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

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

/** Formats a time for people, in UTC; as its number when it is outside the calendar. */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return `${ms} ms after 1970`;
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Formats a position: `[1, -2, 3, 0]`. Axes that a world of these dimensions lacks are left out if the position is at 0 there. */
export function formatPosition(position: readonly number[], dimensions: number = position.length): string {
  return `[${position.slice(0, formattedAxes(position, dimensions)).join(", ")}]`;
}

/** Formats a half-open box, like a position: `[0, 0, 0, 0] to [8, 8, 8, 8]`. */
export function formatBox({ min, max }: Box, dimensions: number = min.length): string {
  const axes = formattedAxes(min, dimensions);
  return `${formatPosition(min.slice(0, axes))} to ${formatPosition(max.slice(0, axes))}`;
}

function formattedAxes(position: readonly number[], dimensions: number): number {
  return position.slice(dimensions).every((coordinate) => coordinate === 0) ? dimensions : position.length;
}

/**
 * Returns a name of another program as a world may have it: with escapes for what cannot be shown, and at most `lengthMax`
 * UTF-16 units.
 */
export function importedName(name: string, lengthMax: number): string {
  // Half a surrogate pair is not text.
  return printableName(name)
    .slice(0, lengthMax)
    .replace(/\p{Cs}$/u, "");
}
