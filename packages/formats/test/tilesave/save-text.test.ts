import type { ErrorCode } from "@orthant/core";
import { EMPTY_TILE_SAVE, type TileSave } from "@orthant/formats";
import { decodeTileSave, encodeTileSave } from "@orthant/formats/internal";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { chunkOf, FULL_SAVE } from "./sample-saves.ts";

const HEADER = "tick_index=1\nformat_version=3\nlocal_player_id=1\n";
const WORLD = `${HEADER}world_section.core.version=1\n`;
/** Base64 of a chunk of air at the origin. */
const AIR = `AACACIAQ${"A".repeat(2_728)}AAA=`.slice(0, 2_740);

const read = (text: string): TileSave => decodeTileSave(new TextEncoder().encode(text));
const textOf = (save: TileSave): string => new TextDecoder().decode(encodeTileSave(save));

describe("the text of a tile save", () => {
  test("[TS1, TS12] consists of lines of keys and values in a fixed order, and round-trips", () => {
    const text = textOf(FULL_SAVE);
    expect(text.split("\n").map((line) => line.replace(/=.*/, ""))).toEqual([
      "tick_index",
      "format_version",
      "local_player_id",
      "gameplay_fingerprint",
      "cosmetic_fingerprint",
      ...["version", "wood_collected", "stone_collected", "workbench_built", "sword_crafted"].map(
        (key) => `gameplay_section.core.${key}`,
      ),
      ...["enemy_kill_count", "boss_health", "boss_defeated", "loop_complete"].map(
        (key) => `gameplay_section.core.${key}`,
      ),
      ...["version", "chunk_count", "chunk.0", "chunk.1", "chunk.2"].map(
        (key) => `world_section.core.${key}`,
      ),
      ...["version", "session_transitions", "timeout_disconnects", "manual_disconnects"].map(
        (key) => `debug_section.net.${key}`,
      ),
      ...["last_heartbeat_tick", "dropped_commands", "dropped_remote_payloads", "last_transition_reason"].map(
        (key) => `debug_section.net.${key}`,
      ),
      "future.key",
      "",
    ]);
    expect(read(text)).toEqual(FULL_SAVE);
  });

  test("[TS12] is the same for any order of the chunks, and lines may be read in any order", () => {
    const shuffled = { ...FULL_SAVE, chunks: [...(FULL_SAVE.chunks ?? [])].reverse() };
    expect(textOf(shuffled)).toBe(textOf(FULL_SAVE));
    const lines = textOf(FULL_SAVE).split("\n").slice(0, -1).reverse();
    expect(read(`${lines.join("\n")}\n`)).toEqual(FULL_SAVE);
  });

  test("[TS10] keeps unknown keys", () => {
    expect(read(`${HEADER}mod.x=a=b\n`).others).toEqual([{ key: "mod.x", value: "a=b" }]);
  });

  test.each<[rule: string, what: string, text: string, code: ErrorCode]>([
    ["TS1", "nothing", "", "ORT_VERSION"],
    ["TS1", "a last line without its end", "format_version=3", "ORT_TILE_SAVE"],
    ["TS1", "lines that end as on Windows", HEADER.replaceAll("\n", "\r\n"), "ORT_TILE_SAVE"],
    ["TS1", "a line without a key", `${HEADER}not a key line\n`, "ORT_TILE_SAVE"],
    ["TS1", "an empty key", `${HEADER}=1\n`, "ORT_TILE_SAVE"],
    ["TS1", "an empty line", `${HEADER}\n`, "ORT_TILE_SAVE"],
    ["TS1", "a byte order mark", `\ufeff${HEADER}`, "ORT_TILE_SAVE"],
    ["TS2", "a key twice", `${HEADER}tick_index=9\n`, "ORT_TILE_SAVE"],
    ["TS3", "no version", "tick_index=1\n", "ORT_VERSION"],
    ["TS3", "version 2", "format_version=2\n", "ORT_VERSION"],
    ["TS3", "version 4", "format_version=4\n", "ORT_VERSION"],
    ["TS4", "a sign", "format_version=3\ntick_index=-1\n", "ORT_TILE_SAVE"],
    ["TS4", "a plus", "format_version=3\ntick_index=+7\n", "ORT_TILE_SAVE"],
    ["TS4", "a space", "format_version= 3\n", "ORT_TILE_SAVE"],
    ["TS4", "a leading zero", "format_version=3\ntick_index=07\n", "ORT_TILE_SAVE"],
    ["TS4", "hexadecimal", "format_version=3\ntick_index=0x10\n", "ORT_TILE_SAVE"],
    ["TS4", "65 bits", "format_version=3\ntick_index=18446744073709551616\n", "ORT_TILE_SAVE"],
    ["TS4", "a player id of 33 bits", "format_version=3\nlocal_player_id=4294967296\n", "ORT_TILE_SAVE"],
    ["TS5", "1 for true", textOf(FULL_SAVE).replace("built=true", "built=1"), "ORT_TILE_SAVE"],
    ["TS6", "a control character", `${HEADER}gameplay_fingerprint=a\u0007\n`, "ORT_TILE_SAVE"],
    ["TS6", "a control character under another key", `${HEADER}mod.x=a\u0000\n`, "ORT_TILE_SAVE"],
    ["TS7", "a section without its version", `${HEADER}world_section.core.chunk_count=0\n`, "ORT_TILE_SAVE"],
    ["TS7", "version 0 of a section", `${HEADER}world_section.core.version=0\n`, "ORT_VERSION"],
    ["TS7", "version 2 of a section", `${HEADER}debug_section.net.version=2\n`, "ORT_VERSION"],
    [
      "TS7",
      "half a section",
      textOf(FULL_SAVE).replace(/^debug_section.net.dropped_.*\n/m, ""),
      "ORT_TILE_SAVE",
    ],
    ["TS8", "no count", `${WORLD}world_section.core.chunk.0=${AIR}\n`, "ORT_TILE_SAVE"],
    ["TS8", "another count", `${WORLD}world_section.core.chunk_count=2\n`, "ORT_TILE_SAVE"],
    [
      "TS8",
      "a gap",
      `${WORLD}world_section.core.chunk_count=1\nworld_section.core.chunk.1=${AIR}\n`,
      "ORT_TILE_SAVE",
    ],
    [
      "TS8",
      "an index of two digits for one",
      `${WORLD}world_section.core.chunk_count=1\nworld_section.core.chunk.00=${AIR}\n`,
      "ORT_TILE_SAVE",
    ],
    [
      "TS8",
      "a chunk twice",
      `${WORLD}world_section.core.chunk_count=2\nworld_section.core.chunk.0=${AIR}\nworld_section.core.chunk.1=${AIR}\n`,
      "ORT_TILE_SAVE",
    ],
    ["TS9", "no base64", oneChunk("0,0,4,1,2,3,4"), "ORT_TILE_SAVE"],
    ["TS9", "the letters of URLs", oneChunk("-_-_"), "ORT_TILE_SAVE"],
    ["TS9", "bits to spare", oneChunk(`${AIR.slice(0, -2)}B=`), "ORT_TILE_SAVE"],
    ["TS9", "padding in the middle", oneChunk("QQ==QQ=="), "ORT_TILE_SAVE"],
    ["TS9", "too much of it", oneChunk("A".repeat(1_000_000)), "ORT_TILE_SAVE"],
    ["TS9", "an empty chunk", oneChunk(""), "ORT_TRUNCATED"],
    ["TS9", "a chunk of other bytes", oneChunk("//79"), "ORT_TRUNCATED"],
    ["TS11", "figures of the network without a section", `${HEADER}debug_net_x=1\n`, "ORT_TILE_SAVE"],
  ])("[%s] is refused with %s", (_rule, _what, text, code) => {
    expect(codeOf(() => read(text))).toBe(code);
  });

  test.each([
    ["a few numbers", "0,0,4,1,2,3,4"],
    ["spaces between them", " -3, 7, 1"],
    ["semicolons between chunks", "0;0;1,2,3"],
    ["all tiles of a chunk, longer than base64 may be", `0,0,${"1,".repeat(1_024)}`],
  ])("[TS17] is refused with a chunk of comma-separated numbers, and the error says so: %s", (_what, csv) => {
    expect(codeOf(() => read(oneChunk(csv)))).toBe("ORT_TILE_SAVE");
    expect(() => read(oneChunk(csv))).toThrow(
      "chunk.0 is a list of numbers with commas (CSV), as saves from before Wire v1 have it",
    );
  });

  test("[TS1] is refused when it is not UTF-8", () => {
    expect(codeOf(() => decodeTileSave(Uint8Array.of(0x61, 0x3d, 0xff, 0x0a)))).toBe("ORT_UTF8");
  });

  test.each<[what: string, save: Partial<TileSave>]>([
    ["a line break in a fingerprint", { gameplayFingerprint: "x\ntick_index=999" }],
    ["a line break of Windows", { cosmeticFingerprint: "x\r" }],
    ["a key that is not a key", { others: [{ key: "a=b", value: "" }] }],
    ["a line break under an unknown key", { others: [{ key: "a", value: "b\nc=d" }] }],
    ["a tick of 65 bits", { tickIndex: 2n ** 64n }],
    ["a player id that is not an integer", { localPlayerId: 1.5 }],
    ["a chunk twice", { chunks: [chunkOf(0, 0, 1), chunkOf(0, 0, 2)] }],
  ])("[TS6] is never written with %s", (_what, save) => {
    expect(codeOf(() => encodeTileSave({ ...EMPTY_TILE_SAVE, ...save }))).toBe("ORT_ARGUMENT");
  });

  test("[TS9, TS12] a text with changed letters that is accepted is written back unchanged", () => {
    const bytes = encodeTileSave({ ...FULL_SAVE, chunks: [chunkOf(-3, 200, 9)] });
    // The keys before the sections may be missing, and then get the values they are written with.
    const start = new TextDecoder().decode(bytes).indexOf("gameplay_section") + 2;
    let accepted = 0;
    for (let seed = 0; seed < 2_000; seed++) {
      const prng = new Prng(seed);
      const damaged = bytes.slice();
      damaged[prng.between(start, damaged.length - 1)] = prng
        .pick([..."AB=\n0129+/Z".split("")])
        .charCodeAt(0);
      let save: TileSave;
      try {
        save = decodeTileSave(damaged);
      } catch {
        continue;
      }
      accepted++;
      const again = encodeTileSave(save);
      if (save.others.length === 1) expect(Buffer.compare(again, damaged), `seed ${seed}`).toBe(0);
    }
    expect(accepted).toBeGreaterThan(300);
  });
});

function oneChunk(text: string): string {
  return `${WORLD}world_section.core.chunk_count=1\nworld_section.core.chunk.0=${text}\n`;
}
