import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chunk, chunkCodec, chunkFromVoxels, encode, HYPERCUBE_CHUNKS, type Place } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { createWorld, openWorld, type World } from "@orthant/world";
import { atMost, type Figure, median, timeAsync } from "./figure.ts";
import { BareCommits, type CommitBytes, measureCommit, packBytes } from "./save/bare-commit.ts";
import { loadPeers } from "./save/peer-stores.ts";

const WORLD_CHUNKS = 20_000;
const SMALL_WORLD_CHUNKS = 2_000;
const BULK_CHUNKS = 50_000;
const READS = 10_000;
const WARM_UP_ROUNDS = 30;
const ROUNDS = 25;
const MATERIALS = 12;

const prng = new Prng(1);

/**
 * Question: what does a save cost beyond the writes and syncs that it needs?
 * Budgets: one edited chunk in a world of 20,000 takes less than three times the same writes and syncs bare; the
 * bytes written beside the index do not follow the size of the world. Bulk is told: what limits it is packing words
 * into varints, some 20 microseconds a chunk, where the disk takes eight. Reads are told next to stores that hand
 * out bytes, while ours decodes and checks the chunks.
 */
export async function* saveSuite(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const small = await oneChunkCommits(join(folder, "small"), SMALL_WORLD_CHUNKS);
    const large = await oneChunkCommits(join(folder, "large"), WORLD_CHUNKS);
    yield oneChunkFigure(large);
    yield growthFigure(small, large);
    yield await bulkFigure(join(folder, "bulk"));
    yield* readFigures(join(folder, "large"), folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface OneChunkCommits {
  readonly ratios: readonly number[];
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly bytes: readonly CommitBytes[];
}

async function oneChunkCommits(root: string, count: number): Promise<OneChunkCommits> {
  const chunks = makeChunks(count);
  const world = await worldOf(root, chunks);
  const bareRoot = `${root}-bare`;
  for (const part of ["", "index", "data"]) await mkdir(join(bareRoot, part), { recursive: true });
  const bare = await BareCommits.in(bareRoot);
  const times: { ratio: number; wallMs: number; cpuMs: number }[] = [];
  const bytes: CommitBytes[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const [place] = prng.pick(chunks);
    await world.set([place[0] * 8, place[1] * 8, place[2] * 8, place[3] * 8], 2_000 + round);
    const before = await packBytes(root);
    const ours = await timeAsync(() => world.save());
    const written = await measureCommit(root, world.generation, before);
    const same = await timeAsync(() => bare.commit(written));
    if (round < 0) continue;
    times.push({ ratio: same.wallNs / ours.wallNs, wallMs: ours.wallNs / 1e6, cpuMs: ours.cpuNs / 1e6 });
    bytes.push(written);
  }
  await bare.close();
  await world.close();
  return {
    ratios: times.map(({ ratio }) => ratio),
    wallMs: median(times.map(({ wallMs }) => wallMs)),
    cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
    bytes,
  };
}

function oneChunkFigure({ ratios, wallMs, cpuMs }: OneChunkCommits): Figure {
  const ratio = median(ratios);
  const line =
    `save/one-chunk: ${ratio.toFixed(2)} of the same writes and syncs bare (budget 0.33); ` +
    `${wallMs.toPrecision(3)} ms, cpu ${cpuMs.toPrecision(3)} ms, in ${WORLD_CHUNKS} chunks; the original 385 to 430 ms`;
  return { line, missed: ratio < 0.33 };
}

function growthFigure(small: OneChunkCommits, large: OneChunkCommits): Figure {
  const besideIndex = ({ bytes }: OneChunkCommits): number =>
    median(
      bytes.map(
        ({ record, files, manifest }) => record + manifest + (files[1]?.bytes ?? 0) + (files[2]?.bytes ?? 0),
      ),
    );
  const [few, many] = [besideIndex(small), besideIndex(large)];
  const remark = `${few} bytes in ${SMALL_WORLD_CHUNKS} chunks, ${many} in ${WORLD_CHUNKS}`;
  return atMost("save/bytes-beside-index", many / few, "times for ten times the world", 2, remark);
}

async function bulkFigure(root: string): Promise<Figure> {
  const world = await createWorld(await NodeDisk.create(root), {}, { autosave: false });
  await world.setChunks(makeChunks(BULK_CHUNKS));
  const ours = await timeAsync(() => world.save());
  await world.close();
  const bytes = new Uint8Array(await packBytes(root));
  const bare = await timeAsync(async () => {
    const file = await open(join(root, "bare"), "wx");
    await file.write(bytes);
    await file.datasync();
    await file.close();
  });
  const rate = `${(bytes.length / 1e6 / (ours.wallNs / 1e9)).toFixed(0)} MB/s of ${(bytes.length / 1e6).toFixed(0)} MB`;
  const line = `save/bulk: ${(bare.wallNs / ours.wallNs).toFixed(2)} of bare append and sync; ${rate}, ${BULK_CHUNKS} chunks`;
  return { line, missed: false };
}

async function* readFigures(root: string, folder: string): AsyncGenerator<Figure> {
  const chunks = makeChunks(WORLD_CHUNKS);
  const asked = Array.from({ length: READS }, () => prng.pick(chunks)[0]);
  const disk = new NodeDisk(root);
  const readOurs = async (): Promise<void> => {
    const world = await openWorld(disk, { readOnly: true });
    for (const place of asked) await world.chunk(place);
    await world.close();
  };
  const codec = chunkCodec(HYPERCUBE_CHUNKS.volume);
  const values = new Map(chunks.map(([place, chunk]) => [place.join(), encode(codec, chunk)]));
  const keys = asked.map((place) => place.join());
  for (const peer of loadPeers()) {
    await peer.fill(folder, values);
    const ratios: number[] = [];
    for (let round = 0; round < 5; round++) {
      const theirs = await timeAsync(() => peer.read(folder, keys));
      ratios.push(theirs.wallNs / (await timeAsync(readOurs)).wallNs);
    }
    yield {
      line: `save/open-and-read: ${median(ratios).toFixed(2)} of ${peer.name}; ${READS} random chunks`,
      missed: false,
    };
  }
}

async function worldOf(root: string, chunks: readonly (readonly [Place, Chunk])[]): Promise<World> {
  const world = await createWorld(await NodeDisk.create(root), {}, { autosave: false });
  await world.setChunks(chunks);
  await world.save();
  return world;
}

/** Chunks of a dozen materials side by side in a cube, the same for the same count. */
function makeChunks(count: number): readonly (readonly [Place, Chunk])[] {
  const edge = Math.ceil(count ** 0.25);
  const voxels = new Uint16Array(HYPERCUBE_CHUNKS.volume);
  return Array.from({ length: count }, (_, index) => {
    for (let cell = 0; cell < voxels.length; cell++) {
      voxels[cell] = 1 + ((Math.imul(cell + index * 7, 0x9e37_79b1) >>> 20) % MATERIALS);
    }
    const place: Place = [
      index % edge,
      Math.floor(index / edge) % edge,
      Math.floor(index / edge ** 2) % edge,
      Math.floor(index / edge ** 3),
    ];
    return [place, chunkFromVoxels(voxels)] as const;
  });
}
