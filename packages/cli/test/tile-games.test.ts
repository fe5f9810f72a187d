import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { connectTiles } from "@orthant/client/node";
import { EMPTY_TILE_SAVE, type TileSave } from "@orthant/formats";
import { decodeTileSave, encodeTileSave } from "@orthant/formats/internal";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { whileServing } from "./while-serving.ts";

const SAVE: TileSave = {
  ...EMPTY_TILE_SAVE,
  tickIndex: 77n,
  gameplayFingerprint: "mods:v1",
  chunks: [
    { x: -1, y: 0, tiles: new Uint16Array(1_024).fill(2) },
    { x: 0, y: 0, tiles: new Uint16Array(1_024).fill(1) },
  ],
};

async function makeTileSave(save: TileSave = SAVE): Promise<string> {
  const folder = join(await temporaryFolder(), "tiles");
  await mkdir(folder);
  await writeFile(join(folder, "world.sav"), encodeTileSave(save));
  return folder;
}

describe("a tile save on the command line", () => {
  test("is described by info", async () => {
    const folder = await makeTileSave();
    const { output, exitCode } = await capture(["info", folder]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toMatch(/format +tilesave\n/);
    expect(output).toMatch(/chunks +2 chunks\n/);
    expect(await captureJson<object>("info", folder)).toMatchObject({
      format: "tilesave",
      file: "world.sav",
      fault: null,
      tickIndex: "77",
      chunkBounds: { min: [-1, 0], max: [1, 1] },
    });
  });

  test("becomes a world, is edited over Wire v1, and becomes a tile save again", async () => {
    const folder = await makeTileSave();
    const world = `${folder}-world`;
    const made = await capture(["convert", folder, world, "--accept-loss"]);
    expect(made.output).toMatch(/^converted .* \(tilesave\) to .* \(orthant\): 2 chunks, /);
    expect(made.exitCode, "the terrain is lost").toBe(EXIT.loss);
    await whileServing([world, "--wire1", "0"], async ({ wire1Port }) => {
      const { client, close } = connectTiles({ port: wire1Port ?? 0, playerId: 3 });
      while (client.tileAt(0, 0) !== 1) await new Promise((resolve) => setImmediate(resolve));
      client.setTile(-3, 4, 8);
      while (client.tileAt(-3, 4) !== 8) await new Promise((resolve) => setImmediate(resolve));
      close();
    });
    const back = `${folder}-back`;
    const again = await capture(["convert", world, back, "--to", "tilesave", "--accept-loss"]);
    expect(again.output).toContain("(orthant) to ");
    const save = decodeTileSave(await readFile(join(back, "world.sav")));
    expect([save.tickIndex, save.gameplayFingerprint, save.chunks?.length]).toEqual([77n, "mods:v1", 2]);
    expect(save.chunks?.[0]?.tiles[4 * 32 + 29]).toBe(8);
  });

  test("is read from its backup when it is damaged, with a note", async () => {
    const folder = await makeTileSave();
    await writeFile(join(folder, "world.sav.bak"), encodeTileSave({ ...SAVE, tickIndex: 76n }));
    await writeFile(join(folder, "world.sav"), "tick_index=77\nformat_ver");
    expect(await captureJson<object>("info", folder)).toMatchObject({
      file: "world.sav.bak",
      tickIndex: "76",
    });
    const { errors, exitCode } = await capture(["convert", folder, `${folder}-world`, "--accept-loss"]);
    expect(errors).toContain("world.sav.bak is converted instead");
    expect(exitCode).toBe(EXIT.loss);
  });

  test("is rejected by commands that need a native world, with advice", async () => {
    const folder = await makeTileSave();
    for (const command of ["verify", "repair", "ls"]) {
      const { exitCode, errors } = await capture([command, folder]);
      expect([exitCode, errors], command).toEqual([
        EXIT.failed,
        expect.stringContaining(
          "a world of tilesave, which this command does not support; orthant convert converts it to an Orthant world",
        ),
      ]);
    }
    for (const options of [
      ["--to", "flat"],
      ["--generation", "1"],
    ]) {
      const { exitCode } = await capture(["convert", folder, `${folder}-other`, ...options]);
      expect(exitCode).toBe(EXIT.usage);
    }
    const allow = await capture(["serve", folder, "--wire1-allow", "10.0.0.1"]);
    expect(allow.exitCode).not.toBe(EXIT.ok);
    expect(await readdir(join(folder, ".."))).toEqual(["tiles"]);
  });
});
