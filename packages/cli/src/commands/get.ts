import { type Box, dimensionsOf, type GeneratorRegistry, isOrthantError, type Position } from "@orthant/core";
import { blockLabel } from "@orthant/core/chunk";
import { boxAt, chunkOfVoxel, positionsEqual, regionOf, voxelIndex } from "@orthant/core/lattice";
import { changeNumberOf, epochOf } from "@orthant/core/tree";
import { dataText } from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import { formatBox, formatBytes, formatPosition } from "@orthant/formats";
import {
  catalogOf,
  type LeafEntry,
  openSave,
  type RecordRef,
  type Save,
  type StoredChunk,
  surveySave,
} from "@orthant/save";
import { packFile } from "@orthant/save/files";
import type { SaveWithJournal } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import { parsePosition, requireAxes } from "../command/parse.ts";
import { boxJson, factLines, positionJson } from "../command/report.ts";
import { openReadable } from "../world/found-world.ts";
import { exitWithJournals, openLiveSave } from "../world/live-save.ts";
import {
  chunkIfKnown,
  neededGenerator,
  storedData,
  storedVoxel,
  untouchedVoxel,
} from "../world/stored-content.ts";

/** `orthant get`. */
export const getCommand: Command = {
  name: "get",
  summary: "Show a voxel's block, and where on disk it is stored",
  arguments: [
    { name: "<world>", description: "the folder of a world, or its file" },
    { name: "<voxel>", description: "x,y,z,w; axes that are left out are 0" },
  ],
  usesGenerators: true,
  options: [],
  examples: ["orthant get my-world 0,-1,0,0", "orthant get my-world -12,40 --json"],

  async run(args, context) {
    const folder = args.at(0);
    const voxel = args.parsedAt(1, "voxel", parsePosition);
    const { disk, isConverted } = await openReadable(folder, context);
    const opened = await openLiveSave(disk, context.generators);
    const { save } = opened;
    try {
      const { chunkShape } = save.global.description;
      const dimensions = dimensionsOf(chunkShape);
      requireAxes(voxel, dimensions);
      const chunk = chunkOfVoxel(chunkShape, voxel);
      const stored = await findStored(save, chunk);
      const onDisk = isConverted ? undefined : await recordOnDisk(disk, opened, chunk, stored.record);
      const found = {
        world: folder,
        voxel,
        block: blockAt(save, voxel, stored.stored, context.generators),
        data: dataAt(save, voxel, stored.stored),
        chunk: { position: chunk, state: stored.state },
        region: { position: regionOf(chunk), ...(await clockAt(save, chunk)) },
        leaf: (await findLeaf(save, chunk))?.cube ?? null,
        journaled: !isConverted && stored.record !== undefined && onDisk === undefined,
        record: onDisk && { ...onDisk, ...(await writtenBy(disk, opened.generation, chunk, onDisk)) },
      };
      context.printJson(jsonOf(found, dimensions));
      context.printAll(factLines(rowsOf(found, neededGenerator(save, context.generators), dimensions)));
      return exitWithJournals([opened], context);
    } finally {
      await save.close();
    }
  },
};

/** What the save has for a chunk: no record, only air, or content. */
type ChunkState = "untouched" | "empty" | "content";

interface RecordLocation {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** The generation that wrote a record; if not exact, the record is older than all kept generations. */
interface Writing {
  readonly generation: number;
  readonly exact: boolean;
}

interface Found {
  readonly voxel: Position;
  readonly block: { readonly id: number; readonly name: string } | null;
  readonly data: { readonly bytes: number; readonly text: string } | null;
  readonly chunk: { readonly position: Position; readonly state: ChunkState };
  readonly region: {
    readonly position: Position;
    readonly clock: number;
    readonly epoch: number;
    readonly changeNumber: number;
  };
  readonly leaf: Box | null;
  /** Whether only the journal, and no record, has the current chunk. */
  readonly journaled: boolean;
  readonly record: (RecordLocation & Writing) | undefined;
}

/** Returns the block of a voxel; `null` when it needs a generator that is missing. */
function blockAt(
  save: Save,
  voxel: Position,
  stored: StoredChunk | undefined,
  generators: GeneratorRegistry,
): Found["block"] {
  const { chunkShape } = save.global.description;
  const id =
    stored === undefined
      ? untouchedVoxel(save, generators, voxel)
      : storedVoxel(save, stored, voxelIndex(chunkShape, ...voxel));
  if (id === undefined) return null;
  return { id, name: blockLabel(catalogOf(save.global.description), id) ?? "" };
}

/** Longest text that is shown of a voxel's data. */
const DATA_CHARS_MAX = 200;

/** Returns the data of a voxel, as text for people; `null` when there is none. */
function dataAt(save: Save, voxel: Position, stored: StoredChunk | undefined): Found["data"] {
  const { chunkShape } = save.global.description;
  const data = stored && storedData(save, stored).at(voxelIndex(chunkShape, ...voxel));
  return data === undefined ? null : { bytes: data.length, text: dataText(data, DATA_CHARS_MAX) };
}

interface FoundChunk {
  readonly state: ChunkState;
  readonly stored: StoredChunk | undefined;
  readonly record: RecordLocation | undefined;
}

async function findStored(save: Save, position: Position): Promise<FoundChunk> {
  for (const { ref, chunks } of await recordsOf(save, position)) {
    const stored = chunks.find((entry) => positionsEqual(entry.position, position));
    if (stored === undefined) continue;
    const isEmpty = chunkIfKnown(save, stored)?.isEmpty === true;
    return { state: isEmpty ? "empty" : "content", stored, record: locationOf(ref) };
  }
  return { state: "untouched", stored: undefined, record: undefined };
}

/** Returns the record's location on disk; `undefined` for a record that stands for journal content. */
async function recordOnDisk(
  disk: Disk,
  { generation, journal }: SaveWithJournal,
  chunk: Position,
  record: RecordLocation | undefined,
): Promise<RecordLocation | undefined> {
  if (record === undefined || journal.replayed === 0) return record;
  return (await hasRecord(disk, generation, chunk, record)) === true ? record : undefined;
}

/** Searches the kept generations backwards for the first one with the record. */
async function writtenBy(
  disk: Disk,
  live: number,
  chunk: Position,
  record: RecordLocation,
): Promise<Writing> {
  const { generations } = await surveySave(disk);
  let generation = live;
  for (const older of generations.filter((number) => number < live)) {
    const has = await hasRecord(disk, older, chunk, record);
    if (has === undefined) break;
    if (!has) return { generation, exact: true };
    generation = older;
  }
  return { generation, exact: generation === 0 };
}

/** Whether a generation refers to a record; `undefined` when part of the generation is gone. */
async function hasRecord(
  disk: Disk,
  generation: number,
  chunk: Position,
  { file, offset }: RecordLocation,
): Promise<boolean | undefined> {
  try {
    const save = await openSave(disk, { generation });
    await save.close();
    return ((await findLeaf(save, chunk))?.chunkRefs ?? [])
      .map(locationOf)
      .some((at) => at.file === file && at.offset === offset);
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

async function clockAt(
  save: Save,
  chunk: Position,
): Promise<{ readonly clock: number; readonly epoch: number; readonly changeNumber: number }> {
  const region = regionOf(chunk);
  const leaf = await findLeaf(save, chunk);
  const clock = leaf?.clocks.find((entry) => positionsEqual(entry.region, region))?.clock ?? 0;
  return { clock, epoch: epochOf(clock), changeNumber: changeNumberOf(clock) };
}

function locationOf({ packId, recordOffset, recordBytes }: RecordRef): RecordLocation {
  return { file: packFile(packId), offset: recordOffset, bytes: recordBytes };
}

const STATE_WORDS: Readonly<Record<ChunkState, string>> = {
  untouched: "untouched: as the generator made it",
  empty: "emptied by an edit",
  content: "edited",
};

function rowsOf(
  { voxel, block, data, chunk, region, leaf, journaled, record }: Found,
  needed: string,
  dimensions: number,
): Parameters<typeof factLines>[0] {
  return [
    ["voxel", formatPosition(voxel, dimensions)],
    ["block", block === null ? `unknown without ${needed}` : `${block.id} ${block.name}`],
    ["data", data === null ? undefined : `${formatBytes(data.bytes)}: ${data.text}`],
    ["chunk", `${formatPosition(chunk.position, dimensions)}, ${STATE_WORDS[chunk.state]}`],
    [
      "region",
      `${formatPosition(region.position, dimensions)}, ${region.clock === 0 ? "never changed" : `epoch ${region.epoch}, change ${region.changeNumber}`}`,
    ],
    ["leaf", leaf === null ? "none" : `chunks ${formatBox(leaf, dimensions)}`],
    ["journal", journaled ? "has the chunk as it is now; the next save writes it" : undefined],
    ["record", record && `${record.file} at offset ${record.offset}, ${formatBytes(record.bytes)}`],
    ["written by", record && `generation ${record.generation}${record.exact ? "" : " or before"}`],
  ];
}

function jsonOf(found: Found, dimensions: number): object {
  const { voxel, chunk, region, leaf, record } = found;
  return {
    ...found,
    voxel: positionJson(voxel, dimensions),
    chunk: { ...chunk, position: positionJson(chunk.position, dimensions) },
    region: { ...region, position: positionJson(region.position, dimensions) },
    leaf: leaf && boxJson(leaf, dimensions),
    record: record ?? null,
  };
}

/** Returns the leaf of the index that holds a chunk. */
async function findLeaf({ index }: Save, chunk: Position): Promise<LeafEntry | undefined> {
  await index.load(boxAt(chunk));
  return index.find(chunk);
}

/** Returns the chunk records of the leaf that holds a chunk, each with its content. */
async function recordsOf(
  save: Save,
  chunk: Position,
): Promise<readonly { readonly ref: RecordRef; readonly chunks: readonly StoredChunk[] }[]> {
  const leaf = await findLeaf(save, chunk);
  const records: { ref: RecordRef; chunks: readonly StoredChunk[] }[] = [];
  for (const ref of leaf?.chunkRefs ?? []) {
    if (leaf !== undefined)
      records.push({ ref, chunks: await save.readStored({ ...leaf, chunkRefs: [ref] }) });
  }
  return records;
}
