import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Prng } from "@orthant/testkit";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { WriterProcess } from "./process/writer-process.ts";
import { faultIn } from "./process/written-world.ts";

const run = promisify(execFile);

/** File systems, each with its least size. */
const FILE_SYSTEMS = [
  { name: "ext4", megabytes: 128, make: ["mkfs.ext4", "-q"] },
  { name: "xfs", megabytes: 320, make: ["mkfs.xfs", "-q"] },
  { name: "btrfs", megabytes: 256, make: ["mkfs.btrfs", "-q"] },
] as const;
type FileSystem = (typeof FILE_SYSTEMS)[number];
const CUTS = 90;
const LIFE_MS_MIN = 300;
const LIFE_MS_MAX = 900;
/** Time to receive the writer's last line: far more than a pipe needs. */
const HEARING_MS = 20;

/**
 * Cuts the power of a real file system: stops the writer, copies the file behind its loop device, and mounts
 * the copy. Needs root, loop devices, and the tools of the file systems.
 */
export const powerCampaign: Campaign = {
  name: "power",
  summary:
    "power cuts on real ext4, xfs and btrfs, by copying the image behind a mounted loop device (needs root)",
  goal: CUTS,
  unit: "cuts",
  missing: whatIsMissing,
  async run(options) {
    const failures: string[] = [];
    const fileSystems = await usableFileSystems();
    for (const { name } of FILE_SYSTEMS) {
      if (!fileSystems.some((usable) => usable.name === name))
        console.log(`power: ${name} is left out: its mkfs is not installed`);
    }
    let cuts = 0;
    // Each file system gets an equal share of the remaining cases and time.
    for (const [index, fileSystem] of fileSystems.entries()) {
      const rest = fileSystems.length - index;
      const casesMax = cuts + Math.ceil((options.casesMax - cuts) / rest);
      const nowMs = performance.now();
      const endsAtMs = options.endsAtMs === undefined ? undefined : nowMs + (options.endsAtMs - nowMs) / rest;
      const part = { ...options, casesMax, endsAtMs };
      const found = await cutPower(
        fileSystem,
        options,
        () => goesOn(cuts, part),
        () => options.progress(++cuts),
      );
      failures.push(...found);
    }
    return { cases: cuts, failures };
  },
};

async function usableFileSystems(): Promise<readonly FileSystem[]> {
  const isUsable = await Promise.all(
    FILE_SYSTEMS.map(({ make: [program] }) => run(program, ["-V"]).then(isThere, isThere)),
  );
  return FILE_SYSTEMS.filter((_, index) => isUsable[index]);
}

/** Returns whether a program was found, even if it failed. */
function isThere(outcome: unknown): boolean {
  return (outcome as NodeJS.ErrnoException).code !== "ENOENT";
}

/** Returns what this machine lacks: root, the tools of a file system, or the right to mount an image. */
async function whatIsMissing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "needs root";
  const [fileSystem] = await usableFileSystems();
  if (fileSystem === undefined) return "needs the tools of ext4, xfs or btrfs";
  try {
    await onImage(fileSystem, (_folder, image, mounted) =>
      whileMounted(image, mounted, async () => undefined),
    );
    return undefined;
  } catch {
    // Usually this is a container.
    return "needs loop devices that can be mounted";
  }
}

async function cutPower(
  fileSystem: FileSystem,
  { seed }: CampaignOptions,
  hasTime: () => boolean,
  onCut: () => void,
): Promise<readonly string[]> {
  const prng = new Prng(seed);
  const failures: string[] = [];
  await onImage(fileSystem, async (folder) => {
    for (let cut = 0; failures.length < FAILURES_MAX && hasTime(); cut++) {
      const lifeMs = prng.between(LIFE_MS_MIN, LIFE_MS_MAX);
      failures.push(...(await cutOnce(folder, lifeMs, `${fileSystem.name}, cut ${cut}`)));
      onCut();
    }
  });
  return failures;
}

/** Creates a file system in a file, runs `work`, and removes both. */
async function onImage(
  { name, megabytes, make }: FileSystem,
  work: (folder: string, image: string, mounted: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `orthant-power-${name}-`));
  const image = join(folder, "image");
  const mounted = join(folder, "mounted");
  try {
    await mkdir(mounted);
    await run("truncate", ["-s", `${megabytes}M`, image]);
    await run(make[0], [...make.slice(1), image]);
    await work(folder, image, mounted);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lets a writer work on the image for a while, and checks what the image holds at the moment of the cut. */
async function cutOnce(folder: string, lifeMs: number, where: string): Promise<readonly string[]> {
  const image = join(folder, "image");
  const copy = join(folder, "copy");
  const mounted = join(folder, "mounted");
  const { acknowledged, complaints } = await whileMounted(image, mounted, async () => {
    const writer = new WriterProcess(join(mounted, "world"));
    await delay(lifeMs);
    writer.stop();
    // Acknowledgements sent before the stop must arrive before they are checked.
    await delay(HEARING_MS);
    const said = { acknowledged: writer.acknowledged, complaints: writer.complaints };
    await run("cp", ["--sparse=always", image, copy]);
    await writer.kill();
    return said;
  });
  // Mounted only now, because two mounted file systems with one identity would conflict.
  const fault = await whileMounted(copy, mounted, () => faultIn(join(mounted, "world"), acknowledged));
  await rm(copy);
  return [fault, complaints === "" ? undefined : `the writer failed: ${complaints}`].flatMap((found) =>
    found === undefined ? [] : [`${where}: ${found}`],
  );
}

async function whileMounted<Result>(image: string, at: string, work: () => Promise<Result>): Promise<Result> {
  await run("mount", ["-o", "loop", image, at]);
  try {
    return await work();
  } finally {
    await run("umount", [at]);
  }
}
