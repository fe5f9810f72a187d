import {
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  chunkFromVoxels,
  chunkShape,
  type Position,
} from "@orthant/core";
import { encode, encodeUtf8 } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { cubeAt, regionOf } from "@orthant/core/lattice";
import { type Disk, MemoryDisk } from "@orthant/disk";
import {
  BulkSaveWriter,
  type ChunkEntry,
  createSave,
  DEFAULT_LIMITS,
  type GlobalState,
  plainDescription,
  type Save,
  type SaveLimits,
  type SaveWriter,
  type StoredEntity,
  type StoredPlayer,
} from "@orthant/save";

/** Chunks of sixteen voxels, to keep files small. */
export const SHAPE: ChunkShape = chunkShape([2, 2, 2, 2]);

/** Cube of the first leaf at the origin. */
export const ORIGIN_CELL: Box = cubeAt([0, 0, 0, 0], 65_536);

/** Writes an empty world with a name and blocks that a new one may not have. */
export async function writeNamedWorld(
  disk: Disk,
  shape: ChunkShape,
  { name, catalog }: { readonly name: string; readonly catalog: BlockCatalog },
): Promise<void> {
  const blocks = encode(blockCatalogCodec, catalog);
  const description = { ...plainDescription(shape), clockEpoch: 1, name, blocks };
  const writer = await BulkSaveWriter.create(disk, shape);
  await writer.finish({ nowMs: 1, players: [], global: { ...GLOBAL, description } });
  await writer.close();
}

/** Global state of a new world. */
export const GLOBAL: GlobalState = {
  base: { kind: "empty" },
  worldSeed: 7n,
  generators: [],
  nextEntityId: 1n,
  playerEntityHints: [],
  description: plainDescription(SHAPE),
};

/** Limits that a dozen chunks reach. */
export const TIGHT_LIMITS: SaveLimits = {
  ...DEFAULT_LIMITS,
  dataFileMaxBytes: 1_024,
  chunkBlobTargetBytes: 200,
  entityBlobTargetBytes: 400,
  entityBlobHardMaxBytes: 4_096,
};

/** Returns a different chunk for every number. */
export function chunkOf(number: number): Chunk {
  return chunkFromVoxels(
    Uint16Array.from({ length: SHAPE.volume }, (_, index) => (index === 3 ? number : 1)),
  );
}

/** Returns an entry with such a chunk. */
export function entryAt(position: Position, number: number): ChunkEntry {
  return { position, chunk: chunkOf(number) };
}

/** A small entity. */
export function entityAt(entityId: bigint, position: Position, payloadBytes = 0): StoredEntity {
  return {
    entityId,
    entityClass: 2,
    kind: 4,
    position,
    orientation: [0, 0, 1, 0],
    velocity: [0, 0, 0, 0],
    scale: 1,
    block: 3,
    displayName: undefined,
    tags: [],
    payload: new Uint8Array(payloadBytes),
    lastSavedMs: 1,
  };
}

/** A small player. */
export function playerOf(playerId: bigint, lastSavedMs = 1): StoredPlayer {
  return {
    playerId,
    authKey: Uint8Array.of(1),
    name: "ada",
    position: [0, 0, 0, 0],
    orientation: [0, 0, 0, 1],
    tags: [],
    inventory: Uint8Array.of(5),
    metadata: [],
    lastSavedMs,
  };
}

/** Creates a save in memory with one leaf, one chunk and one player. */
export async function smallWorld(limits?: SaveLimits): Promise<{ disk: MemoryDisk; writer: SaveWriter }> {
  const disk = new MemoryDisk();
  const writer = await createSave(disk, {
    nowMs: 1,
    global: GLOBAL,
    players: [playerOf(1n)],
    leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([1, 2, 3, 4], 9)] }],
    ...(limits && { limits }),
  });
  return { disk, writer };
}

/** Returns all chunks of a save by position, as numbers of {@link chunkOf}. */
export async function chunksOf(save: Save): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const leaf of save.index.all()) {
    for (const { position, chunk } of await save.readChunks(leaf)) found[position.join()] = chunk.get(3);
  }
  return found;
}

/** Returns all entity ids of a save, in order. */
export async function entityIdsOf(save: Save): Promise<readonly bigint[]> {
  const ids: bigint[] = [];
  for await (const leaf of save.index.all())
    ids.push(...(await save.readEntities(leaf)).map(({ entityId }) => entityId));
  return ids.sort((a, b) => (a < b ? -1 : 1));
}

/** Changes one byte of a file. */
export async function flipByte(disk: MemoryDisk, path: string, offset: number, mask = 0xff): Promise<void> {
  const file = await disk.open(path, "write");
  const [byte = 0] = await file.readAt(offset, 1);
  await file.writeAt(offset, Uint8Array.of(byte ^ mask));
  await file.close();
}

/** Replaces the content of a file. */
export async function replaceFile(disk: MemoryDisk, path: string, bytes: Uint8Array): Promise<void> {
  await disk.remove(path);
  const file = await disk.open(path, "create");
  await file.append(bytes);
  await file.close();
}

/** Limits with which a few dozen leaves need pages. */
export const PAGED_LIMITS: SaveLimits = {
  ...TIGHT_LIMITS,
  dataFileMaxBytes: 1_000_000,
  indexSoftMaxBytes: 300,
};

/** Returns the cube of a leaf in a world created by {@link pagedWorld}. */
export function pagedCube(number: number): Box {
  return cubeAt([(number % 16) * 8, Math.floor(number / 16) * 8, 0, 0], 8);
}

/** Creates a save in memory whose index has many pages: one chunk and one clock per leaf. */
export async function pagedWorld(leaves: number): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await writePagedWorld(disk, leaves);
  return disk;
}

/** Writes such a save. */
export async function writePagedWorld(disk: Disk, leaves: number): Promise<void> {
  const writer = await BulkSaveWriter.create(disk, GLOBAL.description.chunkShape, { limits: PAGED_LIMITS });
  // In reverse, so that leaves are not written in the order of their cubes.
  for (let number = leaves - 1; number >= 0; number--) {
    const cube = pagedCube(number);
    const clocks = [{ region: regionOf(cube.min), clock: number + 1 }];
    await writer.add([{ cube, chunks: [entryAt(cube.min, number + 2)], clocks }]);
  }
  await writer.finish({ nowMs: 1, global: GLOBAL, players: [playerOf(1n)] });
  await writer.close();
}

/** Removes the seals from a manifest, so that a test may change the files it names. */
export async function unbindManifest(disk: MemoryDisk): Promise<void> {
  const bytes = disk.image().files.get("manifest.json") as Uint8Array;
  const { file_seals: _seals, manifest_crc32: _crc32, ...rest } = JSON.parse(new TextDecoder().decode(bytes));
  await replaceFile(disk, "manifest.json", encodeUtf8(JSON.stringify(rest)));
}
