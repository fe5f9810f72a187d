import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { beforeEach, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";

const SITE = ["--in", "0,200,0..4,204,4"];

interface Got {
  readonly block: { readonly name: string };
}

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
