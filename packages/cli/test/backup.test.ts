import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { beforeEach, describe, expect, test } from "vitest";
import { capture, captureJson } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

let folder: string;

beforeEach(async () => {
  folder = await makeSampleWorld();
});

describe("backup and restore", () => {
  test("produce an intact world equal to the saved one", async () => {
    const backup = `${folder}-backup`;
    const { exitCode, output } = await capture(["backup", folder, backup]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toMatch(/^backed up generation \d+ of .* to .*-backup: [\d.]+ KiB in 1 pack, verified\n$/);
    expect((await capture(["verify", backup])).exitCode).toBe(EXIT.ok);
    const restored = `${folder}-restored`;
    expect((await capture(["restore", backup, restored])).exitCode).toBe(EXIT.ok);
    expect((await capture(["diff", folder, restored])).output).toBe("equal\n");
    expect(await readFile(join(restored, "manifest.json"))).toEqual(
      await readFile(join(folder, "manifest.json")),
    );
  });

  test("use an older generation on request", async () => {
    const { generation } = await captureJson<{ readonly generation: number }>("info", folder);
    const backup = `${folder}-older`;
    const made = await captureJson<object>("backup", folder, backup, "--generation", String(generation - 1));
    expect(made).toMatchObject({
      world: folder,
      to: backup,
      made: true,
      generation: generation - 1,
      packs: 1,
    });
    expect((await capture(["verify", backup])).exitCode).toBe(EXIT.ok);
    expect((await capture(["diff", folder, backup])).exitCode).toBe(EXIT.failed);
  });

  test("write nothing in a dry run, and never overwrite anything", async () => {
    const { output } = await capture(["backup", folder, `${folder}-dry`, "--dry-run"]);
    expect(output).toMatch(/^would back up generation \d+ of /);
    const { exitCode, errors } = await capture(["restore", folder, folder]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain("[ORT_NOT_EMPTY]");
    expect(await readdir(join(folder, ".."))).toEqual(["hills"]);
  });

  test("reject a damaged world, say where it is damaged, and leave nothing behind", async () => {
    const pack = await open(join(folder, "data/dt-000001.v4dt"), "r+");
    await pack.write(Uint8Array.of(0xff), 0, 1, 60);
    await pack.close();
    const { exitCode, errors } = await capture(["backup", folder, `${folder}-backup`]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toMatch(
      /^orthant: the world is damaged: the generation is damaged, so it is not copied: .*\(data\/dt-000001\.v4dt at /,
    );
    expect(await readdir(join(folder, ".."))).toEqual(["hills"]);
  });
});
