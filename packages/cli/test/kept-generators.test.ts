import { open } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { defineGenerator } from "@orthant/core";
import { createWorld, openWorld } from "orthant";
import { beforeEach, describe, expect, test } from "vitest";
import { capture as run, temporaryFolder } from "./captured.ts";

const [first, second] = ([1, 2] as const).map(groundOf) as [Ground, Ground];
const KNOWN = { generators: [first, second] };
const HOUSE = [5, -5] as const;
const TOWER = [1000, -5] as const;

type Ground = ReturnType<typeof groundOf>;

/** Returns a version of a generator whose ground is the block of the version's number. */
function groundOf(version: number) {
  return defineGenerator({
    id: "my-game:ground",
    version,
    dimensions: 2,
    open: () => (_x, y) => (y < 0 ? version : 0),
  });
}

function capture(...argv: readonly string[]): ReturnType<typeof run> {
  return run(argv, KNOWN);
}

async function captureJson<Shape>(...argv: readonly string[]): Promise<Shape> {
  return JSON.parse((await capture(...argv, "--json")).output) as Shape;
}

let world = "";

/** Creates a world with a house in ground of version 1, a tower in ground of version 2, and a store. */
beforeEach(async () => {
  world = join(await temporaryFolder(), "world");
  const made = await createWorld(world, { dimensions: 2, generator: first({ seed: 7n }) }, KNOWN);
  await made.store.set("day", 3);
  await made.set(HOUSE, 9);
  await made.changeGenerator(second({ seed: 7n }), { keep: { margin: 0 } });
  await made.set(TOWER, 9);
  await made.store.set("day", 4);
  await made.close();
});

/** Returns the blocks of some voxels, and the day. */
async function contentOf(folder: string): Promise<readonly unknown[]> {
  const opened = await openWorld(folder, { dimensions: 2, readOnly: true, ...KNOWN });
  try {
    const voxels = [HOUSE, [6, -5], [127, -1], [128, -1], TOWER, [1001, -5], [-1, -1]] as const;
    const blocks = await Promise.all(voxels.map((voxel) => opened.get(voxel)));
    return [...blocks, await opened.store.get("day")];
  } finally {
    await opened.close();
  }
}

const CONTENT = [9, 1, 1, 2, 9, 2, 2];

describe("a world with two generators and a store", () => {
  test("is described by info, with the versions where they are known", async () => {
    const kept = { min: [0, -128], max: [128, 0] };
    expect(await captureJson("info", world)).toMatchObject({
      generator: { id: "my-game:ground", version: 2 },
      keptGenerators: [{ id: "my-game:ground", version: 1, boxes: [kept] }],
      store: { keys: 1 },
    });
    const { output } = await capture("info", world);
    expect(output).toContain("generator    my-game:ground, seed 7, version 2\n");
    expect(output).toContain("my-game:ground, seed 7, version 1, in 1 box within voxels [0, -128] to ");
    expect((await run(["info", world])).output).toContain("my-game:ground, seed 7, unknown here, in 1 box");
  });

  test("is copied by backup and restore with both", async () => {
    const [backup, restored] = [`${world}-backup`, `${world}-restored`];
    expect((await capture("backup", world, backup)).exitCode).toBe(EXIT.ok);
    expect((await capture("restore", backup, restored)).exitCode).toBe(EXIT.ok);
    expect((await capture("diff", world, restored)).output).toBe("equal\n");
    expect(await contentOf(restored)).toEqual([...CONTENT, 4]);
  });

  test("keeps both when a damaged copy of it is repaired, also without the generators", async () => {
    const files = await captureJson<{ record: { file: string; offset: number } }>("get", world, "5,-5");
    const damaged = await open(join(world, files.record.file), "r+");
    await damaged.write(Uint8Array.of(0xff, 0xff), 0, 2, files.record.offset + 40);
    await damaged.close();
    expect((await capture("verify", world)).exitCode).toBe(EXIT.failed);
    for (const options of [KNOWN, {}]) {
      const repaired = `${world}-repaired-${Object.keys(options).length}`;
      await run(["repair", world, "--to", repaired], options);
      expect((await capture("verify", repaired)).exitCode).toBe(EXIT.ok);
      // The house is also in an older generation; the tower's place is as its generator made it.
      expect(await contentOf(repaired)).toEqual([9, 1, 1, 2, 2, 2, 2, 4]);
    }
  });

  test("is converted to the plain form with both, and back", async () => {
    const plain = `${world}-plain`;
    const { output } = await capture("convert", world, plain, "--to", "v3", "--accept-loss");
    expect(output).toContain("loss: keys of the store: version 3 of the format has none");
    expect(await contentOf(plain)).toEqual([...CONTENT, undefined]);
  });

  test("fills pixel chunks by the generator of each place, which it needs", async () => {
    const [pixels, back] = [`${world}-pixels`, `${world}-back`];
    const converted = await capture("convert", world, pixels, "--to", "pxsw", "--accept-loss");
    expect(converted.output).toContain("they were made by my-game:ground\n");
    expect(converted.output).not.toContain("become air");
    await capture("convert", pixels, back, "--accept-loss");
    expect(await contentOf(back)).toEqual([9, 1, 1, 2, 9, 2, 0, undefined]);
    const unknown = await run(["convert", world, `${world}-air`, "--to", "pxsw", "--dry-run"]);
    expect(unknown.exitCode).toBe(EXIT.failed);
    expect(unknown.errors).toContain("--generators ./FILE names a module of the world's game");
  });
});
