import { type DiskImage, MemoryDisk } from "@orthant/disk";

/** Length that marks a missing file. */
const ABSENT = 0xffff;

/** Packs files into one input that can be mutated: a two-byte length for each name, then the contents. */
export function packFiles(
  names: readonly string[],
  files: ReadonlyMap<string, Uint8Array | undefined>,
): Uint8Array {
  const lengths = names.flatMap((name) => {
    const length = files.get(name)?.length ?? ABSENT;
    return [length & 0xff, length >>> 8];
  });
  return Uint8Array.from([...lengths, ...names.flatMap((name) => [...(files.get(name) ?? [])])]);
}

/** Returns a disk with the files of any such input. A truncated input yields truncated files. */
export function diskOfFiles(
  names: readonly string[],
  input: Uint8Array,
  directories: DiskImage["directories"] = [],
): MemoryDisk {
  const files = new Map<string, Uint8Array>();
  let start = names.length * 2;
  for (const [index, name] of names.entries()) {
    const length = (input[index * 2] ?? 0) | ((input[index * 2 + 1] ?? 0) << 8);
    if (length === ABSENT) continue;
    files.set(name, input.subarray(start, start + length));
    start += length;
  }
  return new MemoryDisk({ directories, files });
}
