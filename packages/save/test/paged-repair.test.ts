import { boxContainsBox, cubeAt, positionsLexicographic, WHOLE_LATTICE } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { type Finding, isWhole } from "@orthant/disk/files";
import {
  applyRepair,
  BulkSaveWriter,
  compareSaves,
  copyGeneration,
  openSave,
  planRepair,
  resumeSave,
  type SaveDifference,
  type SaveWriter,
  verifySave,
} from "@orthant/save";
import { allLeaves, pageFile, parsePageFile } from "@orthant/save/internal";
import { codeOfRejection } from "@orthant/testkit";
import {
  chunksOf,
  entityAt,
  entryAt,
  flipByte,
  GLOBAL,
  PAGED_LIMITS,
  pagedCube,
  pagedWorld,
  playerOf,
  SHAPE,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const LEAVES = 120;

async function resumed(disk: MemoryDisk): Promise<SaveWriter> {
  const save = await openSave(disk);
  await save.close();
  return resumeSave(disk, save);
}

async function changeLeaf(writer: SaveWriter, number: number, block: number): Promise<void> {
  const cube = pagedCube(number);
  const leaves = [{ cube, chunks: [entryAt(cube.min, block)] }];
  await (await writer.commit({ nowMs: block, leaves })).close();
}

/** Returns the live generation's page with the leaf of this number, and all leaves in it. */
async function pageOf(
  disk: MemoryDisk,
  number: number,
): Promise<{ readonly path: string; readonly numbers: readonly number[] }> {
  const save = await openSave(disk);
  for await (const { link, leaves } of save.index.parts()) {
    if (link === undefined || !leaves.some(({ cube }) => boxContainsBox(cube, pagedCube(number)))) continue;
    const numbers = leaves.map(({ cube }) => cube.min[0] / 8 + cube.min[1] * 2);
    return { path: pageFile(link), numbers };
  }
  throw new Error(`leaf ${number} is in the root`);
}

function damageIn(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ severity }) => severity === "damage");
}

describe("a damaged page", () => {
  test("[S65] is reported with the chunks it affects, and everything else is readable", async () => {
    const disk = await pagedWorld(LEAVES);
    expect(await verifySave(disk)).toEqual([]);
    const { path, numbers } = await pageOf(disk, 50);
    await flipByte(disk, path, 60);
    const damage = damageIn(await verifySave(disk));
    expect(damage.map(({ file, code, generation }) => [file, code, generation])).toEqual([
      [path, "ORT_CHECKSUM", 0],
    ]);
    for (const number of numbers) {
      expect(boxContainsBox(damage[0]?.chunks ?? WHOLE_LATTICE, pagedCube(number))).toBe(true);
    }
    const save = await openSave(disk);
    expect(await codeOfRejection(save.index.load(pagedCube(50)))).toBe("ORT_CHECKSUM");
    const elsewhere = Array.from({ length: LEAVES }, (_, number) => number).filter(
      (n) => !numbers.includes(n),
    );
    for (const number of elsewhere) {
      await save.index.load(pagedCube(number));
      expect(save.index.find(pagedCube(number).min)?.clocks[0]?.clock).toBe(number + 1);
    }
    await save.close();
  });

  test("[S65] a damaged page or a missing one does not prevent a commit elsewhere", async () => {
    const disk = await pagedWorld(LEAVES);
    const { path, numbers } = await pageOf(disk, 50);
    await disk.remove(path);
    const writer = await resumed(disk);
    const other = numbers.includes(100) ? 5 : 100;
    await changeLeaf(writer, other, 700);
    expect(await codeOfRejection(changeLeaf(writer, 50, 701))).toBe("ORT_NOT_FOUND");
    await changeLeaf(writer, other, 702);
    await writer.close();
    expect(damageIn(await verifySave(disk)).map(({ file }) => file)).toContain(path);
  });

  test("[S65] is reported for every generation that has it, and read once if it is intact", async () => {
    const disk = await pagedWorld(LEAVES);
    const writer = await resumed(disk);
    await changeLeaf(writer, 0, 700);
    await writer.close();
    expect(isWhole(await verifySave(disk))).toBe(true);
    const { path, numbers } = await pageOf(disk, 100);
    expect(numbers).not.toContain(0);
    await flipByte(disk, path, 60);
    expect(damageIn(await verifySave(disk)).map(({ file, generation }) => [file, generation])).toEqual([
      [path, 1],
      [path, 0],
    ]);
  });

  test("[S65] is reported when an entity or a clock is also in another page", async () => {
    const disk = new MemoryDisk();
    const writer = await BulkSaveWriter.create(disk, GLOBAL.description.chunkShape, { limits: PAGED_LIMITS });
    const clocks = [{ region: [0, 0, 0, 0] as const, clock: 7 }];
    // All in one region, so that pages are smaller than it.
    for (const position of positionsLexicographic(cubeAt([0, 0, 0, 0], 4))) {
      const isCorner = new Set(position).size === 1 && (position[0] === 0 || position[0] === 3);
      const entities = isCorner
        ? [entityAt(1n, [position[0] * 4, position[1] * 4, position[2], position[3]])]
        : [];
      const cube = cubeAt(position, 1);
      await writer.add([{ cube, chunks: [entryAt(position, 5)], entities, clocks: isCorner ? clocks : [] }]);
    }
    await writer.finish({ nowMs: 1, global: GLOBAL, players: [playerOf(1n)] });
    await writer.close();
    const messages = damageIn(await verifySave(disk)).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining("two leaves have a clock of region [0,0,0,0]"),
      expect.stringContaining("entity 1 is stored twice"),
    ]);
  });

  test("[S66] is recovered from the leaves of an older generation and the records since", async () => {
    const disk = await pagedWorld(LEAVES);
    const writer = await resumed(disk);
    await changeLeaf(writer, 50, 700);
    await changeLeaf(writer, 100, 701);
    await writer.close();
    const save = await openSave(disk);
    const before = await chunksOf(save);
    await save.close();
    const { path, numbers } = await pageOf(disk, 50);
    await flipByte(disk, path, 60);
    const plan = await planRepair(disk, { chunkShape: SHAPE });
    expect(plan.losses.map(({ what }) => what)).toEqual(["index"]);
    expect(plan.losses[0]?.message).toContain(path);
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    expect(isWhole(await verifySave(target))).toBe(true);
    const repaired = await openSave(target);
    expect(await chunksOf(repaired)).toEqual(before);
    // Equal clocks must always mean equal content, so those of the lost page are new.
    const clocks = new Map<string, number>();
    for (const leaf of await allLeaves(repaired.index)) {
      for (const { region, clock } of leaf.clocks) clocks.set(region.join(), clock);
    }
    for (let number = 0; number < LEAVES; number++) {
      const region = pagedCube(number).min.map((at) => at / 4);
      const isNew = (clocks.get(region.join()) ?? 0) > 2 ** 33;
      if (numbers.includes(number)) expect(isNew, `leaf ${number}`).toBe(true);
    }
    await repaired.close();
  });

  test("[S66] is recovered without an older one from its records, which know their positions", async () => {
    const disk = await pagedWorld(LEAVES);
    const save = await openSave(disk);
    const before = await chunksOf(save);
    await save.close();
    const { path } = await pageOf(disk, 50);
    await disk.remove(path);
    const target = new MemoryDisk();
    await applyRepair(disk, await planRepair(disk), target);
    const repaired = await openSave(target);
    expect(await chunksOf(repaired)).toEqual(before);
    await repaired.close();
  });
});

describe("index pages", () => {
  test("[S65] index pages that no index links to are reported as harmless", async () => {
    const disk = await pagedWorld(LEAVES);
    const stray = pageFile({ generation: 7, number: 1 });
    const file = await disk.open(stray, "create");
    await file.close();
    const findings = await verifySave(disk);
    expect(findings.map((finding) => [finding.severity, finding.file])).toEqual([["notice", stray]]);
  });

  test("[S67] are copied with their generation, without others", async () => {
    const disk = await pagedWorld(LEAVES);
    const writer = await resumed(disk);
    await changeLeaf(writer, 50, 700);
    await writer.close();
    for (const generation of [0, 1]) {
      const target = new MemoryDisk();
      await copyGeneration(disk, target, { generation });
      expect(await verifySave(target)).toEqual([]);
      const [original, copy] = [await openSave(disk, { generation }), await openSave(target)];
      expect(await chunksOf(copy)).toEqual(await chunksOf(original));
      const pages = [...target.image().files.keys()].filter((path) => parsePageFile(path) !== undefined);
      expect(pages.sort()).toEqual([...(await original.index.pageFiles())].sort());
    }
  });

  test("[S67] index pages that are retired during a copy make it move on to the newer generation", async () => {
    const disk = await pagedWorld(LEAVES);
    const { path } = await pageOf(disk, 119);
    const writer = await resumed(disk);
    const racing = new MemoryDisk();
    let raced = false;
    const target = new Proxy(racing, {
      get(inner, name) {
        if (name === "rename" && !raced) {
          return async (from: string, to: string) => {
            raced = true;
            await changeLeaf(writer, 119, 700);
            await disk.remove(path);
            await inner.rename(from, to);
          };
        }
        const value: unknown = Reflect.get(inner, name);
        return typeof value === "function" ? value.bind(inner) : value;
      },
    });
    expect((await copyGeneration(disk, target)).generation).toBe(1);
    await writer.close();
    expect(raced).toBe(true);
    expect(await verifySave(racing)).toEqual([]);
    const copy = await openSave(racing);
    expect((await chunksOf(copy))[pagedCube(119).min.join()]).toBe(700);
  });

  test("are compared only where they differ", async () => {
    const disk = await pagedWorld(LEAVES);
    const writer = await resumed(disk);
    await changeLeaf(writer, 50, 700);
    await writer.close();
    const [before, after] = [await openSave(disk, { generation: 0 }), await openSave(disk)];
    for (const samePacks of [true, false]) {
      const found: SaveDifference[] = [];
      let leaves = 0;
      const options = { samePacks, onLeaf: () => void leaves++ };
      for await (const difference of compareSaves(before, after, options)) found.push(difference);
      expect(found).toMatchObject([{ kind: "chunk", position: pagedCube(50).min }]);
      expect(leaves).toBe(samePacks ? 2 : LEAVES * 2);
    }
  });
});
