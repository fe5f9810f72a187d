import type { ErrorCode } from "@orthant/core";
import { encodeUtf8 } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { createSave, DEFAULT_LIMITS, openSave, verifySave } from "@orthant/save";
import { generationFiles, type Manifest, packFile } from "@orthant/save/files";
import { decodeManifest, encodeManifest } from "@orthant/save/internal";
import { codeOfRejection } from "@orthant/testkit";
import { GLOBAL, replaceFile, smallWorld } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const manifest: Manifest = {
  ...generationFiles(12),
  currentGeneration: 12,
  createdMs: 1_771_200_000_000,
  lastModifiedMs: 1_771_200_000_001,
  activeDataFileId: 1,
  dataFileCount: 1,
  limits: DEFAULT_LIMITS,
  chunkExtents: [8, 8, 8, 8],
};

const PLAIN = `{
  "format": "polychora-save",
  "version": 3,
  "current_generation": 12,
  "created_ms": 1771200000000,
  "last_modified_ms": 1771200000001,
  "active_data_file_id": 1,
  "data_file_count": 1,
  "index_file": "index/ix-main.g0000000000000012.v4ix",
  "global_file": "global.g0000000000000012.v4g",
  "players_file": "players.g0000000000000012.v4p",
  "limits": {
    "region_chunk_edge": 4,
    "data_file_max_bytes": 134217728,
    "index_soft_max_bytes": 4194304,
    "block_blob_target_bytes": 131072,
    "block_blob_hard_max_bytes": 524288,
    "entity_blob_target_bytes": 65536,
    "entity_blob_hard_max_bytes": 262144
  },
  "chunk_shape": [
    8,
    8,
    8,
    8
  ]
}`;
// Computed with zlib's crc32 of the text above.
const SEALED = PLAIN.replace(/\n\}$/, `,\n  "manifest_crc32": 3407562675\n}`);

describe("the manifest", () => {
  test("[S1, S3] is JSON with its keys in order and its checksum last", () => {
    const text = new TextDecoder().decode(encodeManifest(manifest));
    expect(text).toBe(SEALED);
    expect(decodeManifest(encodeUtf8(text))).toEqual({ manifest, hasChecksum: true });
  });

  test.each<[rule: string, name: string, change: (text: string) => string, code: ErrorCode]>([
    ["S1", "another format", (text) => text.replace("polychora-save", "other"), "ORT_MANIFEST"],
    ["S1", "another version", (text) => text.replace('"version": 3', '"version": 4'), "ORT_VERSION"],
    ["S1", "a missing key", (text) => text.replace('"created_ms"', '"made_ms"'), "ORT_MANIFEST"],
    [
      "S1",
      "a path that is a number",
      (text) => text.replace(/"global[^,]*v4g"/, '"global_file": 1'),
      "ORT_MANIFEST",
    ],
    [
      "S1",
      "limits that are a list",
      (text) => text.replace(/"limits": \{[^}]*\}/, '"limits": []'),
      "ORT_MANIFEST",
    ],
    ["S1", "text that is cut", (text) => text.slice(0, 40), "ORT_MANIFEST"],
    ["S1", "a list", () => "[]", "ORT_MANIFEST"],
    ["S2", "a fraction", (text) => text.replace("1771200000000", "1.5"), "ORT_MANIFEST"],
    ["S2", "a number past 2^53", (text) => text.replace("1771200000000", "9007199254740992"), "ORT_MANIFEST"],
    [
      "S2",
      "a pack id of 0",
      (text) => text.replace('"active_data_file_id": 1', '"active_data_file_id": 0'),
      "ORT_MANIFEST",
    ],
    [
      "S2",
      "a chunk of no voxels",
      (text) => text.replace("    8,\n    8,\n", "    8,\n    0,\n"),
      "ORT_MANIFEST",
    ],
  ])("[%s] refuses %s", async (_rule, _name, change, code) => {
    const text = change(PLAIN);
    expect(text).not.toBe(PLAIN);
    expect(await codeOfRejection(() => decodeManifest(encodeUtf8(text)))).toBe(code);
  });

  test("[S3] the manifest with a checksum refuses any changed digit, and reports where", async () => {
    const sealed = encodeManifest(manifest);
    const at = new TextDecoder().decode(sealed).indexOf("1771200000000");
    const changed = sealed.map((byte, index) => (index === at ? 0x32 : byte));
    expect(await codeOfRejection(() => decodeManifest(changed))).toBe("ORT_CHECKSUM");
  });

  test("[S4] the manifest without a checksum accepts keys in any order and unknown ones", () => {
    const shuffled = JSON.stringify({ extra: 1, ...JSON.parse(PLAIN), format: "polychora-save" });
    expect(decodeManifest(encodeUtf8(shuffled))).toEqual({ manifest, hasChecksum: false });
  });

  test("[S4] the manifest without a checksum is a notice in verify, not damage", async () => {
    const { disk } = await smallWorld();
    const text = new TextDecoder().decode(disk.image().files.get("manifest.json"));
    await replaceFile(disk, "manifest.json", encodeUtf8(text.replace(/,\s*"manifest_crc32": \d+/, "")));
    const findings = await verifySave(disk);
    expect(findings.map(({ severity, file }) => [severity, file])).toEqual([["notice", "manifest.json"]]);
  });

  test.each(["../global.v4g", "/global.v4g", "a/../../b", "a\\\\b"])(
    "[S5] does not follow %s out of the folder",
    async (path) => {
      const { disk } = await smallWorld();
      const text = new TextDecoder().decode(disk.image().files.get("manifest.json"));
      const moved = text
        .replace(/,\s*"manifest_crc32": \d+/, "")
        .replace(/"global\.[^"]*"/, JSON.stringify(path));
      await replaceFile(disk, "manifest.json", encodeUtf8(moved));
      expect(await codeOfRejection(() => openSave(disk))).toBe("ORT_PATH");
    },
  );

  test("[S6] names files by generation and packs by id", async () => {
    expect(generationFiles(12).indexFile).toBe("index/ix-main.g0000000000000012.v4ix");
    expect(packFile(7)).toBe("data/dt-000007.v4dt");
    const disk = new MemoryDisk();
    await (await createSave(disk, { nowMs: 1, global: GLOBAL })).close();
    expect([...disk.image().files.keys()].sort()).toEqual([
      "data/dt-000001.v4dt",
      "global.g0000000000000000.v4g",
      "index/ix-main.g0000000000000000.v4ix",
      "manifest.json",
      "players.g0000000000000000.v4p",
    ]);
  });
});
