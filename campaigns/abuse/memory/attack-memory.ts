import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectReplica } from "@orthant/client/node";
import type { ReplicaInterest, WorldReplica } from "@orthant/client/replica";
import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { issueToken } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { ServerProcess } from "../../process/server-process.ts";
import { HonestClient } from "../honest-client.ts";
import { AUDIENCE, SECRET } from "../target-settings.ts";
import { HEAP_MEBIBYTES, LOADED_BYTES_MAX, WATCHED_BYTES_MAX } from "./memory-settings.ts";

const SERVER = new URL("./memory-server.js", import.meta.url);
const MEBIBYTE = 2 ** 20;
const ATTACKER_ID = 1_000n;
const CLIENTS = 4;
const CHUNK_VOXELS = 4_096;
const EDGE = 8;
const BLOCKS = 9;
/** Voxels of an edit with a byte of data each. */
const EDIT_VOXELS = 2_048;
/** Voxels of a chunk with as much data as it may have, and bytes of each. */
const LARGE_VOXELS = 8;
const LARGE_BYTES = 32_000;
/** Edits that a client may have open. They may be made while a save or a goodbye is on its way. */
const OPEN_EDITS = 60;
const OPEN_BYTES: number = CLIENTS * OPEN_EDITS * LARGE_BYTES;
/** Chunks after which an attacker who leaves them looks at another place. */
const LOOK_CHUNKS = 4;
/** Chunks that another one holds, and fills as long as it may. */
const HELD_CHUNKS = 4_096;
/** Memory of a connection, and garbage that is not collected yet. */
const OTHER_BYTES = 224 * MEBIBYTE;

/** What docs/guides/run-a-server.md says that chunks take at most, besides what is not in use any more. */
const BYTES_MAX = 1.5 * WATCHED_BYTES_MAX + OTHER_BYTES;

/**
 * One account fills a world with chunks of different blocks and data, and leaves them or holds them. Returns the faults.
 * In the smallest run, it ends as soon as each client has filled a few chunks.
 */
export async function attackMemory(seconds: number, isSmallest = false): Promise<readonly string[]> {
  const chunksMax = isSmallest ? LOOK_CHUNKS : Number.POSITIVE_INFINITY;
  const failures: string[] = [];
  for (const mode of ["leaves", "holds"] as const) {
    const faults = await fill(mode, seconds, chunksMax);
    failures.push(...faults.map((fault) => `one attacker who fills chunks and ${mode} them: ${fault}`));
  }
  return failures;
}

async function fill(
  mode: "leaves" | "holds",
  seconds: number,
  chunksMax: number,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-memory-"));
  const server = await ServerProcess.start(SERVER, [folder], [`--max-old-space-size=${HEAP_MEBIBYTES}`]);
  try {
    const honest = await HonestClient.join(server.port, 1, 200);
    const calmBytes = await server.ask("bytes");
    const endsAtMs = performance.now() + seconds * 1_000;
    const attackers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => attack(server, index, mode, { endsAtMs, chunksMax })),
    );
    const faults = [...honest.faults];
    if (server.hasEnded) return [...faults, `the server ended: ${server.complaints.slice(0, 500)}`];
    const peakBytes = await server.ask("peakBytes");
    const loadedBytes = await server.ask("peakLoadedBytes");
    const edits = honest.takeLatencies().length;
    await honest.close();
    const filledBytes = attackers.reduce((sum, filled) => sum + filled, 0);
    console.log(
      `abuse: one attacker fills chunks with ${mebibytes(filledBytes)} of data and ${mode} them: ` +
        `${mebibytes(loadedBytes)} of chunks, ${mebibytes(peakBytes - calmBytes)} more memory than before`,
    );
    const loadedBytesMax = OPEN_BYTES + (mode === "leaves" ? LOADED_BYTES_MAX : WATCHED_BYTES_MAX);
    if (loadedBytes > loadedBytesMax)
      faults.push(`${mebibytes(loadedBytes)} of chunks, the limit is ${mebibytes(loadedBytesMax)}`);
    if (peakBytes - calmBytes > BYTES_MAX)
      faults.push(`${mebibytes(peakBytes - calmBytes)} of memory, the limit is ${mebibytes(BYTES_MAX)}`);
    if (filledBytes === 0 || edits === 0)
      faults.push(`${filledBytes} bytes and ${edits} honest edits were made`);
    return faults;
  } finally {
    await server.kill();
    await rm(folder, { recursive: true });
  }
}

/** Fills chunk after chunk with one client of the account. Returns how many bytes of data it brought. */
async function attack(
  server: ServerProcess,
  index: number,
  mode: "leaves" | "holds",
  { endsAtMs, chunksMax }: { readonly endsAtMs: number; readonly chunksMax: number },
): Promise<number> {
  const claims = { playerId: ATTACKER_ID, role: "builder", expiresInSeconds: 3_600 } as const;
  const token = await issueToken(claims, { secret: SECRET, audience: AUDIENCE });
  const prng = new Prng(index);
  const cornerOf = (chunk: number): Position => [chunk * EDGE, 10_000 + index * 1_000, 0, 0];
  const interestAt = (chunk: number): ReplicaInterest => {
    const length = mode === "holds" ? HELD_CHUNKS : LOOK_CHUNKS;
    const [x, y] = cornerOf(chunk).map((voxel) => voxel / EDGE) as [number, number];
    return { boxes: [boxBetween([x, y, 0, 0], [x + length, y + 1, 1, 1])] };
  };
  const world = connectReplica(`ws://127.0.0.1:${server.port}`, {
    name: `attacker ${index}`,
    token,
    interest: interestAt(0),
  });
  const late = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), Math.max(0, endsAtMs - performance.now())).unref();
  });
  let filled = 0;
  try {
    await Promise.race([world.complete(), late]);
    for (
      let chunk = 0;
      chunk < chunksMax && performance.now() < endsAtMs && !server.hasEnded;
      chunk += LOOK_CHUNKS
    ) {
      if (mode === "leaves") world.setInterest(interestAt(chunk));
      const filling = Array.from({ length: LOOK_CHUNKS }, async (_, next) => {
        filled += await fillChunk(world, cornerOf(chunk + next), prng);
      });
      // One who holds too much is sent away, as it should be.
      const made = await Promise.race([Promise.all(filling).catch(() => false as const), late]);
      if (made === false) break;
    }
  } finally {
    await world.close();
  }
  return filled;
}

/** Fills a chunk with many voxels of one byte each, or with few that take as much as they may. */
async function fillChunk(world: WorldReplica, corner: Position, prng: Prng): Promise<number> {
  const isMany = prng.chance(0.5);
  const [voxels, dataBytes, editVoxels] = isMany
    ? [CHUNK_VOXELS, 1, EDIT_VOXELS]
    : [LARGE_VOXELS, LARGE_BYTES, 1];
  const [x, y] = corner;
  const placements = Array.from({ length: voxels }, (_, voxel): VoxelPlacement => {
    const at = (shift: number): number => (voxel >> shift) & (EDGE - 1);
    const place: Position = [x + at(0), y + at(3), at(6), at(9)];
    return { voxel: place, block: 1 + prng.below(BLOCKS), data: dataOf(prng, dataBytes) };
  });
  const results = await Promise.all(
    Array.from({ length: voxels / editVoxels }, (_, part) =>
      world.setVoxels(placements.slice(part * editVoxels, (part + 1) * editVoxels)),
    ),
  );
  const refused = results.find(({ status }) => status !== "applied");
  if (refused !== undefined) throw new Error(`an edit is ${JSON.stringify(refused)}`);
  return voxels * dataBytes;
}

/** Returns data that the game can read: bytes, behind the one that says so. */
function dataOf(prng: Prng, bytes: number): Uint8Array {
  const data = prng.bytes(bytes);
  data[0] = 0;
  return data;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
