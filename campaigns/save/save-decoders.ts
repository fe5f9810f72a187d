import {
  BlockCatalog,
  type Chunk,
  chunkFromVoxels,
  DEFAULT_BLOCKS,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  type Position,
} from "@orthant/core";
import { crc32, decode, decodeForeign, encode, encodeUtf8 } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { encodeChunkChange } from "@orthant/core/internal";
import {
  flatChunkBlobCodec,
  flatEntityBlobCodec,
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
  readLegacyWorld,
  worldOverrideCodec,
} from "@orthant/formats/internal";
import {
  DEFAULT_LIMITS,
  type GlobalRecord,
  type LeafEntry,
  plainDescription,
  type RecordRef,
  type StoredChunk,
} from "@orthant/save";
import { playersCodec } from "@orthant/save/content";
import { generationFiles, type Manifest } from "@orthant/save/files";
import {
  ChunkContent,
  chunkBlobCodec,
  compactedPackHeader,
  decodeIndexFile,
  decodeManifest,
  decodeRoot,
  encodeIndexFile,
  encodeManifest,
  encodePage,
  entityBlobCodec,
  globalRecordCodec,
  type IndexFile,
  IndexPage,
  indexHeader,
  journalEntryCodec,
  openBlob,
  packedBlobCodec,
  pageHeader,
  scanPack,
  scheduledTicksCodec,
  sealBlob,
  trieOf,
  wholeChunk,
} from "@orthant/save/internal";
import { lenient, strict, type Target } from "../fuzz/decoders.ts";
import { journalEntries } from "./journal-samples.ts";
import { modelChunk, modelEntity, modelPlayer, SMALL_CHUNKS } from "./model-world.ts";
import { sealedTarget } from "./sealed-target.ts";
import { storeTargets, withRecords } from "./store-decoders.ts";

const ref: RecordRef = {
  packId: 1,
  recordOffset: 12,
  recordBytes: 40,
  recordCrc32: 0xdead_beef,
  blobType: 1,
  blobVersion: 1,
};

const index: IndexFile = {
  version: 2,
  generation: 300,
  leaves: [
    {
      cube: { min: [-4, -4, -4, -4], max: [0, 0, 0, 0] },
      chunkRefs: [ref],
      entityRefs: [],
      chunks: 0,
      clocks: [{ region: [-1, -1, -1, -1], clock: 2 ** 40 }],
    },
    {
      cube: { min: [0, 0, 0, 0], max: [1, 1, 1, 1] },
      chunkRefs: [ref, ref],
      entityRefs: [ref],
      chunks: 0,
      clocks: [],
    },
    {
      cube: { min: [8, 0, 0, 0], max: [16, 8, 8, 8] },
      chunkRefs: [],
      entityRefs: [ref],
      chunks: 0,
      clocks: [],
    },
  ],
};

const manifest: Manifest = {
  ...generationFiles(3),
  currentGeneration: 3,
  createdMs: 1,
  lastModifiedMs: 2,
  activeDataFileId: 1,
  dataFileCount: 1,
  limits: DEFAULT_LIMITS,
};

const global: GlobalRecord = {
  base: { kind: "flatFloor", block: 300 },
  worldSeed: 0xffff_ffff_ffff_ffffn,
  generators: [{ generatorId: "terrain", params: Uint8Array.of(1, 2), seed: 7n, versionHash: 9n }],
  nextEntityId: 5n,
  playerEntityHints: [{ playerId: 1n, entityId: 2n, lastRegion: [0, -1, 0, 0] }],
  description: {
    ...plainDescription(SMALL_CHUNKS),
    name: "fuzz",
    namedGenerations: [{ generation: 3, name: "three" }],
    attachments: [{ key: "a", value: Uint8Array.of(1) }],
  },
  nextDataFileId: 2,
  lastModifiedMs: 1_771_200_000_000,
};
const globalWithMap: GlobalRecord = {
  ...global,
  generators: [
    ...global.generators,
    { generatorId: "terrain", params: Uint8Array.of(1, 3), seed: 7n, versionHash: 9n },
    { generatorId: "terrain", params: Uint8Array.of(1, 2), seed: 7n, versionHash: 10n },
  ],
  generatorRegions: [
    { generator: 1, box: { min: [-4, -1, -4, 0], max: [-1, 2, 300, 1] } },
    { generator: 2, box: { min: [-1, -1, -4, 0], max: [0, 2, 5, 1] } },
    { generator: 1, box: { min: [0, -1, -4, 0], max: [1, 2, 5, 1] } },
  ],
};
const globalWithId: GlobalRecord = {
  ...global,
  description: {
    ...global.description,
    clockEpoch: 3,
    worldId: 0x0123_4567_89ab_cdefn,
    epochs: [
      { number: 2, id: 5n },
      { number: 3, id: 0xffff_ffff_ffff_ffffn },
    ],
    edits: [
      { clientId: 7n, lastEditId: 1 },
      { clientId: 8n, lastEditId: 300 },
    ],
  },
};
const { generators: _, description: __, ...flatGlobal } = { ...global, base: { kind: "empty" } as const };

const players = [modelPlayer(1n, 5), modelPlayer(9n, 6)];
const bareplayers = players.map((player) => ({
  ...player,
  authKey: new Uint8Array(0),
  name: undefined,
  metadata: [],
}));
const entities = [modelEntity(1n, [1, 2, 3, 4]), modelEntity(2n, [-1, 0, 0, 0])];
const box = { min: [-4, -4, -4, -4], max: [4, 4, 4, 4] } as const;
const smallChunks = [
  { position: [-1, 0, 0, 0], chunk: modelChunk(3) },
  { position: [0, 0, 0, 0], chunk: emptyChunk(SMALL_CHUNKS.volume) },
  { position: [0, 0, 0, 5], chunk: modelChunk(3) },
  { position: [0, 9, 0, 0], chunk: undefined },
  { position: [3, 0, 0, 0], chunk: modelChunk(4) },
] as const;
const bigChunk = chunkFromVoxels(
  Uint16Array.from({ length: HYPERCUBE_CHUNKS.volume }, (_value, at) => Number(at % 97 === 0)),
);
const bigChunks = [{ position: [1, 2, 3, 0], chunk: bigChunk }] as const;

const changeOf = (position: Position, base: "generator" | "air", after: Chunk): StoredChunk => ({
  kind: "change",
  position,
  base,
  volume: after.volume,
  change: encodeChunkChange(emptyChunk(after.volume), after) ?? new Uint8Array(0),
});
const smallStored: readonly StoredChunk[] = [
  wholeChunk([-1, 0, 0, 0], ChunkContent.of(modelChunk(3))),
  changeOf([0, 0, 0, 0], "generator", modelChunk(5)),
  wholeChunk([0, 0, 0, 5], ChunkContent.of(modelChunk(3))),
  changeOf([0, 9, 0, 0], "air", emptyChunk(SMALL_CHUNKS.volume).set(3, 300)),
  wholeChunk([3, 0, 0, 0], ChunkContent.of(emptyChunk(SMALL_CHUNKS.volume))),
];
const wideStored: readonly StoredChunk[] = [
  smallStored[0] as StoredChunk,
  changeOf([65_534, 65_535, 65_535, 65_535], "air", modelChunk(6)),
];
const bigStored: readonly StoredChunk[] = [
  wholeChunk([1, 2, 3, 0], ChunkContent.of(bigChunk)),
  changeOf([1, 2, 3, 1], "air", bigChunk),
];
/** With data of voxels, and with a part that no program knows. */
const storedWithParts: readonly StoredChunk[] = smallStored.map((entry, index) => {
  const data = { tag: 1, bytes: Uint8Array.of(2, 0, 1, 7, 3, 2, 8, 9) };
  const unknown = { tag: 90, bytes: Uint8Array.of(index + 1) };
  const parts = index === 0 ? [data] : index === 3 ? [data, unknown] : index === 4 ? [unknown] : [];
  return entry.kind === "chunk" ? wholeChunk(entry.position, entry.content, parts) : { ...entry, parts };
});
/** Small enough that inflated envelopes stay well below the allocation limit of a call. */
const ENVELOPE_BYTES_MAX = 4_096;

const doors = new BlockCatalog([
  ...DEFAULT_BLOCKS.types,
  {
    id: 300,
    name: "game:door",
    colour: 0x9c_6f_3d,
    solid: true,
    light: 3,
    properties: [
      { name: "facing", values: ["north", "east", "south", "west"] },
      { name: "open", values: ["no", "yes"] },
    ],
    tags: ["opens", "wooden"],
  },
  { id: 400, name: "old", colour: 1, solid: false, retired: true, tags: ["wooden"] },
]);

const LOW = [
  [0, 0, 0],
  [1, 0.5, 1],
] as const;

/** With types that say their opacity. */
const panes = new BlockCatalog([
  ...doors.types,
  { id: 401, name: "pane", colour: 2, solid: true, transparent: true, opacity: 0 },
  { id: 402, name: "curtain", colour: 3, solid: false, light: 1, opacity: 9, tags: ["wooden"] },
]);

/** With types that have shapes. */
const slabs = new BlockCatalog([
  ...panes.types,
  {
    ...{ id: 403, name: "slab", colour: 4, solid: true },
    properties: [{ name: "half", values: ["low", "high"] }],
    shape: [{ when: { half: "low" }, boxes: [LOW] }, { boxes: [] }],
  },
  { id: 405, name: "plate", colour: 4, solid: true, shape: [LOW] },
]);

/** Larger limit, because each call builds a pack around the table. */
const TABLE_CALL_BYTES = 65_536;

/** Larger limit: reading a root of four leaves and a link, 167 bytes, takes about 55 kB for a moment. */
const ROOT_CALL_BYTES = 8_192;

/** Larger limit: a type of a few bytes has a name, a colour, an opacity and lists of its own. */
const CATALOG_CALL_BYTES = 16_384;

/** All decoders of the native save. Strict targets require one encoding per value. */
export const saveTargets: readonly Target[] = [
  {
    ...strict("block catalog", blockCatalogCodec, [DEFAULT_BLOCKS, doors, panes, slabs]),
    callBytes: CATALOG_CALL_BYTES,
  },
  strict("chunk blob", chunkBlobCodec(SMALL_CHUNKS.volume), [
    smallChunks,
    [{ position: [0, 0, 0, 0], chunk: undefined }],
  ]),
  strict("chunk blob of large chunks", chunkBlobCodec(HYPERCUBE_CHUNKS.volume), [bigChunks]),
  strict("packed chunk blob", packedBlobCodec(SMALL_CHUNKS.volume, 2), [smallStored, wideStored]),
  strict("chunk blob with a table", packedBlobCodec(SMALL_CHUNKS.volume), [
    smallStored,
    wideStored,
    storedWithParts,
  ]),
  strict("packed chunk blob of large chunks", packedBlobCodec(HYPERCUBE_CHUNKS.volume), [bigStored]),
  lenient("blob envelope", (input) => openBlob(input, ENVELOPE_BYTES_MAX), [
    await sealBlob(encode(packedBlobCodec(SMALL_CHUNKS.volume), smallStored)),
    await sealBlob(encode(packedBlobCodec(HYPERCUBE_CHUNKS.volume), bigStored)),
  ]),
  strict("entity blob", entityBlobCodec, [{ volume: box, entities }]),
  strict("global", globalRecordCodec, [global, globalWithId, globalWithMap, ...withRecords(globalWithId)]),
  ...storeTargets,
  strict("scheduled ticks", scheduledTicksCodec(SMALL_CHUNKS.volume), [
    [{ kind: "fall", index: 0, step: 0 }],
    [
      { kind: "fall", index: 1, step: 300 },
      { kind: "fall", index: 2, step: 70_000 },
      { kind: "my-game:flow", index: 0, step: 299 },
    ],
  ]),
  strict("players", playersCodec, [players, []]),
  strict("flat global", flatGlobalCodec, [{ ...flatGlobal, customPayload: Uint8Array.of(1) }]),
  strict("flat players", flatPlayersCodec, [bareplayers]),
  strict("flat index", flatIndexCodec, [
    {
      generation: 1,
      regionChunkEdge: 4,
      leaves: [{ region: [0, 0, 0, 0], chunkRef: ref, entityRef: undefined }],
    },
  ]),
  strict("flat entity blob", flatEntityBlobCodec, [{ region: [0, 0, 0, 0], regionChunkEdge: 4, entities }]),
  lenient("flat chunk blob", (input) => decode(flatChunkBlobCodec, input), [
    encode(flatChunkBlobCodec, { region: [0, 0, 0, 0], regionChunkEdge: 4, chunks: bigChunks }),
  ]),
  lenient("world override", (input) => decodeForeign(worldOverrideCodec, input), [
    encode(worldOverrideCodec, bigChunks),
  ]),
  lenient("manifest", decodeManifest, [
    encodeManifest(manifest),
    encodeUtf8(new TextDecoder().decode(encodeManifest(manifest)).replace(/,\s*"manifest_crc32": \d+/, "")),
  ]),
  lenient("legacy world", (input) => readLegacyWorld("world.v4dw", input), [legacyWorld()]),
  lenient("pack scan", (input) => [...scanPack(input, 1)], [packSample()]),
  lenient(
    "table of a compacted pack",
    (input) => [...scanPack(sealedPack(input), 1)],
    [Uint8Array.of(2, 0, 16, 40, 100), Uint8Array.of(1, 0x80, 0x80, 0x80, 1, 0xff, 0x7f)],
    { callBytes: TABLE_CALL_BYTES },
  ),
  indexTarget(),
  rootTarget(),
  strict("journal entry", journalEntryCodec(SMALL_CHUNKS.volume), journalEntries),
];

function indexTarget(): Target {
  const values = [index, { ...index, version: 1 as const }, { ...index, leaves: index.leaves.slice(0, 1) }];
  return sealedTarget(
    "index",
    { bytes: indexHeader.bytes, at: indexHeader.offsets.payloadCrc32 },
    (bytes) => decodeIndexFile("index", bytes),
    encodeIndexFile,
    values.map(encodeIndexFile),
  );
}

/** Creates the target for the root of a paged index. */
function rootTarget(): Target {
  const link = {
    cube: { min: [64, 0, 0, 0], max: [128, 64, 64, 64] },
    generation: 7,
    number: 2,
    bytes: 4_000,
    crc32: 0xdead_beef,
    height: 1,
    totals: { leaves: 90, chunks: 1_000, uncounted: 1, clocks: 95, recordBytes: 2 ** 33 },
  } as const;
  const parts = [
    { tag: 1, bytes: Uint8Array.of(1, 2, 3) },
    { tag: 300, bytes: Uint8Array.of(0) },
  ];
  const leaves = index.leaves.map((leaf, at) => (at === 0 ? { ...leaf, parts } : leaf));
  const entries = [...leaves, new IndexPage<LeafEntry>({ link: { ...link, parts } })];
  return sealedTarget(
    "index root",
    { bytes: pageHeader.bytes, at: pageHeader.offsets.bodyCrc32 },
    (bytes) => decodeRoot("root", bytes),
    ({ version, generation, root }) => encodePage({ generation, number: 0 }, root, version),
    [trieOf<LeafEntry>(entries), trieOf(index.leaves), undefined].flatMap((root) => [
      encodePage({ generation: 300, number: 0 }, root, 3),
      encodePage({ generation: 300, number: 0 }, root, 4),
    ]),
    { callBytes: ROOT_CALL_BYTES },
  );
}

/** Returns a legacy world: a floor, one uniform and one run-length chunk, and their positions. */
function legacyWorld(): Uint8Array {
  const hex = "56344457 02000000 01 0b 02000000 02000000 00 02 01 0200 03 0008 00 0008";
  const entries = "ffffffff 00000000 00000000 00000000 00000000 01000000 00000000 00000000 00000000 01000000";
  return Uint8Array.from(Buffer.from(`${hex}${entries}`.replaceAll(" ", ""), "hex"));
}

function packSample(): Uint8Array {
  const payload = encode(entityBlobCodec, { volume: box, entities });
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(payload));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(payload.length);
  const header = Buffer.concat([Buffer.from("RECD"), Buffer.of(2, 1, 0), length, crc]);
  const pack = Buffer.from("563444540100000001000000", "hex");
  return new Uint8Array(Buffer.concat([pack, header, payload, Buffer.from("torn RECD"), header, payload]));
}

/** Returns a compacted pack with a valid checksum. The first byte counts records; the rest is the table. */
function sealedPack(input: Uint8Array): Uint8Array {
  const table = input.subarray(1);
  const header = Buffer.alloc(compactedPackHeader.bytes);
  const { offsets } = compactedPackHeader;
  header.write("V4DT");
  header.writeUInt32LE(2, offsets.version);
  header.writeUInt32LE(1, offsets.packId);
  header.writeUInt32LE(input[0] ?? 0, offsets.recordCount);
  header.writeUInt32LE(table.length, offsets.tableBytes);
  header.writeUInt32LE(crc32(table, crc32(header.subarray(0, offsets.tableCrc32))), offsets.tableCrc32);
  return new Uint8Array(Buffer.concat([header, table, packSample(), table, header]));
}
