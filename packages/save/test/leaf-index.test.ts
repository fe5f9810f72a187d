import type { Box } from "@orthant/core";
import { boxAt, WHOLE_LATTICE } from "@orthant/core/lattice";
import type { Disk, MemoryDisk } from "@orthant/disk";
import { type LeafEntry, listGenerations, openSave, resumeSave, type Save } from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { codeOfRejection } from "@orthant/testkit";
import { entryAt, pagedCube, pagedWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const LEAVES = 120;

/** Returns a disk that records which files are opened. */
function watched(disk: MemoryDisk): { readonly disk: Disk; readonly opened: string[] } {
  const opened: string[] = [];
  const proxy = new Proxy<Disk>(disk, {
    get(target, name) {
      if (name === "open") {
        return (path: string, mode: Parameters<Disk["open"]>[1]) => {
          opened.push(path);
          return target.open(path, mode);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { disk: proxy, opened };
}

async function changeLeaf(disk: MemoryDisk, number: number, nowMs: number): Promise<void> {
  const save = await openSave(disk);
  const writer = await resumeSave(disk, save);
  const cube = pagedCube(number);
  await (await writer.commit({ nowMs, leaves: [{ cube, chunks: [entryAt(cube.min, 9_999)] }] })).close();
  await writer.close();
  await save.close();
}

describe("a paged index", () => {
  test("[S64] is opened by reading only its root, which knows the totals", async () => {
    const { disk, opened } = watched(await pagedWorld(LEAVES));
    const save = await openSave(disk);
    expect(save.indexVersion).toBe(4);
    expect(opened.filter((path) => path.startsWith("index/"))).toHaveLength(1);
    expect(save.index.totals).toMatchObject({ leaves: LEAVES, chunks: LEAVES, uncounted: 0, clocks: LEAVES });
    expect(save.index.isLoaded(boxAt([0, 0, 0, 0]))).toBe(false);
    for (const ask of [
      () => save.index.find([0, 0, 0, 0]),
      () => save.index.at(pagedCube(0)),
      () => save.index.cubeFor([0, 0, 0, 0]),
      () => [...save.index.touching(boxAt([0, 0, 0, 0]))],
    ]) {
      expect(await codeOfRejection(ask)).toBe("ORT_NOT_LOADED");
    }
  });

  test("[S64] reads each page once, on demand, and answers as if it were loaded entirely", async () => {
    const memory = await pagedWorld(LEAVES);
    const { disk, opened } = watched(memory);
    const save = await openSave(disk);
    const files = await save.index.pageFiles();
    expect(files.length).toBeGreaterThan(8);
    opened.length = 0;
    const box = boxAt(pagedCube(17).min);
    await Promise.all([save.index.load(box), save.index.load(box)]);
    expect(new Set(opened).size).toBe(opened.length);
    expect(opened.length).toBeLessThan(files.length / 2);
    expect(save.index.find(pagedCube(17).min)?.clocks[0]?.clock).toBe(18);
    await save.index.load(WHOLE_LATTICE);
    const leaves = await allLeaves(save.index);
    expect(leaves).toHaveLength(LEAVES);
    expect([...save.index.touching(WHOLE_LATTICE)]).toHaveLength(LEAVES);
    for (const leaf of leaves) {
      expect(save.index.at(leaf.cube)).toBe(leaf);
      expect(save.index.cubeFor(leaf.cube.min)).toEqual(leaf.cube);
    }
    // The cube for a position without a leaf intersects none, but one of twice its edge would.
    const free = save.index.cubeFor([1, 1, 100, 0]);
    expect([...save.index.touching(free)]).toEqual([]);
  });

  test("unloads what is not kept, except what a draft holds", async () => {
    const save = await openSave(await pagedWorld(LEAVES));
    await save.index.load(WHOLE_LATTICE);
    const near = pagedCube(0);
    save.index.unload((cube: Box) => cube.min[0] <= 8 && cube.min[1] <= 8);
    expect(save.index.isLoaded(near)).toBe(true);
    expect(save.index.isLoaded(WHOLE_LATTICE)).toBe(false);
    const draft = await save.index.draft([pagedCube(LEAVES - 1)]);
    save.index.unload(() => false);
    expect(draft.find(pagedCube(LEAVES - 1).min)?.clocks[0]?.clock).toBe(LEAVES);
    expect(await codeOfRejection(() => draft.find(near.min))).toBe("ORT_NOT_LOADED");
    draft.release();
    save.index.unload(() => false);
    expect(await codeOfRejection(() => save.index.find(near.min))).toBe("ORT_NOT_LOADED");
  });

  test("[S62] shares the pages of the previous generation, and reports the leaves that differ", async () => {
    const memory = await pagedWorld(LEAVES);
    await changeLeaf(memory, 40, 2);
    const { disk, opened } = watched(memory);
    const [before, after] = [await openSave(disk, { generation: 0 }), await openSave(disk)];
    opened.length = 0;
    const differences: { before?: LeafEntry; after?: LeafEntry }[] = [];
    for await (const difference of after.index.changesSince(before.index)) differences.push(difference);
    expect(differences.map((pair) => [pair.before?.cube, pair.after?.cube])).toEqual([
      [pagedCube(40), pagedCube(40)],
    ]);
    const files = await filesOf(after);
    const shared = [...files].filter((file) => file.includes(".g0000000000000000."));
    expect(shared.length).toBeGreaterThan(files.size / 2);
    expect(opened.length).toBeLessThan(files.size / 2);
  });

  test("lists the generations that can be opened, with their times", async () => {
    const disk = await pagedWorld(LEAVES);
    await changeLeaf(disk, 40, 77);
    const listed = await listGenerations(disk);
    expect(listed.map(({ generation, atMs }) => [generation, atMs])).toEqual([
      [1, 77],
      [0, 1],
    ]);
    await disk.remove(listed[1]?.files.playersFile ?? "");
    expect((await listGenerations(disk)).map(({ generation }) => generation)).toEqual([1]);
  });
});

async function filesOf(save: Save): Promise<ReadonlySet<string>> {
  return new Set(await save.index.pageFiles());
}
