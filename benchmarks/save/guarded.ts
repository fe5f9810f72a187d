import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { type Chunk, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { chunkCodec, encodePackedChunk } from "@orthant/core/chunk";
import { NodeDisk } from "@orthant/disk/node";
import { verifySave } from "@orthant/save";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { type CallTime, type Figure, median, ofLimit, timeAsync } from "../figure.ts";
import { sized } from "../size.ts";

const ROUNDS = sized(5, 1);
const CHUNKS_PER_BLOB = 32;

/** Chunks with their positions. */
type Chunks = readonly (readonly [Position, Chunk])[];

/**
 * Writing, reading and verifying a world, each next to the part of the work that no store can leave out. Processor time
 * is compared, so that neither the disk nor other programs matter: these ratios only show when our share grows.
 */
export async function* guardedSaveFigures(folder: string, chunks: Chunks): AsyncGenerator<Figure> {
  const codec = chunkCodec(HYPERCUBE_CHUNKS.volume);
  let worlds = 0;
  const write = async (): Promise<void> => {
    const disk = await NodeDisk.create(join(folder, `${++worlds}`));
    const world = await createWorldEngine(disk, {}, { autosave: false });
    await world.setChunks(chunks);
    await world.close();
  };
  yield await cpuFigure("save/compressed-bulk-cpu", "packing and compressing the chunks", write, async () =>
    sum(packedBlobs(chunks), (blob) => deflateRawSync(blob, { level: 1 }).length),
  );

  const root = join(folder, "1");
  const read = async (): Promise<number> => {
    const world = await openWorldEngine(new NodeDisk(root), { readOnly: true });
    let blocks = 0;
    for (const [position] of chunks) blocks += (await world.chunk(position)).get(0);
    await world.close();
    return blocks;
  };
  const values = chunks.map(([, chunk]) => encode(codec, chunk));
  const decodeAll = (): number => sum(values, (value) => decode(codec, value).get(0));
  yield await cpuFigure("save/read-cpu", "decoding the chunks from memory", read, async () => decodeAll());

  const verify = async (): Promise<void> => {
    const [finding] = await verifySave(new NodeDisk(root));
    if (finding !== undefined) throw new Error(`a world with findings: ${JSON.stringify(finding)}`);
  };
  yield await cpuFigure("save/verify-cpu", "decoding the chunks from memory", verify, async () =>
    decodeAll(),
  );
}

/** Returns the packed chunks, as many together as a leaf has. */
function packedBlobs(chunks: Chunks): readonly Uint8Array[] {
  const packed = chunks.map(([, chunk]) => encodePackedChunk(chunk));
  const blobs = Array.from({ length: Math.ceil(packed.length / CHUNKS_PER_BLOB) }, (_, index) =>
    packed.slice(index * CHUNKS_PER_BLOB, (index + 1) * CHUNKS_PER_BLOB),
  );
  return blobs.map((parts) => Buffer.concat(parts));
}

/** Compares processor time, of several rounds in turn; the first warms up. */
async function cpuFigure(
  name: string,
  limit: string,
  ours: () => Promise<unknown>,
  bare: () => Promise<unknown>,
): Promise<Figure> {
  const times: { readonly ours: CallTime; readonly bare: CallTime }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    times.push({ bare: await timeAsync(bare), ours: await timeAsync(ours) });
  }
  const measured = times.slice(1);
  const cpuMs = (side: "ours" | "bare"): number => median(measured.map((time) => time[side].cpuNs / 1e6));
  const ratio = median(measured.map((time) => time.bare.cpuNs / time.ours.cpuNs));
  const remark = `${cpuMs("ours").toFixed(0)} ms of processor, bare ${cpuMs("bare").toFixed(0)} ms`;
  return ofLimit(name, ratio, limit, undefined, remark);
}

function sum<Item>(items: readonly Item[], amount: (item: Item) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
