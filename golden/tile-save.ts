import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isOrthantError } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { tileChunkCodec } from "@orthant/core/chunk";
import type { TileSave } from "@orthant/formats";
import { decodeTileSave, encodeTileSave } from "@orthant/formats/internal";
import { toHex } from "@orthant/testkit";
import { goldenPath } from "@orthant/testkit/golden";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";
import { SAVE_DIFFERENCES } from "./wire1/save-verdicts.ts";

interface SaveCase {
  readonly name: string;
  /** Missing when the case is the golden file, or that file damaged as the note says. */
  readonly text?: string;
  readonly verdict: "accepted" | "rejected";
  readonly loaded?: {
    readonly tick_index: string;
    readonly local_player_id: number;
    readonly chunks: number;
    readonly chunk_hex_head: readonly string[];
    readonly has_gameplay: boolean;
    readonly has_world: boolean;
    readonly gameplay_fingerprint: string;
  };
}

const LAST_CHUNK = "world_section.core.chunk.2=";

/** Cases that are the golden file with an error; the description says what is wrong, not where. */
const DAMAGES: Readonly<Record<string, (text: string) => string>> = {
  golden_3chunks: (text) => text,
  truncated_in_debug: (text) => text.slice(0, text.indexOf("debug_section.net.manual") + 30),
  truncated_in_last_chunk_aligned: (text) =>
    text.slice(0, text.indexOf(LAST_CHUNK) + LAST_CHUNK.length + 400),
  truncated_in_last_chunk_unaligned: (text) =>
    text.slice(0, text.indexOf(LAST_CHUNK) + LAST_CHUNK.length + 401),
  truncated_before_last_chunk: (text) => text.slice(0, text.indexOf(LAST_CHUNK)),
  one_character_flipped_in_chunk: (text) => {
    const at = text.indexOf(LAST_CHUNK) + LAST_CHUNK.length + 40;
    return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
  },
};

/** Saves of the tile game, compared with the results of the original's loader. */
export const tileSaveSuites: readonly GoldenSuite[] = [
  {
    file: "wire-v1/vectors.json",
    async check(file) {
      const golden = await readFile(goldenPath("wire-v1/save/world.sav"), "utf8");
      const { save } = parseJson<{ save: { cases: SaveCase[] } }>(file);
      return save.cases.map((saveCase) => checkCase(saveCase, golden));
    },
  },
  {
    file: "wire-v1/save/world.sav",
    check: async (file) => [
      row("is written again byte for byte", () =>
        deepEqual(encodeTileSave(decodeTileSave(file)), new Uint8Array(file)),
      ),
    ],
  },
];

function checkCase({ name, text, verdict, loaded }: SaveCase, golden: string): GoldenRow {
  return row(name, () => {
    const bytes = new TextEncoder().encode(text ?? DAMAGES[name]?.(golden) ?? "no such damage");
    const ours = verdictOn(bytes);
    if (SAVE_DIFFERENCES[name] !== undefined) {
      equal(verdict, "accepted");
      equal(ours, SAVE_DIFFERENCES[name]);
      return;
    }
    equal(typeof ours === "string" ? "rejected" : "accepted", verdict);
    if (typeof ours !== "string") checkContent(name, ours, loaded);
  });
}

function checkContent(name: string, save: TileSave, loaded: SaveCase["loaded"]): void {
  ok(loaded !== undefined);
  equal(String(save.tickIndex), loaded.tick_index);
  equal(save.localPlayerId, loaded.local_player_id);
  equal(save.gameplayFingerprint, loaded.gameplay_fingerprint);
  equal(save.gameplay !== undefined, loaded.has_gameplay);
  equal(save.chunks !== undefined, loaded.has_world);
  equal(save.chunks?.length ?? 0, loaded.chunks);
  // Only the original knows the position of the flipped letter.
  if (name === "one_character_flipped_in_chunk") return;
  const heads = (save.chunks ?? []).map((chunk) => toHex(encode(tileChunkCodec, chunk)).slice(0, 64));
  deepEqual(heads, loaded.chunk_hex_head);
}

function verdictOn(bytes: Uint8Array): TileSave | string {
  try {
    return decodeTileSave(bytes);
  } catch (error) {
    if (isOrthantError(error)) return error.code;
    throw error;
  }
}
