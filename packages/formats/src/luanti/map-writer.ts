import { AIR, type BlockCatalog } from "@orthant/core";
import { deflateWrapped, encodeUtf8, joinBytes } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import { type BoxWriter, boxWriter, type ExportedVoxels } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { bigHalves } from "../format/number-bytes.ts";
import { type SqliteBlob, writeSqlite } from "../sqlite/sqlite-writer.ts";
import { LuantiMetadata } from "./metadata-writer.ts";

const EDGE = 16;
const NODES = EDGE ** 3;
const VERSION = 28;
const DAYLIGHT = 15;
/** Blocks lie within this many of the origin. */
const BLOCK_MAX = 2_047;
const SQL = "CREATE TABLE `blocks` (`pos` INTEGER PRIMARY KEY, `data` BLOB)";

/** What blocks of Orthant's own catalog are called in the games of Luanti. */
const OWN_NODES: ReadonlyMap<string, string> = new Map([
  ["stone", "default:stone"],
  ["soil", "default:dirt"],
  ["grass", "default:dirt_with_grass"],
  ["sand", "default:sand"],
  ["water", "default:water_source"],
  ["wood", "default:tree"],
  ["leaves", "default:leaves"],
  ["coal ore", "default:stone_with_coal"],
  ["iron ore", "default:stone_with_iron"],
  ["gold ore", "default:stone_with_gold"],
  ["brick", "default:brick"],
  ["glass", "default:glass"],
  ["lamp", "default:meselamp"],
  ["snow", "default:snowblock"],
  ["lava", "default:lava_source"],
]);

/** Writes maps of Luanti. */
export const luantiWriter: BoxWriter = boxWriter("map.sqlite", luantiMapOf);

/** Returns a `map.sqlite` of Luanti. Its z axis points away: the voxel [x, y, z] is the node [x, y, -1 - z]. Rules EX12 to EX15. */
async function luantiMapOf(voxels: ExportedVoxels, losses: ConversionLosses): Promise<Uint8Array> {
  const metadata = new LuantiMetadata(voxels, losses);
  const { min, size } = voxels;
  const low = [min[0], min[1], -(min[2] + size[2])].map((at) => Math.floor(at / EDGE));
  const high = [min[0] + size[0] - 1, min[1] + size[1] - 1, -1 - min[2]].map((at) => Math.floor(at / EDGE));
  const names = new NodeNames(voxels.catalog, losses);
  const rows: SqliteBlob[] = [];
  for (let z = low[2] as number; z <= (high[2] as number); z++) {
    for (let y = low[1] as number; y <= (high[1] as number); y++) {
      for (let x = low[0] as number; x <= (high[0] as number); x++) {
        if ([x, y, z].some((at) => Math.abs(at) > BLOCK_MAX)) {
          losses.add("blocks beyond the end of the world", `${BLOCK_MAX * EDGE} nodes from the origin`);
          continue;
        }
        const data = await blockOf(voxels, [x, y, z], names, metadata);
        if (data !== undefined) rows.push({ key: BigInt(z * 2 ** 24 + y * 2 ** 12 + x), data });
      }
    }
  }
  return writeSqlite(
    "blocks",
    SQL,
    rows.sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
}

interface Node {
  readonly name: string;
  readonly param2: number;
}

class NodeNames {
  readonly #catalog: BlockCatalog;
  readonly #losses: ConversionLosses;
  readonly #nodes = new Map<number, Node>([[AIR, { name: "air", param2: 0 }]]);

  constructor(catalog: BlockCatalog, losses: ConversionLosses) {
    this.#catalog = catalog;
    this.#losses = losses;
  }

  of(block: number): Node {
    const node = getOrAdd(this.#nodes, block, () => this.#make(block));
    return node;
  }

  #make(block: number): Node {
    const { type, properties } = this.#catalog.describe(block) ?? { type: `block ${block}`, properties: {} };
    const name = /^\w+:\w+$/.test(type)
      ? type
      : (OWN_NODES.get(type) ?? `orthant:${type.toLowerCase().replaceAll(/\W+/g, "_")}`);
    if (name !== type) this.#losses.addOnce("names of blocks", type, `${type} becomes ${name}`);
    const { param2 = "0", ...others } = properties;
    const lost = Object.keys(others);
    if (lost.length > 0) this.#losses.add("properties of blocks", `${type} has ${lost.join(", ")}`);
    const value = Number(param2);
    return { name, param2: Number.isInteger(value) && value >= 0 && value < 256 ? value : 0 };
  }
}

/** Returns a block of nodes; `undefined` if it is only air without data. Outside of the box there is air. */
async function blockOf(
  { min, size, blocks }: ExportedVoxels,
  place: readonly [number, number, number],
  names: NodeNames,
  metadata: LuantiMetadata,
): Promise<Uint8Array | undefined> {
  const nodes = new Uint8Array(NODES * 4);
  const ids = new Map<string, number>();
  let isAir = true;
  for (let index = 0; index < NODES; index++) {
    const x = place[0] * EDGE + (index & 15) - min[0];
    const y = place[1] * EDGE + ((index >> 4) & 15) - min[1];
    const z = -1 - (place[2] * EDGE + (index >> 8)) - min[2];
    const isInside = x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
    const block = isInside ? (blocks[x + (z + y * size[2]) * size[0]] as number) : AIR;
    const { name, param2 } = names.of(block);
    const id = getOrAdd(ids, name, () => ids.size);
    nodes[index * 2] = id >>> 8;
    nodes[index * 2 + 1] = id & 0xff;
    nodes[NODES * 2 + index] = block === AIR ? DAYLIGHT : 0;
    nodes[NODES * 3 + index] = param2;
    isAir &&= block === AIR;
  }
  if (isAir && !metadata.has(place)) return undefined;
  const named = Array.from(ids, ([name, id]) => {
    const bytes = encodeUtf8(name);
    return joinBytes([bigHalves(id, bytes.length), bytes]);
  });
  return joinBytes([
    // Flags, light that is not complete, and the bytes of a node.
    Uint8Array.of(VERSION, 0, 0, 0, 2, 2),
    await deflateWrapped(nodes, "zlib"),
    await deflateWrapped(metadata.metadataOf(place), "zlib"),
    // No objects, no time, the names, and the timers.
    Uint8Array.of(0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0),
    bigHalves(ids.size),
    ...named,
    metadata.timersOf(place),
  ]);
}
