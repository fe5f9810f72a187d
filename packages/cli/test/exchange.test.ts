import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openSave } from "@orthant/save";
import { decodeIndexFile, scanPack } from "@orthant/save/internal";
import { fromHex } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";

/** Two chunks over a floor of block 11: runs of 3 and air at [-1, 0, 0, 0], block 2 at [5, 5, 5, 5]. */
const LEGACY = [
  "56344457 02000000 01 0b",
  "02000000 02000000",
  "00 02",
  "01 0200 03 0008 00 0008",
  "05000000 05000000 05000000 05000000 00000000",
  "ffffffff 00000000 00000000 00000000 01000000",
].join(" ");

describe("a .v4dw file", () => {
  test("[S42] is recognized by info, as a file and in a folder, whatever its name", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "old.save"), fromHex(LEGACY));
    for (const path of [folder, join(folder, "old.save")]) {
      expect(await captureJson("info", path)).toMatchObject({
        format: "v4dw",
        evidence: "old.save",
        base: { kind: "flatFloor", block: 11 },
        chunks: 2,
        emptyChunks: 0,
        chunkBounds: { min: [-1, 0, 0, 0], max: [6, 6, 6, 6] },
      });
    }
    expect((await capture(["info", folder])).output).toMatch(/^format +v4dw\nbase +a floor of block 11\n/);
  });

  test("[S42] becomes a world with the same voxels, without loss", async () => {
    const folder = await temporaryFolder();
    const [file, made] = [join(folder, "world.v4dw"), join(folder, "made")];
    await writeFile(file, fromHex(LEGACY));
    expect((await capture(["convert", file, made])).exitCode).toBe(EXIT.ok);
    const world = await openWorldEngine(new NodeDisk(made), { readOnly: true });
    const found = await Promise.all(
      (
        [
          [40, 40, 40, 40],
          [-8, 0, 0, 0],
          [-1, 7, 7, 7],
          [100, -1, 0, 0],
          [100, 0, 0, 0],
        ] as const
      ).map((voxel) => world.get(voxel)),
    );
    expect(found).toEqual([2, 3, 0, 11, 0]);
    await world.close();
  });

  test("[S42] is rejected in one line when it is damaged", async () => {
    const file = join(await temporaryFolder(), "world.v4dw");
    await writeFile(file, fromHex(LEGACY).subarray(0, 40));
    for (const words of [
      ["info", file],
      ["convert", file, `${file}-made`],
    ]) {
      const { exitCode, errors } = await capture(words);
      expect([exitCode, errors]).toEqual([EXIT.failed, expect.stringContaining("[ORT_TRUNCATED]")]);
    }
  });

  test("is rejected by commands that cannot read it, with advice to convert it", async () => {
    const file = join(await temporaryFolder(), "world.v4dw");
    await writeFile(file, fromHex(LEGACY));
    for (const command of ["verify", "repair"]) {
      expect((await capture([command, file])).errors).toContain(
        "orthant convert converts it to an Orthant world",
      );
    }
  });
});

describe("convert --to v3", () => {
  test("[S99] writes an index and blobs of version 1, and lists the lost clocks", async () => {
    const folder = join(await temporaryFolder(), "world");
    const world = await createWorldEngine(await NodeDisk.create(folder), { name: "Isles" });
    for (let x = 0; x < 40; x++) await world.set([x * 900, 3, 0, 0], 1 + (x % 9));
    world.entities.spawn({ kind: 3, position: [1, 3, 1, 1], displayName: "Bob" });
    world.upsertPlayer({ playerId: 5n, name: "Ann" });
    await world.close();
    const target = `${folder}-v3`;
    expect((await capture(["convert", folder, target, "--to", "v3"])).exitCode).toBe(EXIT.failed);
    const { exitCode, output } = await capture(["convert", folder, target, "--to", "v3", "--accept-loss"]);
    expect([exitCode, output]).toEqual([EXIT.loss, expect.stringContaining("loss: clocks of regions (40)")]);
    const save = await openSave(new NodeDisk(target));
    await save.close();
    const { manifest } = save;
    const index = await readFile(join(target, manifest.indexFile));
    expect(decodeIndexFile(manifest.indexFile, index).version).toBe(1);
    for (const name of await readdir(join(target, "data"))) {
      const pieces = [...scanPack(await readFile(join(target, "data", name)), 1)];
      const versions = pieces.map((piece) => (piece.kind === "record" ? piece.ref.blobVersion : piece.kind));
      expect(new Set(versions)).toEqual(new Set([1]));
    }
    expect((await capture(["verify", target])).exitCode).toBe(EXIT.ok);
    expect((await capture(["diff", folder, target])).output).toBe("equal\n");
  });
});
