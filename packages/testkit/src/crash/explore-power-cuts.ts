import { hash } from "node:crypto";
import { getOrAdd } from "@orthant/core/lattice";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { Prng } from "../base/prng.ts";
import type { CrashDisk } from "./crash-disk.ts";
import { CRASH_MODELS, type CrashModel } from "./crash-model.ts";
import { CrashTimeline, selections } from "./crash-timeline.ts";
import { type DiskOperation, describeLog } from "./operation.ts";

/** A disk as a power cut left it. */
export interface Survivor {
  readonly disk: MemoryDisk;
  readonly model: string;
  /** Number of logged operations before the cut. */
  readonly cutAt: number;
}

/** Options for exploring power cuts. */
export interface PowerCutOptions {
  readonly models?: readonly CrashModel[];
  /** Maximum number of disks for each model at each operation; fewer where fewer are possible. */
  readonly disksPerCut: number;
  readonly seed: number;
  /** Explores cut `first` and every `step`-th one after it: a share of the work of one seed. */
  readonly part?: { readonly first: number; readonly step: number };
  /** Digests of disks that passed the check. Runs that share a set check each disk once. */
  readonly seen?: Set<string>;
}

/** What was explored. */
export interface PowerCutReport {
  readonly cuts: number;
  /** Disks that were built. */
  readonly disks: number;
  /** Disks that were checked: all of them, or each distinct one once if `expectedAt` is given. */
  readonly distinct: number;
}

/**
 * Cuts the power before every operation of the recorded log and after the last one, builds the disks that
 * each model allows, and passes each to `check`. If a check throws, the run ends with an error that names
 * model, cut and seed and shows the log.
 *
 * Most disks are equal to others. `expectedAt` describes everything that `check` depends on besides the
 * contents of the disk, such as what was acknowledged before a cut. With it, disks with equal contents and
 * equal expectations are checked once.
 */
export async function explorePowerCuts(
  { start, log }: Pick<CrashDisk, "start" | "log">,
  { models = CRASH_MODELS, disksPerCut, seed, part, seen = new Set() }: PowerCutOptions,
  check: (survivor: Survivor) => Promise<void>,
  expectedAt?: (cutAt: number) => string,
): Promise<PowerCutReport> {
  let cuts = 0;
  let disks = 0;
  let distinct = 0;
  for (const model of models) {
    const timeline = new CrashTimeline(start, model);
    for (let cutAt = 0; cutAt <= log.length; cutAt++) {
      if (part === undefined || cutAt % part.step === part.first % part.step) {
        cuts++;
        // A seed for each cut, so that a failure can be reproduced without the cuts before it.
        const prng = new Prng(seed + cutAt);
        const pending = timeline.pending();
        const expected = expectedAt?.(cutAt);
        for (const selection of selections(pending, model, prng, disksPerCut)) {
          const image = timeline.image(pending, selection);
          disks++;
          const digest = expected === undefined ? undefined : imageDigest(image, expected);
          if (digest !== undefined && seen.has(digest)) continue;
          distinct++;
          const survivor = { disk: new MemoryDisk(image), model: model.name, cutAt };
          await checkSurvivor(survivor, check, image, seed, log);
          // A failing disk is not added, so that another run fails again.
          if (digest !== undefined) seen.add(digest);
        }
      }
      const operation = log[cutAt];
      if (operation !== undefined) timeline.advance(operation);
    }
  }
  return { cuts, disks, distinct };
}

async function checkSurvivor(
  survivor: Survivor,
  check: (survivor: Survivor) => Promise<void>,
  image: DiskImage,
  seed: number,
  log: readonly DiskOperation[],
): Promise<void> {
  try {
    await check(survivor);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const files = Array.from(image.files, ([path, bytes]) => `${path} (${bytes.length} bytes)`).join(", ");
    throw new Error(
      `${reason}\nmodel ${survivor.model}, cut at ${survivor.cutAt}, seed ${seed}; left: ${files}\n` +
        describeLog(log, survivor.cutAt),
      { cause },
    );
  }
}

/** Digests of file contents. Images share the bytes of files without pending changes. */
const contentDigests = new WeakMap<Uint8Array, string>();

/**
 * Identifies the contents of a disk together with the expectation: 128 bits of SHA-256, equal for equal
 * directories, files and expectations.
 */
function imageDigest({ directories, files }: DiskImage, expected: string): string {
  const lines = [`expected ${expected.length} ${expected}`];
  for (const path of directories) lines.push(`directory ${JSON.stringify(path)}`);
  for (const [path, bytes] of files) lines.push(`file ${JSON.stringify(path)} ${contentDigest(bytes)}`);
  return shortened(hash("sha256", lines.sort().join("\n"), "base64url"));
}

function contentDigest(bytes: Uint8Array): string {
  return getOrAdd(contentDigests, bytes, () => shortened(hash("sha256", bytes, "base64url")));
}

/** Returns 22 letters of 6 bits. */
function shortened(digest: string): string {
  return digest.slice(0, 22);
}
