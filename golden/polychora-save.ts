import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type Chunk, HYPERCUBE_CHUNKS } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { chunkOfVoxel, PositionMap, voxelIndex } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { type FlatSave, openFlatSave } from "@orthant/formats";
import { isFlatSave, readLegacyWorld, verifyFlatSave, writeFlatSave } from "@orthant/formats/internal";

import type { BaseWorld, ChunkEntry, LeafEntry, RecordRef, StoredEntity } from "@orthant/save";
import { type PackPiece, scanPack } from "@orthant/save/internal";
import { goldenPath } from "@orthant/testkit/golden";
import { type Content, copySave, FOLDER, readEverything } from "./polychora/polychora-content.ts";
import { damagedSaveSuites } from "./polychora/polychora-damaged.ts";
import type {
  ExpectedChunk,
  ExpectedPayload,
  ExpectedRef,
  ExpectedSave,
} from "./polychora/polychora-expected.ts";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";

const WHOLE_SAVES: readonly string[] = [
  "01-empty-gen0",
  "02-flat-gen1-noedits",
  "03-sparse-far-edits",
  "04-entities-players",
  "05-generations",
  "06-rollover",
  "07-override-tree-in-global",
  "08-crash-orphan-generation",
  "08b-crash-torn-append",
  "08c-append-after-torn",
  "10-region-edge-1",
  "10-region-edge-8",
  "11-dense-region",
  "12-legacy-v4dw",
  "13-server-written",
];

/** All 29 saves that the original wrote. */
export const polychoraSaveSuites: readonly GoldenSuite[] = [
  ...WHOLE_SAVES.map((name) => ({
    file: `${FOLDER}/${name}/expected.json`,
    check: async (file: Uint8Array) => checkWhole(name, parseJson<ExpectedSave>(file)),
  })),
  ...damagedSaveSuites,
];

async function checkWhole(name: string, expected: ExpectedSave): Promise<readonly GoldenRow[]> {
  const disk = await copySave(name);
  const save = await openFlatSave(disk);
  const content = await readEverything(save);
  const { leaves } = save;
  return [
    ...checkRoot(await isFlatSave(disk), save, leaves, expected),
    ...expected.players.map((player, index) =>
      row(`player ${player.player_id}`, () => {
        const found = save.players[index];
        equal(found?.playerId, BigInt(player.player_id));
        deepEqual(found.position.map(bitsOf), player.position_bits);
        deepEqual(found.orientation.map(bitsOf), player.orientation_bits);
        deepEqual(found.tags, player.tags);
        equal(Buffer.from(found.inventory).toString("hex"), player.inventory_payload_hex);
        equal(found.lastSavedMs, player.last_saved_ms);
      }),
    ),
    ...checkChunks(content.chunks, expected.chunks),
    ...checkEntities(content.entities, expected),
    ...checkProbes(save.global.base, content.chunks, expected),
    ...checkRecords(disk, leaves, expected),
    ...checkOverrides(save, expected),
    await checkVerified(disk),
    await checkRewrite(save, content),
    ...(name === "12-legacy-v4dw" ? await checkLegacy(name, expected) : []),
  ];
}

async function checkVerified(disk: MemoryDisk): Promise<GoldenRow> {
  const findings = await verifyFlatSave(disk);
  return row("nothing is damaged", () => ok(isWhole(findings), JSON.stringify(findings)));
}

/** A save that is written again reads back equal. */
async function checkRewrite(save: FlatSave, { chunks, entities }: Content): Promise<GoldenRow> {
  const { base, worldSeed, nextEntityId, playerEntityHints, lastModifiedMs: nowMs } = save.global;
  const disk = new MemoryDisk();
  await writeFlatSave(disk, {
    ...{ base, worldSeed, nextEntityId, playerEntityHints, nowMs, chunks, entities },
    players: save.players,
    customPayload: save.customPayload,
    generation: save.generation,
    limits: save.manifest.limits,
  });
  const again = await openFlatSave(disk);
  const content = await readEverything(again);
  const findings = await verifyFlatSave(disk);
  return row("written again, reads back equal", () => {
    deepEqual(content, { chunks, entities });
    deepEqual(again.players, save.players);
    deepEqual(again.customPayload, save.customPayload);
    deepEqual(again.globalChunks, save.globalChunks);
    equal(again.regionChunkEdge, save.regionChunkEdge);
    deepEqual({ ...again.global, nextDataFileId: 0 }, { ...save.global, nextDataFileId: 0 });
    deepEqual(again.manifest.limits, save.manifest.limits);
    ok(isWhole(findings));
  });
}

function checkRoot(
  isFlat: boolean,
  save: FlatSave,
  leaves: readonly LeafEntry[],
  { manifest, global, index, players }: ExpectedSave,
): readonly GoldenRow[] {
  return [
    row("format", () => equal(isFlat, true)),
    row("manifest", () => {
      const { limits, ...found } = save.manifest;
      const { chunkBlobTargetBytes, chunkBlobHardMaxBytes, ...others } = limits;
      const stored = {
        ...others,
        blockBlobTargetBytes: chunkBlobTargetBytes,
        blockBlobHardMaxBytes: chunkBlobHardMaxBytes,
      };
      deepEqual(
        { ...snakeKeys(found), limits: snakeKeys(stored), format: "polychora-save", version: 3 },
        manifest,
      );
    }),
    row("global", () => {
      deepEqual(save.global.base, baseOf(global.base_world_kind));
      equal(save.global.worldSeed, BigInt(global.world_seed));
      equal(save.global.nextEntityId, BigInt(global.next_entity_id));
      equal(save.global.nextDataFileId, global.next_data_file_id);
      equal(save.global.lastModifiedMs, global.last_modified_ms);
      equal(hex(save.customPayload), global.custom_global_payload_hex);
    }),
    row("index", () => {
      equal(save.generation, index.generation);
      equal(save.regionChunkEdge, index.region_chunk_edge);
      deepEqual(
        leaves.map(({ cube, chunkRefs, entityRefs }) => [cube.min, chunkRefs, entityRefs]),
        index.leaves.map(({ region, block_blob, entity_blob }) => [
          region.map((coordinate) => coordinate * index.region_chunk_edge),
          refsOf(block_blob),
          refsOf(entity_blob),
        ]),
      );
    }),
    row("number of players", () => equal(save.players.length, players.length)),
  ];
}

function checkChunks(
  chunks: readonly ChunkEntry[],
  expected: readonly ExpectedChunk[],
): readonly GoldenRow[] {
  return [
    row("number of chunks", () => equal(chunks.length, expected.length)),
    ...expected.map((chunk) =>
      row(`chunk [${chunk.pos}]`, () => {
        const found = chunks.find(({ position }) =>
          position.every((at, axis) => at === chunk.pos[axis]),
        )?.chunk;
        ok(found !== undefined, "missing");
        equal(found.isEmpty, chunk.empty_override);
        const voxels = [...found.voxels()];
        deepEqual(
          voxels,
          chunk.rle_len_material.flatMap(([length, material]) => Array(length).fill(material)),
        );
        equal(crc32(Uint8Array.from(voxels)), chunk.crc32);
        equal(voxels.filter((material) => material !== 0).length, chunk.solid);
      }),
    ),
  ];
}

function checkEntities(
  entities: readonly StoredEntity[],
  { entities: expected }: ExpectedSave,
): readonly GoldenRow[] {
  const byId = new Map(entities.map((entity) => [entity.entityId, entity]));
  return [
    row("number of entities", () => equal(entities.length, expected.length)),
    ...expected.map((entity) =>
      row(`entity ${entity.entity_id}`, () => {
        const found = byId.get(BigInt(entity.entity_id));
        ok(found !== undefined, "missing");
        deepEqual([found.entityClass, found.kind], [entity.class_tag, entity.kind_tag]);
        deepEqual(found.position.map(bitsOf), entity.position_bits);
        deepEqual(found.orientation.map(bitsOf), entity.orientation_bits);
        deepEqual(found.velocity.map(bitsOf), entity.velocity_bits);
        equal(bitsOf(found.scale), entity.scale_bits);
        equal(found.block, entity.material);
        equal(found.displayName ?? null, entity.display_name);
        deepEqual(found.tags, entity.tags);
        equal(hex(found.payload), entity.payload_hex);
        equal(found.lastSavedMs, entity.last_saved_ms);
      }),
    ),
  ];
}

/** The probes are from the original's library, which ignored the custom payload of 07 and 13. */
function checkProbes(
  base: BaseWorld,
  chunks: readonly ChunkEntry[],
  { probes }: ExpectedSave,
): readonly GoldenRow[] {
  const byPosition = new PositionMap<Chunk>();
  for (const { position, chunk } of chunks) byPosition.set(...position, chunk);
  return probes.map(({ voxel, material }) =>
    row(`voxel [${voxel}]`, () => {
      const chunk = byPosition.get(...chunkOfVoxel(HYPERCUBE_CHUNKS, voxel));
      equal(chunk?.get(voxelIndex(HYPERCUBE_CHUNKS, ...voxel)) ?? baseBlock(base, voxel[1]), material);
    }),
  );
}

/** Our scan resynchronizes after torn bytes, so it finds records that the original's does not list. */
function checkRecords(
  disk: MemoryDisk,
  leaves: readonly LeafEntry[],
  { records }: ExpectedSave,
): readonly GoldenRow[] {
  const refs = leaves.flatMap(({ chunkRefs, entityRefs }) => [...chunkRefs, ...entityRefs]);
  const live = new Set(refs.map(keyOf));
  const pieces = scanAllPacks(disk);
  const derailed = records.some(({ trailing_bytes }) => trailing_bytes !== undefined);
  return [
    row("every live record is found", () =>
      ok(refs.every((ref) => pieces.get(keyOf(ref))?.kind === "record")),
    ),
    row("nothing else is found", () => ok(derailed || pieces.size === records.length)),
    ...records
      .filter(({ trailing_bytes }) => trailing_bytes === undefined)
      .map((record) =>
        row(`record ${record.data_file_id}+${record.offset}`, () => {
          const piece = pieces.get(`${record.data_file_id}+${record.offset}`);
          if (record.torn === true || record.decoded === "crc mismatch") return equal(piece?.kind, "gap");
          ok(piece?.kind === "record", "not found");
          equal(piece.ref.blobType, record.blob_type);
          equal(piece.ref.recordCrc32, record.payload_crc32);
          equal(piece.payload.length, record.payload_len);
          equal(live.has(keyOf(piece.ref)), record.live);
        }),
      ),
  ];
}

function scanAllPacks(disk: MemoryDisk): ReadonlyMap<string, PackPiece> {
  const pieces = new Map<string, PackPiece>();
  for (const [path, bytes] of disk.image().files) {
    const packId = Number(/^data\/dt-(\d+)\.v4dt$/.exec(path)?.[1]);
    if (Number.isNaN(packId)) continue;
    for (const piece of scanPack(bytes, packId)) {
      pieces.set(piece.kind === "record" ? keyOf(piece.ref) : `${packId}+${piece.offset}`, piece);
    }
  }
  return pieces;
}

/** The chunks that the last servers kept in the global file. Only 07 describes them. */
function checkOverrides(save: FlatSave, { override_payload: expected }: ExpectedSave): readonly GoldenRow[] {
  const found = save.globalChunks;
  if (expected === undefined) return [];
  return [
    row("number of chunks in the global file", () => equal(found.length, expected.chunks.length)),
    ...expected.chunks.map(([position, payload], index) =>
      row(`chunk [${position}] in the global file`, () => {
        deepEqual(found[index]?.position, position);
        deepEqual([...(found[index]?.chunk.voxels() ?? [])], voxelsOf(payload));
      }),
    ),
  ];
}

async function checkLegacy(name: string, expected: ExpectedSave): Promise<readonly GoldenRow[]> {
  const path = "world.v4dw";
  const bytes = await readFile(goldenPath(FOLDER, name, path));
  const { base, chunks } = readLegacyWorld(path, new Uint8Array(bytes));
  const rows = [
    row("base", () => deepEqual(base, baseOf(expected.global.base_world_kind))),
    ...checkChunks(chunks, expected.chunks),
    ...checkProbes(base, chunks, expected),
  ];
  return rows.map(({ name: what, failure }) => ({ name: `${path}: ${what}`, failure }));
}

function baseOf(kind: ExpectedSave["global"]["base_world_kind"]): BaseWorld {
  return kind === "Empty" ? { kind: "empty" } : { kind: "flatFloor", block: kind.FlatFloor.material };
}

/** The flat floor is two voxels thick, right below the origin. */
function baseBlock(base: BaseWorld, y: number): number {
  return base.kind === "flatFloor" && (y === -1 || y === -2) ? base.block : 0;
}

function voxelsOf(payload: ExpectedPayload): readonly number[] {
  if ("Uniform" in payload) return Array(HYPERCUBE_CHUNKS.volume).fill(payload.Uniform);
  if ("Dense16" in payload) return payload.Dense16.materials;
  const { palette, bit_width: width, packed_indices: words } = payload.PalettePacked;
  const bits = words.reduceRight<bigint>((all, word) => (all << 64n) | BigInt(word), 0n);
  const mask = (1n << BigInt(width)) - 1n;
  return Array.from({ length: HYPERCUBE_CHUNKS.volume }, (_, index) => {
    return palette[Number((bits >> BigInt(index * width)) & mask)] ?? -1;
  });
}

function refsOf(ref: ExpectedRef | null): readonly RecordRef[] {
  if (ref === null) return [];
  const { data_file_id, record_offset, record_len, record_crc32, blob_type, blob_version } = ref;
  return [
    {
      packId: data_file_id,
      recordOffset: record_offset,
      recordBytes: record_len,
      recordCrc32: record_crc32,
      blobType: blob_type,
      blobVersion: blob_version,
    },
  ];
}

function keyOf({ packId, recordOffset }: RecordRef): string {
  return `${packId}+${recordOffset}`;
}

function snakeKeys(object: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      // The format calls its limits of chunk blobs those of block blobs.
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^chunk_blob/, "block_blob"),
      value,
    ]),
  );
}

function bitsOf(value: number): string {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
  return `0x${bits.toString(16).padStart(8, "0")}`;
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}
