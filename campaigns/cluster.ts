import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "@orthant/testkit";
import { type Campaign, type CampaignOptions, FAILURES_MAX } from "./campaign.ts";
import { Builder } from "./cluster/builder.ts";
import { compareSaves, faultsOfView } from "./cluster/built-check.ts";
import { CLUSTER_FAULTS, type ClusterFault } from "./cluster/faults.ts";
import { StagedCluster } from "./cluster/staged-cluster.ts";
import { waitUntil } from "./cluster/waiting.ts";

const BUILDERS = 100;
const EDITS_PER_SECOND = 200;
/** How long people build before and after something happens. */
const BEFORE_MS = 5_000;
const AFTER_MS = 10_000;
/** All must be one again within this. */
const CONVERGED_MS = 30_000;
/** When nothing has changed for so long, nothing more will. */
const QUIET_MS = 2_000;
const TAKE_OVER_MS = 5_000;

/** A real cluster of which parts fail. */
export const clusterCampaign: Campaign = {
  name: "cluster",
  summary: "100 clients of a cluster whose owners, gateways and NATS servers are killed, stopped and cut off",
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

class Trial {
  readonly #staged: StagedCluster;
  readonly #options: CampaignOptions;
  readonly #prng: Prng;
  readonly #builders: readonly Builder[];
  readonly #failures: string[] = [];
  readonly #takeOversMs: number[] = [];
  #changedMs = 0;
  #isBuilding = false;

  constructor(staged: StagedCluster, options: CampaignOptions) {
    this.#staged = staged;
    this.#options = options;
    this.#prng = new Prng(options.seed);
    this.#builders = Array.from(
      { length: BUILDERS },
      (_, number) =>
        new Builder(staged.gatewayUrls, number, new Prng(this.#prng.u32()), () => {
          this.#changedMs = performance.now();
        }),
    );
  }

  async run(): Promise<{ readonly cases: number; readonly failures: readonly string[] }> {
    const { endsAtMs } = this.#options;
    await Promise.all(this.#builders.map(({ world }) => world.complete()));
    const faults = CLUSTER_FAULTS.filter(({ needsNetwork }) => needsNetwork !== true || this.#staged.canCut);
    if (!this.#staged.canCut) console.log("cluster: links are not cut here, which needs root and iproute2");
    // In turn, beginning with another one for each seed, so that short runs come to all of them.
    for (let index = 0; index < faults.length; index++) {
      const fault = faults[(index + this.#options.seed - 1) % faults.length];
      if (index > 0 && endsAtMs !== undefined && performance.now() > endsAtMs) break;
      if (fault !== undefined) await this.#try(fault);
    }
    await this.#compare();
    this.#tellTakeOvers();
    return { cases: this.#acknowledged(), failures: this.#failures };
  }

  async close(): Promise<void> {
    this.#isBuilding = false;
    await Promise.all(this.#builders.map(({ world }) => world.close()));
  }

  async #try(fault: ClusterFault): Promise<void> {
    const before = { acknowledged: this.#acknowledged(), refused: this.#refusals().length };
    const building = this.#build();
    await delay(BEFORE_MS);
    const startMs = performance.now();
    const held = this.#staged.shardsOf(this.#staged.busiest);
    try {
      await fault.run(this.#staged, this.#prng);
    } catch (error) {
      this.#fail(fault, String(error));
    }
    const healedMs = performance.now();
    await delay(AFTER_MS);
    this.#isBuilding = false;
    const stoppedMs = performance.now();
    await building;
    const calmMs = await this.#converge(fault, healedMs);
    if (fault.takesOver === true) this.#noteTakeOvers(fault, held, startMs);
    const refused = this.#refusals().slice(before.refused);
    if (refused.length > 0 && fault.mayRefuse !== true)
      this.#fail(fault, `edits were refused: ${refused[0]}`);
    for (const builder of this.#builders) for (const seen of faultsOfView(builder)) this.#fail(fault, seen);
    for (const trouble of this.#staged.troubles.splice(0)) this.#fail(fault, trouble);
    console.log(
      `cluster: ${fault.name}: ${this.#acknowledged() - before.acknowledged} edits made, ${refused.length} refused, ` +
        `longest wait for one ${Math.round(this.#longestWaitMs(startMs))} ms; whole again for ${Math.round(stoppedMs - healedMs)} ms ` +
        `when building ended, and calm ${Math.round(Math.max(0, calmMs - stoppedMs))} ms later`,
    );
    this.#options.progress(this.#acknowledged());
  }

  /** Everybody builds in turn, until told to stop. */
  async #build(): Promise<void> {
    this.#isBuilding = true;
    const startMs = performance.now();
    for (let count = 0; this.#isBuilding; count++) {
      void this.#builders[count % BUILDERS]?.build();
      await delay(Math.max(0, startMs + (count * 1_000) / EDITS_PER_SECOND - performance.now()));
    }
  }

  /** Waits until every edit has its verdict and nothing changes any more; gives when the last change was. */
  async #converge(fault: ClusterFault, healedMs: number): Promise<number> {
    const isCalm = (): boolean => this.#openEdits() === 0 && performance.now() - this.#changedMs > QUIET_MS;
    try {
      // Quiet shows only after it has lasted.
      const patienceMs = healedMs + CONVERGED_MS + QUIET_MS - performance.now();
      await waitUntil(isCalm, "all is calm", patienceMs);
      await Promise.all(this.#builders.map(({ world }) => world.complete()));
    } catch (error) {
      const stuck = this.#builders.filter(({ openEdits }) => openEdits > 0);
      const names = stuck.map(({ lane, openEdits, world }) => `${lane} (${openEdits}, ${world.status})`);
      this.#fail(fault, `${error}; without verdicts: ${names.join(", ") || "nobody"}`);
    }
    return this.#changedMs;
  }

  #noteTakeOvers(fault: ClusterFault, shards: readonly string[], startMs: number): void {
    for (const shard of shards) {
      const taken = this.#staged.taken.find((event) => event.shard === shard && event.atMs > startMs);
      if (taken === undefined) this.#fail(fault, `nobody took over shard ${shard}`);
      else {
        this.#takeOversMs.push(taken.atMs - startMs);
        const tookMs = Math.round(taken.atMs - startMs);
        console.log(`cluster: ${taken.node} took over shard ${shard} after ${tookMs} ms: ${taken.detail}`);
      }
    }
  }

  #tellTakeOvers(): void {
    const sorted = [...this.#takeOversMs].sort((one, other) => one - other);
    const worst = sorted[Math.ceil(sorted.length * 0.99) - 1];
    if (worst === undefined) return;
    const [median] = sorted.slice(sorted.length >>> 1);
    console.log(
      `cluster: ${sorted.length} shards taken over, p50 ${Math.round(median ?? 0)} ms, p99 ${Math.round(worst)} ms (budget ${TAKE_OVER_MS})`,
    );
    if (worst > TAKE_OVER_MS) this.#failures.push(`a shard was taken over after ${worst} ms`);
  }

  /** Lets the owners save and end, and compares what lies on the disk with what everybody was told and holds. */
  async #compare(): Promise<void> {
    for (const owner of this.#staged.owners) await owner.obey({ kind: "stop" });
    const { voxels, regions, shards, faults } = await compareSaves(this.#staged, this.#builders);
    for (const fault of faults) this.#fail({ name: "at the end" }, fault);
    for (const { lane, faults: own } of this.#builders)
      for (const fault of own) this.#fail({ name: "at the end" }, `builder ${lane}: ${fault}`);
    console.log(
      `cluster: compared ${voxels} voxels and ${regions} regions of ${BUILDERS} clients with the saves of ` +
        `${shards} shards`,
    );
  }

  #longestWaitMs(sinceMs: number): number {
    const waits = this.#builders.flatMap(({ waits: own }) => own.filter(({ atMs }) => atMs > sinceMs));
    return Math.max(0, ...waits.map(({ ms }) => ms));
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

  #fail({ name }: { readonly name: string }, detail: string): void {
    if (this.#failures.length < FAILURES_MAX)
      this.#failures.push(`${name}: ${detail}; seed ${this.#options.seed}`);
  }
}
