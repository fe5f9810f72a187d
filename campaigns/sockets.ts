import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { openWorldEngine } from "@orthant/world/engine";
import { type Campaign, type CampaignOptions, FAILURES_MAX } from "./campaign.ts";
import { ServerProcess } from "./process/server-process.ts";
import { Bot } from "./sockets/bot.ts";
import { compareBots, faultOfEntities } from "./sockets/bot-check.ts";
import { LANES } from "./sockets/bot-world.ts";

const PROGRAM = new URL("./sockets/killed-server.js", import.meta.url);
/** About as many as ten minutes allow. */
const EDITS = 100_000;
/** Duration of a run without a time limit. */
const DURATION_MS = 60_000;
/** Interval between kills: two kills in a minute. */
const KILL_EVERY_MS = 20_000;
const AWAY_MS_MAX = 2_000;
const ACT_MS = 250;
/** One in this many clients has no generators. */
const NO_GENERATORS_EVERY = 10;
/** Time without changes after which the clients count as settled. */
const QUIET_MS = 3_000;
/** Time within which all clients must settle. */
const CALM_MS_MAX = 120_000;

/** Tests the shared world over real sockets. */
export const socketsCampaign: Campaign = {
  name: "sockets",
  summary: "50 clients of a server that is killed by kill -9 and comes back: nothing acknowledged is lost",
  goal: EDITS,
  unit: "edits",
  runsAlone: true,
  leastMinutes: 1,
  async run(options) {
    const folder = await mkdtemp(join(tmpdir(), "orthant-sockets-"));
    const run = new SocketRun(folder, options);
    try {
      return await run.run();
    } finally {
      await run.close();
      await rm(folder, { recursive: true });
    }
  },
};

class SocketRun {
  readonly #folder: string;
  readonly #options: CampaignOptions;
  readonly #prng: Prng;
  readonly #failures: string[] = [];
  #server: ServerProcess | undefined;
  #bots: readonly Bot[] = [];
  #changedMs = 0;
  #kills = 0;

  constructor(folder: string, options: CampaignOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#prng = new Prng(options.seed);
  }

  async run(): Promise<{ readonly cases: number; readonly failures: readonly string[] }> {
    const { endsAtMs } = this.#options;
    const durationMs = endsAtMs === undefined ? DURATION_MS : Math.max(0, endsAtMs - performance.now());
    const kills = Math.max(1, Math.round(durationMs / KILL_EVERY_MS) - 1);
    this.#server = await ServerProcess.start(PROGRAM, [this.#folder, "0"]);
    const url = `ws://127.0.0.1:${this.#server.port}`;
    this.#bots = Array.from({ length: LANES }, (_, lane) => {
      const lacksGenerators = lane % NO_GENERATORS_EVERY === NO_GENERATORS_EVERY - 1;
      return new Bot(url, lane, lacksGenerators, new Prng(this.#prng.u32()), () => {
        this.#changedMs = performance.now();
      });
    });
    const killing = this.#killRepeatedly(kills, durationMs / (kills + 1));
    await Promise.all([killing, this.#act(durationMs, killing)]);
    await this.#calmDown();
    await this.#resume(url);
    await this.#calmDown();
    await this.#endServer();
    await this.#compare();
    const cases = this.#bots.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    return { cases, failures: this.#failures };
  }

  async close(): Promise<void> {
    await Promise.all(this.#bots.map(({ world }) => world.close()));
    await this.#server?.kill();
  }

  /** Lets all clients act for `durationMs` and until the kills have ended, even while the server is down. */
  async #act(durationMs: number, killing: Promise<void>): Promise<void> {
    const endMs = performance.now() + durationMs;
    let isKilling = true;
    const stop = (): void => {
      isKilling = false;
    };
    killing.then(stop, stop);
    while (isKilling || performance.now() < endMs) {
      for (const bot of this.#bots) {
        bot.act();
        // Clients act in turn, not all at once.
        await delay(ACT_MS / LANES);
      }
      this.#options.progress(this.#bots.reduce((sum, { acknowledged }) => sum + acknowledged, 0));
    }
  }

  async #killRepeatedly(kills: number, everyMs: number): Promise<void> {
    const startMs = performance.now();
    for (let kill = 1; kill <= kills; kill++) {
      await delay(Math.max(0, startMs + kill * everyMs - performance.now()));
      await this.#killAndRestart();
    }
  }

  async #killAndRestart(): Promise<void> {
    const port = this.#server?.port ?? 0;
    const open = this.#openEdits();
    await this.#endServer();
    this.#kills++;
    await delay(this.#prng.below(AWAY_MS_MAX));
    const startMs = performance.now();
    const joinCounts = this.#bots.map(({ joinCount }) => joinCount);
    this.#server = await ServerProcess.start(PROGRAM, [this.#folder, String(port)]);
    const upMs = performance.now();
    await waitUntil(() => this.#bots.every(({ joinCount }, lane) => joinCount > (joinCounts[lane] ?? 0)));
    console.log(
      `sockets: kill ${this.#kills} with ${open} edits under way; up again in ${Math.round(upMs - startMs)} ms, ` +
        `and all clients back by themselves ${Math.round(performance.now() - upMs)} ms later`,
    );
  }

  async #endServer(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const hasEnded = server.hasEnded;
    await server.kill();
    if (hasEnded || server.complaints !== "") {
      this.#fail(`the server ${hasEnded ? "ended by itself" : "complained"}: ${server.complaints}`);
    }
  }

  /** Waits until every edit has its result and nothing changes any more. */
  async #calmDown(): Promise<void> {
    const isCalm = (): boolean =>
      this.#openEdits() === 0 &&
      performance.now() - this.#changedMs > QUIET_MS &&
      this.#entityFault() === undefined;
    if (!(await waitUntil(isCalm))) {
      if (this.#server?.hasEnded) this.#fail(`the server ended by itself: ${this.#server.complaints}`);
      const stuck = this.#bots.filter(({ openEdits }) => openEdits > 0);
      const names = stuck.map(({ lane, openEdits, world }) => `${lane} (${openEdits}, ${world.status})`);
      if (stuck.length > 0) this.#fail(`clients wait for edit results: ${names.join(", ")}`);
      this.#fail(this.#entityFault() ?? "things still changed when all had become quiet");
    }
    const complete = Promise.all(this.#bots.map(({ world }) => world.complete()));
    const isComplete = await Promise.race([
      complete.then(() => true),
      delay(CALM_MS_MAX, false, { ref: false }),
    ]);
    if (!isComplete) this.#fail("not all clients hold their interest");
  }

  /** Cuts all connections while no client builds. A resumed client must receive less than a new one. */
  async #resume(url: string): Promise<void> {
    const joins = this.#bots.map(({ joinBytes }) => joinBytes.length);
    for (const bot of this.#bots) bot.cut();
    if (
      !(await waitUntil(() =>
        this.#bots.every(({ joinBytes }, lane) => joinBytes.length > (joins[lane] ?? 0)),
      ))
    ) {
      this.#fail("not all clients came back after their connections were cut");
    }
    for (const lacksGenerators of [false, true]) {
      const bots = this.#bots.filter((bot) => bot.lacksGenerators === lacksGenerators);
      const first = mean(bots.map(({ joinBytes }) => joinBytes.at(0) ?? 0));
      const killed = mean(bots.flatMap(({ joinBytes }) => joinBytes.slice(1, -1)));
      const resumed = mean(bots.map(({ joinBytes }) => joinBytes.at(-1) ?? 0));
      const fresh = mean(await Promise.all(bots.map((bot) => bot.newClientBytes(url))));
      console.log(
        `sockets: bytes until complete ${lacksGenerators ? "without" : "with"} generators, on average: first join ${first}, ` +
          `back after a kill while all build ${killed}, resumed in calm ${resumed}, new client in calm ${fresh}`,
      );
      if (resumed >= fresh) this.#fail(`to resume took ${resumed} bytes, to join as a new client ${fresh}`);
    }
  }

  async #compare(): Promise<void> {
    for (const { lane, joinCount, faults, cuts } of this.#bots) {
      for (const fault of faults) this.#fail(`client ${lane}: ${fault}`);
      if (joinCount <= this.#kills) {
        this.#fail(`client ${lane} joined ${joinCount} times, after ${this.#kills} kills and ${cuts} cuts`);
      }
    }
    const world = await openWorldEngine(new NodeDisk(this.#folder), { readOnly: true });
    const { regions, voxels, faults } = await compareBots(world, this.#bots);
    await world.close();
    for (const fault of faults) this.#fail(fault);
    const cuts = this.#bots.reduce((sum, bot) => sum + bot.cuts, 0);
    console.log(
      `sockets: ${LANES} clients, ${this.#kills} kills, ${cuts} cuts; compared ${regions} regions of replicas and ` +
        `${voxels} acknowledged voxels with the world on the disk`,
    );
  }

  #entityFault(): string | undefined {
    for (const bot of this.#bots) {
      const fault = faultOfEntities(bot, this.#bots);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #openEdits(): number {
    return this.#bots.reduce((sum, { openEdits }) => sum + openEdits, 0);
  }

  #fail(detail: string): void {
    if (this.#failures.length < FAILURES_MAX) this.#failures.push(`${detail}; seed ${this.#options.seed}`);
  }
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
}

/** Waits for a condition. Returns false when it does not hold in time. */
async function waitUntil(condition: () => boolean): Promise<boolean> {
  const endMs = performance.now() + CALM_MS_MAX;
  while (!condition()) {
    if (performance.now() > endMs) return false;
    await delay(100);
  }
  return true;
}
