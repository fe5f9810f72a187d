import { type Box, type Chunk, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { chunkCodec, diffChunks } from "@orthant/core/chunk";
import { cubeAt, regionOf, voxelOfIndex } from "@orthant/core/lattice";
import { type VoxelPlacement, voxelEditsCodec } from "@orthant/core/tree";
import type { SyncClient } from "@orthant/protocol/client";
import { Prng } from "@orthant/testkit";
import { atMost, type Bar, type Figure, type Plot, told } from "./figure.ts";
import { sized } from "./size.ts";
import { type ChangedChunk, type Colyseus, loadColyseus } from "./wire/colyseus-state.ts";
import { changeSingleVoxels, ONE_VOXEL_CHUNKS } from "./wire/one-voxel.ts";
import { readFrameFigure } from "./wire/read-frame.ts";
import { SharedPair, type Traffic } from "./wire/shared-pair.ts";

const WINDOW_RADIUS_CHUNKS = 6;
const WINDOW: Box = cubeAt([-6, -6, -6, -6], WINDOW_RADIUS_CHUNKS * 2 + 1);
const EDITED_CHUNKS = sized(200, 20);
const ONE_VOXEL_BUDGET_BYTES = 48;
const FIRST_JOIN_BUDGET = 1.2;
const REJOIN_BUDGET = 0.02;
const CHANGED_SHARE = 0.01;

const prng = new Prng(5);

/**
 * Question: how many bytes does it take to share a world?
 * Budgets: one voxel takes at most 48 bytes of message; a first join little more than the edits themselves; a
 * reconnect costs what changed. Baselines are the same things as plain JSON, as whole chunks and with Colyseus.
 */
export async function* wireSuite(): AsyncGenerator<Figure> {
  const colyseus = loadColyseus();
  yield* oneVoxelFigures(colyseus);
  yield* joinFigures(colyseus);
  yield readFrameFigure();
}

/** The suite's figures next to the bare limit. */
export function* wireLimits(): Generator<Figure> {
  yield readFrameFigure();
}

async function* oneVoxelFigures(colyseus: Colyseus | undefined): AsyncGenerator<Figure> {
  for (const [name, chunk] of ONE_VOXEL_CHUNKS) {
    const { before, after, edits, sizes } = await changeSingleVoxels(chunk, prng);
    const json = JSON.stringify({
      type: "setVoxel",
      position: voxelOfIndex(HYPERCUBE_CHUNKS, chunk, 1_234),
      block: 7,
    });
    const others: readonly Other[] = [
      ["Colyseus", colyseus?.patchBytes(before, edits)],
      ["JSON", json.length],
      ["a whole chunk", encode(chunkCodec(HYPERCUBE_CHUNKS.volume), after).length],
    ];
    const ours = Math.max(...sizes);
    const remark = `the first in an untouched chunk ${sizes[0]}; ${listed(others)}`;
    const plot = bytesPlot("One voxel that was changed", name, ours, others);
    yield atMost(`wire/one-voxel-${name}`, ours, "bytes", ONE_VOXEL_BUDGET_BYTES, remark, plot);
  }
}

/** Size of the same thing in another form; `undefined` when the peer is not installed. */
type Other = readonly [label: string, bytes: number | undefined];

function listed(others: readonly Other[]): string {
  return others.flatMap(([label, bytes]) => (bytes === undefined ? [] : [`${label} ${bytes}`])).join(", ");
}

function bytesPlot(title: string, group: string, ours: number, others: readonly Other[]): Plot {
  const peers = others.flatMap(([label, value]): readonly Bar[] =>
    value === undefined ? [] : [{ label, role: "peer", value }],
  );
  const bars: readonly Bar[] = [{ label: "Orthant", role: "ours", value: ours }, ...peers];
  return { title, unit: "bytes", better: "less", group, bars };
}

async function* joinFigures(colyseus: Colyseus | undefined): AsyncGenerator<Figure> {
  const pair = await SharedPair.make();
  const edited = await editChunks(pair);
  const madeBytes = edited.reduce((bytes, { smallestBytes }) => bytes + smallestBytes, 0);
  const chunks = changedChunks(edited);

  const client = pair.newClient(1n, "equal");
  const first = await join(pair, client);
  const stranger = pair.newClient(2n, "none");
  const concrete = await join(pair, stranger);
  const others: readonly Other[] = [
    ["the chunks whole", edited.reduce((bytes, chunk) => bytes + chunk.wholeBytes, 0)],
    ["the voxels as JSON", edited.reduce((bytes, { jsonBytes }) => bytes + jsonBytes, 0)],
    ["Colyseus, the voxels", colyseus?.editsJoinBytes(chunks)],
    ["Colyseus, the chunks", colyseus?.wholeJoinBytes(chunks)],
  ];
  const plot = bytesPlot("A first join", `${EDITED_CHUNKS} changed chunks`, first.downBytes, others);
  const share = first.downBytes / madeBytes;
  const remark = `${first.downBytes} bytes for ${madeBytes} of edits; ${listed(others)}`;
  yield atMost("wire/first-join", share, "of the encoded edits", FIRST_JOIN_BUDGET, remark, plot);

  const times = `${(concrete.downBytes / first.downBytes).toFixed(1)} of that with equal generators`;
  yield told("wire/first-join-concrete", concrete.downBytes, "bytes", times);

  const changed = await changeSomeRegions(pair, client);
  const kept = client.keep();
  if (kept === undefined) throw new Error("a client that joined keeps nothing");
  const again = pair.newClient(3n, "equal");
  again.restore(kept);
  const rejoin = await join(pair, again);
  yield atMost(
    "wire/rejoin",
    rejoin.downBytes / first.downBytes,
    "of the first join",
    REJOIN_BUDGET,
    `${rejoin.downBytes} bytes for ${changed} regions that changed meanwhile; ${rejoin.upBytes} bytes up`,
  );
}

async function join(pair: SharedPair, client: SyncClient): Promise<Traffic> {
  const traffic = pair.connect(client);
  client.setInterest({ boxes: [WINDOW], center: [0, 0, 0, 0] });
  await pair.settle(client);
  return traffic;
}

interface EditedChunk {
  readonly position: Position;
  readonly before: Chunk;
  readonly after: Chunk;
  /** The chunk, or a list of its voxels that differ from the generated ones, whichever is shorter. */
  readonly smallestBytes: number;
  readonly wholeBytes: number;
  readonly jsonBytes: number;
}

/** Half of the chunks get a built or dug box, the others some single voxels. */
async function editChunks(pair: SharedPair): Promise<readonly EditedChunk[]> {
  const codec = chunkCodec(HYPERCUBE_CHUNKS.volume);
  const edited: EditedChunk[] = [];
  for (let index = 0; index < EDITED_CHUNKS; index++) {
    const position: Position = [randomChunk(), randomChunk(), randomChunk(), randomChunk()];
    const before = await pair.world.chunk(position);
    await pair.world.edit(index % 2 === 0 ? boxIn(position) : voxelsIn(position));
    const after = await pair.world.chunk(position);
    edited.push({ position, before, after, ...sizesOf(before, after, encode(codec, after).length) });
  }
  return edited;
}

/** Returns each chunk once, with all of its changes. */
function changedChunks(edited: readonly EditedChunk[]): readonly ChangedChunk[] {
  const changed = new Map<string, readonly [before: Chunk, after: Chunk]>();
  for (const { position, before, after } of edited) {
    const [first] = changed.get(position.join()) ?? [before];
    changed.set(position.join(), [first, after]);
  }
  return Array.from(changed, ([key, [before, after]]) => ({
    key,
    chunk: after,
    edits: diffChunks(before, after),
  }));
}

type EditedSizes = Pick<EditedChunk, "smallestBytes" | "wholeBytes" | "jsonBytes">;

function sizesOf(before: Chunk, after: Chunk, wholeBytes: number): EditedSizes {
  const edits = diffChunks(before, after);
  const listBytes =
    edits.length === 0 ? Infinity : encode(voxelEditsCodec(HYPERCUBE_CHUNKS.volume), edits).length;
  const jsonBytes = JSON.stringify(edits).length;
  return { smallestBytes: Math.min(wholeBytes, listBytes), wholeBytes, jsonBytes };
}

function boxIn(chunk: Position): readonly VoxelPlacement[] {
  const edge = prng.between(3, 6);
  const block = 1 + prng.below(20);
  const corner = [
    prng.below(8 - edge),
    prng.below(8 - edge),
    prng.below(8 - edge),
    prng.below(8 - edge),
  ] as const;
  const placements: VoxelPlacement[] = [];
  for (let cell = 0; cell < edge ** 4; cell++) {
    const inside = [
      cell % edge,
      Math.floor(cell / edge) % edge,
      Math.floor(cell / edge ** 2) % edge,
      Math.floor(cell / edge ** 3),
    ];
    const voxel = chunk.map((at, axis) => at * 8 + (corner[axis] ?? 0) + (inside[axis] ?? 0));
    placements.push({ voxel: voxel as unknown as Position, block });
  }
  return placements;
}

function voxelsIn(chunk: Position): readonly VoxelPlacement[] {
  return Array.from({ length: prng.between(20, 60) }, () => ({
    voxel: voxelOfIndex(HYPERCUBE_CHUNKS, chunk, prng.below(HYPERCUBE_CHUNKS.volume)),
    block: 1 + prng.below(20),
  }));
}

/** Changes a voxel in one of a hundred regions while the client is disconnected. */
async function changeSomeRegions(pair: SharedPair, client: SyncClient): Promise<number> {
  client.disconnected();
  const regions = new Set<string>();
  const wanted = Math.round(5 ** 4 * CHANGED_SHARE);
  while (regions.size < wanted) {
    const chunk: Position = [randomChunk(), randomChunk(), randomChunk(), randomChunk()];
    regions.add(regionOf(chunk).join());
    await pair.world.set(voxelOfIndex(HYPERCUBE_CHUNKS, chunk, prng.below(HYPERCUBE_CHUNKS.volume)), 30);
  }
  return regions.size;
}

function randomChunk(): number {
  return prng.between(-WINDOW_RADIUS_CHUNKS, WINDOW_RADIUS_CHUNKS);
}
