import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Prng } from "@orthant/testkit";
import type { Campaign, CampaignOptions } from "./campaign.ts";
import { WriterProcess } from "./process/writer-process.ts";
import { faultIn } from "./process/written-world.ts";

const run = promisify(execFile);

/** File systems with the least size that they can be made in. */
const FILE_SYSTEMS = [
  { name: "ext4", megabytes: 128, make: ["mkfs.ext4", "-q"] },
  { name: "xfs", megabytes: 320, make: ["mkfs.xfs", "-q"] },
  { name: "btrfs", megabytes: 256, make: ["mkfs.btrfs", "-q"] },
] as const;
const CUTS_EACH = 30;
const LIFE_MS_MIN = 300;
const LIFE_MS_MAX = 900;
/** Far more than a line takes through a pipe. */
const HEARING_MS = 20;

/**
 * The power of a real file system is cut: the writer is stopped, the file behind its loop device copied as it is, and
 * the copy mounted. Needs root, loop devices, and the tools of the file systems.
 */
export const powerCampaign: Campaign = {
  name: "power",
  summary:
    "power cuts on real ext4, xfs and btrfs, by copying the image behind a mounted loop device (needs root)",
  async run(options) {
    const failures: string[] = [];
    let cuts = 0;
    for (const fileSystem of FILE_SYSTEMS) {
      const found = await cutPower(fileSystem, options, () => options.progress(++cuts));
      failures.push(...found);
    }
    return { cases: cuts, failures };
  },
};

async function cutPower(
  { name, megabytes, make }: (typeof FILE_SYSTEMS)[number],
  { seed }: CampaignOptions,
  onCut: () => void,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), `orthant-power-${name}-`));
  const image = join(folder, "image");
  const mounted = join(folder, "mounted");
  const prng = new Prng(seed);
  const failures: string[] = [];
  await mkdir(mounted);
  await run("truncate", ["-s", `${megabytes}M`, image]);
  await run(make[0], [...make.slice(1), image]);
  try {
    for (let cut = 0; cut < CUTS_EACH; cut++) {
      const lifeMs = prng.between(LIFE_MS_MIN, LIFE_MS_MAX);
      failures.push(...(await cutOnce(folder, lifeMs, `${name}, cut ${cut}`)));
      onCut();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return failures;
}

/** Lets a writer work for a while on the image, and looks at what the image held at the moment of the cut. */
async function cutOnce(folder: string, lifeMs: number, where: string): Promise<readonly string[]> {
  const image = join(folder, "image");
  const copy = join(folder, "copy");
  const mounted = join(folder, "mounted");
  const { acknowledged, complaints } = await whileMounted(image, mounted, async () => {
    const writer = new WriterProcess(join(mounted, "world"));
    await delay(lifeMs);
    writer.stop();
    // What was said before the stop has to be heard before anybody is held to it.
    await delay(HEARING_MS);
    const said = { acknowledged: writer.acknowledged, complaints: writer.complaints };
    await run("cp", ["--sparse=always", image, copy]);
    await writer.kill();
    return said;
  });
  // Mounted only now: two mounted file systems with one identity would disturb each other.
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
