/** One line of JSON. Integers that a JSON reader might round, which are bigints here, become decimal text. */
export function jsonLine(value: object): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item));
}
