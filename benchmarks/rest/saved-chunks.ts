import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Chunk, CUBE_CHUNKS } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import type { PositionMap } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { DEFAULT_LIMITS } from "@orthant/save";
import { locatedBlobCodec, openBlob, scanPack } from "@orthant/save/internal";
import { createWorldEngine } from "@orthant/world/engine";
import { timeAsync } from "../figure.ts";
import { bytesIn } from "../folder-bytes.ts";
import { COUNTRY } from "./edited-worlds.ts";

/** The size of stored chunks, and the time to write them. */
export interface SavedChunks {
  readonly bytes: number;
  readonly wallNs: number;
}

/** Creates a world in a new folder, and saves these chunks in it. */
export async function saveChunks(root: string, chunks: PositionMap<Chunk>): Promise<SavedChunks> {
  const world = await createWorldEngine(
    await NodeDisk.create(root),
    { shape: CUBE_CHUNKS, generator: COUNTRY },
    { autosave: false },
  );
  const { wallNs } = await timeAsync(async () => {
    await world.setChunks([...chunks]);
    await world.close();
  });
  return { bytes: await bytesIn(root), wallNs };
}

/** Returns the uncompressed size of all parts of chunks in a world's records. Voxel data is such a part. */
export async function partBytesIn(root: string): Promise<number> {
  let bytes = 0;
  for (const pack of await readdir(join(root, "data"))) {
    for (const piece of scanPack(await readFile(join(root, "data", pack)), 1)) {
      if (piece.kind === "gap") throw new Error(`${pack} has a gap at ${piece.offset}`);
      const { blobVersion } = piece.ref;
      if (blobVersion !== 3) throw new Error(`${pack} has a record of version ${blobVersion}`);
      const blob = await openBlob(piece.payload, DEFAULT_LIMITS.chunkBlobHardMaxBytes);
      for (const { parts = [] } of decode(locatedBlobCodec(CUBE_CHUNKS.volume, blobVersion), blob)) {
        for (const part of parts) bytes += part.bytes.length;
      }
    }
  }
  return bytes;
}
