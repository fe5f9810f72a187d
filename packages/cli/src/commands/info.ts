import {
  AXES,
  type Box,
  boxAt,
  type ChunkShape,
  DEFAULT_MATERIALS,
  decode,
  type MaterialCatalog,
  materialCatalogCodec,
  type Place,
  regionBox,
  unionBox,
  voxelsOfChunks,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { packFile, packHeader, type Save, type Survey, surveySave } from "@orthant/formats";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { describeFormat, fileBytes, findFormat } from "../found-world.ts";
import { openLiveSave } from "../live-save.ts";
import { formatAmount, formatBox, formatBytes, formatPlace, formatTime } from "../report/format.ts";
import { describeGenerator, type GeneratorInfo, generatorInfo } from "../report/generator.ts";
import { factLines } from "../report/table.ts";
import { reportTileSave } from "../report/tile-save-info.ts";

/** `orthant info`. */
export const infoCommand: Command = {
  name: "info",
  summary: "Tell what a world is and how large it is",
  details: "Reads the manifest and the index alone, so it is fast for worlds of any size.",
  arguments: [{ name: "<world>", description: "the folder of a world" }],
  options: [
    { flags: "--count", description: "also count chunks and entities, which reads every record" },
    { flags: "--materials", description: "also list the materials" },
  ],
  examples: ["orthant info my-world", "orthant info my-world --count --json"],

  async run(args, context) {
    const folder = args.at(0);
    const disk = await context.openDisk(folder);
    const format = await findFormat(disk, folder);
    if (format.format === "tilesave") {
      await reportTileSave(disk, folder, format, context);
      return EXIT.ok;
    }
    const survey = await surveySave(disk);
    const save = await openLiveSave(disk);
    try {
      const sizes = await measure(disk, survey, save);
      const counts = args.has("count") ? await countContent(save, context) : undefined;
      const facts = factsOf(save, survey);
      context.printJson({ world: folder, ...format, ...facts, sizes, counts: counts ?? null });
      context.printAll(factLines([["format", describeFormat(format)], ...rowsOf(facts, sizes, counts)]));
      if (args.has("materials")) context.printAll(materialLines(catalogOf(save)));
    } finally {
      await save.close();
    }
    return EXIT.ok;
  },
};

/** What manifest, index, global and players files say. */
interface Facts {
  readonly name: string;
  readonly worldId: bigint;
  readonly generation: number;
  /** Older ones of which files are there, and names that generations were given. */
  readonly generations: readonly number[];
  readonly namedGenerations: Save["global"]["description"]["namedGenerations"];
  readonly createdMs: number;
  readonly lastModifiedMs: number;
  readonly chunkShape: Place;
  readonly dimensions: number;
  readonly spawn: readonly number[];
  readonly clockEpoch: number;
  readonly generator: GeneratorInfo;
  readonly leaves: number;
  readonly regions: number;
  readonly players: number;
  /** What leaves of the index reach over: all that anybody made lies inside. `null` when nothing was made. */
  readonly bounds: Bounds | null;
  /** What regions with a clock reach over, which is closer. `null` when there are none. */
  readonly changed: Bounds | null;
  readonly materials: readonly { readonly id: number; readonly name: string }[];
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
  /** In records, or what was one, that it does not refer to. */
  readonly deadBytes: number;
  readonly indexBytes: number;
}

interface Counts {
  readonly chunks: number;
  readonly emptyChunks: number;
  readonly entities: number;
  /** Exactly around the chunks. */
  readonly chunkBounds: Box | null;
}

async function measure(disk: Disk, { files, packIds }: Survey, save: Save): Promise<Sizes> {
  let totalBytes = 0;
  let packBytes = 0;
  const packs = new Set(packIds.map(packFile));
  for (const file of files) {
    const bytes = await fileBytes(disk, file);
    totalBytes += bytes;
    if (packs.has(file)) packBytes += bytes;
  }
  let liveBytes = 0;
  for (const { blockRefs, entityRefs } of save.leaves) {
    for (const { recordBytes } of blockRefs) liveBytes += recordBytes;
    for (const { recordBytes } of entityRefs) liveBytes += recordBytes;
  }
  const deadBytes = Math.max(0, packBytes - packIds.length * packHeader.bytes - liveBytes);
  const indexBytes = await fileBytes(disk, save.manifest.indexFile);
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

async function countContent(save: Save, context: Context): Promise<Counts> {
  const progress = context.progress("counting", "leaves", save.leaves.length);
  let chunks = 0;
  let emptyChunks = 0;
  let entities = 0;
  let chunkBounds: Box | null = null;
  const add = (place: Place, isEmpty: boolean): void => {
    const box = boxAt(place);
    chunkBounds = chunkBounds === null ? box : unionBox(chunkBounds, box);
    chunks++;
    if (isEmpty) emptyChunks++;
  };
  try {
    for (const { place, chunk } of save.flat?.globalBlocks ?? []) add(place, chunk.isEmpty);
    for (const leaf of save.leaves) {
      for (const { place, chunk } of await save.readBlocks(leaf)) add(place, chunk.isEmpty);
      entities += (await save.readEntities(leaf)).length;
      progress.advance(1);
    }
  } finally {
    progress.end();
  }
  return { chunks, emptyChunks, entities, chunkBounds };
}

function factsOf(save: Save, { generations }: Survey): Facts {
  const { global, manifest, leaves, players } = save;
  const { description } = global;
  return {
    name: description.name,
    worldId: description.worldId,
    generation: save.generation,
    generations: generations.filter((generation) => generation < save.generation),
    namedGenerations: description.namedGenerations,
    createdMs: manifest.createdMs,
    lastModifiedMs: manifest.lastModifiedMs,
    chunkShape: description.chunkShape.extents,
    dimensions: AXES.filter((axis) => description.chunkShape.extents[axis] > 1).length,
    spawn: description.spawn,
    clockEpoch: description.clockEpoch,
    generator: generatorInfo(global),
    leaves: leaves.length,
    regions: leaves.reduce((sum, { clocks }) => sum + clocks.length, 0),
    players: players.length,
    bounds: boundsOf(cellsOf(save), description.chunkShape),
    changed: boundsOf(regionsOf(save), description.chunkShape),
    materials: catalogOf(save).materials,
  };
}

function* cellsOf({ leaves, flat }: Save): Generator<Box> {
  for (const { cell } of leaves) yield cell;
  for (const { place } of flat?.globalBlocks ?? []) yield boxAt(place);
}

function* regionsOf({ leaves }: Save): Generator<Box> {
  for (const { clocks } of leaves) for (const { region } of clocks) yield regionBox(region);
}

function boundsOf(boxes: Iterable<Box>, shape: ChunkShape): Bounds | null {
  let chunks: Box | undefined;
  for (const box of boxes) chunks = chunks === undefined ? box : unionBox(chunks, box);
  return chunks === undefined ? null : { chunks, voxels: voxelsOfChunks(shape, chunks) };
}

function catalogOf({ global }: Save): MaterialCatalog {
  const { materials } = global.description;
  return materials.length === 0 ? DEFAULT_MATERIALS : decode(materialCatalogCodec, materials);
}

function rowsOf(
  facts: Facts,
  sizes: Sizes,
  counts: Counts | undefined,
): readonly (readonly [name: string, value: string | undefined])[] {
  const { generations, namedGenerations, bounds, changed } = facts;
  const older = generations.length === 0 ? "" : `, older ones: ${generations.join(", ")}`;
  return [
    ["name", facts.name === "" ? undefined : facts.name],
    ["world id", facts.worldId === 0n ? undefined : facts.worldId.toString(16).padStart(16, "0")],
    ["generation", `${facts.generation}${older}`],
    ...namedGenerations.map(({ generation, name }) => ["named", `${generation}: ${name}`] as const),
    ["created", formatTime(facts.createdMs)],
    ["modified", formatTime(facts.lastModifiedMs)],
    ["chunks of", `${facts.chunkShape.join(" x ")} voxels (${facts.dimensions}D)`],
    ["spawn", formatPlace(facts.spawn)],
    ["generator", describeGenerator(facts.generator)],
    ["materials", String(facts.materials.length)],
    ["clock epoch", String(facts.clockEpoch)],
    ["leaves", String(facts.leaves)],
    ["regions", `${facts.regions} with a clock`],
    ["players", String(facts.players)],
    ["bounds", bounds === null ? "nothing was made yet" : `voxels ${formatBox(bounds.voxels)}`],
    ["changed", changed === null ? undefined : `voxels ${formatBox(changed.voxels)}`],
    ["on disk", `${formatBytes(sizes.totalBytes)} in ${formatAmount(sizes.files, "file")}`],
    ["packs", `${sizes.packs}, ${formatBytes(sizes.packBytes)}`],
    ["live", formatBytes(sizes.liveBytes)],
    ["dead", formatBytes(sizes.deadBytes)],
    ["index", formatBytes(sizes.indexBytes)],
    ["chunks", counts && `${formatAmount(counts.chunks, "chunk")}, ${counts.emptyChunks} of them empty`],
    ["tight bounds", counts?.chunkBounds ? `chunks ${formatBox(counts.chunkBounds)}` : undefined],
    ["entities", counts && String(counts.entities)],
  ];
}

function materialLines({ materials }: MaterialCatalog): readonly string[] {
  return materials.map(({ id, name, colour, solid }) => {
    const code = colour.toString(16).padStart(6, "0");
    return `${String(id).padStart(5)}  #${code}  ${name}${solid ? "" : " (passable)"}`;
  });
}
