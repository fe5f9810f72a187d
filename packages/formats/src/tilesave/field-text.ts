import { OrthantError, U32_MAX, U64_MAX } from "@orthant/core";

/** Text form of a value after a key. */
export interface FieldText<Value> {
  /** Formats a value. Throws `ORT_ARGUMENT` for one that no line can hold. */
  write(value: Value): string;
  /** Parses a value; `undefined` for any text that `write` would not produce. */
  read(text: string): Value | undefined;
}

const DECIMAL = /^(?:0|[1-9]\d{0,19})$/;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** A decimal 64-bit number, without sign, spaces or leading zeros. */
export const u64Text: FieldText<bigint> = {
  write(value) {
    if (value < 0n || value > U64_MAX) throw new OrthantError("ORT_ARGUMENT", `${value} has not 64 bits`);
    return String(value);
  },
  read(text) {
    if (!DECIMAL.test(text)) return undefined;
    const value = BigInt(text);
    return value <= U64_MAX ? value : undefined;
  },
};

/** A decimal 32-bit number in the same form. */
export const u32Text: FieldText<number> = {
  write(value) {
    if (!Number.isInteger(value) || value < 0 || value > U32_MAX) {
      throw new OrthantError("ORT_ARGUMENT", `${value} has not 32 bits`);
    }
    return String(value);
  },
  read(text) {
    const value = u64Text.read(text);
    return value !== undefined && value <= BigInt(U32_MAX) ? Number(value) : undefined;
  },
};

/** `true` or `false`. */
export const boolText: FieldText<boolean> = {
  write: String,
  read: (text) => (text === "true" || text === "false" ? text === "true" : undefined),
};

/** Text without control characters, so that a value cannot break its line. */
export const plainText: FieldText<string> = {
  write(value) {
    if (!CONTROL_CHARACTER.test(value)) return value;
    throw new OrthantError("ORT_ARGUMENT", `${JSON.stringify(value)} has characters that no line can hold`);
  },
  read: (text) => (CONTROL_CHARACTER.test(text) ? undefined : text),
};
