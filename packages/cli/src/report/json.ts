import { printable } from "@orthant/core";

/**
 * Returns one line of JSON, with escapes for everything that a terminal would act on. Bigints become decimal
 * text, because a JSON reader might round them.
 */
export function jsonLine(value: object): string {
  return printable(
    JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item)),
  );
}
