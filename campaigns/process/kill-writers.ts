import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "@orthant/testkit";
import { type CampaignOptions, FAILURES_MAX } from "../campaign.ts";
import { WriterProcess } from "./writer-process.ts";
import { faultIn } from "./written-world.ts";

const LIFE_MS_MIN = 150;
const LIFE_MS_MAX = 900;

/** Which writers to kill, and how often. */
export interface Killing {
  readonly durability: "snapshot" | "journal";
  /** Kills before a fresh world replaces the old one, so that early states are tested too. */
  readonly killsPerWorld: number;
  /** Returns whether to kill once more. */
  goesOn(kills: number): boolean;
}

/** Kills writers on a real disk and adds each lost acknowledged step to `failures`. Returns the kills. */
export async function killWriters(
  { durability, killsPerWorld, goesOn }: Killing,
  { seed, progress }: CampaignOptions,
  failures: string[],
): Promise<number> {
  const prng = new Prng(seed);
  let kills = 0;
  while (goesOn(kills) && failures.length < FAILURES_MAX) {
    const folder = await mkdtemp(join(tmpdir(), "orthant-kill-"));
    let acknowledged = 0;
    for (let life = 0; life < killsPerWorld && goesOn(kills); life++) {
      const writer = new WriterProcess(folder, durability);
      await delay(prng.between(LIFE_MS_MIN, LIFE_MS_MAX));
      await writer.kill();
      if (writer.complaints !== "") failures.push(`the writer failed: ${writer.complaints}`);
      acknowledged = Math.max(acknowledged, writer.acknowledged);
      const fault = await faultIn(folder, acknowledged);
      if (fault !== undefined) failures.push(`kill ${kills}: ${fault}`);
      progress(++kills);
    }
    await rm(folder, { recursive: true });
  }
  return kills;
}
