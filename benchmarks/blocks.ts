import { BlockCatalog, type BlockProperties } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { blockCatalogCodec, idCountOf } from "@orthant/core/chunk";
import { minecraftTypes } from "./blocks/minecraft-blocks.ts";
import { bareVoxelFigures, bareWorldFigures } from "./blocks/without-data.ts";
import { atMost, type Figure, told } from "./figure.ts";
import { sized } from "./size.ts";

const STATES = 27_866;
const CATALOG_BYTES_MAX = 65_536;
const LOOKUP_US_MAX = 1;
const ROUNDS = sized(9, 1);

/**
 * Question: what do catalogs and voxel data cost, and what do they cost a world that uses neither?
 * Budgets: all 27,866 block states of Minecraft 1.21.4 take at most 64 KiB, which a client gets when it joins, and an id
 * by name and properties takes at most one microsecond, so that a generator or rule can ask for each voxel. Without data,
 * a changed voxel takes at most 48 bytes as a message and no more than before at the origin, and the worlds of the suite
 * `rest` have no byte for data and take at most 2 % more than before.
 */
export async function* blocksSuite(): AsyncGenerator<Figure> {
  yield* catalogFigures();
  yield* bareVoxelFigures();
  yield* bareWorldFigures();
}

function* catalogFigures(): Generator<Figure> {
  const types = minecraftTypes();
  const catalog = new BlockCatalog(types);
  const states = catalog.types.reduce((count, type) => count + idCountOf(type), 0);
  if (states !== STATES) throw new Error(`${states} states, expected are ${STATES}`);
  const bytes = encode(blockCatalogCodec, catalog);
  const remark = `${states} states of ${types.length} blocks`;
  yield atMost("blocks/catalog", bytes.length, "bytes", CATALOG_BYTES_MAX, remark);
  yield told(
    "blocks/open",
    medianMs(() => decode(blockCatalogCodec, bytes).endId),
    "ms",
    "decode and check it",
  );
  yield* lookupFigures(decode(blockCatalogCodec, bytes));
}

function* lookupFigures(catalog: BlockCatalog): Generator<Figure> {
  const asked: { readonly name: string; readonly properties: BlockProperties }[] = [];
  for (let id = 0; id < catalog.endId; id++) {
    const found = catalog.describe(id);
    if (found === undefined) throw new Error(`no block ${id}`);
    asked.push({ name: found.type, properties: found.properties });
    if (catalog.id(found.type, found.properties) !== id) throw new Error(`block ${id} has another id`);
  }
  const idMs = medianMs(() =>
    asked.reduce((sum, { name, properties }) => sum + catalog.id(name, properties), 0),
  );
  const each = (ms: number): number => (ms * 1000) / asked.length;
  const remark = "the median of all states, by name and all properties";
  yield atMost("blocks/id", each(idMs), "us", LOOKUP_US_MAX, remark);
  const describeMs = medianMs(() => {
    let length = 0;
    for (let id = 0; id < catalog.endId; id++) length += catalog.describe(id)?.type.length ?? 0;
    return length;
  });
  yield told("blocks/describe", each(describeMs), "us", "the name and properties of an id");
}

/** Returns the median processor time of some runs after one that warms up: other programs do not count. */
function medianMs(run: () => number): number {
  const times: number[] = [];
  let checksum = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const start = process.cpuUsage();
    checksum += run();
    const { user, system } = process.cpuUsage(start);
    if (round > 0) times.push((user + system) / 1000);
  }
  if (!Number.isFinite(checksum)) throw new Error("the runs returned no numbers");
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}
