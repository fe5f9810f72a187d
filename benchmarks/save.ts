import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chunk, chunkFromVoxels, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { chunkCodec, encodePackedChunk } from "@orthant/core/chunk";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { inTurn, ONE_ROUND, type Rounds } from "./compare.ts";
import { atLeast, atMost, besideOthers, type Figure, median, ofLimit, timeAsync, told } from "./figure.ts";
import { bytesIn } from "./folder-bytes.ts";
import { loadPeers, type PeerStore } from "./peer-stores.ts";
import { BareCommits, bytesBeside, RecordingDisk } from "./save/bare-commit.ts";
import { guardedSaveFigures } from "./save/guarded.ts";
import { sized } from "./size.ts";

const WORLD_CHUNKS = sized(20_000, 400);
const SMALL_WORLD_CHUNKS = sized(2_000, 100);
const BULK_CHUNKS = sized(50_000, 400);
/** Few, because these ratios are measured with every change. */
const GUARDED_CHUNKS = sized(4_000, 200);
const READS = sized(10_000, 200);
const ROUNDS: Rounds = sized({ warmUp: 30, measured: 25 }, ONE_ROUND);
/** Only bytes matter there, and no compaction may happen meanwhile. */
const SMALL_WORLD_ROUNDS: Rounds = sized({ warmUp: 0, measured: 3 }, ONE_ROUND);
const READ_ROUNDS: Rounds = sized({ warmUp: 1, measured: 5 }, ONE_ROUND);
const ONE_CHUNK_BUDGET = 0.7;
/** Times the best of the others. */
const READ_BYTES_BUDGET = 4;
const READ_DECODED_BUDGET = 2;
const BULK_BESIDE_BUDGET = 0.5;
const BULK_ROUNDS = sized(3, 1);
const BLOCKS = 12;

const prng = new Prng(1);

/**
 * Question: what does a save cost beyond the writes and syncs that it needs?
 * Budgets: one edited chunk in a world of 20,000 reaches 0.7 of the same bare writes and syncs;
 * the bytes written outside the index do not grow with the world. Bulk next to the disk has no
 * budget: encoding and compressing chunks limits it. Next to lmdb it reaches half of the speed. Opening and reading half of the chunks takes at most twice as long as in
 * the best of other stores when that decodes its values too, and four times when it hands out bytes. Commits are
 * reported next to other stores.
 */
export async function* saveSuite(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const small = await oneChunkCommits(join(folder, "small"), SMALL_WORLD_CHUNKS, SMALL_WORLD_ROUNDS);
    const large = await oneChunkCommits(join(folder, "large"), WORLD_CHUNKS, ROUNDS);
    yield oneChunkFigure(large);
    yield growthFigure(small, large);
    yield await bulkFigure(join(folder, "bulk"));
    yield* await bulkBesideFigures(join(folder, "bulk-beside"));
    yield* guardedSaveFigures(join(folder, "guarded"), makeChunks(GUARDED_CHUNKS));
    yield* peerFigures(join(folder, "large"), folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The suite's figures next to the bare limit that take little time. */
export async function* saveLimits(): AsyncGenerator<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    yield oneChunkFigure(await oneChunkCommits(join(folder, "large"), WORLD_CHUNKS, ROUNDS));
    yield* guardedSaveFigures(join(folder, "guarded"), makeChunks(GUARDED_CHUNKS));
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface OneChunkCommits {
  readonly ratios: readonly number[];
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Bytes that a commit writes into files outside the index. */
  readonly bytes: readonly number[];
}

async function oneChunkCommits(root: string, count: number, rounds: Rounds): Promise<OneChunkCommits> {
  const chunks = makeChunks(count);
  const disk = new RecordingDisk(await NodeDisk.create(root));
  const world = await createWorldEngine(disk, {}, { autosave: false });
  await world.setChunks(chunks);
  await world.save();
  const bare = await BareCommits.in(`${root}-bare`, ["index", "data"]);
  const times: { ratio: number; wallMs: number; cpuMs: number }[] = [];
  const bytes: number[] = [];
  for (let round = -rounds.warmUp; round < rounds.measured; round++) {
    await world.set(voxelOf(prng.pick(chunks)[0]), 2_000 + round);
    disk.takeCalls();
    const ours = await timeAsync(() => world.save());
    const calls = disk.takeCalls();
    const same = await timeAsync(() => bare.repeat(calls));
    if (round < 0) continue;
    times.push({ ratio: same.wallNs / ours.wallNs, wallMs: ours.wallNs / 1e6, cpuMs: ours.cpuNs / 1e6 });
    bytes.push(bytesBeside("index", calls));
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
  const remark =
    `${wallMs.toPrecision(3)} ms, cpu ${cpuMs.toPrecision(3)} ms, in ${WORLD_CHUNKS} chunks; ` +
    "the original 385 to 430 ms";
  return ofLimit(
    "save/one-chunk",
    median(ratios),
    "the same writes and syncs bare",
    ONE_CHUNK_BUDGET,
    remark,
  );
}

function growthFigure(small: OneChunkCommits, large: OneChunkCommits): Figure {
  const [few, many] = [median(small.bytes), median(large.bytes)];
  const remark = `${few} bytes in ${SMALL_WORLD_CHUNKS} chunks, ${many} in ${WORLD_CHUNKS}`;
  return atMost("save/bytes-beside-index", many / few, "times for ten times the world", 2, remark);
}

async function bulkFigure(root: string): Promise<Figure> {
  const world = await createWorldEngine(await NodeDisk.create(root), {}, { autosave: false });
  await world.setChunks(makeChunks(BULK_CHUNKS));
  const ours = await timeAsync(() => world.save());
  await world.close();
  const bytes = new Uint8Array(await bytesIn(join(root, "data")));
  const bare = await timeAsync(async () => {
    const file = await open(join(root, "bare"), "wx");
    await file.write(bytes);
    await file.datasync();
    await file.close();
  });
  const rate = `${(bytes.length / 1e6 / (ours.wallNs / 1e9)).toFixed(0)} MB/s of ${(bytes.length / 1e6).toFixed(0)} MB`;
  const remark = `${rate}, ${BULK_CHUNKS} chunks`;
  return ofLimit("save/bulk", bare.wallNs / ours.wallNs, "bare append and sync", undefined, remark);
}

/** From chunks in memory to the disk, next to lmdb with the same packed chunks, each as a value. */
async function bulkBesideFigures(folder: string): Promise<readonly Figure[]> {
  const lmdb = loadPeers().find(({ name }) => name === "lmdb");
  if (lmdb === undefined) return [];
  const chunks = makeChunks(BULK_CHUNKS);
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  for (let round = 0; round < BULK_ROUNDS; round++) {
    const root = join(folder, `${round}`);
    const world = await createWorldEngine(await NodeDisk.create(join(root, "ours")), {}, { autosave: false });
    const ours = await timeAsync(async () => {
      await world.setChunks(chunks);
      await world.save();
    });
    await world.close();
    const theirs = await timeAsync(() => lmdb.fill(root, { chunks, bytesOf: encodePackedChunk }));
    ratios.push(theirs.wallNs / ours.wallNs);
    cpuRatios.push(theirs.cpuNs / ours.cpuNs);
    await rm(root, { recursive: true });
  }
  const remark = `by cpu time ${median(cpuRatios).toFixed(2)}; ${BULK_CHUNKS} chunks, packed and durable; ours are compressed, too`;
  const figure = told("save/bulk-beside-lmdb", median(ratios), "of lmdb's speed", remark);
  return [atLeast(figure, BULK_BESIDE_BUDGET)];
}

/** The same chunks in other stores. */
async function* peerFigures(root: string, folder: string): AsyncGenerator<Figure> {
  const chunks = makeChunks(WORLD_CHUNKS);
  const codec = chunkCodec(HYPERCUBE_CHUNKS.volume);
  const peers = loadPeers();
  for (const peer of peers)
    await peer.fill(folder, { chunks, bytesOf: (chunk: Chunk) => encode(codec, chunk) });
  yield await commitFigure(root, folder, peers);
  yield* await readFigures(root, folder, peers);
}

/** One chunk made durable: a whole state of the world in ours, one value in the others. */
async function commitFigure(root: string, folder: string, peers: readonly PeerStore[]): Promise<Figure> {
  const chunks = makeChunks(WORLD_CHUNKS);
  const codec = chunkCodec(HYPERCUBE_CHUNKS.volume);
  const world = await openWorldEngine(new NodeDisk(root), { autosave: false });
  // As in a game, where edited chunks have been read before.
  for (const [position] of chunks) await world.chunk(position);
  const stores = peers.flatMap(({ name, openDurable }) => {
    return openDurable === undefined ? [] : [[name, openDurable(folder)] as const];
  });
  const others = stores.map(([name, store]) => {
    const put = (round: number): Promise<void> => {
      const [position, chunk] = prng.pick(chunks);
      return store.put(position.join(), encode(codec, chunk.set(0, 3_000 + round)));
    };
    return [name, put] as const;
  });
  const commit = async (round: number): Promise<void> => {
    await world.set(voxelOf(prng.pick(chunks)[0]), 3_000 + round);
    await world.save();
  };
  const times = await inTurn(commit, new Map(others), ROUNDS);
  for (const [, store] of stores) await store.close();
  await world.close();
  return besideOthers({
    name: "save/one-chunk-beside-others",
    title: "One changed chunk made durable",
    unit: "ms",
    group: `in ${WORLD_CHUNKS} chunks`,
    ...times,
    remark: "ours is a generation of the whole world",
  });
}

/** Two contests in one run: others that hand out bytes, and the same ones with each value decoded to a chunk. */
async function readFigures(
  root: string,
  folder: string,
  peers: readonly PeerStore[],
): Promise<readonly Figure[]> {
  const chunks = makeChunks(WORLD_CHUNKS);
  const codec = chunkCodec(HYPERCUBE_CHUNKS.volume);
  const asked = Array.from({ length: READS }, () => prng.pick(chunks)[0]);
  const disk = new NodeDisk(root);
  const read = async (): Promise<void> => {
    const world = await openWorldEngine(disk, { readOnly: true });
    for (const position of asked) (await world.chunk(position)).get(0);
    await world.close();
  };
  const decoding = (value: Uint8Array): number => decode(codec, value).get(0);
  const bytes = peers.map((peer) => [peer.name, () => peer.read(folder, asked)] as const);
  const decoded = peers
    .filter(({ isBytes }) => isBytes)
    .map((peer) => [`${peer.name}, decoded`, () => peer.read(folder, asked, decoding)] as const);
  const { ours, others } = await inTurn(read, new Map([...bytes, ...decoded]), READ_ROUNDS);
  const isDecoded = ([name]: readonly [string, number]): boolean =>
    peers.every((peer) => peer.name !== name || !peer.isBytes);
  const contest = { unit: "ms", group: `${READS} of ${WORLD_CHUNKS} at random`, ours };
  return [
    besideOthers({
      ...contest,
      name: "save/open-and-read",
      title: "Open, and read chunks",
      others: new Map([...others].filter((entry) => !entry[0].endsWith(", decoded"))),
      budget: READ_BYTES_BUDGET,
      remark: "ours and Anvil decode, the others hand out bytes",
    }),
    besideOthers({
      ...contest,
      name: "save/open-read-and-decode",
      title: "Open, read chunks and decode them",
      others: new Map([...others].filter(isDecoded)),
      budget: READ_DECODED_BUDGET,
      remark: "all decode",
    }),
  ];
}

function voxelOf(position: Position): Position {
  return [position[0] * 8, position[1] * 8, position[2] * 8, position[3] * 8];
}

/** Returns adjacent chunks of a dozen blocks in a cube, the same for the same count. */
function makeChunks(count: number): readonly (readonly [Position, Chunk])[] {
  const edge = Math.ceil(count ** 0.25);
  const voxels = new Uint16Array(HYPERCUBE_CHUNKS.volume);
  return Array.from({ length: count }, (_, index) => {
    for (let cell = 0; cell < voxels.length; cell++) {
      voxels[cell] = 1 + ((Math.imul(cell + index * 7, 0x9e37_79b1) >>> 20) % BLOCKS);
    }
    const position: Position = [
      index % edge,
      Math.floor(index / edge) % edge,
      Math.floor(index / edge ** 2) % edge,
      Math.floor(index / edge ** 3),
    ];
    return [position, chunkFromVoxels(voxels)] as const;
  });
}
