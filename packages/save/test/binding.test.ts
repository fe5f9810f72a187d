import { encodeUtf8 } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  applyRepair,
  copyGeneration,
  createSave,
  DEFAULT_LIMITS,
  openSave,
  planRepair,
  verifySave,
} from "@orthant/save";
import { generationFiles, type Manifest } from "@orthant/save/files";
import { decodeManifest, encodeManifest } from "@orthant/save/internal";
import { codeOfRejection } from "@orthant/testkit";
import {
  entryAt,
  GLOBAL,
  ORIGIN_CELL,
  playerOf,
  replaceFile,
  smallWorld,
  unbindManifest,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const FILES = generationFiles(1);
const KINDS = ["indexFile", "globalFile", "playersFile"] as const;

const MANIFEST: Manifest = {
  ...generationFiles(12),
  currentGeneration: 12,
  createdMs: 1,
  lastModifiedMs: 2,
  activeDataFileId: 1,
  dataFileCount: 1,
  limits: DEFAULT_LIMITS,
  worldId: 0xc0ffeen,
  seals: {
    indexFile: { bytes: 60, crc32: 1 },
    globalFile: { bytes: 70, crc32: 2 },
    playersFile: { bytes: 80, crc32: 4_294_967_295 },
  },
};

const BOUND = `
  "world_id": "0000000000c0ffee",
  "file_seals": {
    "index": {
      "bytes": 60,
      "crc32": 1
    },
    "global": {
      "bytes": 70,
      "crc32": 2
    },
    "players": {
      "bytes": 80,
      "crc32": 4294967295
    }
  },
  "manifest_crc32"`;

/** A world with an id and two generations. */
async function worldOf(worldId: bigint): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const number = Number(worldId);
  const writer = await createSave(disk, {
    nowMs: 1,
    global: { ...GLOBAL, description: { ...GLOBAL.description, worldId } },
    players: [playerOf(worldId)],
    leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([1, 2, 3, 4], number)] }],
  });
  const cube = ORIGIN_CELL;
  await (
    await writer.commit({ nowMs: 2, leaves: [{ cube, chunks: [entryAt([1, 2, 3, 4], number + 1)] }] })
  ).close();
  await writer.close();
  return disk;
}

/** The first world with some of its files replaced by those of the second. */
async function mixed(paths: readonly string[]): Promise<MemoryDisk> {
  const disk = await worldOf(7n);
  const other = (await worldOf(9n)).image().files;
  for (const path of paths) await replaceFile(disk, path, other.get(path) as Uint8Array);
  return disk;
}

describe("the files named by a manifest", () => {
  test("[S94] have their lengths and checksums in it, next to the world's id", () => {
    const text = new TextDecoder().decode(encodeManifest(MANIFEST));
    expect(text).toContain(BOUND);
    expect(decodeManifest(encodeUtf8(text))).toEqual({ manifest: MANIFEST, hasChecksum: true });
  });

  test.each<[name: string, change: (text: string) => string]>([
    ["a world id that is too short", (text) => text.replace("0000000000c0ffee", "c0ffee")],
    ["a world id of 0", (text) => text.replace("0000000000c0ffee", "0000000000000000")],
    ["a world id that is a number", (text) => text.replace('"0000000000c0ffee"', "12648430")],
    ["a seal that is missing", (text) => text.replace('"players": {', '"others": {')],
    ["a length that is a fraction", (text) => text.replace('"bytes": 60', '"bytes": 6.5')],
  ])("[S2] are refused if there is %s", async (_name, change) => {
    const text = new TextDecoder().decode(encodeManifest(MANIFEST)).replace(/,\s*"manifest_crc32": \d+/, "");
    expect(change(text)).not.toBe(text);
    expect(await codeOfRejection(() => decodeManifest(encodeUtf8(change(text))))).toBe("ORT_MANIFEST");
  });

  test("[S94] are sealed with every commit", async () => {
    const disk = await worldOf(7n);
    const { manifest } = decodeManifest(disk.image().files.get("manifest.json") as Uint8Array);
    expect(manifest.worldId).toBe(7n);
    for (const kind of KINDS) {
      expect(manifest.seals?.[kind].bytes).toBe(disk.image().files.get(FILES[kind])?.length);
    }
    expect(await verifySave(disk)).toEqual([]);
  });

  test.each<[name: string, paths: readonly string[], named: readonly string[]]>([
    ["players", [FILES.playersFile], [FILES.playersFile]],
    ["index", [FILES.indexFile], [FILES.indexFile]],
    ["index and packs", [FILES.indexFile, "data/dt-000001.v4dt"], [FILES.indexFile]],
    ["global", [FILES.globalFile], [FILES.globalFile]],
    ["manifest and global", ["manifest.json", FILES.globalFile], [FILES.indexFile, FILES.playersFile]],
  ])("[S94] are refused when replaced by the %s of another world", async (_name, paths, named) => {
    const disk = await mixed(paths);
    expect(await codeOfRejection(() => openSave(disk))).toBe("ORT_GENERATION");
    const damaged = (await verifySave(disk)).filter(({ code }) => code === "ORT_GENERATION");
    expect(damaged.map(({ file }) => file)).toEqual(expect.arrayContaining([...named]));
    expect(await codeOfRejection(() => copyGeneration(disk, new MemoryDisk()))).toBe("ORT_GENERATION");
  });

  test("[S94] are refused when they are from this world but from another time", async () => {
    const disk = await worldOf(7n);
    const older = disk.image().files.get(generationFiles(0).globalFile) as Uint8Array;
    await replaceFile(disk, FILES.globalFile, older);
    expect(await codeOfRejection(() => openSave(disk))).toBe("ORT_GENERATION");
  });

  test("[S95] include no global file of another world in an older generation, and verify names it", async () => {
    const path = generationFiles(0).globalFile;
    const disk = await mixed([path]);
    await (await openSave(disk)).close();
    expect(await codeOfRejection(() => openSave(disk, { generation: 0 }))).toBe("ORT_GENERATION");
    expect((await verifySave(disk)).map(({ file, code }) => [file, code])).toEqual([
      [path, "ORT_GENERATION"],
    ]);
  });

  test("[S95] include no players file of another world in an older generation, and verify names it", async () => {
    const path = generationFiles(0).playersFile;
    const disk = await mixed([path]);
    await (await openSave(disk)).close();
    expect((await verifySave(disk)).map(({ file, code }) => [file, code])).toEqual([
      [path, "ORT_GENERATION"],
    ]);
    expect(await codeOfRejection(() => openSave(disk, { generation: 0 }))).toBe("ORT_GENERATION");
    const copy = copyGeneration(disk, new MemoryDisk(), { generation: 0 });
    expect(await codeOfRejection(() => copy)).toBe("ORT_GENERATION");
  });

  test("[S95] are repaired without the players of another world in an older generation", async () => {
    const disk = await mixed([generationFiles(0).playersFile]);
    await disk.remove(FILES.playersFile);
    const plan = await planRepair(disk);
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    const save = await openSave(target);
    expect(save.players).toEqual([]);
    await save.close();
  });

  test("[S95] are not bound to their generation in an index of an older version", async () => {
    const disk = new MemoryDisk();
    const description = { ...GLOBAL.description, worldId: 7n };
    const writer = await createSave(disk, {
      nowMs: 1,
      global: { ...GLOBAL, description },
      indexVersion: 2,
    });
    await writer.close();
    const save = await openSave(disk);
    expect(save.global.playersSeal).toBeUndefined();
    await save.close();
  });

  test("[S94] may be any without seals, and verify reports that they are not bound", async () => {
    const { disk } = await smallWorld();
    const { manifest } = decodeManifest(disk.image().files.get("manifest.json") as Uint8Array);
    const { seals: _seals, ...unbound } = manifest;
    await replaceFile(disk, "manifest.json", encodeManifest(unbound));
    await (await openSave(disk)).close();
    const findings = await verifySave(disk);
    expect(findings.map(({ severity, file }) => [severity, file])).toEqual([["notice", "manifest.json"]]);
    await unbindManifest(disk);
    await (await openSave(disk)).close();
  });

  test.each<[kind: (typeof KINDS)[number], loss: string]>([
    ["playersFile", "players"],
    ["globalFile", "global"],
    ["indexFile", "index"],
  ])("[S94] are repaired without the %s of another world, and the loss is listed", async (kind, loss) => {
    const disk = await mixed([FILES[kind]]);
    const plan = await planRepair(disk);
    expect(plan.losses.map(({ what }) => what)).toContain(loss);
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    expect(isWhole(await verifySave(target))).toBe(true);
    const save = await openSave(target);
    expect(save.players.map(({ playerId }) => playerId)).toEqual([7n]);
    expect(save.global.description.worldId).toBe(7n);
    await save.close();
  });

  test("[S94] get a new binding in a copy of an older generation", async () => {
    const disk = await worldOf(7n);
    const target = new MemoryDisk();
    await copyGeneration(disk, target, { generation: 0 });
    expect(await verifySave(target)).toEqual([]);
    const { manifest } = decodeManifest(target.image().files.get("manifest.json") as Uint8Array);
    expect(manifest.worldId).toBe(7n);
    expect(manifest.seals).toBeDefined();
    const other = (await worldOf(9n)).image().files.get(generationFiles(0).playersFile) as Uint8Array;
    await replaceFile(target, generationFiles(0).playersFile, other);
    expect(await codeOfRejection(() => openSave(target))).toBe("ORT_GENERATION");
  });
});
