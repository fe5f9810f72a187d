import type { Disk } from "@orthant/disk";
import { attempt, readBeginning } from "@orthant/disk/files";
import { dialectsByFiles, fittingDialects } from "./dialect.ts";
import { blobFile, MARSMINER_VERSION, type MarsMinerDialect, POINTERS_FILE, STRINGS_FILE } from "./layout.ts";

/** Result of detecting a MarsMiner save. */
export interface DetectedMarsMiner {
  /** `undefined` if the content fits none. */
  readonly dialect: MarsMinerDialect | undefined;
  /** File whose content proves it. */
  readonly evidence: string;
}

const VERSION_BYTES = 4;

/**
 * Detects a MarsMiner save on a disk. There is no magic: a fitting dialect proves it or, without one, a first
 * blob of version 0 whose header and side files match the remains of a damaged save.
 */
export async function detectMarsMiner(disk: Disk): Promise<DetectedMarsMiner | undefined> {
  const names = new Set((await disk.list("")).map(({ name }) => name));
  const evidence = blobFile(0);
  if (!names.has(evidence)) return undefined;
  const [dialect] = await fittingDialects(disk);
  if (dialect !== undefined) return { dialect, evidence };
  if (await hasVersion(disk, evidence)) return { dialect: await onlyByFiles(disk), evidence };
  const side = [POINTERS_FILE, STRINGS_FILE].filter((name) => names.has(name));
  for (const name of side) if (await hasVersion(disk, name)) return { dialect: undefined, evidence: name };
  return undefined;
}

async function onlyByFiles(disk: Disk): Promise<MarsMinerDialect | undefined> {
  const [first, ...others] = await dialectsByFiles(disk);
  return others.length === 0 ? first : undefined;
}

/** Returns whether a file begins with a known version, and is longer than that. */
async function hasVersion(disk: Disk, path: string): Promise<boolean> {
  const [head] = await attempt(() => readBeginning(disk, path, VERSION_BYTES * 2));
  if (head?.length !== VERSION_BYTES * 2) return false;
  return head.subarray(0, VERSION_BYTES).every((byte) => byte === MARSMINER_VERSION);
}
