import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { connectReplica } from "@orthant/client/node";
import { NodeDisk } from "@orthant/disk/node";
import { createPixelWorld } from "@orthant/pixel-world";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { whileServing } from "./while-serving.ts";

const FILE = "world.pxsw";

async function makePixelWorld(): Promise<string> {
  const folder = join(await temporaryFolder(), "pixels");
  const world = await createPixelWorld(await NodeDisk.create(folder), FILE, { worldSeed: 7n, chunkEdge: 64 });
  await world.store(0, 0, new Uint8Array(64 * 64 * 4).fill(9));
  await world.store(-1, 2, new Uint8Array(64 * 64 * 4));
  await world.close();
  return folder;
}

describe("pixel worlds on the command line", () => {
  test("info describes them, in a folder or as a file", async () => {
    const folder = await makePixelWorld();
    for (const path of [folder, join(folder, FILE)]) {
      const { output, exitCode } = await capture(["info", path]);
      expect(exitCode).toBe(EXIT.ok);
      expect(output).toContain("pixelworld (version2)");
      expect(output).toContain("2 chunks: 1 full, 0 as changes, 1 empty");
    }
    expect(await captureJson("info", folder)).toMatchObject({
      format: "pixelworld",
      chunks: 2,
      worldSeed: "7",
    });
  });

  test("verify finds damage, and repair fixes it", async () => {
    const folder = await makePixelWorld();
    expect((await capture(["verify", folder])).output).toContain("no damage: pixelworld (version2)");
    const file = await await new NodeDisk(folder).open(FILE, "write");
    await file.writeAt(16_384 + 80, Uint8Array.of(1, 2, 3));
    await file.close();
    const damaged = await capture(["verify", folder]);
    expect(damaged.exitCode).toBe(EXIT.failed);
    expect(damaged.output).toContain("ORT_CHECKSUM");
    const plan = await capture(["repair", folder]);
    expect(plan.exitCode).toBe(EXIT.loss);
    expect(plan.output).toContain("nothing was written");
    const mended = await capture(["repair", join(folder, FILE), "--to", `${folder}-mended`]);
    expect(mended.output).toContain("keeps 1 chunk and 0 bodies");
    expect((await capture(["verify", `${folder}-mended`])).exitCode).toBe(EXIT.ok);
  });

  test("convert asks before it loses something, and works in both directions", async () => {
    const folder = await makePixelWorld();
    const refused = await capture(["convert", folder, `${folder}-tree`]);
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.errors).toContain("the layer color");
    const dry = await capture(["convert", folder, `${folder}-tree`, "--dry-run"]);
    expect(dry.exitCode).toBe(EXIT.loss);
    expect(dry.output).toContain("loss: the layer color");
    const made = await capture(["convert", folder, `${folder}-tree`, "--accept-loss"]);
    expect(made.output).toContain("(version2) to");
    const world = await openWorldEngine(new NodeDisk(`${folder}-tree`), { readOnly: true });
    expect(await world.get([5, 5, 0, 0])).toBe(9);
    await world.close();
    expect((await capture(["map", `${folder}-tree`, "--output", `${folder}.png`])).exitCode).toBe(EXIT.ok);
    const back = await capture(["convert", `${folder}-tree`, `${folder}-back`, "--to", "pxsw", "--json"]);
    expect(JSON.parse(back.output)).toMatchObject({ made: true, dialect: "version2", chunks: 2, losses: [] });
    const older = await capture(["convert", `${folder}-tree`, `${folder}-old`, "--to", "pxsw1"]);
    expect(older.exitCode).toBe(EXIT.ok);
    expect((await capture(["info", `${folder}-old`])).output).toContain("pixelworld (native)");
    const same = await capture(["convert", folder, `${folder}-same`, "--to", "pxsw"]);
    expect(same.exitCode).toBe(EXIT.usage);
    expect((await capture(["convert", folder, `${folder}-flat`, "--to", "flat"])).exitCode).toBe(EXIT.usage);
  });

  test("serve shows them read-only, and leaves their files alone", async () => {
    const folder = await makePixelWorld();
    const before = await readdir(folder);
    await whileServing([folder, "--read-only"], async ({ url, token, role }) => {
      expect(role).toBe("viewer");
      const player = connectReplica(url, { token, interest: { center: [0, 0, 0, 0], radiusChunks: 1 } });
      await player.complete();
      expect(await player.setVoxel([0, 0, 0, 0], 1)).toMatchObject({ status: "rejected", reason: "role" });
      await player.close();
    });
    expect(await readdir(folder)).toEqual(before);
  });

  test("other commands give advice, and other files are not worlds", async () => {
    const folder = await makePixelWorld();
    const ls = await capture(["ls", folder]);
    expect(ls.exitCode).toBe(EXIT.failed);
    expect(ls.errors).toContain("which this command does not support");
    const stranger = join(folder, "notes.txt");
    await writeFile(stranger, "hello");
    expect((await capture(["info", stranger])).errors).toContain("is not a world in a known format");
  });
});
