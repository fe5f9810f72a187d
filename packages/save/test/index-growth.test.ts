import type { Box, Position } from "@orthant/core";
import { boxContains, cubeAt, PositionMap, regionOf, WHOLE_LATTICE } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  BulkSaveWriter,
  createSave,
  type LeafEntry,
  openSave,
  resumeSave,
  type SaveWriter,
  verifySave,
} from "@orthant/save";
import { LeafMap } from "@orthant/save/content";
import { allLeaves, INDEX_PAGE_TARGET_BYTES } from "@orthant/save/internal";
import { Prng } from "@orthant/testkit";
import { chunksOf, entryAt, GLOBAL, TIGHT_LIMITS } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

/** Limits with which a few dozen leaves need pages. */
const LIMITS = { ...TIGHT_LIMITS, dataFileMaxBytes: 1_000_000, indexSoftMaxBytes: 300 };

describe("a growing index", () => {
  test("[S61, S117] has the content of a plain map through splits and merges, for every reader", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const prng = new Prng(seed);
      const disk = new MemoryDisk();
      const indexVersion = seed % 2 === 0 ? 2 : 4;
      const writer = await createSave(disk, { nowMs: 1, global: GLOBAL, limits: LIMITS, indexVersion });
      const model = new PositionMap<number>();
      const versions = new Set<number | undefined>();
      let pagesMax = 0;
      for (let step = 0; step < 60; step++) {
        const grows = step < 30;
        for (let edit = 0; edit < 6; edit++) {
          if (grows) model.set(...positionNear(prng), prng.between(2, 60_000));
          else {
            const positions = [...model.positions()];
            if (positions.length > 0) model.delete(...prng.pick(positions));
            if (positions.length > 1) model.delete(...prng.pick(positions));
          }
        }
        await commitModel(writer, model, step + 2);
        versions.add(writer.state.indexVersion);
        pagesMax = Math.max(pagesMax, (await writer.state.index.pageFiles()).length);
        const save = await openSave(disk);
        const expected = Object.fromEntries(
          [...model].map(([position, number]) => [position.join(), number]),
        );
        expect(await chunksOf(save), `seed ${seed}, step ${step}`).toEqual(expected);
        const { leaves, recordBytes } = writer.state.index.totals;
        expect(save.index.totals).toMatchObject({ leaves, recordBytes });
        expect(save.index.totals.leaves).toBe((await allLeaves(save.index)).length);
        if (step % 20 === 19) expect(isWhole(await verifySave(disk))).toBe(true);
        await save.close();
      }
      expect([...versions].sort()).toEqual(indexVersion === 2 ? [2, 3] : [4]);
      expect(pagesMax).toBeGreaterThan(4);
      expect(writer.state.indexVersion).toBe(indexVersion);
      await writer.close();
    }
  }, 120_000);
});

describe("a commit of one leaf among 100,000", () => {
  test("[S62] writes its page and those above it, and reports which", async () => {
    const disk = new MemoryDisk();
    const bulk = await BulkSaveWriter.create(disk, GLOBAL.description.chunkShape);
    const edge = 18;
    const cubeOf = (number: number): Box => {
      const along = (power: number): number => (Math.floor(number / edge ** power) % edge) * 16;
      return cubeAt([along(0), along(1), along(2), along(3)], 4);
    };
    for (let start = 0; start < 100_000; start += 1_000) {
      await bulk.add(
        Array.from({ length: 1_000 }, (_, index) => {
          const cube = cubeOf(start + index);
          return { cube, clocks: [{ region: regionOf(cube.min), clock: 2 ** 33 + start + index }] };
        }),
      );
    }
    await bulk.finish({ nowMs: 1, global: GLOBAL, players: [] });
    await bulk.close();
    const save = await openSave(disk);
    expect(save.index.totals).toMatchObject({ leaves: 100_000, clocks: 100_000 });
    const sizes = [...disk.image().files].filter(([path]) => path.startsWith("index/"));
    for (const [path, bytes] of sizes)
      expect(bytes.length, path).toBeLessThanOrEqual(INDEX_PAGE_TARGET_BYTES);
    const writer = await resumeSave(disk, save);
    const known = new Set(await save.index.pageFiles());
    for (let step = 0; step < 20; step++) {
      const cube = cubeOf(step * 4_999);
      const next = await writer.commit({
        nowMs: 2 + step,
        leaves: [{ cube, chunks: [entryAt(cube.min, 2)] }],
      });
      const { addedPages, removedPages } = writer.lastChange;
      // Including the root, which every generation has.
      expect(addedPages.length + 1).toBeLessThanOrEqual(4);
      for (const page of removedPages) expect(known.delete(page)).toBe(true);
      for (const page of addedPages) known.add(page);
      expect(new Set(await next.index.pageFiles())).toEqual(known);
      await next.close();
    }
    await writer.close();
    await save.close();
  }, 120_000);
});

function positionNear(prng: Prng): Position {
  const far = prng.below(4) === 0 ? prng.between(-100, 100) * 65_536 : 0;
  return [prng.between(-40, 40) + far, prng.between(-4, 4), prng.between(-4, 4) - far, 0];
}

/** Commits the content of a map. The leaves of changed positions are found from the save's content. */
async function commitModel(writer: SaveWriter, model: PositionMap<number>, nowMs: number): Promise<void> {
  const { index } = writer.state;
  await index.load(WHOLE_LATTICE);
  const map = new LeafMap<{ cube: LeafEntry["cube"] }>(await allLeaves(index));
  const cubes = new Map<string, LeafEntry["cube"]>();
  const held = new PositionMap<true>();
  const save = writer.currentSave();
  for (const leaf of await allLeaves(index)) {
    for (const { position, chunk } of await save.readChunks(leaf)) {
      held.set(...position, true);
      if (model.get(...position) !== chunk.get(3)) cubes.set(leaf.cube.min.join(), leaf.cube);
    }
  }
  await save.close();
  for (const position of model.positions()) {
    if (held.has(...position)) continue;
    const cube = map.cubeFor(position);
    if (map.at(cube) === undefined) map.add({ cube });
    cubes.set(cube.min.join(), cube);
  }
  const leaves = [...cubes.values()].map((cube) => ({
    cube,
    chunks: [...model]
      .filter(([position]) => boxContains(cube, position))
      .map(([position, number]) => entryAt(position, number)),
  }));
  await (await writer.commit({ nowMs, leaves })).close();
}
