import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { goldenPath, hasGolden } from "@orthant/testkit/golden";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";

const FOLDER = "imports/minecraft";

async function makeWorld(region: string, name: string): Promise<string> {
  const folder = join(await temporaryFolder(), "old");
  await mkdir(join(folder, "region"), { recursive: true });
  await copyFile(goldenPath(FOLDER, region), join(folder, "region", name));
  await copyFile(goldenPath(FOLDER, "level/level.dat"), join(folder, "level.dat"));
  return folder;
}

describe.runIf(hasGolden(FOLDER))("a world of Minecraft on the command line", () => {
  test("is described by info, and whole for verify", async () => {
    const folder = await makeWorld("1.17.1/r.0.0.mca", "r.0.0.mca");
    const { output, exitCode } = await capture(["info", folder]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toMatch(/format +minecraft\nname +prismarine-world\n/);
    expect(output).toMatch(/columns +5\n/);
    expect((await capture(["verify", folder])).output).toBe("no damage: minecraft, 0 notices\n");
  });

  test("becomes an Orthant world once its losses are accepted", async () => {
    const folder = await makeWorld("1.8.9/r.-1.0.mca", "r.-1.0.mca");
    const made = join(await temporaryFolder(), "made");
    const refused = await capture(["convert", folder, made]);
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.output).toMatch(/^loss: light and biomes of columns \(18\): /m);
    expect(existsSync(made)).toBe(false);
    const converted = await capture(["convert", folder, made, "--accept-loss"]);
    expect(converted.exitCode).toBe(EXIT.loss);
    expect((await capture(["verify", made])).exitCode).toBe(EXIT.ok);
    const { name, blocks } = await captureJson<{ name: string; blocks: readonly { name: string }[] }>(
      "info",
      made,
    );
    expect(name).toBe("prismarine-world");
    expect(blocks.map((block) => block.name)).toContain("minecraft:stone");
  });

  test("damage is reported with its place", async () => {
    const folder = await makeWorld("damaged/corrupt-zlib.r.0.-1.mca", "r.0.-1.mca");
    const { output, exitCode } = await capture(["verify", folder]);
    expect(exitCode).toBe(EXIT.failed);
    expect(output).toMatch(/^damage: region\/r\.0\.-1\.mca\+16384: chunk \[22, -5\] is left out: /m);
  });
});
