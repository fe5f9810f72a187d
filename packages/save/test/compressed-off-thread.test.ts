import { type Chunk, chunkFromVoxels, emptyChunk, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { encodePackedChunk, encodeShortChange } from "@orthant/core/chunk";
import { cubeAt, positionsLexicographic } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  BulkSaveWriter,
  type ChunkEntry,
  createSave,
  type GlobalState,
  type LeafChange,
  openSave,
  plainDescription,
  type StoredChunk,
  verifySave,
} from "@orthant/save";
import { openBlob, sealBlob } from "@orthant/save/internal";
import { codeOfRejection, Prng } from "@orthant/testkit";
import { GLOBAL } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const { volume } = HYPERCUBE_CHUNKS;
const global: GlobalState = { ...GLOBAL, description: plainDescription(HYPERCUBE_CHUNKS) };

/** Returns a chunk of some blocks, in runs of about this length. */
function striped(prng: Prng, blocks: number, runLength: number): Chunk {
  const voxels = new Uint16Array(volume);
  for (let start = 0; start < volume; ) {
    const end = Math.min(volume, start + prng.between(1, runLength * 2));
    voxels.fill(prng.below(blocks), start, end);
    start = end;
  }
  return chunkFromVoxels(voxels);
}

/** Returns leaves with more chunks than a commit compresses on its own thread. */
function manyLeaves(): readonly LeafChange[] {
  const prng = new Prng(1);
  return [0, 4, 8, 12, 16].map((x) => {
    const cube = cubeAt([x, 0, 0, 0], 4);
    const chunks = Array.from(positionsLexicographic(cube), (position) => {
      return { position, chunk: striped(prng, 9, 3) };
    });
    return { cube, chunks };
  });
}

async function bulkSave(batches: readonly (readonly LeafChange[])[]): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const writer = await BulkSaveWriter.create(disk, HYPERCUBE_CHUNKS);
  for (const leaves of batches) await writer.add(leaves);
  await writer.finish({ nowMs: 1, global, players: [] });
  await writer.close();
  return disk;
}

async function packOf(disk: MemoryDisk): Promise<Uint8Array> {
  const file = await disk.open("data/dt-000001.v4dt", "read");
  const bytes = await file.readAt(0, await file.size());
  await file.close();
  return bytes;
}

describe("records that another thread compresses", () => {
  test("are the same as those of this one, in the same order", async () => {
    const leaves = manyLeaves();
    const beside = await bulkSave([leaves]);
    const alone = await bulkSave(leaves.map((leaf) => [leaf]));
    expect(Buffer.compare(await packOf(beside), await packOf(alone))).toBe(0);
    expect(isWhole(await verifySave(beside))).toBe(true);
  });

  test("[S71, S72] are refused alike when damaged", async () => {
    const inner = new Prng(2).bytes(50_000).map((byte) => byte & 3);
    const sealed = await sealBlob(inner, true);
    expect(sealed).toEqual(await sealBlob(inner));
    expect(await openBlob(sealed, inner.length, 0, true)).toEqual(inner);
    for (let offset = 4; offset < sealed.length; offset += 997) {
      const damaged = sealed.slice();
      damaged[offset] = (damaged[offset] as number) ^ 0x55;
      const open = (isOffThread: boolean) => async (): Promise<string> =>
        Buffer.from(await openBlob(damaged, inner.length, 0, isOffThread)).toString("latin1");
      const code = await codeOfRejection(open(false));
      expect(await codeOfRejection(open(true))).toBe(code);
      if (code === "no error") expect(await open(true)()).toBe(await open(false)());
    }
    const cut = sealed.subarray(0, sealed.length - 1);
    expect(await codeOfRejection(async () => openBlob(cut, inner.length, 0, true))).toBe("ORT_DEFLATE");
  });
});

test("[S81] chunks of any noise are stored as a change to air exactly if that is short enough", async () => {
  const prng = new Prng(3);
  const cube = cubeAt([0, 0, 0, 0], 4);
  const chunks: ChunkEntry[] = Array.from(positionsLexicographic(cube), (position: Position, index) => {
    return { position, chunk: striped(prng, prng.pick([2, 3, 12]), 1 + (index % 40)) };
  });
  const disk = new MemoryDisk();
  const writer = await createSave(disk, { nowMs: 1, global, leaves: [{ cube, chunks }] });
  await writer.close();
  const save = await openSave(disk);
  const stored: StoredChunk[] = [];
  for await (const leaf of save.index.all()) stored.push(...(await save.readStored(leaf)));
  await save.close();
  const wanted = chunks.map(({ chunk }) => {
    const bytesMax = Math.ceil(encodePackedChunk(chunk).length / 4) - 1;
    return encodeShortChange(emptyChunk(volume), chunk, bytesMax) === undefined ? "chunk" : "change";
  });
  const kinds = new Map(stored.map(({ position, kind }) => [position.join(), kind]));
  expect(chunks.map(({ position }) => kinds.get(position.join()))).toEqual(wanted);
  expect(new Set(wanted).size).toBe(2);
});
