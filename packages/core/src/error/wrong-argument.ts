import { OrthantError } from "./orthant-error.ts";

/** Returns `ORT_ARGUMENT` for a value of the wrong kind; `advice` says what would be right. */
export function wrongArgument(field: string, value: unknown, advice: string): OrthantError {
  return new OrthantError("ORT_ARGUMENT", `${field} is ${shown(value)}; ${advice}`);
}

function shown(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "string":
      return `${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)} (a string)`;
    case "number":
    case "bigint":
    case "boolean":
      return `${value} (a ${typeof value})`;
    case "object":
      return value === null ? "null" : Array.isArray(value) ? shownArray(value) : "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** Shows short arrays of numbers, such as positions, in full, and only the length of all others. */
function shownArray(value: readonly unknown[]): string {
  const isShort = value.length <= 8 && value.every((item) => typeof item === "number");
  return isShort ? `[${value.join(", ")}]` : `an array of ${value.length}`;
}
