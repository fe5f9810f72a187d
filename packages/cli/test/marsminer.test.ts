import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { createMarsMiner, octreeOfBoxes } from "@orthant/formats";
import { uniformOctree } from "@orthant/formats/internal";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const TICKS = 634_652_586_211_234_567n;

/** Creates a save with two states: one chunk, and then two. */
async function makeMarsMiner(): Promise<string> {
  const folder = join(await temporaryFolder(), "old");
  const writer = await createMarsMiner(await NodeDisk.create(folder));
  const blockTypes = ["Core_Empty", "MarsMiner_Rock"];
  const ground = octreeOfBoxes([{ box: { min: [0, 0, 0, 0], max: [64, 32, 64, 1] }, value: 1 }], 64, 0);
  await writer.putChunk({ x: 0, z: 0, blockTypes, octrees: [ground] });
  await writer.commit({ ticks: TICKS, name: "first" });
  await writer.putChunk({ x: 64, z: -64, blockTypes, octrees: [uniformOctree(1), ground] });
  await writer.commit({ ticks: TICKS + 10_000n, name: "second" });
  await writer.close();
  return folder;
}

describe("a MarsMiner world on the command line", () => {
  test("is described by info, with its remaining states", async () => {
    const folder = await makeMarsMiner();
    const { output, exitCode } = await capture(["info", folder, "--count"]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toMatch(/format +marsminer \(draft\)\n/);
    expect(output).toMatch(/name +second\n/);
    expect(output).toMatch(/places +x from 0 to 64, z from -64 to 0\n/);
    expect(output).toContain('"first", ');
    const json = await captureJson<{ ticks: string; counts: { states: unknown[] } }>(
      "info",
      folder,
      "--count",
    );
    expect(json).toMatchObject({
      format: "marsminer",
      dialect: "draft",
      chunks: 2,
      cubeSize: 64,
      name: "second",
    });
    expect(json.ticks).toBe(String(TICKS + 10_000n));
    expect(json.counts.states.length).toBe(2);
  });

  test("is verified and repaired", async () => {
    const folder = await makeMarsMiner();
    expect((await capture(["verify", folder])).output).toMatch(
      /^no damage: marsminer \(draft\), 0 notices\n$/,
    );
    const blob = join(folder, "blob0");
    const bytes = new Uint8Array(await readFile(blob));
    bytes.set([0xff, 0xff, 0xff, 0x7f], 4);
    await writeFile(blob, bytes);
    const damaged = await capture(["verify", folder]);
    expect(damaged.exitCode).toBe(EXIT.failed);
    expect(damaged.output).toContain("[ORT_POINTER]");
    const plan = await capture(["repair", folder]);
    expect(plan.output).toContain("the header leads to none");
    expect(plan.exitCode).toBe(EXIT.loss);
    const mended = `${folder}-mended`;
    expect((await capture(["repair", folder, "--to", mended])).exitCode).toBe(EXIT.loss);
    expect(await captureJson<object>("info", mended)).toMatchObject({ name: "second", chunks: 2 });
  });

  test("becomes a world that all commands read, and a MarsMiner world again", async () => {
    const folder = await makeMarsMiner();
    const world = `${folder}-world`;
    const { output, exitCode } = await capture(["convert", folder, world]);
    expect(output).toMatch(
      /^converted .* \(draft\) to .*-world \(orthant\): 192 chunks, 0 entities, 0 players\n$/,
    );
    expect(exitCode).toBe(EXIT.ok);
    const opened = await openWorldEngine(new NodeDisk(world), { readOnly: true });
    expect(await opened.get([70, 95, -60, 0])).toBe(1);
    expect(await opened.get([70, 96, -60, 0])).toBe(0);
    await opened.close();
    for (const command of ["verify", "ls", "info"]) {
      expect((await capture([command, world])).exitCode, command).toBe(EXIT.ok);
    }
    const back = `${folder}-back`;
    expect((await capture(["convert", world, back, "--to", "marsminer"])).exitCode).toBe(EXIT.ok);
    const facts = { name: "second", ticks: String(TICKS + 10_000n), chunks: 2 };
    expect(await captureJson<object>("info", back)).toMatchObject(facts);
    const again = `${folder}-again`;
    await capture(["convert", back, again]);
    expect((await capture(["diff", world, again])).output).toBe("equal\n");
  });

  test("is converted from an older state on request", async () => {
    const folder = await makeMarsMiner();
    const { counts } = await captureJson<{ counts: { states: { address: string; name: string }[] } }>(
      "info",
      folder,
      "--count",
    );
    const address = counts.states.find(({ name }) => name === "first")?.address ?? "";
    const world = `${folder}-first`;
    expect((await capture(["convert", folder, world, "--state", address])).exitCode).toBe(EXIT.ok);
    expect(await captureJson<object>("info", world)).toMatchObject({ name: "first" });
    const wrong = await capture(["convert", folder, `${folder}-x`, "--state", "9:9"]);
    expect(wrong.exitCode).toBe(EXIT.usage);
  });

  test("is written only when the losses are accepted", async () => {
    const folder = await makeSampleWorld();
    const target = `${folder}-mars`;
    const refused = await capture(["convert", folder, target, "--to", "marsminer"]);
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.output).toContain("loss: the generator: ");
    expect(refused.errors).toContain("--accept-loss");
    expect(await readdir(join(folder, ".."))).toEqual(["hills"]);
    const accepted = await capture(["convert", folder, target, "--to", "marsminer", "--accept-loss"]);
    expect(accepted.exitCode).toBe(EXIT.loss);
    expect((await capture(["verify", target])).exitCode).toBe(EXIT.ok);
  });

  test("is rejected by commands that read only native worlds, with advice", async () => {
    const folder = await makeMarsMiner();
    const other = `${folder}-x`;
    for (const [command = "", ...rest] of [
      ["ls"],
      ["map"],
      ["get", "0,0"],
      ["diff", folder],
      ["backup", other],
    ]) {
      const { errors, exitCode } = await capture([command, folder, ...rest]);
      expect(exitCode, command).toBe(EXIT.failed);
      expect(errors, command).toContain(
        "is a world of marsminer (draft), which this command does not support",
      );
      expect(errors, command).toContain("orthant convert");
    }
  });

  test("has options that other worlds reject", async () => {
    const folder = await makeMarsMiner();
    expect((await capture(["info", folder, "--dialect", "subtypes"])).exitCode).toBe(EXIT.ok);
    expect((await capture(["info", folder, "--cube-size", "48"])).exitCode).toBe(EXIT.usage);
    const ours = await makeSampleWorld();
    for (const command of ["info", "verify", "repair"]) {
      const { errors, exitCode } = await capture([command, ours, "--cube-size", "32"]);
      expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining("is for MarsMiner worlds")]);
    }
    expect((await capture(["convert", folder, `${folder}-x`, "--to", "flat"])).exitCode).toBe(EXIT.usage);
  });
});
