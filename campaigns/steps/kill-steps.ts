import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { type CampaignOptions, FAILURES_MAX } from "../campaign.ts";
import { openPoured, type PouredDurability, SETTLED_STEPS } from "./poured-water.ts";
import { nextContent, type UndisturbedRun } from "./step-content.ts";

/** Tests run from sources, the program always as it was built. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../build/campaigns/steps/" : "./";
const WRITER = fileURLToPath(new URL(`${BUILT}step-writer.js`, import.meta.url));
/** A killed program makes at most this many steps. */
const LIFE_STEPS_MAX = 22;
const LAST_STEP_MS_MAX = 12;
/** How likely a program is killed at any time, perhaps before it has opened the world. */
const EARLY_PROBABILITY = 1 / 6;
const EARLY_MS_MAX = 700;
const KILLS_PER_WORLD = 12;

/** A program that simulates the world in a folder, and what it has printed. */
class StepWriter {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #onLine: (() => void)[] = [];
  found: { readonly step: number; readonly digest: string } | undefined;
  /** The last step of which everything is durable that it changed. */
  durable = 0;
  /** The numbers of its steps. */
  readonly seen: number[] = [];
  complaints = "";

  constructor(folder: string, durability: PouredDurability) {
    this.#child = spawn(process.execPath, [WRITER, folder, durability], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.#child, "close").then(() => this.#wake());
    if (this.#child.stdout !== null)
      createInterface(this.#child.stdout).on("line", (line) => {
        const [what, step, digest = ""] = line.split(" ");
        if (what === "found") this.found = { step: Number(step), digest };
        else if (what === "seen") this.seen.push(Number(step));
        else this.durable = Number(step);
        this.#wake();
      });
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.complaints += text.toString();
    });
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Waits until the program has made some steps since it found the world, or has ended. */
  async whenMade(steps: number): Promise<void> {
    while (!this.hasEnded && (this.found === undefined || this.durable < this.found.step + steps))
      await new Promise<void>((resolve) => this.#onLine.push(resolve));
  }

  /** Waits until the program has ended by itself. */
  async whenClosed(): Promise<void> {
    await this.#closed;
  }

  /** Kills the program, and waits until all of its output has arrived. Returns whether it was running. */
  async kill(): Promise<boolean> {
    const wasRunning = this.#child.kill("SIGKILL");
    await this.#closed;
    return wasRunning && this.#child.signalCode === "SIGKILL";
  }

  #wake(): void {
    for (const resolve of this.#onLine.splice(0)) resolve();
  }
}

/**
 * Kills programs that simulate worlds on a real disk. After each kill the next program must find what the undisturbed run
 * had after the same step, and in the end each world must be like the undisturbed one. Returns the kills.
 */
export async function killSteps(
  goesOn: (kills: number) => boolean,
  undisturbed: UndisturbedRun,
  { seed, progress }: Pick<CampaignOptions, "seed" | "progress">,
  failures: string[],
): Promise<number> {
  const prng = new Prng(seed);
  let kills = 0;
  for (let worlds = 0; goesOn(kills) && failures.length < FAILURES_MAX; worlds++) {
    const durability = worlds % 2 === 0 ? "journal" : "snapshot";
    const folder = await mkdtemp(join(tmpdir(), "orthant-steps-"));
    const fail = (fault: string): void => {
      failures.push(`world ${worlds} (${durability}), kill ${kills}, seed ${seed}: ${fault}`);
    };
    let durable = 0;
    let seen = 0;
    for (let life = 0; life < KILLS_PER_WORLD && goesOn(kills) && durable < SETTLED_STEPS; life++) {
      const writer = new StepWriter(folder, durability);
      if (prng.chance(EARLY_PROBABILITY)) await delay(prng.below(EARLY_MS_MAX));
      else {
        await writer.whenMade(prng.below(LIFE_STEPS_MAX));
        await delay(prng.below(LAST_STEP_MS_MAX));
      }
      if (await writer.kill()) progress(++kills);
      const fault = faultOf(writer, durable, undisturbed) ?? numberFaultOf(writer, seen);
      if (fault !== undefined) fail(fault);
      durable = Math.max(durable, writer.durable);
      seen = writer.seen.at(-1) ?? seen;
    }
    const last = new StepWriter(folder, durability);
    await last.whenClosed();
    const fault =
      faultOf(last, durable, undisturbed) ??
      numberFaultOf(last, seen) ??
      (await faultAtEnd(folder, undisturbed));
    if (fault !== undefined) fail(fault);
    await rm(folder, { recursive: true });
  }
  return kills;
}

/** Describes what is wrong with what a program found; `undefined` if nothing is. */
function faultOf(
  { complaints, found }: StepWriter,
  durable: number,
  { digests }: UndisturbedRun,
): string | undefined {
  if (complaints !== "") return `the program failed: ${complaints}`;
  if (found === undefined) return undefined;
  // Steps that changed nothing are not stored.
  if (found.step < durable && digests[found.step] !== digests[durable])
    return `step ${durable} was durable, but the world was at step ${found.step}`;
  return found.digest === digests[found.step]
    ? undefined
    : `step ${found.step} is not as it was without a kill`;
}

/** Describes a number of a step that came before, or out of order; `undefined` if there is none. */
function numberFaultOf({ seen }: StepWriter, last: number): string | undefined {
  const [first = last + 1] = seen;
  if (first <= last) return `step ${first} came again, after ${last}`;
  const wrong = seen.find((number, index) => number !== first + index);
  return wrong === undefined ? undefined : `step ${wrong} does not follow the one before it`;
}

async function faultAtEnd(folder: string, { last }: UndisturbedRun): Promise<string | undefined> {
  const world = await openPoured(new NodeDisk(folder), { durability: "snapshot", isNew: false });
  const found = await nextContent(world);
  await world.close();
  return found.differenceFrom(last);
}
