import { OrthantError } from "@orthant/core";
import { decode, encode, encodeUtf8 } from "@orthant/core/bytes";
import { type TileChunk, tileChunkCodec } from "@orthant/core/chunk";
import { decodeCanonicalBase64, encodeBase64 } from "../format/base64.ts";
import {
  DEBUG_FIELDS,
  DEBUG_PREFIX,
  Entries,
  type Fields,
  type FieldText,
  GAMEPLAY_FIELDS,
  GAMEPLAY_PREFIX,
  HEADER_FIELDS,
  KEY_FORM,
  LEGACY_DEBUG_PREFIX,
  plainText,
  TICK_KEY,
  u32Text,
  u64Text,
  VERSION_KEY,
  WORLD_PREFIX,
} from "./fields.ts";
import {
  EMPTY_TILE_SAVE,
  SECTION_VERSION,
  TILE_SAVE_CHUNKS_MAX,
  TILE_SAVE_FILE,
  TILE_SAVE_VERSION,
  type TileSave,
} from "./tile-save.ts";

type AnyFields = Readonly<Record<string, readonly [key: string, text: FieldText<unknown>]>>;

/** Characters of the longest chunk: 2,062 bytes. */
const CHUNK_LETTERS_MAX = 2_752;

/** Matches numbers separated by commas, however many: base64 has no commas. */
const CSV_FORM = /^\s*-?\d+\s*[,;]/;

/** Encodes a save as text. Throws `ORT_ARGUMENT` for a value that no line can hold, or a duplicate chunk. */
export function encodeTileSave(save: TileSave): Uint8Array {
  const lines: string[] = [];
  const add = (key: string, value: string): number => lines.push(`${key}=${value}`);
  add(TICK_KEY, u64Text.write(save.tickIndex));
  add(VERSION_KEY, String(TILE_SAVE_VERSION));
  lines.push(...linesOf("", HEADER_FIELDS, save));
  if (save.gameplay !== undefined) {
    add(`${GAMEPLAY_PREFIX}version`, String(SECTION_VERSION));
    lines.push(...linesOf(GAMEPLAY_PREFIX, GAMEPLAY_FIELDS, save.gameplay));
  }
  if (save.chunks !== undefined) {
    add(`${WORLD_PREFIX}version`, String(SECTION_VERSION));
    add(`${WORLD_PREFIX}chunk_count`, String(save.chunks.length));
    for (const [index, chunk] of inOrder(save.chunks).entries()) {
      add(`${WORLD_PREFIX}chunk.${index}`, encodeBase64(encode(tileChunkCodec, chunk)));
    }
  }
  if (save.debug !== undefined) {
    add(`${DEBUG_PREFIX}version`, String(SECTION_VERSION));
    lines.push(...linesOf(DEBUG_PREFIX, DEBUG_FIELDS, save.debug));
  }
  for (const { key, value } of save.others) {
    if (!KEY_FORM.test(key)) throw new OrthantError("ORT_ARGUMENT", `${JSON.stringify(key)} is not a key`);
    add(key, plainText.write(value));
  }
  return encodeUtf8(lines.map((line) => `${line}\n`).join(""));
}

/**
 * Decodes the text of a save, whose lines may be in any order. Rules TS1 to TS12 in
 * docs/formats/tile-save.md.
 */
export function decodeTileSave(bytes: Uint8Array, path: string = TILE_SAVE_FILE): TileSave {
  const entries = new Entries(bytes, path);
  const version = entries.take(VERSION_KEY, u64Text);
  if (version !== BigInt(TILE_SAVE_VERSION)) {
    const found = version === undefined ? "no format_version" : `format_version ${version}`;
    throw new OrthantError("ORT_VERSION", `unsupported ${found} (expected ${TILE_SAVE_VERSION})`, { path });
  }
  if (entries.keysWith(LEGACY_DEBUG_PREFIX).length > 0) {
    throw entries.fail("debug_net_ keys are those of an older version; now they are in debug_section.net");
  }
  const header = {
    tickIndex: entries.take(TICK_KEY, u64Text) ?? 0n,
    localPlayerId: entries.take(HEADER_FIELDS.localPlayerId[0], u32Text) ?? 0,
    gameplayFingerprint: entries.take(HEADER_FIELDS.gameplayFingerprint[0], plainText) ?? "",
    cosmeticFingerprint: entries.take(HEADER_FIELDS.cosmeticFingerprint[0], plainText) ?? "",
  };
  const gameplay = readSection(entries, GAMEPLAY_PREFIX, () =>
    readFields(entries, GAMEPLAY_PREFIX, GAMEPLAY_FIELDS),
  );
  const chunks = readSection(entries, WORLD_PREFIX, () => readChunks(entries));
  const debug = readSection(entries, DEBUG_PREFIX, () => readFields(entries, DEBUG_PREFIX, DEBUG_FIELDS));
  for (const { key, value } of entries.rest()) {
    if (plainText.read(value) === undefined) throw entries.fail(`${key} has a value with control characters`);
  }
  return { ...EMPTY_TILE_SAVE, ...header, gameplay, chunks, debug, others: entries.rest() };
}

function linesOf<Value extends object>(
  prefix: string,
  fields: Fields<Value>,
  value: Value,
): readonly string[] {
  const values = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields as AnyFields).map(
    ([name, [key, text]]) => `${prefix}${key}=${text.write(values[name])}`,
  );
}

/** Reads a section, which must be complete or absent, and state its version. */
function readSection<Section>(entries: Entries, prefix: string, read: () => Section): Section | undefined {
  const keys = entries.keysWith(prefix);
  if (keys.length === 0) return undefined;
  const version = entries.takeRequired(`${prefix}version`, u64Text);
  if (version !== BigInt(SECTION_VERSION)) {
    throw new OrthantError(
      "ORT_VERSION",
      `unsupported ${prefix}version ${version} (expected ${SECTION_VERSION})`,
    );
  }
  return read();
}

function readFields<Value>(entries: Entries, prefix: string, fields: Fields<Value>): Value {
  const read = Object.entries(fields as AnyFields).map(([name, [key, text]]) => [
    name,
    entries.takeRequired(prefix + key, text),
  ]);
  return Object.fromEntries(read) as Value;
}

function readChunks(entries: Entries): readonly TileChunk[] {
  const count = entries.takeRequired(`${WORLD_PREFIX}chunk_count`, u64Text);
  const found = entries.keysWith(`${WORLD_PREFIX}chunk.`).length;
  if (count !== BigInt(found)) throw entries.fail(`${count} chunks are announced and ${found} are there`);
  if (found > TILE_SAVE_CHUNKS_MAX) {
    throw new OrthantError("ORT_LIMIT", `${found} chunks, the limit is ${TILE_SAVE_CHUNKS_MAX}`);
  }
  const chunks = Array.from({ length: found }, (_, index) => readChunk(entries, index));
  const positions = new Set(chunks.map(({ x, y }) => `${x} ${y}`));
  if (positions.size < found) throw entries.fail("a chunk is there twice");
  return chunks;
}

function readChunk(entries: Entries, index: number): TileChunk {
  const key = `${WORLD_PREFIX}chunk.${index}`;
  const text = entries.takeText(key);
  if (text === undefined) throw entries.fail(`${key} is missing`);
  if (CSV_FORM.test(text)) {
    throw entries.fail(
      `${key} is a list of numbers with commas (CSV), as saves from before Wire v1 have it; only base64 of a chunk is read. Load it with the game that wrote it, and save it again with a newer one`,
    );
  }
  const bytes = text.length > CHUNK_LETTERS_MAX ? undefined : decodeCanonicalBase64(text);
  if (bytes === undefined) throw entries.fail(`${key} is not base64 of a chunk in its one form`);
  return decode(tileChunkCodec, bytes);
}

function inOrder(chunks: readonly TileChunk[]): readonly TileChunk[] {
  const sorted = [...chunks].sort((a, b) => a.x - b.x || a.y - b.y);
  for (const [index, { x, y }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before?.x === x && before.y === y) {
      throw new OrthantError("ORT_ARGUMENT", `chunk [${x}, ${y}] is there twice`);
    }
  }
  return sorted;
}
