import { printable } from "@orthant/core";

/** One line of JSON, in which what a terminal would act on is escaped. Integers that a JSON reader might round, which are bigints here, become decimal text. */
export function jsonLine(value: object): string {
  return printable(
    JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item)),
  );
}
