import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";

interface Created {
  readonly made: boolean;
  readonly name: string;
  readonly chunkShape: readonly number[];
  readonly spawn: readonly number[];
  readonly generator: { readonly id: string; readonly seed: string; readonly parameters: object };
}

describe("create", () => {
  test.each<[template: string, options: readonly string[], shape: readonly number[], generator: string]>([
    ["platforms", [], [8, 8, 8, 8], "platforms"],
    ["terrain", [], [16, 16, 16], "terrain"],
    ["tiles", [], [32, 32], "flat"],
    ["tiles", ["--generator", "maze"], [32, 32], "maze"],
  ])("makes a world of %s %j that opens and is intact", async (template, options, shape, generator) => {
    const folder = join(await temporaryFolder(), "world");
    const created = await captureJson<Created>(
      "create",
      folder,
      "--template",
      template,
      "--seed",
      "9",
      ...options,
    );
    expect(created).toMatchObject({ made: true, name: "world", chunkShape: shape });
    expect(created.generator).toMatchObject({ id: generator, seed: "9" });
    expect((await capture(["verify", folder])).exitCode).toBe(EXIT.ok);

    const world = await openWorldEngine(new NodeDisk(folder), { readOnly: true });
    const [x = 0, y = 0, z = 0, w = 0] = created.spawn;
    expect(created.spawn).toHaveLength(shape.length);
    expect(world.shape.extents).toEqual([...shape, 1, 1].slice(0, 4));
    expect(world.spawn).toEqual([x, y, z, w]);
    expect(world.catalog.byId(await world.get([x, y, z, w]))?.solid, "there is room at the spawn").toBe(
      false,
    );
    expect(world.catalog.byId(await world.get([x, y - 1, z, w]))?.solid, "and ground below it").toBe(true);
    await world.close();
  });

  test("accepts generator parameters of every kind", async () => {
    const folder = join(await temporaryFolder(), "world");
    const set = ["relief=12", "caves=false", "waterLevel=none"].flatMap((word) => ["--set", word]);
    const { generator } = await captureJson<Created>("create", folder, "-t", "terrain", "-s", "1", ...set);
    expect(generator.parameters).toMatchObject({ relief: 12, caves: false, baseLevel: 0 });
    expect(generator.parameters).not.toHaveProperty("waterLevel");
    const maze = await captureJson<Created>(
      ...["create", `${folder}2`, "-t", "tiles", "--generator", "maze", "--set", "cells=5,6,1,1"],
    );
    expect(maze.generator.parameters).toMatchObject({ cells: [5, 6, 1, 1] });
  });

  test("uses a new seed each time unless one is given", async () => {
    const folder = await temporaryFolder();
    const seeds = new Set<string>();
    for (const name of ["a", "b", "c"]) {
      seeds.add((await captureJson<Created>("create", join(folder, name), "--dry-run")).generator.seed);
    }
    expect(seeds.size).toBe(3);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each<[word: string, message: string]>([
    ["relief", 'orthant: --set: "relief" is not of the form name=value'],
    ["hills=3", 'orthant: --set: there is no parameter "hills"; there are baseLevel, relief,'],
    ["relief=high", 'orthant: --set: relief is a whole number, not "high"'],
    ["caves=maybe", 'orthant: --set: caves is true or false, not "maybe"'],
    ["relief=none", 'orthant: --set: relief is a whole number, not "none"'],
    [
      "relief=5000",
      'orthant: --set relief=5000: parameters of "terrain": relief is 5000 (a number); it is a whole number from 0 to 4096',
    ],
  ])("rejects --set %s and creates nothing", async (word, message) => {
    const folder = await temporaryFolder();
    const { exitCode, errors } = await capture([
      "create",
      join(folder, "world"),
      "-t",
      "terrain",
      "--set",
      word,
    ]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain(message);
    expect(await readdir(folder)).toEqual([]);
  });

  test("rejects a folder that is not empty, and a file, and leaves both unchanged", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "full"));
    await writeFile(join(folder, "full/apple"), "");
    const full = await capture(["create", join(folder, "full")]);
    const file = await capture(["create", join(folder, "full/apple")]);
    expect([full.exitCode, file.exitCode]).toEqual([EXIT.failed, EXIT.failed]);
    expect(full.errors).toContain("[ORT_NOT_EMPTY]\nhint: name a folder that does not exist yet");
    expect(file.errors).toContain("is a file; name a folder that does not exist yet [ORT_EXISTS]");
    expect(await readdir(join(folder, "full"))).toEqual(["apple"]);
  });

  test("fills an empty folder in place, and empties it again on failure", async () => {
    const folder = await temporaryFolder();
    const failed = await capture(["create", folder], { signal: AbortSignal.abort() });
    expect(failed.exitCode).toBe(EXIT.failed);
    expect(await readdir(folder)).toEqual([]);
    expect((await capture(["create", folder])).exitCode).toBe(EXIT.ok);
    expect(await readdir(folder)).toContain("manifest.json");
  });

  test("leaves nothing behind when it is interrupted", async () => {
    const folder = await temporaryFolder();
    const { exitCode } = await capture(["create", join(folder, "world")], { signal: AbortSignal.abort() });
    expect(exitCode).toBe(EXIT.failed);
    expect(await readdir(folder)).toEqual([]);
  });
});
