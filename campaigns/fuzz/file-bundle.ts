import { type DiskImage, MemoryDisk } from "@orthant/disk";

/** A length that says that a file is not there. */
const ABSENT = 0xffff;

/** Some files as one input that can be damaged: a length of two bytes for each name, then their bytes. */
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

/** A disk with the files of such an input, whatever it holds; what is cut off is not there. */
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
