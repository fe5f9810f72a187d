import { CUBE_CHUNKS, OrthantError } from "@orthant/core";
import { decodeUtf8, encodeUtf8, hash64 } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { attempt, readWhole } from "@orthant/disk/files";
import { fileBytes, startOf } from "../format/files.ts";
import type { Format } from "../format/format.ts";
import { ConversionLosses } from "../format/losses.ts";
import { formatBytes, formatCount } from "../format/text.ts";
import { looksOfBlock } from "../imported/block-looks.ts";
import { type DataOfVoxel, withData } from "../imported/chunk-data.ts";
import { damageLines, damageLosses } from "../imported/damage-losses.ts";
import {
  CELL_CHUNKS,
  cellAt,
  type ImportedChunk,
  type ImportedKind,
  type ImportedPiece,
  type ImportSource,
} from "../imported/import-source.ts";
import { importedFormat } from "../imported/imported-format.ts";
import { NOT_STORED, type Triple } from "../part/voxel-part.ts";
import { SQLITE_HEADER_BYTES, SQLITE_MAGIC } from "../sqlite/sqlite-layout.ts";
import type { LuantiBlock } from "./luanti-block.ts";
import { type LuantiBlockPlace, type LuantiWorld, openLuanti } from "./luanti-world.ts";

const MAP_FILE = "map.sqlite";
const WORLD_FILE = "world.mt";
const WORLD_FILE_BYTES_MAX = 65_536;
const EDGE = 16;

/** Worlds of Luanti and Minetest with a map in SQLite. */
export const luantiKind: ImportedKind = {
  name: "luanti",
  title: "Luanti",

  async detect(disk, file) {
    const found = (evidence: string) => ({ format: "luanti", dialect: undefined, evidence });
    if (file !== undefined)
      return (await startOf(disk, file, SQLITE_MAGIC.length)) === SQLITE_MAGIC ? found(file) : undefined;
    if ((await startOf(disk, MAP_FILE, SQLITE_MAGIC.length)) !== undefined) return found(MAP_FILE);
    const settings = await readSettings(disk);
    return settings.has("backend") ? found(WORLD_FILE) : undefined;
  },

  async openSource(disk, { evidence }) {
    const settings = await readSettings(disk);
    const backend = settings.get("backend") ?? "sqlite3";
    if (evidence === WORLD_FILE || backend !== "sqlite3") {
      const advice = "luantiserver --migrate sqlite3 --world FOLDER makes a map.sqlite of it";
      throw new OrthantError("ORT_FOREIGN", `the map is in ${backend}, and only SQLite is read; ${advice}`);
    }
    const world = await openLuanti(disk, evidence);
    try {
      const head = await startOf(disk, evidence, SQLITE_HEADER_BYTES);
      return await sourceOf(world, settings, await fileBytes(disk, evidence), head);
    } catch (error) {
      await world.close();
      throw error;
    }
  },
};

/** Worlds of Luanti. */
export const luantiFormat: Format = importedFormat(luantiKind);

/** Reads `world.mt`: lines `name = value`. */
async function readSettings(disk: Disk): Promise<ReadonlyMap<string, string>> {
  const [bytes] = await attempt(() => readWhole(disk, WORLD_FILE, WORLD_FILE_BYTES_MAX));
  const lines = (bytes === undefined ? "" : (decodeUtf8(bytes, 0, bytes.length) ?? "")).split("\n");
  return new Map(
    lines
      .filter((line) => line.includes("="))
      .map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
}

async function sourceOf(
  world: LuantiWorld,
  settings: ReadonlyMap<string, string>,
  bytes: number,
  head: string | undefined,
): Promise<ImportSource> {
  const cells = new Map<string, LuantiBlockPlace[]>();
  let blocks = 0;
  for await (const place of world.places()) {
    const [x, y, z] = place.place;
    const key = [x, y, -1 - z].map((at) => Math.floor(at / CELL_CHUNKS)).join();
    getOrAdd(cells, key, () => []).push(place);
    blocks++;
  }
  const pieces = [...cells.values()];
  const headFindings = world.findings;
  const name = settings.get("world_name");
  return {
    shape: CUBE_CHUNKS,
    name,
    pieces: pieces.map((places) => places.length),
    boxOf(piece) {
      const [x, y, z] = pieces[piece]?.[0]?.place ?? [0, 0, 0];
      const corner = [x, y, -1 - z].map((at) => Math.floor(at / CELL_CHUNKS) * CELL_CHUNKS);
      return cellAt(corner as unknown as Triple);
    },
    defaults: new Map([["param2", "0"]]),
    losses: damageLosses(headFindings),
    fingerprint: String(hash64(encodeUtf8(JSON.stringify([bytes, head, pieces])))),
    info: {
      facts: { name: name ?? null, game: settings.get("gameid") ?? null, blocks, totalBytes: bytes },
      rows: [
        ["name", name],
        ["game", settings.get("gameid")],
        ["file", formatBytes(bytes)],
        ["blocks", formatCount(blocks)],
      ],
      losses: damageLines(headFindings),
    },
    looksOf: looksOfBlock,
    readPiece: (piece) => readPiece(world, pieces[piece] ?? []),
    async verify() {
      for (const places of pieces) for (const place of places) await world.readBlock(place);
      return world.findings;
    },
    close: () => world.close(),
  };
}

async function readPiece(world: LuantiWorld, places: readonly LuantiBlockPlace[]): Promise<ImportedPiece> {
  const losses = new ConversionLosses();
  const known = world.findings.length;
  const chunks = new Map<string, Omit<ImportedChunk, "data">>();
  const data: DataOfVoxel[] = [];
  for (const place of places) {
    const block = await world.readBlock(place);
    if (block === undefined || !block.isGenerated) continue;
    chunks.set(place.place.join(), chunkOf(block));
    data.push(...dataOf(block));
    losses.add("light of blocks", "Orthant stores none");
    losses.add("objects", "entities of mods, and items on the ground", block.objects.length);
  }
  const made = withData([...chunks.values()], data, losses);
  losses.addAll(damageLosses(world.findings.slice(known)));
  return { chunks: made, losses: losses.list(), savedAtMs: 0 };
}

/** In Luanti z points away from us, where x points right and y up: here it points towards us. */
function chunkOf({ min, palette, indices, param2 }: LuantiBlock): Omit<ImportedChunk, "data"> {
  const states: string[] = [];
  const places = new Map<number, number>();
  const turned = new Uint16Array(indices.length).fill(NOT_STORED);
  for (let at = 0; at < indices.length; at++) {
    const index = indices[at] as number;
    if (index === NOT_STORED) continue;
    const key = index * 256 + (param2[at] as number);
    turned[at ^ 0xf0] = getOrAdd(places, key, () => {
      const name = nameOf(palette[index] as string);
      const suffix = key % 256 === 0 || name === "air" ? "" : `[param2=${key % 256}]`;
      return states.push(`${name}${suffix}`) - 1;
    });
  }
  const [x, y, z] = min;
  return { position: [x / EDGE, y / EDGE, -1 - z / EDGE], voxels: { palette: states, indices: turned } };
}

/** A name of a node may hold what would begin its properties. */
function nameOf(node: string): string {
  return node.replace(/[[\]=,]/g, "_");
}

function dataOf({ nodeData, timers }: LuantiBlock): readonly DataOfVoxel[] {
  const timerAt = new Map(
    timers.map(({ position, timeout, elapsed }) => [position.join(), { timeout, elapsed }]),
  );
  const withMetadata = nodeData.map(({ position, fields, privateFields, inventory }) => {
    const timer = timerAt.get(position.join());
    timerAt.delete(position.join());
    return {
      position,
      value: {
        fields: Object.fromEntries(fields),
        ...(privateFields.length > 0 && { privateFields }),
        ...(inventory.size > 0 && { inventory: Object.fromEntries(inventory) }),
        ...(timer && { timer }),
      },
    };
  });
  const timed = timers
    .filter(({ position }) => timerAt.has(position.join()))
    .map(({ position, timeout, elapsed }) => ({ position, value: { timer: { timeout, elapsed } } }));
  return [...withMetadata, ...timed].map(({ position: [x, y, z], value }) => ({
    position: [x, y, -1 - z] as const,
    id: "the metadata of a node",
    value: () => value,
  }));
}
