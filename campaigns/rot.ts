import { isOrthantError } from "@orthant/core";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { openSave, verifySave } from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { digestOfSave } from "./save/model-world.ts";
import { playHistory, SHORT_HISTORY } from "./save/save-history.ts";

/** Ways to change a byte: one bit low, one bit high, all bits. */
const MASKS = [0x01, 0x80, 0xff] as const;
/** More than one pass over the save, which has about four thousand bytes. */
const CHANGES = 20_000;

/** Changes every byte of every file of a small save, one at a time. */
export const rotCampaign: Campaign = {
  name: "rot",
  summary: "every byte of every file of a small save changed: found and named, or without effect",
  goal: CHANGES,
  unit: "changed bytes",
  resumes: true,
  async run(options) {
    const image = await smallSave();
    const bytes = [...everyByte(image)];
    const failures: string[] = [];
    let cases = 0;
    for (; goesOn(cases, options) && failures.length < FAILURES_MAX; cases++) {
      const at = options.from + cases;
      const { path, offset } = bytes[at % bytes.length] as ByteOfFile;
      const mask = MASKS[Math.floor(at / bytes.length) % MASKS.length] as number;
      const fault = await findRotFault(image, path, offset, mask);
      if (fault !== undefined) failures.push(`${path} at ${offset} changed by ${mask}: ${fault}`);
      options.progress(cases);
    }
    console.log(`rot: a pass over the save changes ${bytes.length * MASKS.length} bytes`);
    return { cases, failures, next: options.from + cases };
  },
};

/** Returns the save of a short history, with at least two generations and two packs. */
export async function smallSave(): Promise<DiskImage> {
  const disk = new MemoryDisk();
  await playHistory(disk, SHORT_HISTORY, () => undefined);
  return disk.image();
}

interface ByteOfFile {
  readonly path: string;
  readonly offset: number;
}

/** Yields every byte of every file. */
export function* everyByte(image: DiskImage): Generator<ByteOfFile> {
  for (const [path, bytes] of image.files) {
    for (let offset = 0; offset < bytes.length; offset++) yield { path, offset };
  }
}

/**
 * Describes how a changed byte was mishandled, if it was. `verifySave` must name the file, or the content
 * must be unchanged; and opening the save must throw an `OrthantError` or return the old content.
 */
export async function findRotFault(
  image: DiskImage,
  path: string,
  offset: number,
  mask: number,
): Promise<string | undefined> {
  const bytes = image.files.get(path)?.slice() ?? new Uint8Array(0);
  bytes[offset] = (bytes[offset] ?? 0) ^ mask;
  const disk = new MemoryDisk({ ...image, files: new Map([...image.files, [path, bytes]]) });
  const before = await contentBefore(image);
  const after = await contentOf(disk);
  const named = (await verifySave(disk)).some(({ severity, file }) => severity === "damage" && file === path);
  if (after.some((content, index) => content !== undefined && content !== before[index]))
    return "other content";
  if (!named && after.some((content) => content === undefined))
    return "it cannot be read, and verify is silent";
  return undefined;
}

const knownContents = new WeakMap<DiskImage, readonly (string | undefined)[]>();

async function contentBefore(image: DiskImage): Promise<readonly (string | undefined)[]> {
  const known = knownContents.get(image) ?? (await contentOf(new MemoryDisk(image)));
  knownContents.set(image, known);
  return known;
}

/** Returns the content of the live generation and the one before it; `undefined` where reading fails. */
async function contentOf(disk: MemoryDisk): Promise<readonly (string | undefined)[]> {
  const live = await contentOfGeneration(disk, undefined);
  return [live, await contentOfGeneration(disk, SHORT_HISTORY.length - 2)];
}

async function contentOfGeneration(
  disk: MemoryDisk,
  generation: number | undefined,
): Promise<string | undefined> {
  try {
    const save = await openSave(disk, generation === undefined ? {} : { generation });
    const leaves = await allLeaves(save.index);
    const whole = [save.manifest, save.global, leaves.map(({ cube, clocks }) => [cube, clocks])];
    const text = JSON.stringify(whole, (_key, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    return `${await digestOfSave(save)}\n${text}`;
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
