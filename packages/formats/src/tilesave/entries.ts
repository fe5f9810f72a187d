import { decodeUtf8, OrthantError } from "@orthant/core";
import type { FieldText } from "./field-text.ts";
import { KEY_FORM } from "./fields.ts";

interface Entry {
  readonly value: string;
  /** Starts at 1. */
  readonly line: number;
}

/** The lines of a save, each key once. Readers take entries out; the rest are unknown. */
export class Entries {
  readonly #path: string;
  readonly #entries = new Map<string, Entry>();

  /** Splits a text. Throws `ORT_TILE_SAVE` for malformed lines, or a duplicate key. */
  constructor(bytes: Uint8Array, path: string) {
    this.#path = path;
    const text = decodeUtf8(bytes, 0, bytes.length);
    if (text === undefined) throw new OrthantError("ORT_UTF8", "a tile save that is not UTF-8", { path });
    if (text.includes("\r")) throw this.fail("its lines end as on Windows; make them end with LF alone");
    const lines = text.split("\n");
    if (lines.pop() !== "") throw this.fail(`line ${lines.length + 1} has no end: the file was cut`);
    for (const [index, line] of lines.entries()) this.#add(line, index + 1);
  }

  /** Returns whether a key exists. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Returns the keys with a prefix. */
  keysWith(prefix: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
  }

  /** Takes out the text of a key; `undefined` if it does not exist. */
  takeText(key: string): string | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    return entry?.value;
  }

  /** Takes out the value of a key; `undefined` if it does not exist. */
  take<Value>(key: string, text: FieldText<Value>): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    const value = text.read(entry.value);
    if (value !== undefined) return value;
    throw this.fail(`line ${entry.line}: ${JSON.stringify(entry.value.slice(0, 40))} is no value of ${key}`);
  }

  /** Takes out the value of a required key. */
  takeRequired<Value>(key: string, text: FieldText<Value>): Value {
    const value = this.take(key, text);
    if (value === undefined) throw this.fail(`${key} is missing`);
    return value;
  }

  /** Returns the entries that were not taken out. */
  rest(): readonly { readonly key: string; readonly value: string }[] {
    return Array.from(this.#entries, ([key, { value }]) => ({ key, value }));
  }

  /** Returns an error about this save. */
  fail(detail: string): OrthantError {
    return new OrthantError("ORT_TILE_SAVE", detail, { path: this.#path });
  }

  #add(line: string, number: number): void {
    const end = line.indexOf("=");
    const key = line.slice(0, Math.max(0, end));
    if (!KEY_FORM.test(key)) throw this.fail(`line ${number} is no key with a value`);
    if (this.#entries.has(key)) throw this.fail(`line ${number} has ${key} a second time`);
    this.#entries.set(key, { value: line.slice(end + 1), line: number });
  }
}
