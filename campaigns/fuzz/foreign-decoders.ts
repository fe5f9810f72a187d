import { HYPERCUBE_CHUNKS, uniformChunk } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { TILES_PER_CHUNK } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import { EMPTY_TILE_SAVE, openFlatSave, type TileSave } from "@orthant/formats";
import { decodeTileSave, encodeTileSave, planFlatRepair, writeFlatSave } from "@orthant/formats/internal";

import { generationFiles, globalPayloadFile, packFile } from "@orthant/save/files";
import { modelEntity, modelPlayer } from "../save/model-world.ts";
import { saveTargets } from "../save/save-decoders.ts";
import { lenient, type Target, WHOLE_WORLD } from "./decoders.ts";
import { diskOfFiles, packFiles } from "./fuzz-batch.ts";

const { globalFile, indexFile, playersFile } = generationFiles(0);
const FLAT_FILES = ["manifest.json", globalFile, indexFile, playersFile, packFile(1)] as const;
/** Files with a checksum of their payload in the header. It is corrected, so that damage gets past it. */
const SEALED_FILES = new Set([globalFile, indexFile, playersFile]);
/** The three files share one header layout. */
const { bytes: HEADER_BYTES, offsets } = globalPayloadFile.header;
const TILE_CHUNK = { x: -3, y: 70_000, tiles: new Uint16Array(TILES_PER_CHUNK).fill(300) };
/** Allocation limit for a save with everything in it, most of which is text. */
const TILE_SAVE_CALL_BYTES = 65_536;

const tileSave: TileSave = {
  ...EMPTY_TILE_SAVE,
  tickIndex: 7n,
  gameplayFingerprint: "core",
  gameplay: {
    woodCollected: 3n,
    stoneCollected: 0n,
    workbenchBuilt: true,
    swordCrafted: false,
    enemyKillCount: 1n,
    bossHealth: 90n,
    bossDefeated: false,
    loopComplete: false,
  },
  debug: {
    sessionTransitions: 1n,
    timeoutDisconnects: 2n,
    manualDisconnects: 0n,
    lastHeartbeatTick: 5n,
    droppedCommands: 0n,
    droppedRemotePayloads: 0n,
    lastTransitionReason: "joined",
  },
  others: [{ key: "mod.setting", value: "on" }],
};

/** Readers of foreign formats, except those that have a separate campaign. */
export const foreignTargets: readonly Target[] = [
  lenient("flat Polychora save", readFlatSave, [await flatSample()], WHOLE_WORLD),
  ...saveTargets.filter(({ name }) => /^(?:flat |world override$|legacy world$)/.test(name)),
  lenient(
    "tile save",
    (input) => decodeTileSave(input),
    [tileSave, EMPTY_TILE_SAVE, { ...EMPTY_TILE_SAVE, chunks: [TILE_CHUNK] }].map(encodeTileSave),
    { callBytes: TILE_SAVE_CALL_BYTES },
  ),
];

/** Verifies a flat save and plans its repair, which must not throw for any input. */
export const flatRepairTarget: Target = lenient(
  "flat Polychora repair",
  (input) => planFlatRepair(flatDisk(input)),
  [await flatSample()],
  WHOLE_WORLD,
);

/** Opens a flat save and reads everything in it. */
async function readFlatSave(input: Uint8Array): Promise<void> {
  const save = await openFlatSave(flatDisk(input));
  try {
    for (const leaf of save.leaves) {
      await save.readChunks(leaf);
      await save.readEntities(leaf);
    }
  } finally {
    await save.close();
  }
}

function flatDisk(input: Uint8Array): MemoryDisk {
  const { files, directories } = diskOfFiles(FLAT_FILES, input, ["data", "index"]).image();
  const sealed = new Map(Array.from(files, ([path, bytes]) => [path, withChecksum(path, bytes)]));
  return new MemoryDisk({ directories, files: sealed });
}

function withChecksum(path: string, bytes: Uint8Array): Uint8Array {
  if (!SEALED_FILES.has(path) || bytes.length < HEADER_BYTES) return bytes;
  const sealed = bytes.slice();
  const view = new DataView(sealed.buffer);
  view.setUint32(offsets.payloadCrc32, crc32(sealed.subarray(HEADER_BYTES)), true);
  return sealed;
}

async function flatSample(): Promise<Uint8Array> {
  const disk = new MemoryDisk();
  const player = { ...modelPlayer(7n, 5), authKey: new Uint8Array(0), name: undefined, metadata: [] };
  await writeFlatSave(disk, {
    base: { kind: "flatFloor", block: 11 },
    worldSeed: 1337n,
    nextEntityId: 5n,
    players: [player],
    chunks: [{ position: [-1, 2, 0, 12], chunk: uniformChunk(HYPERCUBE_CHUNKS.volume, 9) }],
    entities: [modelEntity(2n, [-0.5, 0, 0, 0])],
    nowMs: 1_771_200_000_000,
  });
  return packFiles(FLAT_FILES, disk.image().files);
}
