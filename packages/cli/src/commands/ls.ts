import { type Box, dimensionsOf, isOrthantError, type Position } from "@orthant/core";
import {
  boxContains,
  boxEquals,
  boxesIntersect,
  chunksOfVoxels,
  comparePositions,
  positionFrom,
  regionBox,
  roundOutToRegions,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { changeNumberOf, epochOf } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { fileBytes, formatCount, formatPosition, formatTime } from "@orthant/formats";
import { type LeafEntry, openSave, type Save, type StoredChunk, surveySave } from "@orthant/save";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseBox, parseInteger } from "../command/parse.ts";
import { boxJson, positionJson, tableLines } from "../command/report.ts";
import { UsageError } from "../command/usage.ts";
import { openReadable } from "../world/found-world.ts";
import { exitWithJournals, openLiveSave } from "../world/live-save.ts";
import { chunkIfKnown, storedData } from "../world/stored-content.ts";

const LIMIT_MAX = 1_000_000;

/** `orthant ls`. */
export const lsCommand: Command = {
  name: "ls",
  summary: "List what a world holds, all of it or in a box",
  details:
    "Leaves, regions, generations and players cost little; chunks and entities read the records of the box.",
  arguments: [
    { name: "<world>", description: "the folder of a world, or its file" },
    {
      name: "[what]",
      description: "what to list, leaves unless given",
      choices: ["leaves", "regions", "chunks", "entities", "players", "generations", "files"],
    },
  ],
  usesGenerators: true,
  options: [
    { flags: "--box <voxels>", description: "only what lies in a box such as 0,0,0,0..64,64,64,64" },
    { flags: "--limit <count>", description: "how many lines at most", default: "1000" },
  ],
  examples: [
    "orthant ls my-world",
    "orthant ls my-world entities --box -64,-64,-64,-64..64,64,64,64",
    "orthant ls my-world regions --limit 20",
  ],

  async run(args, context) {
    const folder = args.at(0);
    const what = args.at(1) === "" ? "leaves" : args.at(1);
    const voxels = args.parsed("box", parseBox);
    const limit = args.parsed("limit", parseInteger(1, LIMIT_MAX)) ?? LIMIT_MAX;
    const { disk } = await openReadable(folder, context);
    const lister = LISTERS.get(what);
    if (lister === undefined) throw new UsageError(`there is no list of ${what}`);
    const opened = await openLiveSave(disk, context.generators);
    const { save, generation } = opened;
    try {
      const shape = save.global.description.chunkShape;
      const chunks = voxels === undefined ? WHOLE_LATTICE : chunksOfVoxels(shape, voxels);
      const dimensions = dimensionsOf(shape);
      const scope = { disk, save, generation, folder, context, voxels, chunks, dimensions };
      const rows: Row[] = [];
      let isCut = false;
      for await (const row of lister.rows(scope)) {
        isCut = rows.length === limit;
        if (isCut) break;
        rows.push(row);
      }
      context.printJson({ world: folder, what, truncated: isCut, items: rows.map(({ item }) => item) });
      context.printAll(tableLines([lister.heading, ...rows.map(({ cells }) => cells)]));
      if (isCut) context.note(`there are more than ${formatCount(limit)}; --limit shows more, --box less`);
      return exitWithJournals([opened], context);
    } finally {
      await save.close();
    }
  },
};

interface Scope {
  readonly disk: Disk;
  /** Including the replayed journal. */
  readonly save: Save;
  /** The live generation on the disk. */
  readonly generation: number;
  readonly folder: string;
  readonly context: Context;
  /** The requested box; `undefined` is everything. */
  readonly voxels: Box | undefined;
  /** The same in chunks. */
  readonly chunks: Box;
  readonly dimensions: number;
}

/** One row: text for people, and an object for programs. */
interface Row {
  readonly cells: readonly string[];
  readonly item: object;
}

interface Lister {
  readonly heading: readonly string[];
  rows(scope: Scope): AsyncGenerator<Row>;
}

const LISTERS: ReadonlyMap<string, Lister> = new Map([
  ["leaves", { heading: ["first chunk", "edge", "records", "bytes", "regions"], rows: leafRows }],
  ["regions", { heading: ["region", "epoch", "change"], rows: regionRows }],
  ["chunks", { heading: ["chunk", "state", "blocks", "data"], rows: chunkRows }],
  ["entities", { heading: ["id", "class", "kind", "position", "name"], rows: entityRows }],
  ["players", { heading: ["id", "name", "position", "saved"], rows: playerRows }],
  ["generations", { heading: ["generation", "state", "modified"], rows: generationRows }],
  ["files", { heading: ["bytes", "file"], rows: fileRows }],
]);

/** Returns the leaves that a box touches; for the whole lattice, page by page. */
async function* leavesIn({ index }: Save, chunks: Box): AsyncGenerator<LeafEntry> {
  if (boxEquals(chunks, WHOLE_LATTICE)) yield* index.all();
  else {
    await index.load(chunks);
    yield* [...index.touching(chunks)].sort((a, b) => comparePositions(a.cube.min, b.cube.min));
  }
}

async function* leafRows({ save, chunks, dimensions }: Scope): AsyncGenerator<Row> {
  for await (const { cube, chunkRefs, entityRefs, clocks } of leavesIn(save, chunks)) {
    const refs = [...chunkRefs, ...entityRefs];
    const bytes = refs.reduce((sum, { recordBytes }) => sum + recordBytes, 0);
    const edge = cube.max[0] - cube.min[0];
    yield {
      cells: [
        formatPosition(cube.min, dimensions),
        ...[edge, refs.length, bytes, clocks.length].map(formatCount),
      ],
      item: {
        chunks: boxJson(cube, dimensions),
        chunkRecords: chunkRefs,
        entityRecords: entityRefs,
        regions: clocks.length,
      },
    };
  }
}

async function* regionRows({ save, chunks, dimensions }: Scope): AsyncGenerator<Row> {
  for await (const { clocks } of leavesIn(save, roundOutToRegions(chunks))) {
    for (const { region, clock } of clocks) {
      if (!boxesIntersect(regionBox(region), chunks)) continue;
      const [epoch, changeNumber] = [epochOf(clock), changeNumberOf(clock)];
      yield {
        cells: [formatPosition(region, dimensions), String(epoch), String(changeNumber)],
        item: { region: positionJson(region, dimensions), clock, epoch, changeNumber },
      };
    }
  }
}

async function* chunkRows({ save, chunks, dimensions }: Scope): AsyncGenerator<Row> {
  const rowOf = (stored: StoredChunk): Row => {
    const chunk = chunkIfKnown(save, stored);
    const state = chunk?.isEmpty === true ? "empty" : "content";
    const blocks = chunk === undefined ? null : chunk.blocks().length;
    const data = (chunk?.data ?? storedData(save, stored)).size;
    const blockCount = blocks === null ? "unknown" : formatCount(blocks);
    return {
      cells: [formatPosition(stored.position, dimensions), state, blockCount, formatCount(data)],
      item: { chunk: positionJson(stored.position, dimensions), state, blocks, data },
    };
  };
  for await (const leaf of leavesIn(save, chunks)) {
    for (const stored of await save.readStored(leaf))
      if (boxContains(chunks, stored.position)) yield rowOf(stored);
  }
}

/** An entity may lie in a leaf next to that of its position, so the search includes the box's neighbours. */
async function* entityRows({ save, chunks, voxels, dimensions }: Scope): AsyncGenerator<Row> {
  const around = {
    min: positionFrom((axis) => chunks.min[axis] - 1),
    max: positionFrom((axis) => chunks.max[axis] + 1),
  };
  for await (const leaf of leavesIn(save, voxels === undefined ? chunks : around)) {
    for (const entity of await save.readEntities(leaf)) {
      const { entityId, entityClass, kind, position, displayName } = entity;
      const voxel: Position = positionFrom((axis) => Math.floor(position[axis]));
      if (voxels !== undefined && !boxContains(voxels, voxel)) continue;
      yield {
        cells: [
          String(entityId),
          String(entityClass),
          String(kind),
          formatPosition(position, dimensions),
          displayName ?? "",
        ],
        item: {
          entityId,
          entityClass,
          kind,
          position: positionJson(position, dimensions),
          displayName: displayName ?? null,
          tags: entity.tags,
        },
      };
    }
  }
}

async function* playerRows({ save, voxels, dimensions }: Scope): AsyncGenerator<Row> {
  for (const { playerId, name, position, tags, lastSavedMs } of save.players) {
    const voxel: Position = positionFrom((axis) => Math.floor(position[axis]));
    if (voxels !== undefined && !boxContains(voxels, voxel)) continue;
    yield {
      cells: [String(playerId), name ?? "", formatPosition(position, dimensions), formatTime(lastSavedMs)],
      item: { playerId, name: name ?? null, position: positionJson(position, dimensions), tags, lastSavedMs },
    };
  }
}

async function* generationRows({ disk, save, generation: live }: Scope): AsyncGenerator<Row> {
  const { generations } = await surveySave(disk);
  const names = new Map(
    save.global.description.namedGenerations.map(({ generation, name }) => [generation, name]),
  );
  for (const generation of generations) {
    const opened = generation > live ? undefined : await openGeneration(disk, generation);
    const name = names.get(generation) ?? null;
    const state =
      generation > live
        ? "never committed"
        : opened === undefined
          ? "not all there"
          : generation === live
            ? "live"
            : "kept";
    const modifiedMs = opened?.global.lastModifiedMs ?? null;
    const modified = modifiedMs === null ? "" : formatTime(modifiedMs);
    yield {
      cells: [String(generation), name === null ? state : `${state}: ${name}`, modified],
      item: { generation, state, name, modifiedMs },
    };
  }
}

/** Returns a generation; `undefined` when it is incomplete or damaged. */
async function openGeneration(disk: Disk, generation: number): Promise<Save | undefined> {
  try {
    const opened = await openSave(disk, { generation });
    await opened.close();
    return opened;
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

async function* fileRows({ folder, context }: Scope): AsyncGenerator<Row> {
  const disk = await context.openDisk(folder);
  for (const file of (await surveySave(disk)).files) {
    const bytes = await fileBytes(disk, file);
    yield { cells: [formatCount(bytes), file], item: { file, bytes } };
  }
}
