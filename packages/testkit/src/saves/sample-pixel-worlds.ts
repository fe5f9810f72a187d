import { readFileSync } from "node:fs";
import { OrthantError } from "@orthant/core";
import { crc8 } from "@orthant/core/bytes";
import { GeneratorRef } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import {
  createPixelWorld,
  openPixelSave,
  type PixelBody,
  type PixelGenerator,
  type PixelWorld,
  type PixelWorldOptions,
  packMask,
  Version1Writer,
} from "@orthant/pixel-world";
import { FakeTime } from "../base/fake-time.ts";

/** Path of the sample files. */
export const FILE = "world.pxsw";
/** Small chunks, so that tests are fast. */
export const EDGE = 16;
/** Size of such a chunk. */
export const BYTES: number = EDGE * EDGE * 4;
/** Size of a version 1 chunk. */
export const FULL_BYTES = 1_048_576;

/** Generates a floor whose height depends on the position. */
export const ground: PixelGenerator = {
  ref: new GeneratorRef("ground", Uint8Array.of(1), 7n, 3n),
  fill(chunkX, chunkY, pixels) {
    const edge = Math.sqrt(pixels.length / 4);
    for (let y = 0; y < edge; y++) {
      for (let x = 0; x < edge; x++) {
        if (chunkY * edge + y < ((chunkX * edge + x) & 7))
          pixels.set([3, (x ^ y) & 7, 0, 2], (y * edge + x) * 4);
      }
    }
  },
};

/** Returns a chunk of one block; of the flags only the kept bit is set. */
export function filled(block: number, bytes: number = BYTES): Uint8Array {
  const pixels = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 4) pixels.set([block, at & 255, 1, 0x20], at);
  return pixels;
}

/** Returns a body of nine pixels in a row, with the mask from the format page. */
export function sampleBody(id: bigint, position: readonly [number, number] = [100.5, 200.25]): PixelBody {
  return {
    id,
    position,
    rotation: 0.5,
    velocity: [10, -5],
    angularVelocity: 0.125,
    width: 9,
    height: 1,
    origin: [-4, 0],
    pixels: Uint8Array.from({ length: 36 }, (_, at) => at),
    mask: packMask([true, false, true, true, false, false, true, false, true]),
    extension: Uint8Array.of(1, 2, 3, 4),
  };
}

/** Creates a world on a disk in memory. */
export async function newWorld(
  options: PixelWorldOptions = {},
): Promise<{ readonly disk: MemoryDisk; readonly world: PixelWorld; readonly time: FakeTime }> {
  const disk = new MemoryDisk();
  const time = new FakeTime();
  const world = await createPixelWorld(
    disk,
    FILE,
    { worldSeed: 42n, chunkEdge: EDGE },
    { time, random: () => 9n, ...options },
  );
  return { disk, world, time };
}

/** Returns the bytes of a file on a disk. */
export function bytesOf(disk: MemoryDisk, path: string = FILE): Uint8Array {
  const bytes = disk.image().files.get(path);
  if (bytes === undefined) throw new Error(`there is no ${path}`);
  return bytes;
}

/** Creates a disk with one file. */
export function diskWith(bytes: Uint8Array, path: string = FILE): MemoryDisk {
  return new MemoryDisk({ directories: [], files: new Map([[path, bytes]]) });
}

/** Returns a copy of the bytes with some of them changed. */
export function patched(bytes: Uint8Array, offset: number, change: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(change, offset);
  return copy;
}

/** Returns a native version 1 file with two chunks and two bodies. */
export async function nativeFile(): Promise<Uint8Array> {
  const disk = new MemoryDisk();
  const writer = await Version1Writer.create(disk, FILE);
  await writer.addChunk(0, 0, { storage: "full", pixels: filled(3, FULL_BYTES) });
  await writer.addBody(sampleBody(7n, [-0.5, 600]));
  await writer.addChunk(-1, 2, { storage: "empty" });
  await writer.addBody(sampleBody(0xffff_ffff_ffff_ffffn));
  await writer.finish({ worldSeed: 42n, createdMs: 1_000, modifiedMs: 5_999 });
  await writer.close();
  return bytesOf(disk);
}

/** Reads a whole file strictly. Returns an error code, or the number of chunks and bodies. */
export async function strictly(bytes: Uint8Array): Promise<string> {
  try {
    const save = await openPixelSave(diskWith(bytes), FILE);
    for (const ref of save.chunks()) await save.readChunk(ref);
    for (const ref of save.bodies()) await save.readBody(ref);
    return `${save.chunkCount} chunks, ${save.bodyCount} bodies`;
  } catch (error) {
    if (error instanceof OrthantError) return error.code;
    throw error;
  }
}

/** Returns a copy with the correct CRC-8 in an entry of the page table. */
export function sealPageEntry(bytes: Uint8Array, offset: number): Uint8Array {
  const copy = bytes.slice();
  copy[offset + 21] = crc8(copy.subarray(offset, offset + 21));
  return copy;
}

/** Returns the bytes of the worked example on the format page. */
export function exampleOfPage(): Uint8Array {
  const page = readFileSync(new URL("../../../../docs/formats/pxsw.md", import.meta.url), "utf8");
  const entry = /## Worked example.*?```\n(.*?)```/s.exec(page)?.[1] ?? "";
  const hex = entry
    .split("\n")
    .map((line) => line.split("   ")[0])
    .join("")
    .replaceAll(" ", "");
  return Uint8Array.from(Buffer.from(hex, "hex"));
}
