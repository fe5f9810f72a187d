import { type GeneratorRegistry, isOrthantError, OrthantError } from "@orthant/core";
import { checkedOptions, whole } from "@orthant/core/arguments";
import type { Codec } from "@orthant/core/bytes";
import { requireRegistry } from "@orthant/core/generate";
import type { Disk } from "@orthant/disk";
import { atFile, readWhole, requireDisk } from "@orthant/disk/files";
import { playersCodec, type StoredPlayer } from "../codec/entity.ts";
import { generationFiles } from "../codec/files.ts";
import { type GlobalRecord, generatedChunks, globalRecordCodec } from "../codec/global-record.ts";
import { MANIFEST_BYTES_MAX, MANIFEST_FILE } from "../codec/layout.ts";
import { decodeManifest, type Manifest, type ReadManifest, requireSameWorld } from "../codec/manifest.ts";
import {
  type FileSeal,
  globalPayloadFile,
  type PayloadFile,
  playersPayloadFile,
  requireSealed,
} from "../codec/payload-file.ts";
import { pageReader, readIndexFile, requireGeneration } from "../leaves/index-reader.ts";
import { PackReader } from "../pack/pack-reader.ts";
import { requirePacks } from "./named-packs.ts";
import { Save, type SaveState } from "./save.ts";
import { recordsOf, withCatalog } from "./world-records.ts";

/** Maximum attempts of a reader beside a writer. Opening reads three files; a commit syncs more than that. */
const LIVE_ATTEMPTS_MAX = 16;

/** Options for opening a save. */
export interface OpenSaveOptions {
  /** An older generation that still exists. Default: the one that the manifest names. */
  readonly generation?: number;
  /** Generators for chunks that are stored as changes to their output. Default: those of Orthant. */
  readonly generators?: GeneratorRegistry;
}

/**
 * Opens a save. Reads and checks manifest, index, global and players in full, and records
 * when they are needed. Packs only have to exist. Throws at the first fault; `verifySave` finds all of them.
 */
export async function openSave(disk: Disk, options: OpenSaveOptions = {}): Promise<Save> {
  requireDisk("disk", disk);
  const { generation, generators } = checkedOptions("the options", options, {
    generation: whole(0),
    generators: requireRegistry,
  });
  const state = await whileLive(disk, (manifest) =>
    readGeneration(disk, manifest, generation ?? manifest.currentGeneration),
  );
  return new Save(state, new PackReader(disk), generatedChunks(state.global, generators));
}

/**
 * Reads from the files of the live generation while another process may commit and remove them. If `read`
 * fails and the manifest names a newer generation by then, retries with that one.
 */
export async function whileLive<Value>(
  disk: Disk,
  read: (manifest: Manifest) => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    const { manifest } = await readManifest(disk);
    try {
      return await read(manifest);
    } catch (error) {
      if (!isOrthantError(error) || attempt === LIVE_ATTEMPTS_MAX) throw error;
      const now = await readManifest(disk);
      if (now.manifest.currentGeneration === manifest.currentGeneration) throw error;
    }
  }
}

/** Returns whether a disk has a save. Throws if its manifest is damaged. */
export async function hasSave(disk: Disk): Promise<boolean> {
  requireDisk("disk", disk);
  try {
    await readManifest(disk);
    return true;
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
    throw error;
  }
}

/** Reads `manifest.json`. */
export async function readManifest(disk: Disk): Promise<ReadManifest> {
  const bytes = await readWhole(disk, MANIFEST_FILE, MANIFEST_BYTES_MAX).catch((error: unknown) => {
    if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
    const detail = "there is no world here, or it lost its manifest";
    throw new OrthantError(error.code, detail, error.context, { cause: error });
  });
  return atFile({ path: MANIFEST_FILE }, () => decodeManifest(bytes));
}

/** Returns the manifest of a save whose newest generation is this one. Throws `ORT_GENERATION` if there is another. */
export async function requireNewest(disk: Disk, generation: number): Promise<Manifest> {
  const { manifest } = await readManifest(disk);
  const { currentGeneration: found } = manifest;
  if (found === generation) return manifest;
  throw new OrthantError(
    "ORT_GENERATION",
    `generation ${found} is newer than ${generation}, which was opened`,
  );
}

/** Reads the three files of a generation, and checks that its packs exist. */
async function readGeneration(disk: Disk, manifest: Manifest, generation: number): Promise<SaveState> {
  const files = generation === manifest.currentGeneration ? manifest : generationFiles(generation);
  const seals = generation === manifest.currentGeneration ? manifest.seals : undefined;
  const read = await readIndex(disk, files.indexFile, seals?.indexFile);
  requireGeneration(files.indexFile, read, generation);
  const { index, indexVersion } = read;
  const global = await readGlobal(disk, files.globalFile, seals?.globalFile);
  requireSameWorld(files.globalFile, global, manifest.worldId);
  const players = await readPlayers(disk, files.playersFile, seals?.playersFile ?? global.playersSeal);
  const packReader = new PackReader(disk);
  try {
    await requirePacks(disk, manifest.dataFiles, index, () => recordsOf(packReader, global));
    const complete = await withCatalog(packReader, global);
    return { generation, manifest, global: complete, players, index, indexVersion };
  } finally {
    await packReader.release();
  }
}

/** Reads an index file. With a seal, accepts only the file that the manifest means. */
export async function readIndex(
  disk: Disk,
  path: string,
  seal?: FileSeal,
): Promise<ReturnType<typeof readIndexFile>> {
  const bytes = await readNamed(disk, path);
  const index = readIndexFile(path, bytes, pageReader(disk));
  // Comes after the file's own checks, which locate damage: a file that fails here is intact but the wrong
  // one.
  requireSealed(path, bytes, seal);
  return index;
}

/** Reads a global file. With a seal, accepts only the file that the manifest means. */
export function readGlobal(disk: Disk, path: string, seal?: FileSeal): Promise<GlobalRecord> {
  return readPayloadFile(disk, path, globalPayloadFile, globalRecordCodec, seal);
}

/** Reads a players file. With a seal, accepts only the file that the manifest means. */
export function readPlayers(disk: Disk, path: string, seal?: FileSeal): Promise<readonly StoredPlayer[]> {
  return readPayloadFile(disk, path, playersPayloadFile, playersCodec, seal);
}

/** Reads a file of one payload. With a seal, accepts only the file that the manifest means. */
export async function readPayloadFile<Value>(
  disk: Disk,
  path: string,
  kind: PayloadFile,
  codec: Codec<Value>,
  seal?: FileSeal,
): Promise<Value> {
  const bytes = await readNamed(disk, path);
  const value = kind.decode(path, codec, bytes);
  requireSealed(path, bytes, seal);
  return value;
}

/** Reads a file named by the manifest. Blames the manifest for a path that leaves the root by its spelling. */
async function readNamed(disk: Disk, path: string): Promise<Uint8Array> {
  try {
    return await readWhole(disk, path);
  } catch (error) {
    if (!isOrthantError(error, "ORT_PATH") || error.context.path !== undefined) throw error;
    throw new OrthantError("ORT_PATH", error.detail, { path: MANIFEST_FILE }, { cause: error });
  }
}
