import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { type Chunk, CUBE_CHUNKS, encode, type PlaceMap, packedChunkCodec } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { createWorld, openWorld } from "@orthant/world";
import { atMost, type Figure } from "./figure.ts";
import { COUNTRY, editedChunks, type Pastime, SCATTERED_VOXELS } from "./rest/edited-worlds.ts";
import { loadPeers, type PeerStore } from "./save/peer-stores.ts";

const CHUNKS = 100_000;
const PASTIMES: readonly Pastime[] = ["scattered", "tunnels", "boxes", "painted"];
const VOXEL_BYTES_MAX = 4;
const LOOKED_AT = 1_000;
const DEFLATE_LEVEL = 6;

/**
 * Question: how many bytes does a world take that lies on a disk?
 * Budgets: 100,000 chunks that were changed in four ways take fewer bytes than the same chunks take in any other store,
 * each of them compressed; a scattered voxel takes at most four; land that was only looked at takes none. All files of a
 * folder are counted, by their length: what a file system adds for each file, which is most of what a file a chunk costs,
 * is not.
 */
export async function* restSuite(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  const totals = new Map<string, number>();
  try {
    const peers = [...loadPeers(), fileStore];
    for (const pastime of PASTIMES) {
      const chunks = editedChunks(pastime, CHUNKS / PASTIMES.length);
      const root = join(folder, pastime);
      const ours = await saveOurs(join(root, "ours"), chunks);
      const sizes = new Map<string, number>([["ours", ours]]);
      const values = compressed(chunks);
      for (const peer of peers) sizes.set(peer.name, await sizeIn(join(root, peer.name), peer, values));
      await rm(root, { recursive: true });
      for (const [name, bytes] of sizes) totals.set(name, (totals.get(name) ?? 0) + bytes);
      yield sizeFigure(pastime, sizes, chunks.size);
      if (pastime === "scattered") {
        const voxels = chunks.size * SCATTERED_VOXELS;
        const remark = `${voxels} voxels, ${SCATTERED_VOXELS} a chunk`;
        yield atMost("rest/scattered-voxel", ours / voxels, "bytes", VOXEL_BYTES_MAX, remark);
      }
    }
    yield sizeFigure("all", totals, CHUNKS);
    yield await exploredFigure(join(folder, "explored"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function sizeFigure(name: string, sizes: ReadonlyMap<string, number>, count: number): Figure {
  const ours = sizes.get("ours") ?? Number.NaN;
  const others = [...sizes].filter(([other]) => other !== "ours");
  const least = Math.min(...others.map(([, bytes]) => bytes));
  const remark = others.map(([other, bytes]) => `${other} ${megabytes(bytes)}`).join(", ");
  const line =
    `rest/${name}: ${(ours / least).toFixed(2)} of the smallest other (budget 1); ` +
    `${megabytes(ours)}, ${(ours / count).toFixed(1)} bytes a chunk of ${count}; ${remark}`;
  return { line, missed: !(ours < least) };
}

async function saveOurs(root: string, chunks: PlaceMap<Chunk>): Promise<number> {
  const world = await createWorld(
    await NodeDisk.create(root),
    { shape: CUBE_CHUNKS, generator: COUNTRY },
    { autosave: false },
  );
  await world.setChunks([...chunks]);
  await world.close();
  return bytesIn(root);
}

async function sizeIn(
  root: string,
  peer: Pick<PeerStore, "fill">,
  values: ReadonlyMap<string, Uint8Array>,
): Promise<number> {
  await mkdir(root, { recursive: true });
  await peer.fill(root, values);
  return bytesIn(root);
}

/** The same chunks for others: packed and deflated, in the order of their keys, which is what trees like best. */
function compressed(chunks: PlaceMap<Chunk>): ReadonlyMap<string, Uint8Array> {
  const codec = packedChunkCodec(CUBE_CHUNKS.volume);
  const values = Array.from(chunks, ([place, chunk]): [string, Uint8Array] => {
    return [place.join(), deflateRawSync(encode(codec, chunk), { level: DEFLATE_LEVEL })];
  });
  return new Map(values.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const fileStore: Pick<PeerStore, "name" | "fill"> = {
  name: "a file a chunk",
  async fill(folder, values) {
    for (const [key, value] of values) await writeFile(join(folder, key), value);
  },
};

/** Walks over land without touching it. */
async function exploredFigure(root: string): Promise<Figure> {
  const disk = await NodeDisk.create(root);
  await (await createWorld(disk, { shape: CUBE_CHUNKS, generator: COUNTRY })).close();
  const before = await bytesIn(root);
  const world = await openWorld(disk);
  for (let chunk = 0; chunk < LOOKED_AT; chunk++)
    await world.chunk([chunk % 32, -1, Math.floor(chunk / 32), 0]);
  await world.close();
  const grown = (await bytesIn(root)) - before;
  return atMost("rest/explored", grown, "bytes", 0, `${LOOKED_AT} chunks looked at`);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
