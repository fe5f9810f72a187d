import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Chunk, Position } from "@orthant/core";
import type { PeerStore } from "./peer-store.ts";

const VERSION = "1.18.2";
const LOWEST_VOXEL = -64;
const HEIGHT_VOXELS = 384;
const SECTIONS = HEIGHT_VOXELS / 16;
/** Columns between slices of the fourth dimension, and between storeys above the height of one column. */
const SLICE_COLUMNS = 4_096;
const STOREY_COLUMNS = 64 * SLICE_COLUMNS;

interface Column {
  setBlockStateId(at: BlockPosition, state: number): void;
  getBlockStateId(at: BlockPosition): number;
}

interface BlockPosition {
  x: number;
  y: number;
  z: number;
}

interface AnvilFolder {
  save(x: number, z: number, column: Column): Promise<void>;
  load(x: number, z: number): Promise<Column | null>;
  close(): Promise<unknown>;
}

interface Registry {
  readonly blocksArray: readonly { readonly defaultState: number }[];
}

/** Position of a chunk in a Minecraft world: a section of a column. */
interface Section {
  readonly columnX: number;
  readonly columnZ: number;
  readonly section: number;
}

/**
 * The region files of Minecraft 1.18. A chunk of 4,096 voxels is a section of 16^3 blocks, and chunks above
 * each other share a column of 24 sections around height 0. Materials are the first blocks of the game.
 * Everything else stays air, without light and heights: a real world stores more. Nothing is ever synced.
 */
export function anvilStore(load: NodeJS.Require): PeerStore {
  const { Anvil } = load("prismarine-provider-anvil") as {
    Anvil(version: string): new (path: string) => AnvilFolder;
  };
  const registry = (load("prismarine-registry") as (version: string) => Registry)(VERSION);
  const NewColumn = (
    load("prismarine-chunk") as (
      registry: Registry,
    ) => new (options: {
      minY: number;
      worldHeight: number;
    }) => Column
  )(registry);
  const Folder = Anvil(VERSION);
  const states = registry.blocksArray.map(({ defaultState }) => defaultState);
  return {
    name: "Anvil (prismarine)",
    async fill(parent, { chunks }) {
      const folder = join(parent, "anvil");
      await mkdir(folder, { recursive: true });
      const anvil = new Folder(folder);
      for (const { columnX, columnZ, sections } of columnsOf(chunks)) {
        const column = new NewColumn({ minY: LOWEST_VOXEL, worldHeight: HEIGHT_VOXELS });
        for (const [section, chunk] of sections) setSection(column, section, chunk, states);
        await anvil.save(columnX, columnZ, column);
      }
      await anvil.close();
    },
    async read(parent, positions) {
      const anvil = new Folder(join(parent, "anvil"));
      // A game keeps a loaded column.
      const loaded = new Map<string, Column>();
      let sum = 0;
      for (const position of positions) {
        const { columnX, columnZ, section } = sectionOf(position);
        const key = `${columnX},${columnZ}`;
        const column = loaded.get(key) ?? (await anvil.load(columnX, columnZ));
        if (column === null) throw new Error(`Anvil has no column ${key}`);
        loaded.set(key, column);
        sum += column.getBlockStateId({ x: 0, y: LOWEST_VOXEL + section * 16, z: 0 });
      }
      await anvil.close();
      return sum;
    },
  };
}

function sectionOf([x, y, z, w]: Position): Section {
  const level = y + SECTIONS / 2;
  const storey = Math.floor(level / SECTIONS);
  return {
    columnX: x,
    columnZ: z + w * SLICE_COLUMNS + storey * STOREY_COLUMNS,
    section: level - storey * SECTIONS,
  };
}

function columnsOf(
  chunks: readonly (readonly [Position, Chunk])[],
): Iterable<Pick<Section, "columnX" | "columnZ"> & { readonly sections: [number, Chunk][] }> {
  const columns = new Map<string, { columnX: number; columnZ: number; sections: [number, Chunk][] }>();
  for (const [position, chunk] of chunks) {
    const { columnX, columnZ, section } = sectionOf(position);
    const key = `${columnX},${columnZ}`;
    const column = columns.get(key) ?? { columnX, columnZ, sections: [] };
    column.sections.push([section, chunk]);
    columns.set(key, column);
  }
  return columns.values();
}

function setSection(column: Column, section: number, chunk: Chunk, states: readonly number[]): void {
  const at: BlockPosition = { x: 0, y: 0, z: 0 };
  for (const [cell, material] of chunk.voxels().entries()) {
    if (material === 0) continue;
    at.x = cell & 15;
    at.y = LOWEST_VOXEL + section * 16 + ((cell >> 4) & 15);
    at.z = cell >> 8;
    column.setBlockStateId(at, states[material % states.length] ?? 1);
  }
}
