import { readFileSync } from "node:fs";
import { type Disk, MemoryDisk } from "@orthant/disk";
import type { FormatRequest, OpenConversion } from "@orthant/formats";
import { minecraftFormat } from "@orthant/formats/imports";
import { FakeTime } from "@orthant/testkit";
import { goldenPath, hasGolden } from "@orthant/testkit/golden";

const FOLDER = "imports/minecraft";

/** Whether the region files of real worlds are here. */
export const hasRegions: boolean = hasGolden(FOLDER);

/** Returns the bytes of a golden file. */
export function goldenBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(goldenPath(FOLDER, path)));
}

/** Returns a disk with files. */
export function worldDisk(files: Readonly<Record<string, Uint8Array>>): MemoryDisk {
  const directories = new Set<string>();
  for (const path of Object.keys(files)) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) directories.add(parts.slice(0, depth).join("/"));
  }
  return new MemoryDisk({ directories: [...directories], files: new Map(Object.entries(files)) });
}

/** Returns a request for the world on a disk. */
export async function requestFor(disk: Disk): Promise<FormatRequest> {
  const world = await minecraftFormat.detect(disk);
  if (world === undefined) throw new Error("no world of Minecraft was detected");
  const environment = {
    time: new FakeTime(),
    progress: () => ({ advance: () => undefined, end: () => undefined }),
    note: () => undefined,
  };
  return { disk, world, values: {}, environment };
}

/** Opens the world on a disk for conversion. */
export async function conversionOf(disk: Disk): Promise<OpenConversion> {
  return minecraftFormat.convert(await requestFor(disk), "orthant");
}
