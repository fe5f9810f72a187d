import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { blockLabel } from "@orthant/core/chunk";
import { WHOLE_LATTICE } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import type { ConversionLoss, FormatRequest, FormatValues } from "@orthant/formats";
import { IMPORTED_FORMATS } from "@orthant/formats/imports";
import { catalogOf, openSave, verifySave } from "@orthant/save";
import { FakeTime } from "@orthant/testkit";
import { goldenFiles, goldenPath, hasGolden } from "@orthant/testkit/golden";
import { expect } from "vitest";

/** Whether the files that other people made are here. */
export const hasBorrowed: boolean = hasGolden("imports/minecraft");

/** Returns the golden files below a folder that are here, with an expectation beside them. */
export function expectedFiles(folder: string): readonly string[] {
  return goldenFiles(`imports/${folder}`)
    .filter((path) => path.endsWith(".expected.json"))
    .map((path) => path.replace(/^imports\/|\.expected\.json$/g, ""));
}

/** Returns what an independent reader found in a golden file. */
export function expectationOf<Value>(path: string): Value {
  return JSON.parse(readFileSync(goldenPath("imports", `${path}.expected.json`), "utf8")) as Value;
}

/** Opens the folder of a golden file. */
export function goldenDisk(path: string): Disk {
  return new NodeDisk(goldenPath("imports", dirname(path)));
}

/** A converted world. */
export interface ConvertedWorld {
  readonly name: string;
  readonly spawn: readonly number[];
  readonly losses: readonly ConversionLoss[];
  /** All voxels that are not air, by their positions. */
  readonly voxels: ReadonlyMap<string, string>;
  readonly colours: ReadonlyMap<string, number>;
  /** Data of voxels, by their positions. */
  readonly data: ReadonlyMap<string, unknown>;
}

/** Finds the format of a file, or of the folder if there is none. */
export async function requestOf(
  disk: Disk,
  file: string | undefined,
  values: FormatValues = {},
): Promise<readonly [(typeof IMPORTED_FORMATS)[number], FormatRequest]> {
  const environment = {
    time: new FakeTime(),
    progress: () => ({ advance: () => undefined, end: () => undefined }),
    note: () => undefined,
  };
  for (const format of IMPORTED_FORMATS) {
    const world = await format.detect(disk, file);
    if (world !== undefined) return [format, { disk, world, values, environment }];
  }
  throw new Error(`no format knows ${file}`);
}

/** Converts a file, or a folder, and reads the whole result. */
export async function convertedWorld(
  disk: Disk,
  file: string | undefined,
  values: FormatValues = {},
): Promise<ConvertedWorld> {
  const [format, request] = await requestOf(disk, file, values);
  const conversion = await format.convert(request, "orthant");
  const made = new MemoryDisk();
  const { losses } = await conversion.run(made, () => undefined);
  await conversion.close();
  expect(isWhole(await verifySave(made))).toBe(true);
  return { losses, ...(await contentOf(made)) };
}

async function contentOf(made: Disk): Promise<Omit<ConvertedWorld, "losses">> {
  const save = await openSave(made);
  const { description } = save.global;
  const { extents } = description.chunkShape;
  const catalog = catalogOf(description);
  const voxels = new Map<string, string>();
  const data = new Map<string, unknown>();
  for (const leaf of await save.leavesIn(WHOLE_LATTICE)) {
    for (const { position, chunk } of await save.readChunks(leaf)) {
      const placeOf = (index: number): string => {
        const [x, y] = [index % extents[0], Math.floor(index / extents[0]) % extents[1]];
        const z = Math.floor(index / extents[0] / extents[1]);
        return [x, y, z].map((at, axis) => at + (position[axis] ?? 0) * (extents[axis] ?? 0)).join();
      };
      for (const [index, block] of chunk.voxels().entries()) {
        if (block !== 0) voxels.set(placeOf(index), blockLabel(catalog, block) ?? "");
        const bytes = chunk.dataAt(index);
        if (bytes !== undefined) data.set(placeOf(index), PLAIN_DATA.decode(bytes));
      }
    }
  }
  await save.close();
  const colours = new Map(catalog.types.map(({ name, colour }) => [name, colour]));
  return { name: description.name, spawn: description.spawn, voxels, data, colours };
}
