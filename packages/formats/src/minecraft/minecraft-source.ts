import type { OrthantError } from "@orthant/core";
import { type ChunkShape, CUBE_CHUNKS } from "@orthant/core";
import { encodeUtf8, hash64 } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { type Finding, findingOf } from "@orthant/disk/files";
import { fileBytes } from "../format/files.ts";
import type { WorldInfo } from "../format/format.ts";
import { type ConversionLoss, ConversionLosses } from "../format/losses.ts";
import { formatAmount, formatBytes, formatCount, formatPosition } from "../format/text.ts";
import { looksOfBlock } from "../imported/block-looks.ts";
import { dataOfBlocks, withData } from "../imported/chunk-data.ts";
import { damageLosses } from "../imported/damage-losses.ts";
import {
  CELL_CHUNKS,
  type ImportedBox,
  type ImportedChunk,
  type ImportedPiece,
  type ImportSource,
} from "../imported/import-source.ts";
import { entitiesToImport } from "../imported/imported-entities.ts";
import type { ImportedEntity } from "../part/voxel-part.ts";
import type { ChunkColumn } from "./chunk-column.ts";
import type { RegionFile, RegionSlot } from "./region-file.ts";
import { findLeftOut, LEVEL_FILE, type MinecraftFiles, openRegionOr } from "./world-files.ts";

const EDGE = 16;
/** Sections of a column since 1.18; one that is not stored is air. */
const [LOWEST_SECTION, SECTIONS_END] = [-4, 20];

/** Four by four columns of a region; none for the findings about a region's header. */
interface ColumnCell {
  readonly path: string;
  readonly cell: string | undefined;
}

/** A world of region files. A piece is four by four columns, so that memory does not grow with the world. */
export class MinecraftSource implements ImportSource {
  readonly shape: ChunkShape = CUBE_CHUNKS;
  readonly looksOf: ImportSource["looksOf"] = looksOfBlock;
  readonly pieces: readonly number[];
  readonly name: string | undefined;
  readonly seed: bigint | undefined;
  readonly spawn: ImportSource["spawn"];
  readonly info: WorldInfo;
  readonly fingerprint: string;
  readonly losses: readonly ConversionLoss[];
  readonly #disk: Disk;
  readonly #columns: LastRegion;
  readonly #entities: LastRegion;
  readonly #files: MinecraftFiles;
  readonly #cells: readonly ColumnCell[];
  #lastPiece = -1;

  private constructor(
    disk: Disk,
    files: MinecraftFiles,
    cells: readonly (ColumnCell & { readonly columns: number })[],
    info: WorldInfo,
    fingerprint: string,
    leftOut: readonly ConversionLoss[],
  ) {
    this.fingerprint = fingerprint;
    this.#disk = disk;
    this.#columns = new LastRegion(disk);
    this.#entities = new LastRegion(disk);
    this.#files = files;
    this.#cells = cells;
    this.pieces = cells.map(({ columns }) => columns);
    this.name = files.level?.name;
    this.seed = files.level?.seed;
    this.spawn = files.level?.spawn;
    this.info = info;
    this.losses = [...levelLosses(files), ...leftOut];
  }

  /** Opens the files of a world, and reads the headers of its regions. */
  static async open(disk: Disk, files: MinecraftFiles): Promise<MinecraftSource> {
    const cells: (ColumnCell & { readonly columns: number })[] = [];
    const damage = files.levelDamage === undefined ? [] : [`${LEVEL_FILE}: ${files.levelDamage.detail}`];
    let totalBytes = 0;
    let fingerprint = hash64(encodeUtf8(JSON.stringify([files.level?.name, String(files.level?.seed)])));
    for (const path of files.regions) {
      totalBytes += await fileBytes(disk, path);
      const region = await openRegionOr(disk, path, ({ detail }) => damage.push(`${path}: ${detail}`));
      cells.push({ path, cell: undefined, columns: 0 });
      for (const [cell, slots] of slotsByCell(region?.slots ?? []))
        cells.push({ path, cell, columns: slots.length });
      const slots = JSON.stringify([path, totalBytes, region?.slots ?? []]);
      fingerprint = hash64(encodeUtf8(`${fingerprint},${slots}`));
      await region?.close();
    }
    for (const path of files.entityRegions.values())
      fingerprint = hash64(encodeUtf8(`${fingerprint},${path},${await fileBytes(disk, path)}`));
    const columns = cells.reduce((sum, cell) => sum + cell.columns, 0);
    const info = describeWorld(files, columns, totalBytes, damage);
    const leftOut = files.isOneRegion ? [] : await findLeftOut(disk);
    return new MinecraftSource(disk, files, cells, info, String(fingerprint), leftOut);
  }

  boxOf(piece: number): ImportedBox | undefined {
    const [x, z] = this.#cells[piece]?.cell?.split(",").map((at) => Number(at) * CELL_CHUNKS) ?? [];
    if (x === undefined || z === undefined) return undefined;
    return { min: [x, LOWEST_SECTION, z], max: [x + CELL_CHUNKS, SECTIONS_END, z + CELL_CHUNKS] };
  }

  /** Pieces are read one at a time. A region stays open for its next piece, and is opened again for an earlier one. */
  async readPiece(piece: number): Promise<ImportedPiece> {
    const { path, cell } = this.#cells[piece] as ColumnCell;
    if (piece <= this.#lastPiece) await this.close();
    this.#lastPiece = piece;
    let isOver = true;
    try {
      const read = await this.#readCell(path, cell);
      isOver = this.#cells[piece + 1]?.path !== path;
      return read;
    } finally {
      if (isOver) await this.close();
    }
  }

  async #readCell(path: string, cell: string | undefined): Promise<ImportedPiece> {
    const losses = new ConversionLosses();
    const open = await this.#columns.at(path, (error) => {
      if (cell === undefined) losses.addAll(damageLosses([findingOf(error, path)]));
    });
    if (open === undefined) return { chunks: [], losses: losses.list(), savedAtMs: 0 };
    if (cell === undefined) {
      losses.addAll(damageLosses(open.region.findings));
      return { chunks: [], losses: losses.list(), savedAtMs: 0 };
    }
    const region = open.region.withNewFindings();
    const slots = open.slots.get(cell) ?? [];
    const chunks: ImportedChunk[] = [];
    const entities: ImportedEntity[] = [];
    let unfinished = 0;
    for await (const column of region.columns(slots)) {
      if (column.isFinished) {
        chunks.push(...chunksOf(column, losses));
        entities.push(...column.entities);
      } else unfinished++;
    }
    losses.add("unfinished columns", "the game had not finished generating them", unfinished);
    losses.addAll(damageLosses(region.findings));
    entities.push(...(await this.#entitiesOf(path, cell, losses)));
    const own = entitiesToImport(
      entities.filter((entity) => isInCell(entity, cell, losses)),
      losses,
    );
    const savedAt = slots.reduce((latest, slot) => Math.max(latest, slot.savedAt), 0);
    return { chunks, entities: own, losses: losses.list(), savedAtMs: savedAt * 1_000 };
  }

  /** From 1.17 on, entities have region files of their own, with the same columns. */
  async #entitiesOf(
    path: string,
    cell: string,
    losses: ConversionLosses,
  ): Promise<readonly ImportedEntity[]> {
    const beside = this.#files.entityRegions.get(path);
    if (beside === undefined) return [];
    const open = await this.#entities.at(beside, (error) =>
      losses.addAll(damageLosses([findingOf(error, beside)])),
    );
    if (open === undefined) return [];
    const region = open.region.withNewFindings();
    const entities: ImportedEntity[] = [];
    for await (const column of region.columns(open.slots.get(cell) ?? [])) entities.push(...column.entities);
    losses.addAll(damageLosses([...open.region.findings, ...region.findings]));
    return entities;
  }

  async verify(): Promise<readonly Finding[]> {
    const { levelDamage, regions, entityRegions } = this.#files;
    const findings: Finding[] = levelDamage === undefined ? [] : [findingOf(levelDamage, LEVEL_FILE)];
    for (const path of [...regions, ...entityRegions.values()]) {
      const region = await openRegionOr(this.#disk, path, (error) => findings.push(findingOf(error, path)));
      if (region === undefined) continue;
      try {
        for await (const _column of region.columns());
        findings.push(...region.findings);
      } finally {
        await region.close();
      }
    }
    return findings;
  }

  async close(): Promise<void> {
    await this.#columns.close();
    await this.#entities.close();
  }
}

function levelLosses({ levelDamage }: MinecraftFiles): readonly ConversionLoss[] {
  if (levelDamage === undefined) return [];
  const remark = `${LEVEL_FILE} cannot be read: ${levelDamage.detail}`;
  return [{ what: "name, seed and spawn point", count: 1, remark }];
}

function describeWorld(
  { level, regions }: MinecraftFiles,
  columns: number,
  totalBytes: number,
  losses: readonly string[],
): WorldInfo {
  const { name, seed, spawn, gameVersion, dataVersion } = level ?? {};
  return {
    facts: {
      name: name ?? null,
      gameVersion: gameVersion ?? null,
      dataVersion: dataVersion ?? null,
      seed: seed === undefined ? null : String(seed),
      spawn: spawn ?? null,
      regions: regions.length,
      columns,
      totalBytes,
    },
    rows: [
      ["name", name],
      ["version", gameVersion],
      ["seed", seed === undefined ? undefined : String(seed)],
      ["spawn", spawn && formatPosition(spawn)],
      ["regions", `${formatAmount(regions.length, "file")}, ${formatBytes(totalBytes)}`],
      ["columns", formatCount(columns)],
    ],
    losses,
  };
}

function chunksOf(column: ChunkColumn, losses: ConversionLosses): readonly ImportedChunk[] {
  const { x, z, sections, blockData } = column;
  losses.add("light and biomes of columns", "Orthant stores neither");
  const chunks = sections.map((voxels) => ({
    position: [x, voxels.min[1] / EDGE, z] as const,
    voxels,
  }));
  return withData(chunks, dataOfBlocks(blockData), losses);
}

/** Entities that left their columns would be in cubes of other pieces. */
function isInCell(
  { position, id }: ImportedEntity,
  cell: string | undefined,
  losses: ConversionLosses,
): boolean {
  if (position === undefined) return true;
  const [x, , z] = position.map((at) => Math.floor(at / EDGE / CELL_CHUNKS));
  if (`${x},${z}` === cell) return true;
  losses.add("entities far from their columns", `the first is ${id} at [${position.join(", ")}]`);
  return false;
}

/** Slots of a region by the cells of four by four columns that they are in. */
type SlotsByCell = ReadonlyMap<string, readonly RegionSlot[]>;

/** An open region, and its slots. */
interface OpenRegion {
  readonly path: string;
  readonly region: RegionFile;
  readonly slots: SlotsByCell;
}

/** Keeps the region that was opened last, because pieces of one region are read one after another. */
class LastRegion {
  readonly #disk: Disk;
  #open: OpenRegion | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Opens a region, and closes another one; `undefined`, after a call of `onDamage`, if its header is damaged. */
  async at(path: string, onDamage: (error: OrthantError) => void): Promise<OpenRegion | undefined> {
    if (this.#open?.path === path) return this.#open;
    await this.close();
    const region = await openRegionOr(this.#disk, path, onDamage);
    this.#open = region && { path, region, slots: slotsByCell(region.slots) };
    return this.#open;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.region.close();
  }
}

/** Sorts slots into cells. */
function slotsByCell(slots: readonly RegionSlot[]): SlotsByCell {
  const cells = new Map<string, RegionSlot[]>();
  for (const slot of slots) {
    const key = `${Math.floor(slot.x / CELL_CHUNKS)},${Math.floor(slot.z / CELL_CHUNKS)}`;
    getOrAdd(cells, key, () => []).push(slot);
  }
  return cells;
}
