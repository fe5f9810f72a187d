import { cp } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { createWorld } from "orthant";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

let before: string;
let after: string;

beforeAll(async () => {
  before = await makeSampleWorld();
  after = `${before}-edited`;
  await cp(before, after, { recursive: true });
  const world = await openWorldEngine(new NodeDisk(after), { autosave: false });
  await world.set([1, 101, 1, 0], 0);
  await world.set([300, 100, 0, 0], 13);
  world.upsertPlayer({ playerId: 6n, name: "Bea" });
  await world.close();
});

describe("diff", () => {
  test("lists chunks with their regions, entities and players, and exits with 1", async () => {
    const { exitCode, output } = await capture(["diff", before, after]);
    expect(exitCode).toBe(EXIT.failed);
    expect(output).toBe(
      [
        "chunk [0, 6, 0] of region [0, 1, 0]: content -> content, 1 voxel",
        "chunk [18, 6, 0] of region [4, 1, 0]: untouched -> content",
        "player 6: added",
        "different: 2 chunks in 2 regions, 1 player",
        "",
      ].join("\n"),
    );
  });

  test("finds two generations of one world different, and a world equal to itself", async () => {
    expect((await capture(["diff", before, before])).output).toBe("equal\n");
    const live = Number(JSON.parse((await capture(["info", after, "--json"])).output).generation);
    const { exitCode, output } = await capture([
      "diff",
      after,
      "--generation",
      `${live - 1}..${live}`,
      "--json",
    ]);
    expect(exitCode).toBe(EXIT.failed);
    expect(JSON.parse(output)).toMatchObject({
      before: { world: after, generation: live - 1 },
      after: { world: after, generation: live },
      equal: false,
      truncated: false,
      counts: { facts: 0, regions: 2, chunks: 2, entities: 0, players: 1 },
      differences: [
        {
          kind: "chunk",
          chunk: [0, 6, 0],
          region: [0, 1, 0],
          before: "content",
          after: "content",
          voxels: 1,
        },
        { kind: "chunk", chunk: [18, 6, 0], before: "untouched", after: "content", voxels: null },
        { kind: "player", playerId: "6", change: "added" },
      ],
    });
  });

  test("shows spawns with the axes that the worlds have", async () => {
    const folder = await temporaryFolder();
    for (const [name, spawn] of [
      ["one", [8.5, 23, 8.5]],
      ["two", [9, 23, 8.5]],
    ] as const)
      await (await createWorld(join(folder, name), { dimensions: 3, spawn })).close();
    const { output } = await capture(["diff", join(folder, "one"), join(folder, "two")]);
    expect(output).toBe("spawn: [8.5, 23, 8.5] -> [9, 23, 8.5]\ndifferent: 1 fact\n");
  });

  test("lists no more than the limit, and still counts everything", async () => {
    const { output, errors } = await capture(["diff", before, after, "--limit", "1"]);
    expect(output.split("\n")).toHaveLength(3);
    expect(output).toContain("different: 2 chunks in 2 regions, 1 player\n");
    expect(errors).toBe("there are more than 1; --limit shows more\n");
  });

  test.each([
    [["diff", "x"], "name another world"],
    [["diff", "x", "--generation", "a"], "--generation: "],
  ])("rejects %j", async (argv, message) => {
    const { exitCode, errors } = await capture(argv.map((word) => (word === "x" ? before : word)));
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain(message);
  });
});
