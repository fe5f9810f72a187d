import { type Chunk, CUBE_CHUNKS, chunkFromVoxels, uniformChunk } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type ChunkColumn,
  NOT_STORED,
  type RegionFile,
  type RegionSlot,
  type VoxelPart,
} from "@orthant/imports";
import { BulkSaveWriter, type ChunkEntry, type LeafChange, plainDescription } from "@orthant/save";
import type { ConversionOutcome } from "../format/format.ts";
import { ConversionLosses } from "../format/losses.ts";
import { columnData } from "./column-data.ts";
import { type ImportedBlocks, isAir, StateCollector, wellFormed } from "./imported-blocks.ts";
import { findLeftOut, type MinecraftFiles, openRegionOr } from "./world-files.ts";

const EDGE = 16;
const VOLUME = EDGE ** 3;
/** Edge, in chunks, of the cubes that are written together. */
const CELL_CHUNKS = 4;
const NAME_LENGTH_MAX = 1_024;
/** Spawn points farther away are those of no game. */
const SPAWN_MAX = 2 ** 31;

/** A Minecraft world to convert. */
export interface MinecraftSource {
  readonly disk: Disk;
  readonly files: MinecraftFiles;
}

/** What a first pass has found: all states, and what would be lost. */
interface Census {
  readonly blocks: ImportedBlocks;
  readonly losses: ConversionLosses;
  readonly chunks: number;
}

/**
 * Converts region files to a save: a section becomes a chunk, a state a block with properties, and a block entity data
 * of its voxel. A first pass finds all states and losses; a second one writes. Both read sixteen columns at a time.
 */
export class MinecraftConversion {
  readonly #source: MinecraftSource;
  #census: Census | undefined;

  constructor(source: MinecraftSource) {
    this.#source = source;
  }

  /** Converts the world. Without a disk, only reports what would be lost. */
  async run(target: Disk | undefined, onColumn: () => void): Promise<ConversionOutcome> {
    const census =
      this.#census ?? (await this.#takeCensus(target === undefined ? onColumn : () => undefined));
    this.#census = census;
    if (target !== undefined) await this.#write(target, census, onColumn);
    return { chunks: census.chunks, losses: census.losses.list() };
  }

  async #takeCensus(onColumn: () => void): Promise<Census> {
    const { disk, files } = this.#source;
    const losses = new ConversionLosses();
    const states = new StateCollector();
    let chunks = 0;
    if (files.levelDamage !== undefined)
      losses.add("name, seed and spawn point", `level.dat cannot be read: ${files.levelDamage.detail}`);
    for await (const { columns, unfinished, findings } of this.#groups(onColumn)) {
      for (const column of columns) {
        const { sections, entities } = column;
        for (const { palette } of sections) for (const state of palette) states.add(state, losses);
        chunks += sections.filter(holdsBlocks).length;
        losses.add(
          "entities",
          `animals, items and other things that move; the first is ${entities[0]?.id ?? ""}`,
          entities.length,
        );
        for (const { id, position } of columnData(column).lost) {
          losses.add(
            "data of blocks",
            `too long, or where no section is; the first is ${id} at [${position.join(", ")}]`,
          );
        }
      }
      losses.add("unfinished columns", "the game had not finished generating them", unfinished);
      for (const message of findings)
        losses.add("damaged parts", `verify lists all; the first is in ${message}`);
      losses.add("light and biomes of columns", "Orthant stores neither", columns.length);
    }
    for (const { what, remark, count } of await findLeftOut(disk)) losses.add(what, remark, count);
    return { blocks: states.define(losses), losses, chunks };
  }

  async #write(target: Disk, { blocks }: Census, onColumn: () => void): Promise<void> {
    const writer = await BulkSaveWriter.create(target, CUBE_CHUNKS);
    try {
      let savedAt = 0;
      for await (const group of this.#groups(onColumn)) {
        savedAt = Math.max(savedAt, group.savedAt);
        await writer.add(leavesOf(group.columns, blocks));
      }
      const { name = "", seed = 0n, spawn } = this.#source.files.level ?? {};
      const isNear = spawn?.every((at) => Number.isInteger(at) && Math.abs(at) < SPAWN_MAX) === true;
      await writer.finish({
        nowMs: savedAt * 1_000,
        players: [],
        global: {
          base: { kind: "empty" },
          worldSeed: BigInt.asUintN(64, seed),
          generators: [],
          nextEntityId: 1n,
          playerEntityHints: [],
          description: {
            ...plainDescription(CUBE_CHUNKS),
            name: wellFormed(name.slice(0, NAME_LENGTH_MAX)),
            ...(spawn !== undefined && isNear && { spawn: [...spawn, 0] as const }),
            blocks: blocks.encoded,
          },
        },
      });
    } finally {
      await writer.close();
    }
  }

  /** Reads all regions, four by four columns at a time. */
  async *#groups(onColumn: () => void): AsyncGenerator<ColumnGroup> {
    const { disk, files } = this.#source;
    for (const path of files.regions) {
      const damage: string[] = [];
      const region = await openRegionOr(disk, path, ({ detail }) => damage.push(`${path}: ${detail}`));
      if (region === undefined) {
        yield { columns: [], unfinished: 0, findings: damage, savedAt: 0 };
        continue;
      }
      try {
        // Slots that lead nowhere are known before any column is read, and there may be no other slots.
        const headFindings = damageIn(region);
        if (headFindings.length > 0) yield { columns: [], unfinished: 0, findings: headFindings, savedAt: 0 };
        let reported = headFindings.length;
        for (const slots of slotsByCell(region.slots)) {
          const columns: ChunkColumn[] = [];
          let unfinished = 0;
          for (const slot of slots) {
            const column = await region.readColumn(slot);
            onColumn();
            if (column?.isFinished === false) unfinished++;
            else if (column !== undefined) columns.push(column);
          }
          const found = damageIn(region);
          const findings = found.slice(reported);
          reported = found.length;
          yield { columns, unfinished, findings, savedAt: Math.max(...slots.map((slot) => slot.savedAt)) };
        }
      } finally {
        await region.close();
      }
    }
  }
}

function damageIn({ findings }: RegionFile): readonly string[] {
  return findings
    .filter(({ severity }) => severity === "damage")
    .map(({ file, message }) => `${file}: ${message}`);
}

/** Whether a section has a voxel that is not air. */
function holdsBlocks({ palette, indices }: VoxelPart): boolean {
  const isSolid = palette.map((state) => !isAir(state));
  return indices === undefined ? isSolid[0] === true : indices.some((index) => isSolid[index] === true);
}

interface ColumnGroup {
  readonly columns: readonly ChunkColumn[];
  readonly unfinished: number;
  readonly findings: readonly string[];
  readonly savedAt: number;
}

function slotsByCell(slots: readonly RegionSlot[]): Iterable<readonly RegionSlot[]> {
  const cells = new Map<string, RegionSlot[]>();
  for (const slot of slots) {
    const key = `${Math.floor(slot.x / CELL_CHUNKS)},${Math.floor(slot.z / CELL_CHUNKS)}`;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [slot]);
    else cell.push(slot);
  }
  return cells.values();
}

function leavesOf(columns: readonly ChunkColumn[], blocks: ImportedBlocks): readonly LeafChange[] {
  const cells = new Map<number, ChunkEntry[]>();
  for (const column of columns) {
    const { x, z, sections } = column;
    const { data } = columnData(column);
    for (const section of sections) {
      const y = section.min[1] / EDGE;
      const chunk = chunkOf(section, blocks).editData(data.get(y) ?? []);
      if (chunk.isEmpty && chunk.data.size === 0) continue;
      const cellY = Math.floor(y / CELL_CHUNKS);
      const cell = cells.get(cellY) ?? [];
      cells.set(cellY, cell);
      cell.push({ position: [x, y, z, 0], chunk });
    }
  }
  const [first] = columns;
  return Array.from(cells, ([cellY, chunks]) => {
    const [x, z] = [first?.x ?? 0, first?.z ?? 0].map((at) => Math.floor(at / CELL_CHUNKS) * CELL_CHUNKS) as [
      number,
      number,
    ];
    const y = cellY * CELL_CHUNKS;
    return {
      cube: { min: [x, y, z, 0], max: [x + CELL_CHUNKS, y + CELL_CHUNKS, z + CELL_CHUNKS, CELL_CHUNKS] },
      chunks,
    };
  });
}

/** In sections z runs second and y slowest; in chunks y runs second. */
function chunkOf({ palette, indices }: VoxelPart, blocks: ImportedBlocks): Chunk {
  const ids = Uint16Array.from(palette, (state) => blocks.blockOf(state));
  if (indices === undefined) return uniformChunk(VOLUME, ids[0] ?? 0);
  const voxels = new Uint16Array(VOLUME);
  for (let at = 0; at < VOLUME; at++) {
    const index = indices[at] as number;
    if (index !== NOT_STORED)
      voxels[(at & 0x0f) | ((at >>> 8) << 4) | (((at >>> 4) & 0x0f) << 8)] = ids[index] as number;
  }
  return chunkFromVoxels(voxels);
}
