import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { WriterProcess } from "./process/writer-process.ts";
import { faultIn } from "./process/written-world.ts";

const KILLS = 300;
const LIFE_MS_MIN = 150;
const LIFE_MS_MAX = 900;
/** A world is given up for a fresh one now and then, so that its first moments are tried too. */
const KILLS_PER_WORLD = 50;

/** A real process that is killed while it writes to a real disk. */
export const killCampaign: Campaign = {
  name: "kill",
  summary: "kill -9 of a process that saves a world on a real disk; what it acknowledged must be there",
  async run(options) {
    const failures: string[] = [];
    const prng = new Prng(options.seed);
    let kills = 0;
    while (goesOn(kills, KILLS, options) && failures.length < FAILURES_MAX) {
      const folder = await mkdtemp(join(tmpdir(), "orthant-kill-"));
      let acknowledged = 0;
      for (let life = 0; life < KILLS_PER_WORLD && goesOn(kills, KILLS, options); life++) {
        acknowledged = Math.max(acknowledged, await liveAndDie(folder, prng, failures));
        const fault = await faultIn(folder, acknowledged);
        if (fault !== undefined) failures.push(`kill ${kills}: ${fault}`);
        kills++;
        options.progress(kills);
      }
      await rm(folder, { recursive: true });
    }
    return { cases: kills, failures };
  },
};

async function liveAndDie(folder: string, prng: Prng, failures: string[]): Promise<number> {
  const writer = new WriterProcess(folder);
  await delay(prng.between(LIFE_MS_MIN, LIFE_MS_MAX));
  await writer.kill();
  if (writer.complaints !== "") failures.push(`the writer failed: ${writer.complaints}`);
  return writer.acknowledged;
}
