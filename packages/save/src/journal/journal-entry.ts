import { type Chunk, OrthantError, type Position, type Vector } from "@orthant/core";
import {
  type ByteReader,
  type ByteWriter,
  type Codec,
  list,
  option,
  record,
  string,
  u64,
  varUint,
} from "@orthant/core/bytes";
import {
  type BlockCatalogChange,
  blockCatalogChangeCodec,
  blockRedefinitionCodec,
  chunkCodec,
  isPlainBlockChange,
  type VoxelDataEdit,
  type VoxelEdit,
  voxelDataCodec,
  voxelDataEditsCodec,
} from "@orthant/core/chunk";
import { positionCodec } from "@orthant/core/lattice";
import { type RegionClock, regionClockListCodec, voxelEditsCodec } from "@orthant/core/tree";
import { playersCodec, type StoredEntity, type StoredPlayer, storedEntityCodec } from "../codec/entity.ts";
import { type StoreChange, storeChangeCodec } from "../codec/store-page.ts";
import type { LastClientEdit } from "../codec/world-description.ts";
import { type ChunkTickChanges, tickChangesCodec } from "./journal-step.ts";

/** The change to one chunk: some voxels or the whole chunk with its data, whichever takes fewer bytes. */
export type JournalChunk =
  | {
      readonly position: Position;
      /** New blocks. Not empty unless there is data. */
      readonly edits: readonly VoxelEdit[];
      /** New data. Omitted when none changes. */
      readonly data?: readonly VoxelDataEdit[] | undefined;
    }
  | { readonly position: Position; readonly chunk: Chunk };

/** Returns a chunk after a change from the journal. `before` returns the chunk that it changes. */
export function chunkAfter(change: JournalChunk, before: () => Chunk): Chunk {
  if ("chunk" in change) return change.chunk;
  const edited = before().edit(change.edits);
  return change.data === undefined ? edited : edited.editData(change.data);
}

/** An edit of voxels: the changed chunks, the clocks that were issued for it, and who made it. */
export interface JournalEdit {
  readonly kind: "edit";
  readonly origin: LastClientEdit | undefined;
  readonly chunks: readonly JournalChunk[];
  /** The new clocks, and those before, which files do not store. */
  readonly clocks: readonly (RegionClock & { readonly before?: number })[];
}

/** A change of an entity. `storedAt` is a chunk of the leaf that has it, if any. */
export type JournalEntity =
  /** Its new state. */
  | { readonly kind: "entity"; readonly entity: StoredEntity; readonly storedAt: Position | undefined }
  | { readonly kind: "entityGone"; readonly entityId: bigint; readonly storedAt: Position | undefined };

/** A step of a simulation, with everything that it changed. */
export interface JournalStep {
  readonly kind: "step";
  readonly step: number;
  readonly chunks: readonly JournalChunk[];
  readonly clocks: JournalEdit["clocks"];
  readonly ticks: readonly ChunkTickChanges[];
  /** In the order in which they happened. */
  readonly entities: readonly JournalEntity[];
}

/** Changes of voxels, players and the store that belong together. */
export interface JournalTransaction {
  readonly kind: "transaction";
  readonly origin: LastClientEdit | undefined;
  readonly chunks: readonly JournalChunk[];
  readonly clocks: JournalEdit["clocks"];
  /** In order of their ids. */
  readonly players: readonly StoredPlayer[];
  /** At most one for a key. */
  readonly store: readonly StoreChange[];
}

/** A change to a world. */
export type JournalEntry =
  | JournalEdit
  | JournalStep
  | JournalTransaction
  | JournalEntity
  | { readonly kind: "player"; readonly player: StoredPlayer }
  | { readonly kind: "description"; readonly name: string; readonly spawn: Vector }
  /** What was added to, renamed or retired in the catalog of blocks. */
  | { readonly kind: "blocks"; readonly change: BlockCatalogChange }
  /** The new value of a key of the store. */
  | ({ readonly kind: "store" } & StoreChange);

/**
 * Kinds in tag order. An edit whose origin names a player is a `playerEdit`, and a change of blocks that redefines types is
 * `redefinedBlocks`.
 */
const KINDS = [
  "edit",
  "entity",
  "entityGone",
  "player",
  "description",
  "playerEdit",
  "blocks",
  "store",
  "step",
  "redefinedBlocks",
  "transaction",
] as const;
/** Maximum number of chunks, and of regions, in one journal edit. A world cannot make a larger one. */
export const JOURNAL_EDIT_CHUNKS_MAX = 65_536;
/** Maximum number of changes of entities in one step. */
export const JOURNAL_STEP_ENTITIES_MAX = 65_536;
/** Maximum number of keys of the store that one transaction changes. */
export const TRANSACTION_KEYS_MAX = 65_536;
const NAME_BYTES_MAX = 4_096;

const storedAtCodec = option(positionCodec);
const clocksCodec = regionClockListCodec(JOURNAL_EDIT_CHUNKS_MAX);
const nameCodec = string(NAME_BYTES_MAX);
const playerIdCodec = option(u64);
const storeChangesCodec = list(storeChangeCodec, TRANSACTION_KEYS_MAX);
const originFields = { clientId: u64, lastEditId: varUint };
const originCodec = option(record<Omit<LastClientEdit, "playerId">>(originFields));
const playerOriginCodec = record<Required<LastClientEdit>>({ ...originFields, playerId: u64 });

/** Codec of a journal entry, for chunks of `volume` voxels. Rules J7 to J10. */
export function journalEntryCodec(volume: number): Codec<JournalEntry> {
  const chunksCodec = list(journalChunkCodec(volume), JOURNAL_EDIT_CHUNKS_MAX);
  return {
    write(out, entry) {
      const playerId = entry.kind === "edit" ? entry.origin?.playerId : undefined;
      out.tag(KINDS.indexOf(kindOfEntry(entry)), KINDS.length);
      switch (entry.kind) {
        case "edit":
          if (entry.origin === undefined || playerId === undefined) originCodec.write(out, entry.origin);
          else playerOriginCodec.write(out, { ...entry.origin, playerId });
          chunksCodec.write(out, entry.chunks);
          return clocksCodec.write(out, entry.clocks);
        case "entity":
        case "entityGone":
          return writeEntity(out, entry);
        case "step":
          out.varUint(entry.step);
          chunksCodec.write(out, entry.chunks);
          clocksCodec.write(out, entry.clocks);
          tickChangesCodec(volume, JOURNAL_EDIT_CHUNKS_MAX, entry.step).write(out, entry.ticks);
          return entitiesCodec.write(out, entry.entities);
        case "transaction":
          originCodec.write(out, entry.origin);
          playerIdCodec.write(out, entry.origin?.playerId);
          chunksCodec.write(out, entry.chunks);
          clocksCodec.write(out, entry.clocks);
          playersCodec.write(out, entry.players);
          return storeChangesCodec.write(out, entry.store);
        case "player":
          return playersCodec.write(out, [entry.player]);
        case "description":
          nameCodec.write(out, entry.name);
          for (const coordinate of entry.spawn) out.f64(coordinate);
          return;
        case "blocks":
          return (isPlainBlockChange(entry.change) ? blockCatalogChangeCodec : blockRedefinitionCodec).write(
            out,
            entry.change,
          );
        case "store":
          storeChangeCodec.write(out, entry);
      }
    },

    read(input) {
      const kind = KINDS[input.tag(KINDS.length)];
      switch (kind) {
        case "entity":
        case "entityGone":
          return readEntity(input, kind);
        case "step": {
          const step = input.varUint();
          return {
            kind: "step",
            step,
            chunks: chunksCodec.read(input),
            clocks: clocksCodec.read(input),
            ticks: tickChangesCodec(volume, JOURNAL_EDIT_CHUNKS_MAX, step).read(input),
            entities: entitiesCodec.read(input),
          };
        }
        case "transaction":
          return {
            kind: "transaction",
            origin: readOrigin(input),
            chunks: chunksCodec.read(input),
            clocks: clocksCodec.read(input),
            players: playersCodec.read(input),
            store: storeChangesCodec.read(input),
          };
        case "player": {
          const [player, ...others] = playersCodec.read(input);
          if (player === undefined || others.length > 0) {
            throw input.fail("ORT_PLAYERS", "an entry of the journal has one player");
          }
          return { kind: "player", player };
        }
        case "description":
          return {
            kind: "description",
            name: nameCodec.read(input),
            spawn: [input.f64(), input.f64(), input.f64(), input.f64()],
          };
        case "blocks":
          return { kind: "blocks", change: blockCatalogChangeCodec.read(input) };
        case "redefinedBlocks":
          return { kind: "blocks", change: blockRedefinitionCodec.read(input) };
        case "store":
          return { kind: "store", ...storeChangeCodec.read(input) };
        default:
          return {
            kind: "edit",
            origin: kind === "playerEdit" ? playerOriginCodec.read(input) : originCodec.read(input),
            chunks: chunksCodec.read(input),
            clocks: clocksCodec.read(input),
          };
      }
    },
  };
}

function readOrigin(input: ByteReader): LastClientEdit | undefined {
  const [origin, playerId] = [originCodec.read(input), playerIdCodec.read(input)];
  if (playerId === undefined) return origin;
  if (origin === undefined) throw input.fail("ORT_JOURNAL", "a transaction of a player without a client");
  return { ...origin, playerId };
}

function kindOfEntry(entry: JournalEntry): (typeof KINDS)[number] {
  if (entry.kind === "edit" && entry.origin?.playerId !== undefined) return "playerEdit";
  return entry.kind === "blocks" && !isPlainBlockChange(entry.change) ? "redefinedBlocks" : entry.kind;
}

const ENTITY_KINDS = ["entity", "entityGone"] as const;

const entitiesCodec = list<JournalEntity>(
  {
    write(out, entry) {
      out.tag(ENTITY_KINDS.indexOf(entry.kind), ENTITY_KINDS.length);
      writeEntity(out, entry);
    },
    read: (input) => readEntity(input, ENTITY_KINDS[input.tag(ENTITY_KINDS.length)] ?? "entity"),
  },
  JOURNAL_STEP_ENTITIES_MAX,
);

function writeEntity(out: ByteWriter, entry: JournalEntity): void {
  if (entry.kind === "entity") storedEntityCodec.write(out, entry.entity);
  else out.varU64(entry.entityId);
  storedAtCodec.write(out, entry.storedAt);
}

function readEntity(input: ByteReader, kind: JournalEntity["kind"]): JournalEntity {
  if (kind === "entityGone") return { kind, entityId: input.varU64(), storedAt: storedAtCodec.read(input) };
  return { kind, entity: storedEntityCodec.read(input), storedAt: storedAtCodec.read(input) };
}

/** Returns an upper bound for the size of an edit in the journal without encoding it. */
export function journalEditBytesMax({ chunks, clocks }: JournalEdit): number {
  const entries = chunks.reduce((sum, change) => sum + journalChunkBytesMax(change), 0);
  return 64 + entries + (chunks.length + clocks.length) * 32;
}

/** Returns an upper bound for the size of a change without its position. */
export function journalChunkBytesMax(change: JournalChunk): number {
  if ("chunk" in change) return change.chunk.byteLength + change.chunk.data.byteLength;
  const { edits, data = [] } = change;
  // A voxel takes at most three bytes for its index, and three for a block or the length of its data.
  return data.reduce((sum, one) => sum + 6 + (one.data?.length ?? 0), edits.length * 6);
}

/** Kinds of changes in tag order. The first two are those of chunks without data. */
const CHUNK_KINDS = ["edits", "chunk", "data", "editsAndData", "chunkAndData"] as const;

/** Codec of the change to one chunk of `volume` voxels. */
export function journalChunkCodec(volume: number): Codec<JournalChunk> {
  const whole = chunkCodec(volume);
  const wholeData = voxelDataCodec(volume);
  const voxels = voxelEditsCodec(volume);
  const data = voxelDataEditsCodec(volume);
  return {
    write(out, change) {
      const kind = kindOf(change);
      positionCodec.write(out, change.position);
      out.tag(CHUNK_KINDS.indexOf(kind), CHUNK_KINDS.length);
      if ("chunk" in change) {
        whole.write(out, change.chunk);
        if (kind === "chunkAndData") wholeData.write(out, change.chunk.data);
      } else {
        if (kind !== "data") voxels.write(out, change.edits);
        if (change.data !== undefined) data.write(out, change.data);
      }
    },
    read(input) {
      const position = positionCodec.read(input);
      const kind = CHUNK_KINDS[input.tag(CHUNK_KINDS.length)];
      switch (kind) {
        case "chunk":
          return { position, chunk: whole.read(input) };
        case "chunkAndData":
          return { position, chunk: whole.read(input).withData(readSomeData(input)) };
        case "data":
          return { position, edits: [], data: data.read(input) };
        case "editsAndData":
          return { position, edits: voxels.read(input), data: data.read(input) };
        default:
          return { position, edits: voxels.read(input) };
      }
    },
  };

  function readSomeData(input: ByteReader): Chunk["data"] {
    const found = wholeData.read(input);
    if (found.size > 0) return found;
    throw input.fail("ORT_VOXEL_DATA", "a chunk with data that has none");
  }
}

function kindOf(change: JournalChunk): (typeof CHUNK_KINDS)[number] {
  if ("chunk" in change) return change.chunk.data.size > 0 ? "chunkAndData" : "chunk";
  if (change.edits.length > 0) return change.data === undefined ? "edits" : "editsAndData";
  if (change.data !== undefined) return "data";
  throw new OrthantError("ORT_ARGUMENT", `no edits of chunk [${change.position}]`);
}
