import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { connectTiles } from "@orthant/client/node";
import { NodeDisk } from "@orthant/disk/node";
import { fromHex } from "@orthant/testkit";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { whileServing } from "./while-serving.ts";

/** A tick after 100 ms, then setTile (5, 5) to 8 of player 1, from port 7000: the example of wire-v1.md. */
const EXAMPLE = fromHex("4f573152 01 0064 0100 00 581b 09 010206010a030a0a08");

/** What `orthant replay --json` prints. */
interface Replayed {
  readonly durationMs: number;
  readonly ticks: number;
  readonly datagrams: number;
  readonly addresses: number;
  readonly damage: { readonly code: string; readonly offset: number | null } | null;
  readonly replay: { readonly made: boolean; readonly taken?: number; readonly generation?: number } | null;
  readonly listed: readonly { readonly atMs: number; readonly text: string }[];
}

async function tileWorld(): Promise<string> {
  const world = join(await temporaryFolder(), "tiles");
  expect((await capture(["create", world, "--template", "tiles"])).exitCode).toBe(EXIT.ok);
  return world;
}

async function tilesOf(folder: string): Promise<readonly number[]> {
  const world = await openWorldEngine(await NodeDisk.create(folder), { readOnly: true });
  const tiles: number[] = [];
  for (let x = -8; x < 8; x++) for (let y = -8; y < 8; y++) tiles.push(await world.get([x, y, 0, 0]));
  await world.close();
  return tiles;
}

async function fileWith(bytes: Uint8Array): Promise<string> {
  const file = join(await temporaryFolder(), "recording.ow1r");
  await writeFile(file, bytes);
  return file;
}

describe("orthant replay", () => {
  test("repeats in a copy of the world what a client of Wire v1 did while serve recorded it", async () => {
    const world = await tileWorld();
    const copy = `${world}-copy`;
    await cp(world, copy, { recursive: true });
    const recording = `${world}.ow1r`;
    await whileServing([world, "--wire1", "0", "--wire1-record", recording], async ({ wire1Port }) => {
      const { client, close } = connectTiles({ port: wire1Port ?? 0, playerId: 3 });
      for (let index = 0; index < 6; index++) {
        client.setTile(index - 3, 2 * index - 6, index + 1);
        while (client.tileAt(index - 3, 2 * index - 6) !== index + 1)
          await new Promise((resolve) => setImmediate(resolve));
      }
      close();
    });
    const made = await tilesOf(world);
    expect(new Set(made)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    expect(await tilesOf(copy)).not.toEqual(made);

    const shown = await captureJson<Replayed>("replay", recording);
    expect(shown).toMatchObject({ addresses: 1, damage: null, replay: null });
    expect(shown.listed[0]?.text).toBe("SYN");
    expect(shown.listed.map(({ text }) => text)).toContain("player 3: setTile x -3, y -6, material 1");

    const dry = await captureJson<Replayed>("replay", recording, copy, "--dry-run");
    expect(dry.replay).toEqual({ world: copy, made: false });
    const replayed = await captureJson<Replayed>("replay", recording, copy);
    expect(replayed.replay?.taken).toBeGreaterThan(6);
    expect(replayed.datagrams).toBe(shown.datagrams);
    expect(await tilesOf(copy)).toEqual(made);
  });

  test("lists datagrams with their times, at most as many as the limit says", async () => {
    const file = await fileWith(EXAMPLE);
    const { output, exitCode } = await capture(["replay", file]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toBe(
      [
        "seconds  from                  sent",
        "  0.100  address 0  port 7000  player 1: setTile x 5, y 5, material 8",
        "",
        "duration  0.100 s, 1 tick",
        "sent      1 datagram from 1 address",
        "",
      ].join("\n"),
    );
    const none = await capture(["replay", file, "--limit", "0"]);
    expect(none.errors).toContain("there are 1 more; --limit shows them");
    expect(none.output).not.toContain("setTile");
  });

  test("uses a recording that is cut off or damaged up to there, with a warning and exit code 3", async () => {
    const world = await tileWorld();
    for (const [bytes, datagrams, code] of [
      [EXAMPLE.subarray(0, EXAMPLE.length - 1), 0, "ORT_TRUNCATED"],
      [EXAMPLE.subarray(0, 8), 0, "ORT_TRUNCATED"],
      [EXAMPLE.subarray(0, 3), 0, "ORT_TRUNCATED"],
      [Uint8Array.of(...EXAMPLE, 2, 0), 1, "ORT_TAG"],
      [Uint8Array.of(...EXAMPLE, 1, 0, 9, 0, 0, 0), 1, "ORT_MESSAGE"],
    ] as const) {
      const file = await fileWith(bytes);
      const { output, errors, exitCode } = await capture(["replay", file, world, "--json"]);
      expect([exitCode, errors], code).toEqual([EXIT.loss, expect.stringContaining("ends before its time")]);
      expect(JSON.parse(output)).toMatchObject({ datagrams, damage: { code } });
    }
  });

  test("refuses what is not a recording, is too long for one, or is not a world of tiles", async () => {
    const folder = await temporaryFolder();
    const file = await fileWith(EXAMPLE);
    const world = join(folder, "hills");
    await capture(["create", world]);
    const others: readonly (readonly [argv: readonly string[], message: string])[] = [
      [["replay", join(folder, "none")], "there is no file"],
      [["replay", folder], "is a folder, where the file of a recording is wanted"],
      [["replay", await fileWith(new TextEncoder().encode("PXSW and more"))], "ORT_MAGIC"],
      [["replay", await fileWith(fromHex("4f573152 02"))], "ORT_VERSION"],
      [["replay", file, join(folder, "none")], "there is no folder"],
    ];
    for (const [argv, message] of others) {
      const { errors, exitCode } = await capture(argv);
      expect([exitCode, errors], argv.join(" ")).toEqual([EXIT.failed, expect.stringContaining(message)]);
    }
    for (const [argv, message] of [
      [["replay", file, world], "32 x 32 tiles"],
      [["replay", file, "--dry-run"], "--dry-run needs a world"],
    ] as const) {
      const { errors, exitCode } = await capture(argv);
      expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    }
  });

  test("gets its recordings from serve, which wants --wire1 and a new file", async () => {
    const world = await tileWorld();
    const file = await fileWith(EXAMPLE);
    const alone = await capture(["serve", world, "--wire1-record", file]);
    expect([alone.exitCode, alone.errors]).toEqual([
      EXIT.usage,
      expect.stringContaining("--wire1-record needs --wire1"),
    ]);
    const over = await capture(["serve", world, "--port", "0", "--wire1", "0", "--wire1-record", file]);
    expect([over.exitCode, over.errors]).toEqual([EXIT.failed, expect.stringContaining("ORT_EXISTS")]);
    expect(new Uint8Array(await readFile(file))).toEqual(EXAMPLE);
  });
});
