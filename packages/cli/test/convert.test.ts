import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

async function makeFloor(): Promise<string> {
  const folder = join(await temporaryFolder(), "floor");
  await capture(["create", folder, "--generator", "flat", "--seed", "1", "--name", ""]);
  const world = await openWorldEngine(new NodeDisk(folder));
  await world.fill({ min: [0, 0, 0, 0], max: [20, 4, 4, 4] }, 11);
  await world.close();
  return folder;
}

describe("convert", () => {
  test("lists what a flat save cannot hold, exits with 3, and carries the content over", async () => {
    const folder = await makeFloor();
    const flat = `${folder}-flat`;
    const refused = await capture(["convert", folder, flat, "--to", "flat"]);
    expect(refused.output).toContain("loss: clocks of regions: ");
    expect(refused.errors).toContain("nothing was written");
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(await readdir(join(folder, ".."))).toEqual(["floor"]);
    const { exitCode, output } = await capture(["convert", folder, flat, "--to", "flat", "--accept-loss"]);
    expect(output).toMatch(
      /^converted .* \(orthant\) to .*-flat \(flat\): 3 chunks, 0 entities, 0 players\n/,
    );
    expect(output).toContain("loss: clocks of regions: ");
    expect(exitCode).toBe(EXIT.loss);
    expect((await capture(["verify", flat])).exitCode).toBe(EXIT.ok);
    expect(await captureJson<object>("info", flat)).toMatchObject({ format: "polychora-flat" });
    const { output: differences } = await capture(["diff", folder, flat]);
    expect(differences).not.toContain("chunk [");

    const back = `${folder}-back`;
    const again = await capture(["convert", flat, back]);
    expect(again.exitCode, "a tree holds all that a flat save has").toBe(EXIT.ok);
    expect((await capture(["diff", flat, back])).output).toBe("equal\n");
    const world = await openWorldEngine(new NodeDisk(back));
    expect(await world.get([19, 3, 3, 3])).toBe(11);
    expect(await world.get([50, -1, 0, 0]), "the floor").toBe(3);
    await world.close();
  });

  test("only counts in a dry run", async () => {
    const folder = await makeFloor();
    const { exitCode, output } = await capture(["convert", folder, `${folder}-flat`, "--dry-run", "--json"]);
    expect(exitCode).toBe(EXIT.loss);
    expect(JSON.parse(output)).toMatchObject({ made: false, from: "orthant", dialect: "flat", chunks: 3 });
    expect(await readdir(join(folder, ".."))).toEqual(["floor"]);
  });

  test("rejects impossible conversions and leaves nothing behind", async () => {
    const folder = await makeSampleWorld();
    const shape = await capture(["convert", folder, `${folder}-flat`]);
    expect(shape.exitCode).toBe(EXIT.failed);
    expect(shape.errors).toContain("chunks of 16 x 16 x 16 x 1 voxels");
    const same = await capture(["convert", folder, `${folder}-tree`, "--to", "orthant"]);
    expect(same.exitCode).toBe(EXIT.usage);
    expect(await readdir(join(folder, ".."))).toEqual(["hills"]);
  });
});
