import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { type Chunk, CUBE_CHUNKS } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { packedChunkCodec } from "@orthant/core/chunk";
import type { PositionMap } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { atMost, besideOthers, type Figure, timeAsync } from "./figure.ts";
import { bytesIn } from "./folder-bytes.ts";
import { loadPeers, type PeerStore, type PeerWorld } from "./peer-stores.ts";
import { COUNTRY, editedChunks, PASTIMES, SCATTERED_VOXELS } from "./rest/edited-worlds.ts";
import { type SavedChunks, saveChunks } from "./rest/saved-chunks.ts";
import { sized } from "./size.ts";

const CHUNKS = sized(40_000, 400);
const VOXEL_BYTES_MAX = 4;
const LOOKED_AT = sized(1_000, 50);
const DEFLATE_LEVEL = 6;

/**
 * Question: how many bytes does a world take on disk?
 * Budgets: 40,000 chunks edited in four ways take fewer bytes than the same chunks in any other store, each
 * of them compressed; a scattered voxel takes at most four; land that was only visited takes none. The suite
 * counts the lengths of all files in a folder, without the file system's overhead for each file, which is
 * most of the cost of one file per chunk.
 */
export async function* restSuite(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  const all = new Map<string, SavedChunks>();
  try {
    const peers = loadPeers();
    for (const pastime of PASTIMES) {
      const chunks = editedChunks(pastime, CHUNKS / PASTIMES.length);
      const root = join(folder, pastime);
      const kept = new Map<string, SavedChunks>([["ours", await saveChunks(join(root, "ours"), chunks)]]);
      const world = compressedWorld(chunks);
      for (const peer of peers) kept.set(peer.name, await keptBy(join(root, peer.name), peer, world));
      await rm(root, { recursive: true });
      for (const [name, one] of kept) all.set(name, sum(all.get(name), one));
      yield sizeFigure(pastime, "By what people did", kept, chunks.size);
      if (pastime === "scattered") {
        const voxels = chunks.size * SCATTERED_VOXELS;
        const each = (kept.get("ours")?.bytes ?? Number.NaN) / voxels;
        const remark = `${voxels} voxels, ${SCATTERED_VOXELS} a chunk`;
        yield atMost("rest/scattered-voxel", each, "bytes", VOXEL_BYTES_MAX, remark);
      }
    }
    yield sizeFigure("all", "All chunks", all, CHUNKS);
    yield writingFigure(all);
    yield await exploredFigure(join(folder, "explored"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function sum(a: SavedChunks | undefined, b: SavedChunks): SavedChunks {
  return { bytes: (a?.bytes ?? 0) + b.bytes, wallNs: (a?.wallNs ?? 0) + b.wallNs };
}

function sizeFigure(
  name: string,
  title: string,
  kept: ReadonlyMap<string, SavedChunks>,
  count: number,
): Figure {
  const { ours, others } = apart(kept, ({ bytes }) => bytes / 1e6);
  return besideOthers({
    name: `rest/${name}`,
    title,
    unit: "MB",
    group: name,
    ours,
    others,
    budget: 1,
    remark: `${((ours * 1e6) / count).toFixed(1)} bytes a chunk of ${count}`,
  });
}

/** Includes encoding and compression, once each; some stores sync and some do not, so there is no budget. */
function writingFigure(kept: ReadonlyMap<string, SavedChunks>): Figure {
  return besideOthers({
    name: "rest/writing",
    title: "Time to write them",
    unit: "s",
    group: "all",
    ...apart(kept, ({ wallNs }) => wallNs / 1e9),
    remark: "ours, lmdb and SQLite sync, the others do not",
  });
}

function apart(
  kept: ReadonlyMap<string, SavedChunks>,
  value: (kept: SavedChunks) => number,
): { readonly ours: number; readonly others: ReadonlyMap<string, number> } {
  const values = new Map(Array.from(kept, ([name, one]) => [name, value(one)]));
  const ours = values.get("ours") ?? Number.NaN;
  values.delete("ours");
  return { ours, others: values };
}

async function keptBy(root: string, peer: PeerStore, world: PeerWorld): Promise<SavedChunks> {
  await mkdir(root, { recursive: true });
  const { wallNs } = await timeAsync(() => peer.fill(root, world));
  return { bytes: await bytesIn(root), wallNs };
}

/** The same chunks for other stores: packed and deflated. */
function compressedWorld(chunks: PositionMap<Chunk>): PeerWorld {
  const codec = packedChunkCodec(CUBE_CHUNKS.volume);
  return {
    chunks: [...chunks],
    bytesOf: (chunk) => deflateRawSync(encode(codec, chunk), { level: DEFLATE_LEVEL }),
  };
}

/** Visits land without editing it. */
async function exploredFigure(root: string): Promise<Figure> {
  const disk = await NodeDisk.create(root);
  await (await createWorldEngine(disk, { shape: CUBE_CHUNKS, generator: COUNTRY })).close();
  const before = await bytesIn(root);
  const world = await openWorldEngine(disk);
  for (let chunk = 0; chunk < LOOKED_AT; chunk++)
    await world.chunk([chunk % 32, -1, Math.floor(chunk / 32), 0]);
  await world.close();
  const grown = (await bytesIn(root)) - before;
  return atMost("rest/explored", grown, "bytes", 0, `${LOOKED_AT} chunks looked at`);
}
