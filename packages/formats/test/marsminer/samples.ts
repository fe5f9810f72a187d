import { MemoryDisk } from "@orthant/disk";
import { createMarsMiner, type MarsMinerSave, octreeOfBoxes, openMarsMiner } from "@orthant/formats";
import {
  type MarsMinerChunkContent,
  type MarsMinerState,
  type MarsMinerWriterOptions,
  type Octree,
  uniformOctree,
} from "@orthant/formats/internal";
import { fromHex, type Prng } from "@orthant/testkit";

/** A time in 2012, in ticks: above 2^53. */
export const TICKS = 634_652_586_211_234_567n;

const STRINGS =
  "00000000 04000000 09 546573742053617665 07 426c6f636b2030 07 426c6f636b2031 07 426c6f636b2032";
const NO_POINTERS = "00000000 00000000";

/**
 * The smallest save of the dialect `draft` with a block, byte by byte: one chunk, one octree, one leaf of id
 * 1.
 */
export const DRAFT_FILES = {
  blob0: [
    "00000000 08000000", // 00 header: version, index
    "8735bb202abdce08 08000000 18000000", // 08 index: ticks, name, chunk table
    "01000000 00000000 00000000 28000000", // 18 chunk table: count; x, z, chunk
    "31000000 01 43000000", // 28 chunk: block types, count, octree
    "0400 12000000 1a000000 22000000 22000000", // 31 block types
    "01000000 01000000 00 01", // 43 octree: lengths, flags, values
  ].join(" "),
  strings: STRINGS,
  pointers: NO_POINTERS,
} as const;

/** The same with subtypes 0, 0, 0, 7. */
export const SUBTYPES_FILES = {
  ...DRAFT_FILES,
  blob0: [
    "00000000 08000000",
    "8735bb202abdce08 08000000 18000000",
    "01000000 00000000 00000000 28000000",
    "31000000 01 53000000",
    "0400 12000000 00000000 1a000000 00000000 22000000 00000000 22000000 07000000",
    "01000000 01000000 00 01",
  ].join(" "),
} as const;

/** The same with strings as blocks: a name, and one block type. */
export const STRINGBLOCK_FILES = {
  blob0: [
    "00000000 08000000",
    "8735bb202abdce08 4b000000 18000000",
    "01000000 00000000 00000000 28000000",
    "31000000 01 3b000000",
    "0100 45000000 07000000",
    "01000000 01000000 00 00",
    "02000000 4f4b", // 45: "OK"
    "04000000 53617665", // 4b: "Save"
  ].join(" "),
  pointers: NO_POINTERS,
} as const;

/** The same with pointers that name their blob; the name is null. */
export const GLOBAL_FILES = {
  blob0: [
    "00000000 00000000 0c000000", // 00
    "8735bb202abdce08 00000000 70000000 00000000 24000000", // 0c
    "01000000 40000000 c0ffffff 00000000 38000000", // 24
    "00000000 49000000 01 00000000 57000000", // 38
    "0100 00000000 61000000 ffffffff", // 49
    "01000000 01000000 00 00", // 57
    "0b000000 436f72655f456d707479 20", // 61: "Core_Empty "
    "ffffffff", // 70: null
  ].join(" "),
} as const;

/** Creates a disk with files from hex or bytes. */
export function diskOf(files: Readonly<Record<string, string | Uint8Array>>): MemoryDisk {
  const contents = Object.entries(files).map(
    ([path, content]) =>
      [path, typeof content === "string" ? fromHex(content.replaceAll(" ", "")) : content] as const,
  );
  return new MemoryDisk({ directories: [], files: new Map(contents) });
}

/** Returns the disk with a file overwritten from an offset on. */
export function patched(disk: MemoryDisk, path: string, offset: number, hex: string): MemoryDisk {
  const { directories, files } = disk.image();
  const bytes = (files.get(path) ?? new Uint8Array(0)).slice();
  bytes.set(fromHex(hex.replaceAll(" ", "")), offset);
  return new MemoryDisk({ directories, files: new Map(files).set(path, bytes) });
}

/** Returns the disk with a file cut to a length. */
export function cut(disk: MemoryDisk, path: string, length: number): MemoryDisk {
  const { directories, files } = disk.image();
  const bytes = files.get(path) ?? new Uint8Array(0);
  return new MemoryDisk({ directories, files: new Map(files).set(path, bytes.slice(0, length)) });
}

/** Returns the whole content of a state, for comparison. */
export async function contentOf(
  save: MarsMinerSave,
  state: MarsMinerState | undefined = save.state,
): Promise<unknown> {
  const chunks: unknown[] = [];
  for (const entry of state?.chunks ?? []) chunks.push([entry.x, entry.z, await save.readChunk(entry)]);
  return { ticks: state?.ticks, name: state?.name, chunks };
}

/** Opens a disk and reads all of it. */
export async function readAll(disk: MemoryDisk): Promise<unknown> {
  const save = await openMarsMiner(disk);
  try {
    return await contentOf(save);
  } finally {
    await save.close();
  }
}

/** Returns a chunk that depends on a number, with one divided octree and one uniform one. */
export function chunkOf(x: number, z: number, number: number): MarsMinerChunkContent {
  const box = { min: [0, 0, 0, 0], max: [32, 32, 8, 1] } as const;
  return {
    x,
    z,
    blockTypes: ["Core_Empty", "Rock", "Sand"],
    octrees: [octreeOfBoxes([{ box, value: number % 3 }], 64, (number + 1) % 3), uniformOctree(number % 2)],
  };
}

/** Creates a save written by us with some states. */
export async function writtenDisk(states: number, options: MarsMinerWriterOptions = {}): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const writer = await createMarsMiner(disk, options);
  for (let state = 0; state < states; state++) {
    await writer.putChunk(chunkOf(64 * (state % 3), -64, state));
    await writer.commit({ ticks: TICKS + BigInt(state), name: `state ${state}` });
  }
  await writer.close();
  return disk;
}

/** Returns a random octree over cubes of 64: boxes of random values. */
export function randomOctree(prng: Prng, valueMax: number): Octree {
  const boxes = Array.from({ length: prng.below(4) }, () => {
    const corner = [prng.below(60), prng.below(60), prng.below(60), 0] as const;
    const size = prng.pick([1, 2, 4, 8]);
    const max = [corner[0] + size, corner[1] + size, corner[2] + prng.between(1, 4), 1] as const;
    return { box: { min: corner, max }, value: prng.between(0, valueMax) };
  });
  return octreeOfBoxes(boxes, 64, prng.between(0, valueMax));
}
