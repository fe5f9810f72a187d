import { MemoryDisk } from "@orthant/disk";
import { openMarsMiner, verifyMarsMiner } from "@orthant/formats";
import {
  applyMarsMinerRepair,
  describeMarsMinerAddress,
  describeMarsMinerRepair,
  planMarsMinerRepair,
  resumeMarsMiner,
} from "@orthant/formats/internal";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import {
  chunkOf,
  contentOf,
  DRAFT_FILES,
  diskOf,
  patched,
  readAll,
  SUBTYPES_FILES,
  TICKS,
  writtenDisk,
} from "./samples.ts";

async function damageOf(disk: MemoryDisk): Promise<readonly unknown[]> {
  return (await verifyMarsMiner(disk))
    .filter(({ severity }) => severity === "damage")
    .map(({ code }) => code);
}

/** Returns the offset of the chunk at a position. */
async function addressOf(disk: MemoryDisk, x: number): Promise<number> {
  const save = await openMarsMiner(disk);
  return save.state?.chunks.find((entry) => entry.x === x)?.address.offset ?? 0;
}

async function mended(
  disk: MemoryDisk,
): Promise<{ readonly disk: MemoryDisk; readonly lines: readonly string[] }> {
  const plan = await planMarsMinerRepair(disk);
  const target = new MemoryDisk();
  await applyMarsMinerRepair(disk, plan, target);
  return { disk: target, lines: describeMarsMinerRepair(plan) };
}

describe("the states of a MarsMiner save", () => {
  test("[M22] are found completely, newest first, including one that was never committed", async () => {
    const disk = await writtenDisk(5, { blobFullBytes: 150 });
    const writer = await resumeMarsMiner(disk);
    await writer.putChunk(chunkOf(640, 0, 1));
    await writer.close();
    const save = await openMarsMiner(disk);
    const states = await save.findStates();
    expect(states.map(({ name }) => name)).toEqual(["state 4", "state 3", "state 2", "state 1", "state 0"]);
    for (const [index, state] of states.entries()) {
      const alone = await openMarsMiner(await writtenDisk(5 - index));
      expect(await contentOf(save, state)).toEqual(await contentOf(alone));
      expect(await contentOf(save, await save.readState(state.address))).toEqual(await contentOf(alone));
    }
  });

  test("[M22] are not found if one of their bytes is invalid", async () => {
    const disk = await writtenDisk(3);
    const save = await openMarsMiner(disk);
    const [, , first] = await save.findStates();
    const chunk = first?.chunks[0]?.address.offset ?? 0;
    const broken = patched(disk, "blob0", chunk, "ffffff7f");
    const found = await (await openMarsMiner(broken)).findStates();
    expect(found.map(({ name }) => name)).not.toContain("state 0");
  });

  test("[M22] are not searched for endlessly in a hostile save", async () => {
    // A time every eight bytes, each with a chunk table over all that follows.
    const index = "8735bb202abdce08 00000000 08000000".replaceAll(" ", "");
    const disk = diskOf({ ...DRAFT_FILES, blob0: `0000000000000000${index.repeat(3_000)}` });
    const save = await openMarsMiner(disk, { dialect: "draft" });
    const states = await save.findStates().catch(() => []);
    expect(states).toEqual([]);
  });
});

describe("a damaged MarsMiner save", () => {
  test("[M23] is reported fault by fault, and nothing is written", async () => {
    let disk = await writtenDisk(3);
    for (const x of [0, 128]) disk = patched(disk, "blob0", await addressOf(disk, x), "ffffff7f");
    const before = disk.image();
    const findings = await verifyMarsMiner(disk);
    expect(findings.map(({ code, file }) => [code, file])).toEqual([
      ["ORT_POINTER", "blob0"],
      ["ORT_POINTER", "blob0"],
    ]);
    expect(findings.map(({ message }) => message.slice(0, 24))).toEqual([
      "the chunk at 0, -64: a p",
      "the chunk at 128, -64: a",
    ]);
    expect(disk.image()).toEqual(before);
  });

  test("[M21] is reported for blocks that overlap", async () => {
    // The octree seems to begin three bytes before its chunk ends.
    const disk = patched(diskOf(DRAFT_FILES), "blob0", 0x2d, "2f000000");
    const codes = await damageOf(disk);
    expect(codes.length).toBeGreaterThan(0);
    // Two chunks, the second inside the first one's list: both parse.
    const blob0 = [
      "00000000 08000000 8735bb202abdce08 00000000 18000000",
      "02000000 00000000 00000000 34000000 01000000 00000000 35000000",
      "3a000000 00 0000 00000000 0000",
    ].join(" ");
    expect(await damageOf(diskOf({ ...DRAFT_FILES, blob0 }))).toContain("ORT_POINTER");
  });

  test("[M23] never makes verify throw, whatever byte is wrong", async () => {
    const prng = new Prng(11);
    const whole = await writtenDisk(3, { blobFullBytes: 150 });
    for (const [path, bytes] of whole.image().files) {
      for (let offset = 0; offset < bytes.length; offset += offset < 64 ? 1 : 5) {
        const wrong = ((bytes[offset] ?? 0) ^ prng.between(1, 255)).toString(16).padStart(2, "0");
        const disk = patched(whole, path, offset, wrong);
        await verifyMarsMiner(disk);
        if (offset % 3 === 0) await planMarsMinerRepair(disk);
      }
    }
  });

  test("[M5] is still distinguished from the other dialect, by its readable parts or by leftover states", async () => {
    const badOctree = patched(diskOf(SUBTYPES_FILES), "blob0", 0x5b, "ff");
    expect((await openMarsMiner(badOctree)).dialect).toBe("subtypes");
    expect(await damageOf(badOctree)).toEqual(["ORT_OCTREE"]);
    const headless = patched(diskOf(SUBTYPES_FILES), "blob0", 4, "ffffff7f");
    expect((await planMarsMinerRepair(headless)).dialect).toBe("subtypes");
    expect((await planMarsMinerRepair(patched(diskOf(DRAFT_FILES), "blob0", 4, "ffffff7f"))).dialect).toBe(
      "draft",
    );
  });

  test("[M24] gets the newest older version of a damaged chunk", async () => {
    const disk = await writtenDisk(6);
    const older = await readAll(await writtenDisk(3));
    const broken = patched(disk, "blob0", await addressOf(disk, 64), "ffffff7f");
    const { disk: repaired, lines } = await mended(broken);
    expect(lines.at(-2)).toContain("the chunk of the state of 2012-02-19T14:30:21.123Z takes its place");
    expect(await damageOf(repaired)).toEqual([]);
    const content = (await readAll(repaired)) as { name: string; chunks: [number, number, unknown][] };
    const before = older as { chunks: [number, number, unknown][] };
    expect(content.name).toBe("state 5");
    expect(content.chunks.find(([x]) => x === 64)).toEqual(before.chunks.find(([x]) => x === 64));
  });

  test("[M24] gets an empty octree where nothing older is left", async () => {
    const disk = await writtenDisk(1);
    const chunk = await addressOf(disk, 0);
    const broken = patched(disk, "blob0", chunk + 5, "ffffff7f");
    const { disk: repaired, lines } = await mended(broken);
    expect(lines.some((line) => line.startsWith("octree at 0, -64"))).toBe(true);
    const save = await openMarsMiner(repaired);
    const [entry] = save.state?.chunks ?? [];
    const octrees = entry && (await save.readChunk(entry)).octrees;
    expect(octrees?.map(({ values }) => values.length)).toEqual([1, 1]);
    expect(octrees?.[0]?.values[0]).toBe(0);
  });

  test("[M24] is repaired from the newest state if its header is broken", async () => {
    const disk = patched(await writtenDisk(4), "blob0", 4, "ffffff7f");
    const { disk: repaired, lines } = await mended(disk);
    expect(lines.join()).toContain("the header leads to none");
    expect(await readAll(repaired)).toEqual(await readAll(await writtenDisk(4)));
  });

  test("[M24] loses its subtypes when repaired, and reports it, because the written dialect has none", async () => {
    const { disk: repaired, lines } = await mended(diskOf(SUBTYPES_FILES));
    expect(lines.join()).toContain("subtypes become part of the names");
    const save = await openMarsMiner(repaired);
    const [entry] = save.state?.chunks ?? [];
    expect(entry && (await save.readChunk(entry)).blockTypes.map(({ name }) => name)).toEqual([
      "Block 0",
      "Block 1",
      "Block 2",
      "Block 2 #7",
    ]);
  });

  test("[M24] an intact MarsMiner save is copied without its dead bytes", async () => {
    const disk = await writtenDisk(9);
    const { disk: repaired, lines } = await mended(disk);
    expect(lines.at(-1)).toBe("loses nothing");
    expect(await readAll(repaired)).toEqual(await readAll(disk));
    const size = (of: MemoryDisk): number => of.image().files.get("blob0")?.length ?? 0;
    expect(size(repaired)).toBeLessThan(size(disk));
  });

  test("has readable addresses", () => {
    expect(describeMarsMinerAddress({ blob: 1, offset: 8 })).toBe("1:8");
    expect(TICKS).toBeGreaterThan(0n);
  });
});
