import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "@orthant/testkit";
import { obtainNatsServer } from "@orthant/testkit/nats";
import { type Campaign, type CampaignOptions, FAILURES_MAX, goesOn } from "./campaign.ts";
import { Builder } from "./cluster/builder.ts";
import { compareSaves, differenceOfViews, faultsOfView } from "./cluster/built-check.ts";
import { CLUSTER_FAULTS, type ClusterFault } from "./cluster/faults.ts";
import { ClusterFigures } from "./cluster/figures.ts";
import { StagedCluster } from "./cluster/staged-cluster.ts";
import { waitUntil } from "./cluster/waiting.ts";

const BUILDERS = 100;
const EDITS_PER_SECOND = 200;
/** Approximate number in fifty rounds of this length. */
const EDITS = 500_000;
const ROUND_MS = 60_000;
/** Time that the builders build before and after a fault. */
const BEFORE_MS = 5_000;
const AFTER_MS = 10_000;
/** The last fault of a round ends near the round's end, to measure how soon all builders agree again. */
const LAST_MS = 48_000;
/** All builders must agree within this time. */
const CONVERGED_MS = 30_000;
/** Time without changes after which everything counts as settled. */
const QUIET_MS = 2_000;
const CLAIM_MS_MAX = 5_000;

/** A real cluster in which parts fail. */
export const clusterCampaign: Campaign = {
  name: "cluster",
  summary: "100 clients of a cluster whose owners, gateways and NATS servers are killed, stopped and cut off",
  goal: EDITS,
  unit: "edits",
  runsAlone: true,
  leastMinutes: 1.5,
  missing: natsServerMissing,
  async run(options) {
    const staged = await StagedCluster.start();
    const trial = new Trial(staged, options);
    try {
      return await trial.run();
    } finally {
      await trial.close();
      await staged.dispose();
    }
  },
};

async function natsServerMissing(): Promise<string | undefined> {
  try {
    obtainNatsServer();
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no NATS server") : String(error);
  }
}

/** The last fault: the busiest owner's shards at that time, and the edits made and refused before it. */
interface Aftermath {
  readonly fault: ClusterFault;
  readonly startMs: number;
  readonly held: readonly string[];
  readonly acknowledged: number;
  readonly refused: number;
}

class Trial {
  readonly #staged: StagedCluster;
  readonly #options: CampaignOptions;
  readonly #prng: Prng;
  readonly #builders: readonly Builder[];
  readonly #faults: readonly ClusterFault[];
  readonly #failures: string[] = [];
  readonly #figures = new ClusterFigures();
  #happened: number;
  #aftermath: Aftermath | undefined;
  #changedMs = 0;
  #isBuilding = false;

  constructor(staged: StagedCluster, options: CampaignOptions) {
    this.#staged = staged;
    this.#options = options;
    this.#prng = new Prng(options.seed);
    // In turn, from a different start for each seed, so that short runs cover all of them.
    this.#happened = options.seed - 1;
    const { abilities } = staged;
    this.#faults = CLUSTER_FAULTS.filter(({ needs }) => needs === undefined || abilities.has(needs));
    const events = {
      onChange: () => {
        this.#changedMs = performance.now();
      },
      onResult: (waitMs: number) => this.#figures.noteWait(waitMs),
    };
    this.#builders = Array.from(
      { length: BUILDERS },
      (_, number) => new Builder(staged.gatewayUrls, number, new Prng(this.#prng.u32()), events),
    );
  }

  async run(): Promise<{ readonly cases: number; readonly failures: readonly string[] }> {
    const left = CLUSTER_FAULTS.length - this.#faults.length;
    if (left > 0)
      console.log(`cluster: ${left} faults are left out here: they need root, iproute2 and its tc`);
    await Promise.all(this.#builders.map(({ world }) => world.complete()));
    const isLong = this.#options.endsAtMs === undefined;
    for (let round = 0; round === 0 || goesOn(this.#acknowledged(), this.#options); round++) {
      await this.#playRound(isLong);
      if (this.#failures.length >= FAILURES_MAX) break;
    }
    await this.#compare();
    this.#tellFigures();
    return { cases: this.#acknowledged(), failures: this.#failures };
  }

  async close(): Promise<void> {
    this.#isBuilding = false;
    await Promise.all(this.#builders.map(({ world }) => world.close()));
  }

  /** Injects faults while all builders build: two in a long round, one in a short one. */
  async #playRound(isLong: boolean): Promise<void> {
    const startMs = performance.now();
    const building = this.#build();
    this.#figures.begin("nothing happens");
    await delay(BEFORE_MS);
    await this.#happen();
    if (isLong) {
      await delay(Math.max(AFTER_MS, startMs + LAST_MS - performance.now()));
      this.#tellAftermath();
      await this.#happen();
      await delay(Math.max(0, startMs + ROUND_MS - performance.now()));
    } else await delay(AFTER_MS);
    this.#isBuilding = false;
    await building;
    await this.#converge(performance.now());
    this.#tellAftermath();
    for (const builder of this.#builders) for (const seen of faultsOfView(builder)) this.#fail(seen);
    this.#options.progress(this.#acknowledged());
  }

  /** Injects the next fault. {@link #tellAftermath} reports its effects. */
  async #happen(): Promise<void> {
    const fault = this.#faults[this.#happened++ % this.#faults.length];
    if (fault === undefined) return;
    this.#figures.begin(fault.name);
    this.#aftermath = {
      ...{ fault, startMs: performance.now(), held: this.#staged.shardsOf(this.#staged.busiest) },
      ...{ acknowledged: this.#acknowledged(), refused: this.#refusals().length },
    };
    try {
      await fault.run(this.#staged, this.#prng);
    } catch (error) {
      this.#fail(`${fault.name}: ${error}`);
    }
  }

  /** Checks the effects of the last fault. */
  #tellAftermath(): void {
    if (this.#aftermath === undefined) return;
    const { fault, startMs, held, acknowledged, refused: before } = this.#aftermath;
    this.#aftermath = undefined;
    if (fault.takesOver === true) this.#noteTakeOvers(fault, held, startMs);
    const refused = this.#refusals().slice(before);
    if (refused.length > 0 && fault.mayRefuse !== true)
      this.#fail(`${fault.name}: edits were refused: ${refused[0]}`);
    for (const trouble of this.#staged.troubles.splice(0)) this.#fail(`${fault.name}: ${trouble}`);
    console.log(
      `cluster: ${fault.name}: ${this.#acknowledged() - acknowledged} edits made, ${refused.length} refused, ` +
        `longest wait for one ${Math.round(this.#figures.longestWaitMs)} ms`,
    );
  }

  /** Lets the builders build in turn until `#isBuilding` is false. */
  async #build(): Promise<void> {
    this.#isBuilding = true;
    const startMs = performance.now();
    for (let count = 0; this.#isBuilding; count++) {
      void this.#builders[count % BUILDERS]?.build();
      await delay(Math.max(0, startMs + (count * 1_000) / EDITS_PER_SECOND - performance.now()));
    }
  }

  /** Waits until every edit has its result and all builders see the same world. */
  async #converge(stoppedMs: number): Promise<void> {
    const isCalm = (): boolean => this.#openEdits() === 0 && performance.now() - this.#changedMs > QUIET_MS;
    const endMs = stoppedMs + CONVERGED_MS + QUIET_MS;
    try {
      // The quiet time can only be measured after it has passed.
      await waitUntil(isCalm, "all is calm", endMs - performance.now());
      await Promise.all(this.#builders.map(({ world }) => world.complete()));
      const difference = (): string | undefined => differenceOfViews(this.#builders);
      await waitUntil(() => difference() === undefined, "all see the same", endMs - performance.now()).catch(
        (error) => {
          throw new Error(`${error}: ${difference()}`);
        },
      );
      const agreedMs = Math.max(0, this.#changedMs - stoppedMs);
      this.#figures.noteAgreement(agreedMs);
      console.log(`cluster: all agreed ${Math.round(agreedMs)} ms after the last edit was made`);
    } catch (error) {
      const stuck = this.#builders.filter(({ openEdits }) => openEdits > 0);
      const names = stuck.map(({ lane, openEdits, world }) => `${lane} (${openEdits}, ${world.status})`);
      this.#fail(`${error}; without results: ${names.join(", ") || "none"}`);
    }
  }

  #noteTakeOvers(fault: ClusterFault, shards: readonly string[], startMs: number): void {
    for (const shard of shards) {
      const claimed = this.#staged.claimed.find((event) => event.shard === shard && event.atMs > startMs);
      if (claimed === undefined) {
        this.#fail(`${fault.name}: no node claimed shard ${shard}`);
        continue;
      }
      const tookMs = claimed.atMs - startMs;
      this.#figures.noteTakeOver(tookMs);
      console.log(
        `cluster: ${claimed.node} took over shard ${shard} after ${Math.round(tookMs)} ms: ${claimed.detail}`,
      );
    }
  }

  #tellFigures(): void {
    for (const line of this.#figures.lines()) console.log(`cluster: ${line}`);
    const refused = this.#refusals().length;
    console.log(`cluster: ${this.#acknowledged()} edits acknowledged, ${refused} refused`);
    const worst = this.#figures.takeOverP99Ms ?? 0;
    if (worst > CLAIM_MS_MAX)
      this.#failures.push(
        `the p99 of take-overs is ${Math.round(worst)} ms, over its budget of ${CLAIM_MS_MAX}`,
      );
  }

  /** Stops the owners after they save, and compares the saves with the builders' results and content. */
  async #compare(): Promise<void> {
    for (const owner of this.#staged.owners) await owner.execute({ kind: "stop" });
    const { voxels, regions, shards, faults } = await compareSaves(this.#staged, this.#builders);
    for (const fault of faults) this.#fail(`at the end: ${fault}`);
    for (const { lane, faults: own } of this.#builders)
      for (const fault of own) this.#fail(`at the end: builder ${lane}: ${fault}`);
    console.log(
      `cluster: compared ${voxels} voxels and ${regions} regions of ${BUILDERS} clients with the saves of ` +
        `${shards} shards`,
    );
  }

  #acknowledged(): number {
    return this.#builders.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  #openEdits(): number {
    return this.#builders.reduce((sum, { openEdits }) => sum + openEdits, 0);
  }

  #refusals(): readonly string[] {
    return this.#builders.flatMap(({ refusals }) => refusals);
  }

  #fail(detail: string): void {
    if (this.#failures.length < FAILURES_MAX) this.#failures.push(`${detail}; seed ${this.#options.seed}`);
  }
}
