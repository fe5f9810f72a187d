import { equal, ok } from "node:assert/strict";
import { OrthantError } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import {
  createPixelWorld,
  DEFAULT_LAYERS,
  decodePixelBody,
  encodePixelBody,
  openPixelSave,
  openPixelWorld,
  type PixelBody,
  type PixelFacts,
  packMask,
  pixelFactsCodec,
  planPixelRepair,
  Version1Writer,
} from "@orthant/pixel-world";
import {
  applyPixelTable,
  decodePixelChunk,
  decodePixelChunkVersion1,
  decodePixelHeader,
  type EncodedPixelChunk,
  encodePixelChunk,
  encodePixelHeader,
  encodePixelTable,
  lz4Compress,
  lz4Decompress,
  PixelBodyIndex,
  PixelChunkIndex,
  pixelSlotHeader,
  wholePixelTable,
} from "@orthant/pixel-world/internal";
import { FakeTime, Prng } from "@orthant/testkit";
import { lenient, strict, type Target, WHOLE_WORLD } from "../fuzz/decoders.ts";
import { stripes } from "./pixel-history.ts";

const FILE = "world.pxsw";
const EDGE = 8;
const LAYERS = 4;
const BLOCK_BYTES = 1_024;
const TABLE_OFFSET = 1_000_000;
const SLOT = 8_192;
/** Upper bound for the size of each header of the sample. */
const HEADER_ROOM = 160;

const prng = new Prng(6);
const form = { chunkEdge: EDGE, layers: DEFAULT_LAYERS };
const pixels = prng
  .bytes(EDGE * EDGE * LAYERS)
  .map((byte, at) => (at % LAYERS === 3 ? byte & 0x20 : byte & 3));
const delta = {
  positions: Uint32Array.of(0, 1, 9, 60),
  pixels: Uint8Array.from({ length: 16 }, (_, at) => (at % 4 === 3 ? 0x20 : at)),
};
const body: PixelBody = {
  id: 2n ** 60n,
  position: [-0.5, 7],
  rotation: 1,
  velocity: [0, -3],
  angularVelocity: 0,
  width: 3,
  height: 3,
  origin: [-1, -1],
  pixels: Uint8Array.from({ length: 36 }, (_, at) => at),
  mask: packMask([true, false, true, true, false, false, true, false, true]),
  extension: Uint8Array.of(1, 2, 3),
};
const facts: PixelFacts = {
  worldSeed: 42n,
  createdMs: 1_771_200_000_000,
  chunkEdge: 512,
  tileEdge: 32,
  layers: DEFAULT_LAYERS,
  generator: stripes.ref,
};

/** All readers of pixel worlds: of parts, behind the checksums, and of whole files. */
export const pixelTargets: readonly Target[] = [
  part("LZ4 block", (input) => lz4Decompress(input, BLOCK_BYTES), [lz4Compress(blockSample())]),
  part("pixel chunk as changes, version 1", (input) => decodePixelChunkVersion1(input, "delta", "strict"), [
    deltaVersion1(),
  ]),
  part(
    "pixel chunk as changes, version 1, salvaged",
    (input) => decodePixelChunkVersion1(input, "delta", "salvage"),
    [deltaVersion1()],
  ),
  chunkTarget("full", encodePixelChunk({ storage: "full", pixels }, form)),
  chunkTarget("delta", encodePixelChunk({ storage: "delta", delta }, form)),
  part("pixel body", (input) => decodePixelBody(input, LAYERS), [encodePixelBody(body, LAYERS)]),
  strict("facts of a pixel world", pixelFactsCodec, [facts, { ...facts, generator: undefined }]),
  headerTarget(),
  tableTarget(),
  wholeFile("native pixel world", await nativeSample()),
  wholeFile("pixel world of a browser", asBrowser(await nativeSample())),
  wholeFile("pixel world of version 2", squeezed(await version2Sample()), spread),
  lenient(
    "pixel world with damage, opened and saved",
    saveDamaged,
    [squeezed(await version2Sample())],
    WHOLE_WORLD,
  ),
];

/** Creates a target for a reader of one part. */
function part(name: string, read: (input: Uint8Array) => unknown, samples: readonly Uint8Array[]): Target {
  return lenient(name, read, samples, { callBytes: 16_384 });
}

function chunkTarget(storage: "full" | "delta", { payload }: EncodedPixelChunk): Target {
  return part(`pixel chunk, ${storage}`, (input) => decodePixelChunk({ storage, payload: input }, form), [
    payload,
  ]);
}

/** Tests the header behind its checksum, which is zero in the sample and corrected before reading. */
function headerTarget(): Target {
  const at = pixelSlotHeader.offsets.crc32;
  const sample = encodePixelHeader({
    facts,
    generation: 6,
    modifiedMs: 5,
    tableOffset: 16_384,
    tableBytes: 64,
    deadBytes: 0,
    chunkCount: 0,
    bodyCount: 0,
  }).fill(0, at, at + 4);
  return part(
    "header of a pixel world",
    (input) => {
      const bytes = input.slice();
      if (bytes.length >= pixelSlotHeader.bytes) {
        const said = new DataView(bytes.buffer).getUint32(36, true);
        const behind = bytes.subarray(pixelSlotHeader.bytes, pixelSlotHeader.bytes + said);
        new DataView(bytes.buffer).setUint32(at, crc32(behind, crc32(bytes.subarray(0, at))), true);
      }
      return decodePixelHeader(bytes, 0);
    },
    [sample],
  );
}

/** Requires one encoding of each table, by encoding the decoded table again. */
function tableTarget(): Target {
  const index = { chunks: new PixelChunkIndex(), bodies: new PixelBodyIndex() };
  for (const [x, y] of [
    [0, 0],
    [-5, 3],
    [7, -2],
  ] as const)
    index.chunks.set(x, y, 2, 16_384 + 100 * (x + 9), 90);
  index.bodies.set({ id: 7n, x: 1, y: 1, offset: 20_000, bytes: 200 });
  index.bodies.set({ id: 2n ** 63n, x: -1, y: 1, offset: 21_000, bytes: 200 });
  const rewrite = (value: unknown): Uint8Array => {
    const read = value as typeof index;
    return encodePixelTable(wholePixelTable(read), { chunks: read.chunks.size, bodies: read.bodies.size });
  };
  return {
    name: "table of a pixel world",
    decode(input) {
      const read = { chunks: new PixelChunkIndex(), bodies: new PixelBodyIndex() };
      applyPixelTable(input, TABLE_OFFSET, read);
      // Only whole tables can be encoded again; this rejects tables on top of another one.
      if (new DataView(input.buffer, input.byteOffset).getUint32(0, true) !== 0)
        throw new OrthantError("ORT_INDEX", "not whole");
      return read;
    },
    encode: rewrite,
    samples: [rewrite(index)],
    callBytes: 16_384,
  };
}

/** Reads strictly, salvages and verifies the same bytes. None may throw anything but `OrthantError`. */
function wholeFile(
  name: string,
  sample: Uint8Array,
  fileOf = (input: Uint8Array): Uint8Array => input,
): Target {
  const readAll = async (input: Uint8Array): Promise<void> => {
    const disk = new MemoryDisk({ directories: [], files: new Map([[FILE, fileOf(input)]]) });
    // Also verifies the file.
    await planPixelRepair(disk, FILE);
    const save = await openPixelSave(disk, FILE);
    for (const ref of save.chunks()) await save.readChunk(ref);
    for (const ref of save.bodies()) await save.readBody(ref);
  };
  return lenient(name, readAll, [sample], WHOLE_WORLD);
}

/**
 * Opens a damaged world, saves another chunk, and opens it strictly: what opens with damage is whole after a save,
 * and has every chunk that the repair of the damaged file finds, as long as tables were damaged.
 */
async function saveDamaged(input: Uint8Array): Promise<void> {
  const disk = new MemoryDisk({ directories: [], files: new Map([[FILE, spread(input)]]) });
  const options = { time: new FakeTime(), autosave: false, generator: stripes } as const;
  const world = await openPixelWorld(disk, FILE, { ...options, onDamage: "regenerate" });
  const isRecovered = world.damage.length > 0;
  const { facts: found, chunkCount, bodyCount } = world;
  const added = new Uint8Array(found.chunkEdge ** 2 * found.layers.length).fill(1);
  try {
    if (isRecovered) {
      const plan = await planPixelRepair(disk, FILE);
      equal(chunkCount, plan.chunks.length, "chunks that a repair finds");
      equal(bodyCount, plan.bodies.length, "bodies that a repair finds");
    }
    await world.store(1_000, 1_000, added);
  } finally {
    await world.close();
  }
  const again = await openPixelWorld(disk, FILE, options);
  equal(again.chunkCount, chunkCount + 1, "chunks after a save");
  equal(again.bodyCount, bodyCount, "bodies after a save");
  ok(await again.load(1_000, 1_000));
  await again.close();
}

/** Removes the unused room behind the headers of a version 2 file, so that mutations hit used bytes. */
function squeezed(file: Uint8Array): Uint8Array {
  const parts = [
    file.subarray(0, HEADER_ROOM),
    file.subarray(SLOT, SLOT + HEADER_ROOM),
    file.subarray(SLOT * 2),
  ];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Reverses {@link squeezed}. */
function spread(input: Uint8Array): Uint8Array {
  const file = new Uint8Array(SLOT * 2 + Math.max(0, input.length - HEADER_ROOM * 2));
  file.set(input.subarray(0, HEADER_ROOM), 0);
  file.set(input.subarray(HEADER_ROOM, HEADER_ROOM * 2), SLOT);
  file.set(input.subarray(HEADER_ROOM * 2), SLOT * 2);
  return file;
}

function blockSample(): Uint8Array {
  return Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => (at % 37) ^ (at >> 6));
}

function deltaVersion1(): Uint8Array {
  const changes = [2, 0, 0, 0, 5, 0, 0, 9, 8, 7, 2, 9, 1, 0, 9, 8, 7, 2];
  const block = lz4Compress(Uint8Array.from(changes));
  return Uint8Array.from([changes.length, 0, 0, 0, ...block]);
}

async function nativeSample(): Promise<Uint8Array> {
  const disk = new MemoryDisk();
  const writer = await Version1Writer.create(disk, FILE);
  await writer.addPayload({ x: 0, y: 0, storage: "delta" }, deltaVersion1());
  await writer.addBody(body);
  await writer.addChunk(1, 0, { storage: "empty" });
  await writer.addBody({ ...body, id: 3n, position: [900, 900] });
  await writer.finish({ worldSeed: 1n, createdMs: 1_000, modifiedMs: 2_000 });
  return disk.image().files.get(FILE) ?? new Uint8Array(0);
}

/** Returns the same content as the browser version writes it. */
function asBrowser(native: Uint8Array): Uint8Array {
  const bytes = native.slice();
  const view = new DataView(bytes.buffer);
  const table = Number(view.getBigUint64(40, true));
  const bodies = view.getBigUint64(53, true);
  bytes.set([0x50, 0x58, 0x53, 0x56, 1, 0, 0, 0]);
  view.setUint32(36, 0, true);
  bytes.fill(0, 48, 64);
  view.setUint32(48, 48, true);
  view.setBigUint64(52, bodies, true);
  for (const entry of [table, table + 24]) bytes[entry + 21] = 0;
  return bytes;
}

async function version2Sample(): Promise<Uint8Array> {
  const disk = new MemoryDisk();
  const options = { time: new FakeTime(), autosave: false, generator: stripes, random: () => 1n };
  const world = await createPixelWorld(disk, FILE, { chunkEdge: EDGE }, options);
  await world.store(0, 0, pixels);
  await world.storeBody(body);
  await world.save().done;
  await world.store(-1, 4, new Uint8Array(EDGE * EDGE * LAYERS));
  await world.close();
  return disk.image().files.get(FILE) ?? new Uint8Array(0);
}
