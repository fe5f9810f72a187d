import {
  type Box,
  type ChunkShape,
  dimensionsOf,
  type GeneratorRegistry,
  type Position,
} from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import {
  boxAt,
  chunksOfRegions,
  regionBox,
  unionBox,
  voxelsOfChunks,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  describeGenerator,
  type FormatEnvironment,
  type FormatRequest,
  fileBytes,
  formatAmount,
  formatBox,
  formatBytes,
  formatPosition,
  formatTime,
  type GeneratorInfo,
  generatorInfo,
  generatorInfoOf,
  type WorldInfo,
} from "@orthant/formats";
import { catalogOf, openSave, type Save, type Survey, surveySave } from "@orthant/save";
import { generatorMapOf } from "@orthant/save/content";
import { packFile, packHeader } from "@orthant/save/files";
import type { SaveWithJournal } from "@orthant/world/engine";
import { boxJson, positionJson } from "../command/report.ts";
import { describeJournal, journalFacts, journalLoss, openLiveSave, retryWhileWritten } from "./live-save.ts";
import { chunkIfKnown } from "./stored-content.ts";

const FILES_AT_ONCE = 64;

/** Describes a save of Orthant: the last generation with its journal. */
export async function nativeInfo({ disk, count = false, environment }: FormatRequest): Promise<WorldInfo> {
  const survey = await surveySave(disk);
  const opened = await openLiveSave(disk, environment.generators);
  const { save } = opened;
  try {
    const sizes = await measure(disk, survey, opened);
    const counts = count ? await countContent(save, environment) : undefined;
    const facts = factsOf(opened, survey, environment.generators);
    const loss = journalLoss(opened);
    return {
      facts: {
        ...factsJson(facts),
        journal: journalFacts(opened),
        sizes,
        counts: counts === undefined ? null : countsJson(counts, facts.dimensions),
      },
      rows: [...rowsOf(facts, sizes, counts), ["journal", describeJournal(opened)]],
      catalog: catalogOf(save.global.description),
      losses: loss === undefined ? [] : [`journal: ${loss}`],
    };
  } finally {
    await save.close();
  }
}

/** Facts from the manifest, index, global and players files. */
interface Facts {
  readonly name: string;
  readonly worldId: bigint;
  readonly generation: number;
  /** Older generations that still have files, and the names of generations. */
  readonly generations: readonly number[];
  readonly namedGenerations: Save["global"]["description"]["namedGenerations"];
  readonly createdMs: number;
  readonly lastModifiedMs: number;
  readonly chunkShape: Position;
  readonly dimensions: number;
  readonly spawn: readonly number[];
  readonly clockEpoch: number;
  readonly generator: GeneratorInfo;
  /** Earlier generators, and where they stay in use. */
  readonly keptGenerators: readonly KeptGenerator[];
  readonly leaves: number;
  readonly regions: number;
  /** `null` when the index does not have the count for every leaf. */
  readonly chunks: number | null;
  readonly players: number;
  /** Extent of the index's leaves and pages, which contains all stored chunks. `null` for none. */
  readonly bounds: Bounds | null;
  /** Tighter extent: the regions with a clock. `null` when there are none, or when the index is split. */
  readonly changed: Bounds | null;
  readonly blocks: readonly { readonly id: number; readonly name: string }[];
  /** The key-value store: its keys, and their bytes with those of the values. */
  readonly store: { readonly keys: number; readonly bytes: number };
}

interface KeptGenerator extends GeneratorInfo {
  /** The voxels that keep it. */
  readonly boxes: readonly Box[];
}

interface Bounds {
  readonly chunks: Box;
  readonly voxels: Box;
}

/** Bytes on the disk. */
interface Sizes {
  readonly totalBytes: number;
  readonly files: number;
  readonly packs: number;
  readonly packBytes: number;
  /** In records that the live generation refers to. */
  readonly liveBytes: number;
  /** In records, or remains of records, that it does not refer to. */
  readonly deadBytes: number;
  readonly indexBytes: number;
}

interface Counts {
  readonly chunks: number;
  readonly emptyChunks: number;
  readonly entities: number;
  /** The exact bounds of the chunks. */
  readonly chunkBounds: Box | null;
}

async function measure(
  disk: Disk,
  { files, packIds }: Survey,
  { generation, journal, save: now }: SaveWithJournal,
): Promise<Sizes> {
  // A replayed journal adds content in memory only.
  const save =
    journal.replayed === 0 ? now : await retryWhileWritten(disk, () => openSave(disk, { generation }));
  // The index knows the sizes of its pages, which are most of the files of a large world.
  const pageSizes = await save.index.pageSizes();
  const others = files.filter((file) => !pageSizes.has(file));
  const bytesOf = new Map([...pageSizes, ...(await measureFiles(disk, others))]);
  const sum = (paths: readonly string[]): number =>
    paths.reduce((total, path) => total + (bytesOf.get(path) ?? 0), 0);
  const totalBytes = sum(files);
  const packBytes = sum(packIds.map(packFile));
  const liveBytes = save.index.totals.recordBytes + save.worldRecordBytes;
  const deadBytes = Math.max(0, packBytes - packIds.length * packHeader.bytes - liveBytes);
  const indexBytes = sum([save.manifest.indexFile, ...pageSizes.keys()]);
  if (save !== now) await save.close();
  return {
    totalBytes,
    files: files.length,
    packs: packIds.length,
    packBytes,
    liveBytes,
    deadBytes,
    indexBytes,
  };
}

/** Measures many files at a time: a large world has thousands, and each request takes a while. */
async function measureFiles(disk: Disk, files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (let start = 0; start < files.length; start += FILES_AT_ONCE) {
    const some = files.slice(start, start + FILES_AT_ONCE);
    const bytes = await Promise.all(some.map((file) => fileBytes(disk, file)));
    for (const [index, file] of some.entries()) sizes.set(file, bytes[index] ?? 0);
  }
  return sizes;
}

async function countContent(save: Save, environment: FormatEnvironment): Promise<Counts> {
  const progress = environment.progress("counting", "leaves", save.index.totals.leaves);
  let chunks = 0;
  let emptyChunks = 0;
  let entities = 0;
  let chunkBounds: Box | null = null;
  const add = (position: Position, isEmpty: boolean): void => {
    const box = boxAt(position);
    chunkBounds = chunkBounds === null ? box : unionBox(chunkBounds, box);
    chunks++;
    if (isEmpty) emptyChunks++;
  };
  try {
    for await (const leaf of save.index.all()) {
      for (const stored of await save.readStored(leaf))
        add(stored.position, chunkIfKnown(save, stored)?.isEmpty === true);
      entities += (await save.readEntities(leaf)).length;
      progress.advance(1);
    }
  } finally {
    progress.end();
  }
  return { chunks, emptyChunks, entities, chunkBounds };
}

function factsOf(
  { save, generation }: SaveWithJournal,
  { generations }: Survey,
  generators: FormatEnvironment["generators"],
): Facts {
  const { global, manifest, index, players } = save;
  const { description } = global;
  return {
    name: description.name,
    worldId: description.worldId,
    generation,
    generations: generations.filter((older) => older < generation),
    namedGenerations: description.namedGenerations,
    createdMs: manifest.createdMs,
    lastModifiedMs: manifest.lastModifiedMs,
    chunkShape: description.chunkShape.extents,
    dimensions: dimensionsOf(description.chunkShape),
    spawn: description.spawn,
    clockEpoch: description.clockEpoch,
    generator: generatorInfo(global, generators),
    keptGenerators: keptGenerators(save, generators),
    leaves: index.totals.leaves,
    regions: index.totals.clocks,
    chunks: index.totals.uncounted === 0 ? index.totals.chunks : null,
    players: players.length,
    bounds: boundsOf(index.outline(), description.chunkShape),
    changed: boundsOf(regionsOf(save), description.chunkShape),
    blocks: catalogOf(save.global.description).types,
    store: { keys: global.records?.store?.keys ?? 0, bytes: global.records?.store?.bytes ?? 0 },
  };
}

function keptGenerators(
  { global }: Save,
  generators: GeneratorRegistry = DEFAULT_GENERATORS,
): readonly KeptGenerator[] {
  // A world without a usable generator is shown as air.
  if (global.generatorRegions === undefined) return [];
  const { refs, kept } = generatorMapOf(global);
  return refs.slice(1).map((ref) => ({
    ...generatorInfoOf(ref, generators),
    boxes: kept
      .filter(({ generator }) => generator === ref)
      .map(({ box }) => voxelsOfChunks(global.description.chunkShape, chunksOfRegions(box))),
  }));
}

function keptText(kept: KeptGenerator, dimensions: number): string {
  const { boxes } = kept;
  const count = boxes.length === 1 ? "1 box" : `${boxes.length} boxes`;
  return `${versionedText(kept)}, in ${count} within voxels ${formatBox(boxes.reduce(unionBox), dimensions)}`;
}

function versionedText(generator: GeneratorInfo): string {
  const { version } = generator;
  return `${describeGenerator(generator)}${version === null ? "" : `, version ${version}`}`;
}

function* regionsOf({ index }: Save): Generator<Box> {
  if (!index.isLoaded(WHOLE_LATTICE)) return;
  for (const { clocks } of index.touching(WHOLE_LATTICE)) {
    for (const { region } of clocks) yield regionBox(region);
  }
}

function boundsOf(boxes: Iterable<Box>, shape: ChunkShape): Bounds | null {
  let chunks: Box | undefined;
  for (const box of boxes) chunks = unionBox(chunks, box);
  return chunks === undefined ? null : { chunks, voxels: voxelsOfChunks(shape, chunks) };
}

function rowsOf(
  facts: Facts,
  sizes: Sizes,
  counts: Counts | undefined,
): readonly (readonly [name: string, value: string | undefined])[] {
  const { generations, namedGenerations, bounds, changed, dimensions } = facts;
  const older = generations.length === 0 ? "" : `, older ones: ${generations.join(", ")}`;
  return [
    ["name", facts.name === "" ? undefined : facts.name],
    ["world id", facts.worldId === 0n ? undefined : String(facts.worldId)],
    ["generation", `${facts.generation}${older}`],
    ...namedGenerations.map(({ generation, name }) => ["named", `${generation}: ${name}`] as const),
    ["created", timeText(facts.createdMs)],
    ["modified", timeText(facts.lastModifiedMs)],
    ["chunks of", `${facts.chunkShape.slice(0, dimensions).join(" x ")} voxels`],
    ["spawn", formatPosition(facts.spawn, dimensions)],
    ["generator", (facts.keptGenerators.length > 0 ? versionedText : describeGenerator)(facts.generator)],
    ...facts.keptGenerators.map((kept) => ["kept", keptText(kept, dimensions)] as const),
    ["blocks", String(facts.blocks.length)],
    ["store", storeText(facts)],
    ["clock epoch", String(facts.clockEpoch)],
    ["leaves", String(facts.leaves)],
    ["regions", `${facts.regions} with a clock`],
    ["players", String(facts.players)],
    ["bounds", bounds === null ? "nothing was made yet" : `voxels ${formatBox(bounds.voxels, dimensions)}`],
    ["changed", changed === null ? undefined : `voxels ${formatBox(changed.voxels, dimensions)}`],
    ["on disk", `${formatBytes(sizes.totalBytes)} in ${formatAmount(sizes.files, "file")}`],
    ["packs", `${sizes.packs}, ${formatBytes(sizes.packBytes)}`],
    ["live", formatBytes(sizes.liveBytes)],
    ["dead", formatBytes(sizes.deadBytes)],
    ["index", formatBytes(sizes.indexBytes)],
    ["chunks", chunksText(facts, counts)],
    ["tight bounds", counts?.chunkBounds ? `chunks ${formatBox(counts.chunkBounds, dimensions)}` : undefined],
    ["entities", counts && String(counts.entities)],
  ];
}

function factsJson(facts: Facts): object {
  const { dimensions, bounds, changed } = facts;
  return {
    ...facts,
    chunkShape: facts.chunkShape.slice(0, dimensions),
    spawn: positionJson(facts.spawn, dimensions),
    keptGenerators: facts.keptGenerators.map((kept) => ({
      ...kept,
      boxes: kept.boxes.map((box) => boxJson(box, dimensions)),
    })),
    bounds: bounds && boundsJson(bounds, dimensions),
    changed: changed && boundsJson(changed, dimensions),
  };
}

function boundsJson({ chunks, voxels }: Bounds, dimensions: number): object {
  return { chunks: boxJson(chunks, dimensions), voxels: boxJson(voxels, dimensions) };
}

function countsJson(counts: Counts, dimensions: number): object {
  const { chunkBounds } = counts;
  return { ...counts, chunkBounds: chunkBounds && boxJson(chunkBounds, dimensions) };
}

/** A converted world has no times, so that the same source always makes the same bytes. */
function timeText(ms: number): string | undefined {
  return ms === 0 ? undefined : formatTime(ms);
}

function storeText({ store: { keys, bytes } }: Facts): string | undefined {
  return keys === 0 ? undefined : `${formatAmount(keys, "key")}, ${formatBytes(bytes)}`;
}

function chunksText({ chunks }: Facts, counts: Counts | undefined): string | undefined {
  if (counts !== undefined) {
    return `${formatAmount(counts.chunks, "chunk")}, ${counts.emptyChunks} of them empty`;
  }
  return chunks === null ? undefined : formatAmount(chunks, "chunk");
}
