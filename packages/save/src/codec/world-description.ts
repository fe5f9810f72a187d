import {
  type BlockCatalog,
  type ChunkShape,
  chunkShape,
  DEFAULT_BLOCKS,
  HYPERCUBE_CHUNKS,
  OrthantError,
  type Vector,
} from "@orthant/core";
import {
  type ByteReader,
  bytes,
  type Codec,
  decode,
  f64,
  list,
  option,
  perAxis,
  record,
  string,
  u64,
  varUint,
} from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { AXES, CHUNK_VOXELS_MAX } from "@orthant/core/lattice";
import type { Epoch } from "@orthant/core/tree";
import type { RecordRef } from "./blob.ts";
import { CATALOG_BLOB } from "./layout.ts";
import { type FileSeal, fileSealCodec } from "./payload-file.ts";
import { refCodecOf, type StoreList, storeListCodec } from "./store-page.ts";

/** Self-description of a world, so that it can be opened without further input. Rule S17. */
export interface WorldDescription {
  readonly chunkShape: ChunkShape;
  readonly name: string;
  /** Spawn position of new players, in voxels. */
  readonly spawn: Vector;
  /** Rises each time the world is opened for writing. Region clocks begin with it. */
  readonly clockEpoch: number;
  /** The block catalog, encoded by its codec; empty without one. */
  readonly blocks: Uint8Array;
  /** Old generations that are kept, in order of their numbers. */
  readonly namedGenerations: readonly NamedGeneration[];
  /** Data that programs store here, in order of the keys. */
  readonly attachments: readonly Attachment[];
  /**
   * Random id created with the world; 0 if it has none. Every other world has another id, even one created as
   * a copy.
   */
  readonly worldId: bigint;
  /** The epochs of the latest openings for writing, in order of their numbers. */
  readonly epochs: readonly Epoch[];
  /** The last edit of each client included in the content. The client that edited longest ago comes first. */
  readonly edits: readonly LastClientEdit[];
}

/** Progress of one client's edits. */
export interface LastClientEdit {
  readonly clientId: bigint;
  readonly lastEditId: number;
  /** The client's player; `undefined` for an anonymous client, and in descriptions before version 3. */
  readonly playerId?: bigint;
}

/** A generation that was given a name. */
export interface NamedGeneration {
  readonly generation: number;
  readonly name: string;
}

/** Bytes under a key. */
export interface Attachment {
  readonly key: string;
  readonly value: Uint8Array;
}

/** The parts of a description that lie in the packs, because most commits don't change them. Rules S130 and S131. */
export interface DescriptionRecords {
  /** The block catalog; `undefined` if the description itself has it. */
  readonly blocks?: RecordRef | undefined;
  /** The key-value store; `undefined` if it is empty. */
  readonly store?: StoreList | undefined;
}

/** A description as it is stored. */
interface StoredDescription {
  readonly description: WorldDescription;
  readonly records?: DescriptionRecords | undefined;
  /** The players file of the same generation; `undefined` if an older program wrote it. */
  readonly playersSeal?: FileSeal | undefined;
}

/** Maximum number of epochs in a description. */
export const DESCRIPTION_EPOCHS_MAX = 64;
/** Maximum number of clients in a description. */
export const CLIENT_EDITS_MAX = 4_096;

/** Without a world id and everything that came with it. */
const VERSION_WITHOUT_ID = 1;
const VERSION_WITH_ID = 2;
/** With clients in the order of their edits, and with their players. */
const VERSION_WITH_PLAYERS = 3;
/** With parts in records. */
const VERSION_WITH_RECORDS = 4;
/** With the seal of the players file. */
const VERSION_WITH_SEAL = 5;
/** Maximum bytes of the name of a world, in UTF-8. */
export const LABEL_BYTES_MAX = 4_096;
const NAME_BYTES_MAX = LABEL_BYTES_MAX;
const NAMED_GENERATIONS_MAX = 65_536;
const ATTACHMENTS_MAX = 65_536;
const NO_BYTES = new Uint8Array(0);

/** Returns a description that only states the shape of the chunks. */
export function plainDescription(shape: ChunkShape = HYPERCUBE_CHUNKS): WorldDescription {
  return {
    chunkShape: shape,
    name: "",
    spawn: [0, 0, 0, 0],
    clockEpoch: 0,
    blocks: new Uint8Array(0),
    namedGenerations: [],
    attachments: [],
    worldId: 0n,
    epochs: [],
    edits: [],
  };
}

/** Returns the blocks of a world, or the default ones if it names none. */
export function catalogOf({ blocks }: Pick<WorldDescription, "blocks">): BlockCatalog {
  return blocks.length === 0 ? DEFAULT_BLOCKS : decode(blockCatalogCodec, blocks);
}

const nameCodec = string(NAME_BYTES_MAX);
const namedGenerationsCodec = list<NamedGeneration>(
  record({ generation: varUint, name: nameCodec }),
  NAMED_GENERATIONS_MAX,
);
const attachmentsCodec = list<Attachment>(record({ key: nameCodec, value: bytes() }), ATTACHMENTS_MAX);
// Ids are random, so varints would take more bytes than fixed 64 bits.
const epochsCodec = list<Epoch>(record({ number: varUint, id: u64 }), DESCRIPTION_EPOCHS_MAX);
const editsWithoutPlayersCodec = list<Omit<LastClientEdit, "playerId">>(
  record({ clientId: u64, lastEditId: varUint }),
  CLIENT_EDITS_MAX,
);
const playerIdCodec = option(u64);
const spawnCodec = perAxis(f64);

const clientEditsCodec: Codec<LastClientEdit> = {
  write(out, { clientId, lastEditId, playerId }) {
    out.u64(clientId);
    out.varUint(lastEditId);
    playerIdCodec.write(out, playerId);
  },
  read(input) {
    const edits = { clientId: input.u64(), lastEditId: input.varUint() };
    const playerId = playerIdCodec.read(input);
    return playerId === undefined ? edits : { ...edits, playerId };
  },
};

const editsCodec = list(clientEditsCodec, CLIENT_EDITS_MAX);

const blocksRefCodec = option(refCodecOf(CATALOG_BLOB));
const storeCodec = option(storeListCodec);

/** Codec of `custom_global_payload`. The catalog of a description whose blocks are in a record is read as empty. */
export const storedDescriptionCodec: Codec<StoredDescription> = {
  write(out, { description, records = {}, playersSeal }) {
    const disorder = findDisorder(description);
    if (disorder !== undefined) throw new OrthantError("ORT_ARGUMENT", disorder);
    const version = versionOf(description, records, playersSeal);
    out.varUint(version);
    for (const axis of AXES) out.varU32(description.chunkShape.extents[axis]);
    out.string(description.name, NAME_BYTES_MAX);
    spawnCodec.write(out, description.spawn);
    out.varUint(description.clockEpoch);
    out.bytes(records.blocks === undefined ? description.blocks : NO_BYTES);
    namedGenerationsCodec.write(out, description.namedGenerations);
    attachmentsCodec.write(out, description.attachments);
    if (version === VERSION_WITHOUT_ID) return;
    out.u64(description.worldId);
    epochsCodec.write(out, description.epochs);
    editsCodec.write(out, description.edits);
    if (version < VERSION_WITH_RECORDS) return;
    blocksRefCodec.write(out, records.blocks);
    storeCodec.write(out, records.store);
    if (playersSeal !== undefined) fileSealCodec.write(out, playersSeal);
  },

  read(input) {
    const version = input.varUint();
    if (version < VERSION_WITHOUT_ID || version > VERSION_WITH_SEAL) {
      throw input.fail(
        "ORT_VERSION",
        `unsupported description version ${version} (expected at most ${VERSION_WITH_SEAL})`,
      );
    }
    const hasId = version >= VERSION_WITH_ID;
    const versionEditsCodec = version === VERSION_WITH_ID ? editsWithoutPlayersCodec : editsCodec;
    const description: WorldDescription = {
      chunkShape: readChunkShape(input),
      name: input.string(NAME_BYTES_MAX),
      spawn: spawnCodec.read(input),
      clockEpoch: input.varUint(),
      blocks: input.bytes(),
      namedGenerations: namedGenerationsCodec.read(input),
      attachments: attachmentsCodec.read(input),
      worldId: hasId ? input.u64() : 0n,
      epochs: hasId ? epochsCodec.read(input) : [],
      edits: hasId ? versionEditsCodec.read(input) : [],
    };
    if (hasId && description.worldId === 0n) throw input.fail("ORT_BLOB", "a world with 0 for its id");
    const disorder = findDisorder(description);
    if (disorder !== undefined) throw input.fail("ORT_BLOB", disorder);
    if (version === VERSION_WITH_ID && !ascends(description.edits.map(({ clientId }) => clientId))) {
      throw input.fail("ORT_BLOB", "clients with edits out of order");
    }
    if (version < VERSION_WITH_RECORDS) return { description };
    const records = readRecords(input, description);
    const hasRecords = records.blocks !== undefined || records.store !== undefined;
    const stored: StoredDescription = hasRecords ? { description, records } : { description };
    if (version === VERSION_WITH_SEAL) return { ...stored, playersSeal: fileSealCodec.read(input) };
    if (!hasRecords) throw input.fail("ORT_BLOB", "a description of version 4 without records");
    return stored;
  },
};

/** Codec of a description without records. */
export const worldDescriptionCodec: Codec<WorldDescription> = {
  write: (out, description) => storedDescriptionCodec.write(out, { description }),
  read: (input) => storedDescriptionCodec.read(input).description,
};

function versionOf(
  { worldId }: WorldDescription,
  { blocks, store }: DescriptionRecords,
  playersSeal: FileSeal | undefined,
): number {
  const hasRecords = blocks !== undefined || store !== undefined;
  if (worldId !== 0n && playersSeal !== undefined) return VERSION_WITH_SEAL;
  if (worldId !== 0n) return hasRecords ? VERSION_WITH_RECORDS : VERSION_WITH_PLAYERS;
  if (hasRecords) throw new OrthantError("ORT_ARGUMENT", "records of a world without id");
  return VERSION_WITHOUT_ID;
}

function readRecords(input: ByteReader, { blocks: inline }: WorldDescription): DescriptionRecords {
  const blocks = blocksRefCodec.read(input);
  const store = storeCodec.read(input);
  if (blocks !== undefined && inline.length > 0) throw input.fail("ORT_BLOB", "two block catalogs");
  return { ...(blocks && { blocks }), ...(store && { store }) };
}

function readChunkShape(input: ByteReader): ChunkShape {
  const extents = [input.varU32(), input.varU32(), input.varU32(), input.varU32()] as const;
  const volume = extents.reduce((product, extent) => product * extent, 1);
  if (volume < 1 || volume > CHUNK_VOXELS_MAX) {
    throw input.fail("ORT_CHUNK_VOLUME", `chunks of [${extents}] have ${volume} voxels`);
  }
  return chunkShape(extents);
}

function findDisorder(description: WorldDescription): string | undefined {
  const { namedGenerations, attachments, epochs, edits, clockEpoch, worldId } = description;
  if (!ascends(namedGenerations.map(({ generation }) => generation))) return "named generations out of order";
  if (!ascends(attachments.map(({ key }) => key))) return "attachments out of order";
  if (!ascends([0, ...epochs.map(({ number }) => number)])) return "epochs out of order";
  if ((epochs.at(-1)?.number ?? 0) > clockEpoch) return `an epoch after ${clockEpoch}`;
  if (new Set(edits.map(({ clientId }) => clientId)).size < edits.length)
    return "a client whose edits are listed twice";
  if (edits.some(({ lastEditId }) => lastEditId === 0)) return "a client whose last edit is 0";
  return worldId === 0n && epochs.length + edits.length > 0
    ? "epochs or edits of a world without id"
    : undefined;
}

function ascends<Value extends number | bigint | string>(values: readonly Value[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] as Value) < value);
}
