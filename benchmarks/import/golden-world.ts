import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { nbtFile } from "@orthant/testkit";
import { goldenPath } from "@orthant/testkit/golden";

const SECTOR_BYTES = 4_096;
const SLOTS = 1_024;
/** The compression of a stored column. */
const ZLIB = 2;
/** Regions of real games, of seven versions of the format. */
const REGIONS = [
  "1.12.2/r.0.-1",
  "1.14.4/r.0.-1",
  "1.16/r.0.-1",
  "1.18.2/r.0.0",
  "1.19.4/r.0.0",
  "1.20.6/r.0.0",
  "1.21.1/r.0.0",
];

/** Returns the finished columns of regions that real games wrote, as they are in the files. */
export async function goldenColumns(): Promise<readonly Uint8Array[]> {
  const stored: Uint8Array[] = [];
  for (const name of REGIONS) {
    const path = goldenPath("imports/minecraft", name);
    const file = new Uint8Array(await readFile(`${path}.mca`));
    const { chunks } = JSON.parse(await readFile(`${path}.expected.json`, "utf8")) as ExpectedRegion;
    for (const { sectorOffset, sectorCount, status } of chunks) {
      const isFinished = status === null || /(?:^|:)full$/.test(status);
      const start = sectorOffset * SECTOR_BYTES;
      if (isFinished) stored.push(file.subarray(start, start + sectorCount * SECTOR_BYTES));
    }
  }
  return stored;
}

/** Returns a column with a section of stone, to try the suite without files of real games. */
export function stoneColumn(): Uint8Array {
  const palette = { list: [{ fields: { Name: "minecraft:stone" } }] };
  const section = { fields: { Y: { byte: 0 }, block_states: { fields: { palette } } } };
  const compressed = deflateSync(
    nbtFile({
      DataVersion: { int: 3955 },
      xPos: { int: 0 },
      zPos: { int: 0 },
      Status: "minecraft:full",
      sections: { list: [section] },
    }),
  );
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(0, compressed.length + 1);
  head.setUint8(4, ZLIB);
  return Buffer.concat([new Uint8Array(head.buffer), compressed]);
}

/** Writes a world of region files with copies of stored columns. Returns the bytes of its regions. */
export async function makeRegions(
  stored: readonly Uint8Array[],
  folder: string,
  columns: number,
): Promise<number> {
  await mkdir(join(folder, "region"), { recursive: true });
  const edge = Math.ceil(Math.sqrt(columns / SLOTS));
  let bytes = 0;
  for (let region = 0; region * SLOTS < columns; region++) {
    const content = regionOf(stored, region * SLOTS, Math.min(SLOTS, columns - region * SLOTS));
    await writeFile(join(folder, "region", `r.${region % edge}.${Math.floor(region / edge)}.mca`), content);
    bytes += content.length;
  }
  return bytes;
}

interface ExpectedRegion {
  readonly chunks: readonly {
    readonly sectorOffset: number;
    readonly sectorCount: number;
    readonly status: string | null;
  }[];
}

/** Neighbours in a region are neighbours in the list, so that a cube of chunks has columns of one version. */
function regionOf(stored: readonly Uint8Array[], first: number, count: number): Uint8Array {
  const chosen = Array.from(
    { length: count },
    (_, index) => stored[(first + index) % stored.length] as Uint8Array,
  );
  const file = new Uint8Array(
    chosen.reduce(
      (sum, column) => sum + Math.ceil(column.length / SECTOR_BYTES) * SECTOR_BYTES,
      2 * SECTOR_BYTES,
    ),
  );
  const view = new DataView(file.buffer);
  let offset = 2 * SECTOR_BYTES;
  for (const [slot, column] of chosen.entries()) {
    const sectors = Math.ceil(column.length / SECTOR_BYTES);
    view.setUint32(slot * 4, (offset / SECTOR_BYTES) * 256 + sectors);
    view.setUint32(SECTOR_BYTES + slot * 4, 1_700_000_000);
    file.set(column, offset);
    offset += sectors * SECTOR_BYTES;
  }
  return file;
}
