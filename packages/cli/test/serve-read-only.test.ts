import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { connectReplica } from "@orthant/client/node";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";
import { whileServing } from "./while-serving.ts";

async function makeMap(): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder, "level.tmj");
  const map = {
    tilewidth: 16,
    tileheight: 16,
    tilesets: [{ firstgid: 1, name: "ground", tilecount: 9 }],
    layers: [{ type: "tilelayer", name: "low", width: 3, height: 1, data: [1, 0, 2] }],
  };
  await writeFile(file, JSON.stringify(map));
  return file;
}

describe("serve --read-only", () => {
  test("shows a file of another program to viewers, and writes nothing", async () => {
    const file = await makeMap();
    const before = await readFile(file);
    const { exitCode, errors, output } = await whileServing(
      [file, "--read-only"],
      async ({ url, token, role }) => {
        expect(role).toBe("viewer");
        const player = connectReplica(url, { token, interest: { center: [0, 0, 0, 0], radiusChunks: 1 } });
        await player.complete();
        const block = await player.get([2, -1, 0, 0]);
        expect(player.catalog.byId(block)?.name).toBe("ground:1");
        expect(await player.setVoxel([1, -1, 0, 0], block)).toMatchObject({
          status: "rejected",
          reason: "role",
        });
        expect(await player.get([1, -1, 0, 0])).toBe(0);
        await player.close();
      },
    );
    expect({ exitCode, output }).toMatchObject({ exitCode: EXIT.ok });
    expect(errors).toContain("a copy in memory is served until this command ends");
    expect(await readdir(join(file, ".."))).toEqual(["level.tmj"]);
    expect(await readFile(file)).toEqual(before);
  });

  test("rejects edits of a builder's token in a world of Orthant, and says why", async () => {
    const folder = await makeSampleWorld();
    const secret = join(await temporaryFolder(), "secret.txt");
    await capture(["token", "--new-secret", "--secret-file", secret]);
    const { output } = await capture([
      "token",
      "--secret-file",
      secret,
      "--player",
      "7",
      "--role",
      "builder",
    ]);
    await whileServing([folder, "--read-only", "--secret-file", secret], async ({ url }) => {
      const player = connectReplica(url, {
        token: output.trim(),
        interest: { center: [8, 100, 8, 0], radiusChunks: 1 },
      });
      await player.complete();
      expect(player.role).toBe("viewer");
      expect(await player.setVoxel([8, 100, 8, 0], 13)).toMatchObject({
        status: "rejected",
        detail: "this world is served read-only",
      });
      await player.close();
    });
  });

  test("is what serve proposes for a file of another program", async () => {
    const { exitCode, errors } = await capture(["serve", await makeMap(), "--port", "0"]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain("--read-only serves it as it is [ORT_DIALECT]");
  });
});
