import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chunk } from "@orthant/core";
import { PositionMap } from "@orthant/core/lattice";
import { Prng } from "@orthant/testkit";
import { atMost, type Figure, told } from "../figure.ts";
import { editedChunks, PASTIMES, type Pastime } from "../rest/edited-worlds.ts";
import { partBytesIn, saveChunks } from "../rest/saved-chunks.ts";
import { sized } from "../size.ts";
import { changeSingleVoxels, ONE_VOXEL_CHUNKS } from "../wire/one-voxel.ts";

const PATCH_BYTES_MAX = 48;
/** What a changed voxel at the origin took as a message before voxels could have data: commit 5da3edf9. */
const ORIGIN_BYTES = { largest: 24, first: 21 };

const CHUNKS = sized(10_000, 100);
const GROWTH_MAX = 1.02;
/** What the worlds took on the disk before records had tables and room for data: commit 5da3edf9. */
const EARLIER_BYTES: Readonly<Record<Pastime, number>> = {
  scattered: 346_296,
  tunnels: 564_505,
  boxes: 786_534,
  painted: 475_448,
};
const DATA_BYTES = 100;

/** Measures the messages for changed voxels without data. */
export async function* bareVoxelFigures(): AsyncGenerator<Figure> {
  for (const [name, chunk] of ONE_VOXEL_CHUNKS) {
    const { sizes } = await changeSingleVoxels(chunk, new Prng(5));
    const [first = Number.NaN] = sizes;
    const isOrigin = name === "origin";
    const budget = isOrigin ? ORIGIN_BYTES.largest : PATCH_BYTES_MAX;
    const remark = `the largest of ${sizes.length} messages`;
    yield atMost(`blocks/one-voxel-${name}`, Math.max(...sizes), "bytes", budget, remark);
    if (isOrigin) {
      const before = `before ${ORIGIN_BYTES.first}`;
      yield atMost("blocks/first-voxel-origin", first, "bytes", ORIGIN_BYTES.first, before);
    }
  }
}

/** Measures the worlds of the suite `rest`, in which no voxel has data. */
export async function* bareWorldFigures(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  let [bytes, earlier, dataBytes] = [0, 0, 0];
  try {
    for (const pastime of PASTIMES) {
      const root = join(folder, pastime);
      const chunks = editedChunks(pastime, CHUNKS);
      const saved = await saveChunks(root, chunks);
      dataBytes += await partBytesIn(root);
      bytes += saved.bytes;
      earlier += EARLIER_BYTES[pastime];
      yield growthFigure(pastime, saved.bytes, EARLIER_BYTES[pastime]);
      if (pastime === "boxes") yield await dataFigure(join(folder, "data"), chunks, saved.bytes);
    }
    yield growthFigure("all", bytes, earlier);
    yield atMost("blocks/no-data", dataBytes, "bytes", 0, "for data, in all records of these worlds");
  } finally {
    await rm(folder, { recursive: true });
  }
}

function growthFigure(name: string, bytes: number, earlier: number): Figure {
  const remark = `${bytes} bytes, ${earlier} before`;
  const figure = atMost(`blocks/rest-${name}`, bytes / earlier, "of before", GROWTH_MAX, remark);
  return { ...figure, shown: figure.value.toFixed(4) };
}

/** Gives one voxel data, which the count of {@link partBytesIn} must find. */
async function dataFigure(root: string, chunks: PositionMap<Chunk>, bareBytes: number): Promise<Figure> {
  const changed = new PositionMap<Chunk>();
  for (const [position, chunk] of chunks) changed.set(...position, chunk);
  const [[position, chunk] = none()] = chunks;
  const data = Uint8Array.from({ length: DATA_BYTES }, (_, index) => (index * 167) % 251);
  changed.set(...position, chunk.editData([{ index: 0, data }]));
  const { bytes } = await saveChunks(root, changed);
  if ((await partBytesIn(root)) < DATA_BYTES) throw new Error("the data of a voxel is not counted");
  return told(
    "blocks/data",
    bytes - bareBytes,
    "bytes",
    `more for one voxel with ${DATA_BYTES} bytes of data`,
  );
}

function none(): never {
  throw new Error("a world without chunks");
}
