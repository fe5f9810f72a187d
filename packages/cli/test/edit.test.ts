import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { MemoryDisk } from "@orthant/disk";
import { createServer, issueToken, type ServerOptions } from "@orthant/server";
import { createWorld } from "@orthant/world";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";

const SITE = ["--in", "0,200,0..4,204,4"];

interface Got {
  readonly block: { readonly name: string };
}

describe("orthant edit on a server", () => {
  async function served(options: Partial<ServerOptions> = {}) {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
    const server = await createServer({
      world,
      tickMs: 5,
      logger: false,
      operations: { builder: {} },
      ...options,
    });
    onTestFinished(async () => {
      await server.close();
      await world.close();
    });
    return { world, url: `ws://127.0.0.1:${server.port}` };
  }

  test("does lines with a clipboard, and another command undoes and does them again", async () => {
    const secret = "a secret that is long enough for a test";
    const { world, url } = await served({ auth: { secret } });
    const folder = await temporaryFolder();
    const [lines, token] = [join(folder, "lines.txt"), join(folder, "token.txt")];
    const all = [url, "--token-file", token];
    await writeFile(
      token,
      `${await issueToken({ playerId: 7n, role: "builder", expiresInSeconds: 60 }, { secret })}\n`,
    );
    await writeFile(lines, "select box(0,0,0,4,3,5)\noutline brick\ncopy\npaste 20,0,20 rotate xz\n");
    const made = await capture(["edit", ...all, "--file", lines]);
    expect([made.exitCode, made.errors]).toEqual([EXIT.ok, ""]);
    expect(made.output.split("\n").map((line) => line.split(" in ")[0])).toEqual([
      "outline brick: changed 54 voxels",
      "copy: 4 x 3 x 5 voxels",
      "paste 20,0,20 rotate xz: changed 54 voxels",
      "",
    ]);
    const brick = world.blocks.id("brick");
    expect(await world.get([24, 2, 23])).toBe(brick);
    expect((await capture(["edit", ...all, "undo"])).output).toContain("undo: changed 54 voxels");
    expect(await world.get([24, 2, 23])).toBe(0);
    await capture(["edit", ...all, "redo"]);
    expect(await world.get([24, 2, 23])).toBe(brick);
    const would = await capture(["edit", ...all, "set stone", "--in", "0,0,0..2,2,2", "--dry-run"]);
    expect(would.output).toContain("would change 8 voxels");
    expect(await world.get([0, 0, 0])).toBe(brick);
    const saved = await capture(["edit", ...all, `save ${join(folder, "house.clip")}`]);
    expect(saved.errors).toContain('a server keeps its clipboards: "save" needs the folder of a world');
    const unknown = await capture(["edit", url, "undo"]);
    expect(unknown.exitCode).toBe(EXIT.failed);
  });

  test("says that a server lets the player do none, and that a large one has to be confirmed", async () => {
    const { url } = await served({ operations: {} });
    const refused = await capture(["edit", url, "set stone", "--in", "0,0,0..2,2,2"]);
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.errors).toContain("operations");
    const careful = await served({ operations: { builder: { confirmVoxels: 4 } } });
    const large = ["edit", careful.url, "set stone", "--in", "0,0,0..2,2,2"];
    const asked = await capture(large);
    expect([asked.exitCode, asked.errors]).toEqual([EXIT.failed, expect.stringContaining("--confirm")]);
    expect((await capture([...large, "--confirm"])).output).toContain("changed 8 voxels");
    expect((await capture(["edit", "nowhere", "set stone", "--confirm"])).exitCode).toBe(EXIT.usage);
  });
});

describe("orthant edit", () => {
  let world: string;
  beforeEach(async () => {
    world = join(await temporaryFolder(), "valley");
    await capture(["create", world, "--template", "terrain", "--seed", "8"]);
  });

  async function blockAt(place: string): Promise<string> {
    return (await captureJson<Got>("get", world, place)).block.name;
  }

  test("does an operation as its dry run says before, and the save is whole", async () => {
    const words = ["edit", world, "outline brick", ...SITE];
    const would = await captureJson<object>(...words, "--dry-run");
    expect(would).toEqual({
      world,
      made: false,
      operations: [{ operation: "outline brick", voxels: 56, box: { min: [0, 200, 0], max: [4, 204, 4] } }],
      losses: [],
    });
    expect(await blockAt("0,200,0")).toBe("air");
    expect((await capture(words)).output).toBe("outline brick: changed 56 voxels in 0,200,0..4,204,4\n");
    expect([await blockAt("0,200,0"), await blockAt("1,201,1")]).toEqual(["brick", "air"]);
    expect((await capture(["verify", world])).exitCode).toBe(EXIT.ok);
  });

  test("does the lines of a file, with a selection and an undo, and stops at a wrong one", async () => {
    const file = join(await temporaryFolder(), "lines.txt");
    const lines = [
      "select sphere(0,200,0,3)",
      "set stone",
      "",
      "replace stone lamp",
      "undo",
      "replace stonne lamp",
    ];
    await writeFile(file, lines.join("\n"));
    const { exitCode, output, errors } = await capture(["edit", world, "--file", file]);
    expect(exitCode).toBe(EXIT.usage);
    expect(output.split("\n").map((line) => line.split(" in ")[0])).toEqual([
      "set stone: changed 179 voxels",
      "replace stone lamp: changed 179 voxels",
      "undo: changed 179 voxels",
      "",
    ]);
    expect(errors).toContain('line 6: a block in the mask of the operation: the name is "stonne"');
    expect(await blockAt("0,200,0")).toBe("stone");
  });

  test("copies, turns and pastes, does again what was undone, and keeps a clipboard as a file", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "lines.txt");
    const run = async (lines: readonly string[], ...options: string[]) => {
      await writeFile(file, lines.join("\n"));
      return capture(["edit", world, "--file", file, ...options]);
    };
    const [own, foreign] = [join(folder, "house.clip"), join(folder, "house.schem")];
    const made = await run([
      "select box(0,200,0,4,204,6)",
      "outline brick",
      "cut",
      `save ${own}`,
      "paste 10,200,0 rotate xz mirror y",
      "undo",
      "redo",
    ]);
    expect(made).toMatchObject({ exitCode: EXIT.ok, errors: "" });
    expect(made.output.split("\n").map((line) => line.replace(/ in .*|, \d+ bytes$/, ""))).toEqual([
      "outline brick: changed 80 voxels",
      "cut: changed 80 voxels",
      `save ${own}: wrote 4 x 4 x 6 voxels`,
      "paste 10,200,0 rotate xz mirror y: changed 80 voxels",
      "undo: changed 80 voxels",
      "redo: changed 80 voxels",
      "",
    ]);
    expect([await blockAt("0,200,0"), await blockAt("15,203,3"), await blockAt("15,203,4")]).toEqual([
      "air",
      "brick",
      "air",
    ]);
    const refused = await run([`load ${own}`, `save ${foreign}`]);
    expect([refused.exitCode, refused.errors]).toEqual([
      EXIT.failed,
      expect.stringContaining("line 2: nothing was written, because it would lose: names of blocks"),
    ]);
    const mapped = await run([`load ${own}`, `save ${foreign}`], "--map", "brick=minecraft:bricks");
    expect(mapped.exitCode).toBe(EXIT.ok);
    expect((await run([`load ${foreign}`, "paste 20,200,0"])).output).toContain("defined minecraft:bricks");
    expect(await blockAt("20,200,0")).toBe("minecraft:bricks");
    await run([`load ${foreign}`, "paste 30,200,0"], "--map", "minecraft:bricks=brick");
    expect(await blockAt("30,200,0")).toBe("brick");
    const dry = await run([`load ${own}`, "paste 40,200,0", `save ${own}`], "--dry-run");
    expect(dry.output).toContain("paste 40,200,0: would change 80 voxels");
    expect(dry.exitCode).toBe(EXIT.ok);
    expect((await run([`load ${own}`, `save ${own}`])).errors).toContain("--force replaces it");
  });

  test.each([
    ["copy", "select first"],
    ["paste 0,0,0", "the clipboard is empty"],
    ["paste 0,0", '"0,0" is not a position with 3 coordinates'],
    ["paste 0,0,0 turn xz", '"turn" is not a turn'],
    ["undo it", '"undo" stands alone in its line'],
    ["redo", "there is no operation to redo"],
    ["save", '"save" needs the name of a file'],
    ["load nothing.clip", 'there is no file "nothing.clip"'],
  ])("says what is wrong with the line %s", async (line, message) => {
    const { exitCode, errors } = await capture(["edit", world, line]);
    expect(exitCode).not.toBe(EXIT.ok);
    expect(errors).toContain(message);
  });

  test.each([
    ["no place", ["set stone"], 'say where: with --in, or as in "set stone in sphere(0,64,0,8)"'],
    ["no operation", SITE, "give either an operation or --file with several"],
    [
      "a wrong word",
      ["sett stone", ...SITE],
      'column 1: expected an operation, found "sett"; the nearest is "set"',
    ],
    [
      "too much",
      ["set stone", "--in", "0,0,0..9999,9999,9999"],
      "chunks of an operation exceed the limit of 65536",
    ],
  ])("says what is wrong with %s, and changes nothing", async (_what, words, message) => {
    const { exitCode, errors } = await capture(["edit", world, ...words]);
    expect(exitCode).not.toBe(EXIT.ok);
    expect(errors).toContain(message);
  });
});
