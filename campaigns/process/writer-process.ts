import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Prng } from "@orthant/testkit";
import { type CampaignOptions, FAILURES_MAX } from "../campaign.ts";
import { faultIn, leftoversIn } from "./written-world.ts";

/** Writer programs: one makes steps durable with each save, the other with each edit. */
const WRITERS = {
  snapshot: fileURLToPath(new URL("./world-writer.js", import.meta.url)),
  journal: fileURLToPath(new URL("./journal-writer.js", import.meta.url)),
} as const;

/** A process that writes to the world in a folder, with the last step that it acknowledged. */
export class WriterProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #acknowledged = 0;
  #complaints = "";

  constructor(folder: string, durability: keyof typeof WRITERS = "snapshot") {
    this.#child = spawn(process.execPath, [WRITERS[durability], folder], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#exited = once(this.#child, "close");
    if (this.#child.stdout !== null) {
      createInterface(this.#child.stdout).on("line", (line) => {
        this.#acknowledged = Number(line);
      });
    }
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.#complaints += text.toString();
    });
  }

  /** The last acknowledged step. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Errors that the process printed; should be empty. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Suspends the process. */
  stop(): void {
    this.#child.kill("SIGSTOP");
  }

  /** Kills the process at once, and waits until all of its output has arrived. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}

const LIFE_MS_MIN = 150;
const LIFE_MS_MAX = 900;

/** Which writers to kill, and how often. */
interface Killing {
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
    const leftovers = acknowledged === 0 ? undefined : await leftoversIn(folder);
    if (leftovers !== undefined) failures.push(`after kill ${kills}: ${leftovers}`);
    await rm(folder, { recursive: true });
  }
  return kills;
}
