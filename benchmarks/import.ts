import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasGolden } from "@orthant/testkit/golden";
import { atLeast, atMost, type Figure, median, told } from "./figure.ts";
import { type Conversion, convertWorld } from "./import/convert-world.ts";
import { goldenColumns, makeRegions, stoneColumn } from "./import/golden-world.ts";
import { MissingError } from "./missing.ts";
import { IS_SMALLEST, sized } from "./size.ts";

const COLUMNS = sized(16_384, 16);
const ROUNDS = sized(3, 1);
const LARGE_COLUMNS = sized(100_000, 32);
const COLUMNS_A_SECOND_MIN = 500;
const TWO_THREADS_MIN = 1.7;
const MEMORY_MAX_MB = 256;

/**
 * Questions: how many columns of real Minecraft worlds does `orthant convert` read and write in a second, once with one
 * core for the whole process and once with two threads on all cores; how much memory does a large world take; how large is
 * our world beside the region files? Everything is measured on whole processes, with both passes over the world.
 * Budgets: 500 columns a second on one core, 1.7 times that with two threads, 256 MB for 100,000 columns.
 */
export async function* importSuite(): AsyncGenerator<Figure> {
  if (!IS_SMALLEST && !hasGolden("imports/minecraft"))
    throw new MissingError("no region files here; set ORTHANT_GOLDEN to the folder of golden files");
  const columns = IS_SMALLEST ? [stoneColumn()] : await goldenColumns();
  const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
  try {
    const source = join(folder, "small");
    const regionBytes = await makeRegions(columns, source, COLUMNS);
    const conversions: Conversion[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      conversions.push(await convertWorld(source, join(folder, "made"), { threads: 1, onOneCore: true }));
    }
    const rate = COLUMNS / median(conversions.map(({ wallSeconds }) => wallSeconds));
    const remark = `${COLUMNS} columns, with the start of the process and both passes`;
    yield atLeast(told("import/one core", rate, "columns a second", remark), COLUMNS_A_SECOND_MIN);
    const worldBytes = conversions[0]?.bytes ?? Number.NaN;
    const leftOut = "without light and biomes, which the region files have";
    yield told("import/size", worldBytes / regionBytes, "of the bytes of the region files", leftOut);
    yield* largeFigures(columns, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A world that is worth a second thread, which takes seconds to load and to compile the program. */
async function* largeFigures(columns: readonly Uint8Array[], folder: string): AsyncGenerator<Figure> {
  const source = join(folder, "large");
  const bytes = await makeRegions(columns, source, LARGE_COLUMNS);
  const shared = await convertWorld(source, join(folder, "made"), { threads: 2 });
  const alone = await convertWorld(source, join(folder, "made"), { threads: 1, onOneCore: true });
  const seconds = ({ wallSeconds }: Conversion): string => `${wallSeconds.toFixed(0)} s`;
  const gain = alone.wallSeconds / shared.wallSeconds;
  const gainRemark = `${LARGE_COLUMNS} columns in ${seconds(shared)} instead of ${seconds(alone)}`;
  yield atLeast(
    told("import/two threads", gain, "times as fast as on one core", gainRemark),
    TWO_THREADS_MIN,
  );
  const regions = (await readdir(join(source, "region"))).length;
  const remark = `${LARGE_COLUMNS} columns, ${regions} regions, ${(bytes / 1e6).toFixed(0)} MB, with two threads`;
  yield atMost("import/memory", shared.peakMb, "MB at most", MEMORY_MAX_MB, remark);
}
