import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, captureJson } from "./captured.ts";
import { makeSampleWorld, NEWEST_TWO } from "./sample-world.ts";

interface Listed {
  readonly truncated: boolean;
  readonly items: readonly Record<string, unknown>[];
}

let folder: string;

beforeAll(async () => {
  folder = await makeSampleWorld();
});

async function list(...argv: readonly string[]): Promise<Listed> {
  return captureJson<Listed>("ls", folder, ...argv);
}

describe("info", () => {
  test("describes the world", async () => {
    const info = await captureJson<Record<string, unknown>>("info", folder);
    expect(info).toMatchObject({
      format: "orthant",
      name: "hills",
      generation: 2,
      generations: [1],
      chunkShape: [16, 16, 16],
      dimensions: 3,
      clockEpoch: 1,
      players: 1,
      regions: 2,
      leaves: 2,
      counts: null,
    });
    expect(info["generator"]).toMatchObject({ id: "terrain", seed: "7", parameters: { relief: 64 } });
    expect(info["blocks"]).toHaveLength(16);
  });

  test("reports the same total size as the file system", async () => {
    const { sizes } = await captureJson<{ readonly sizes: Record<string, number> }>("info", folder);
    let bytes = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
    }
    expect(sizes["totalBytes"]).toBe(bytes);
    expect(sizes["packBytes"]).toBe((await stat(join(folder, "data/dt-000001.v4dt"))).size);
    // Apart from its records, a pack has only its header of twelve bytes.
    expect(sizes["packBytes"]).toBe(12 + (sizes["liveBytes"] ?? 0) + (sizes["deadBytes"] ?? 0));
  });

  test("counts records that an edit replaced as dead bytes", async () => {
    const other = await makeSampleWorld();
    const before = await captureJson<{ readonly sizes: Record<string, number> }>("info", other);
    const world = await openWorldEngine(new NodeDisk(other));
    await world.set([-100, 101, 0, 0], 13);
    await world.close();
    const after = await captureJson<{ readonly sizes: Record<string, number> }>("info", other);
    expect(before.sizes["deadBytes"]).toBe(0);
    expect(after.sizes["deadBytes"]).toBeGreaterThan(0);
  });

  test("reports the size of the journal, and so does a backup", async () => {
    const other = await makeSampleWorld();
    const world = await openWorldEngine(new NodeDisk(other), { durability: "journal", autosave: false });
    await world.set([-100, 101, 0, 0], 13);
    await world.set([-100, 102, 0, 0], 13);
    const { journal } = await captureJson<{ readonly journal: object }>("info", other);
    expect(journal).toMatchObject({ changes: 2, damage: null });
    expect((await capture(["info", other])).output).toMatch(
      /\njournal +2 changes since the generation, \d+ bytes\n$/,
    );
    expect((await capture(["get", other, "-100,102,0,0"])).output).toContain("13");
    const { output } = await capture(["backup", other, `${other}-backup`]);
    expect(output).toMatch(/^backed up generation \d+ and 2 changes since of /);
    await world.close();
    expect((await capture(["info", other])).output).not.toContain("journal");
    const copy = await openWorldEngine(new NodeDisk(`${other}-backup`));
    expect(await copy.get([-100, 102, 0, 0])).toBe(13);
    await copy.close();
  });

  test("counts chunks and entities on request", async () => {
    const { counts } = await captureJson<{ readonly counts: object }>("info", folder, "--count");
    expect(counts).toEqual({
      chunks: 2,
      emptyChunks: 0,
      entities: 1,
      chunkBounds: { min: [-7, 6, 0], max: [1, 7, 1] },
    });
  });

  test("lists the blocks on request", async () => {
    const { output } = await capture(["info", folder, "--blocks"]);
    expect(output).toContain("   11  #a84a3a  brick\n");
    expect(output).toContain("    5  #3b79c9  water (passable)\n");
  });
});

describe("ls", () => {
  test.each<[what: string, expected: readonly object[]]>([
    ["chunks", [{ chunk: [-7, 6, 0] }, { chunk: [0, 6, 0], state: "content", blocks: 2 }]],
    ["regions", [{ region: [-2, 1, 0], epoch: 1, changeNumber: 1 }, { region: [0, 1, 0] }]],
    ["entities", [{ entityId: "1", kind: 3, displayName: "Bob", tags: ["cat"] }]],
    ["players", [{ playerId: "5", name: "Ann" }]],
    [
      "generations",
      [
        { generation: 2, state: "live" },
        { generation: 1, state: "kept" },
      ],
    ],
    ["leaves", [{ regions: 1 }, { regions: 1 }]],
  ])("lists %s", async (what, expected) => {
    const { truncated, items } = await list(what);
    expect(truncated).toBe(false);
    expect(items).toHaveLength(expected.length);
    expect(items).toMatchObject(expected);
  });

  test("lists every file with its size", async () => {
    const { items } = await list("files");
    for (const { file, bytes } of items) expect((await stat(join(folder, String(file)))).size).toBe(bytes);
    expect(items.map(({ file }) => file)).toContain("manifest.json");
  });

  test("lists only the content of a box, excluding its end", async () => {
    expect((await list("chunks", "--box", "-112,96,0,0..0,112,16,1")).items).toMatchObject([
      { chunk: [-7, 6, 0] },
    ]);
    expect((await list("entities", "--box", "1,104,1,0..2,105,2,1")).items).toHaveLength(1);
    expect((await list("entities", "--box", "0,104,1,0..1,105,2,1")).items).toEqual([]);
    expect((await list("regions", "--box", "500,500..501,501")).items).toEqual([]);
  });

  test("stops at the limit and says so", async () => {
    const { truncated, items } = await list("regions", "--limit", "1");
    expect([truncated, items.length]).toEqual([true, 1]);
    expect((await list("regions", "--limit", "2")).truncated).toBe(false);
    const { output, errors } = await capture(["ls", folder, "regions", "--limit", "1"]);
    expect(output.split("\n")).toHaveLength(3);
    expect(errors).toBe("there are more than 1; --limit shows more, --box less\n");
  });
});

describe("get", () => {
  test("shows where on disk an edited voxel is stored", async () => {
    const found = await captureJson<Record<string, unknown>>("get", folder, "-100,100,0,0");
    expect(found).toMatchObject({
      voxel: [-100, 100, 0],
      block: { id: 13, name: "lamp" },
      chunk: { position: [-7, 6, 0], state: "content" },
      region: { position: [-2, 1, 0], epoch: 1, changeNumber: 1 },
      record: { file: "data/dt-000001.v4dt", generation: 2, exact: true },
    });
    expect((await capture(["get", folder, "-100,100"])).output).toMatch(/block +13 lamp\n/);
  });

  test("shows that a voxel is generated", async () => {
    const found = await captureJson<Record<string, unknown>>("get", folder, "0,-300,0,0");
    expect(found).toMatchObject({
      chunk: { state: "untouched" },
      region: { clock: 0 },
      record: null,
    });
  });

  test("distinguishes an emptied chunk from an untouched one, and reports a record older than all kept generations", async () => {
    const other = await makeSampleWorld();
    const world = await openWorldEngine(new NodeDisk(other), { retention: NEWEST_TWO });
    await world.fill({ min: [0, -48, 0, 0], max: [16, -32, 16, 1] }, 0);
    await world.save();
    for (const block of [1, 2, 3]) {
      await world.set([-100, 100, 0, 0], block);
      await world.save();
    }
    await world.close();
    const found = await captureJson<Record<string, unknown>>("get", other, "3,-40,3");
    expect(found).toMatchObject({
      block: { id: 0, name: "air" },
      chunk: { position: [0, -3, 0], state: "empty" },
      record: { exact: false },
    });
    expect((await capture(["get", other, "3,-40,3"])).output).toMatch(
      /written by +generation \d+ or before\n/,
    );
  });

  test("rejects a voxel beyond the lattice", async () => {
    const { exitCode, errors } = await capture(["get", folder, "99999999999999,0,0,0"]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain("[ORT_POSITION_RANGE]");
  });
});
