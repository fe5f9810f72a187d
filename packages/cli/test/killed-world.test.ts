import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { GeneratorRegistry } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { createWorldEngine, type EngineOptions, openWorldEngine } from "@orthant/world/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const journaled: EngineOptions = { durability: "journal", autosave: false };
const LAMP = "-200,120,0,0";

/** Copies a world while it is open, which is what a killed process leaves behind. */
async function killedCopy(folder: string): Promise<string> {
  const copy = `${folder}-killed`;
  await cp(folder, copy, { recursive: true, filter: (name) => !name.includes("lock") });
  return copy;
}

/** Damages the second group of the journal. */
async function damageJournal(folder: string): Promise<string> {
  const copy = `${folder}-damaged`;
  await cp(folder, copy, { recursive: true });
  for (const name of await readdir(join(copy, "journal"))) {
    const bytes = await readFile(join(copy, "journal", name));
    const second = bytes.indexOf("JGRP", bytes.indexOf("JGRP") + 1);
    bytes[second + 12] = (bytes[second + 12] ?? 0) ^ 0xff;
    await writeFile(join(copy, "journal", name), bytes);
  }
  return copy;
}

let sample: string;
let killed: string;
let damaged: string;

beforeAll(async () => {
  sample = await makeSampleWorld();
  await cp(sample, `${sample}-before`, { recursive: true });
  const world = await openWorldEngine(new NodeDisk(sample), journaled);
  await world.set([-200, 120, 0, 0], 13);
  await world.set([0, 100, 0, 0], 12);
  world.upsertPlayer({ playerId: 6n, name: "Bea" });
  world.describe({ name: "renamed" });
  await world.whenDurable();
  killed = await killedCopy(sample);
  damaged = await damageJournal(killed);
  await world.close();
});

describe("commands on a world whose process was killed with edits in its journal", () => {
  test("[J30] get returns the acknowledged voxel, and says that the journal has it", async () => {
    expect(await captureJson("get", killed, LAMP)).toMatchObject({
      block: { id: 13 },
      chunk: { state: "content" },
      journaled: true,
      record: null,
    });
    expect((await capture(["get", killed, LAMP])).output).toMatch(/\njournal +has the chunk as it is now/);
  });

  test("[J30] ls lists the chunk and the player that only the journal has", async () => {
    const box = "-200,120,0,0..-199,121,1,1";
    expect(await captureJson("ls", killed, "chunks", "--box", box)).toMatchObject({
      items: [{ state: "content" }],
    });
    const { items } = await captureJson<{ items: { name: string }[] }>("ls", killed, "players");
    expect(items.map(({ name }) => name)).toEqual(["Ann", "Bea"]);
  });

  test("[J30] info counts the journal's content, and reports sizes and generations as they are on disk", async () => {
    const before = await captureJson<{ counts: { chunks: number }; players: number; generation: number }>(
      "info",
      `${sample}-before`,
      "--count",
    );
    expect(await captureJson("info", killed, "--count")).toMatchObject({
      name: "renamed",
      generation: before.generation + 1,
      counts: { chunks: before.counts.chunks + 1 },
      players: before.players + 1,
      journal: { changes: 4, damage: null },
    });
  });

  test("[J30] diff finds the journal's changes, and none after the world was opened and closed", async () => {
    const { exitCode, output } = await capture(["diff", `${sample}-before`, killed, "--json"]);
    expect(exitCode).toBe(EXIT.failed);
    expect(JSON.parse(output)).toMatchObject({ counts: { facts: 1, chunks: 2, entities: 0, players: 1 } });
    expect((await capture(["diff", killed, sample])).output).toBe("equal\n");
  });

  test("[J30] repair loses nothing, and the repaired world has every acknowledged edit", async () => {
    const mended = `${killed}-mended`;
    const { exitCode, output } = await capture(["repair", killed, "--to", mended]);
    expect([exitCode, output]).toEqual([
      EXIT.ok,
      expect.stringMatching(/\nkeeps 4 changes from the journal\nloses nothing\nwrote /),
    ]);
    expect((await capture(["diff", mended, sample])).output).toBe("equal\n");
    expect((await capture(["verify", mended])).exitCode).toBe(EXIT.ok);
  });

  test("[J30] convert includes the journal's changes", async () => {
    const moved = `${killed}-marsminer`;
    expect((await capture(["convert", killed, moved, "--to", "marsminer", "--accept-loss"])).exitCode).toBe(
      EXIT.loss,
    );
    const back = `${killed}-back`;
    await capture(["convert", moved, back, "--accept-loss"]);
    const found = await captureJson<{ block: { id: number } }>("get", back, LAMP);
    expect(found.block.id).not.toBe(0);
  });

  test("restore and tag find an older generation that the save at opening would retire", async () => {
    for (const words of [
      ["restore", "--box", "0,100,0,0..1,101,1,1", "--from"],
      ["tag", "older", "--generation"],
    ]) {
      const [command = "", ...options] = words;
      const copy = `${killed}-${command}`;
      await cp(killed, copy, { recursive: true });
      const { generations } = await captureJson<{ generations: { generation: number }[] }>("log", copy);
      const oldest = String(generations.at(-1)?.generation);
      expect((await capture([command, copy, ...options, oldest])).errors).toBe("");
    }
  });

  test("[J30] leave the world unchanged", async () => {
    const { journal } = await captureJson<{ journal: object }>("info", killed);
    expect(journal).toMatchObject({ changes: 4 });
  });
});

describe("commands on a killed world whose journal is damaged", () => {
  test.each([
    ["info", [], EXIT.loss],
    ["ls", ["chunks"], EXIT.loss],
    ["get", [LAMP], EXIT.loss],
    ["map", ["--output", "map.png"], EXIT.loss],
    ["diff", ["SAMPLE"], EXIT.loss],
    ["repair", [], EXIT.loss],
    ["convert", ["FLAT", "--to", "marsminer", "--accept-loss", "--dry-run"], EXIT.loss],
    ["verify", [], EXIT.failed],
  ])(
    "[J30] %s lists the loss and includes everything before the damage",
    async (command, words, expected) => {
      const named = words.map((word) =>
        word === "SAMPLE"
          ? sample
          : word === "FLAT"
            ? `${damaged}-flat`
            : word === "map.png"
              ? `${damaged}.png`
              : word,
      );
      const { exitCode, output, errors } = await capture([command, damaged, ...named]);
      expect([exitCode, `${output}${errors}`]).toEqual([
        expected,
        expect.stringMatching(/loss: journal: |damage: journal/),
      ]);
      if (command === "get") expect(output).toMatch(/block +13 lamp/);
    },
  );
});

describe("commands on a killed world whose generator is not available", () => {
  test("[J30] list the journal as lost", async () => {
    const folder = join(await temporaryFolder(), "foreign");
    const foreign = { ...flatGenerator, id: "my-game:islands" };
    const generators = new GeneratorRegistry([foreign]);
    const generator = generatorRef(foreign, FLAT_DEFAULTS, 7n);
    const world = await createWorldEngine(
      await NodeDisk.create(folder),
      { generator },
      { ...journaled, generators },
    );
    await world.set([0, 0, 0, 0], 3);
    const copy = await killedCopy(folder);
    await world.close();
    for (const command of ["info", "ls", "repair"]) {
      const { exitCode, output, errors } = await capture([command, copy]);
      expect([exitCode, `${output}${errors}`], command).toEqual([
        EXIT.loss,
        expect.stringMatching(/loss: journal: .*generator/),
      ]);
    }
    expect((await capture(["log", copy])).exitCode).toBe(EXIT.ok);
  });
});
