import type { Prng } from "@orthant/testkit";
import type { NatsNode } from "@orthant/testkit/nats";
import type { MemberProcess } from "./member-process.ts";
import type { StagedCluster } from "./staged-cluster.ts";

/** An owner that a fault took away, with its shards and the time. */
export interface LostOwner {
  readonly startMs: number;
  readonly shards: readonly string[];
}

/** The cluster as faults see it. Two faults at the same time never harm the same process. */
export class FaultScene {
  readonly staged: StagedCluster;
  readonly prng: Prng;
  /** The owners that faults took away since {@link clear}. */
  readonly lost: LostOwner[] = [];
  readonly #harmed = new Set<string>();

  constructor(staged: StagedCluster, prng: Prng) {
    this.staged = staged;
    this.prng = prng;
  }

  /** Forgets the owners that were lost. */
  clear(): void {
    this.lost.splice(0);
  }

  /** Harms the owner with the most shards. */
  owner(work: (owner: MemberProcess) => Promise<void>): Promise<void> {
    const { staged } = this;
    const owner = staged.busiestOf(this.#unharmed(staged.owners));
    this.lost.push({ startMs: performance.now(), shards: staged.shardsOf(owner) });
    return this.harm(owner, work);
  }

  /** Harms the gateways in turn, because clients of a lost gateway move to the others and stay there. */
  gateway(work: (gateway: MemberProcess) => Promise<void>): Promise<void> {
    const { staged } = this;
    let gateway = staged.nextGateway();
    while (this.#harmed.has(gateway.name)) gateway = staged.nextGateway();
    return this.harm(gateway, work);
  }

  /** Harms any NATS server. */
  server(work: (server: NatsNode) => Promise<void>): Promise<void> {
    return this.harm(this.prng.pick(this.#unharmed(this.staged.nats.nodes)), work);
  }

  /** Harms this process, unless another fault does. */
  async harm<Victim extends { readonly name: string }>(
    victim: Victim,
    work: (victim: Victim) => Promise<void>,
  ): Promise<void> {
    if (this.#harmed.has(victim.name)) return;
    this.#harmed.add(victim.name);
    try {
      await work(victim);
    } finally {
      this.#harmed.delete(victim.name);
    }
  }

  /** Returns an owner other than `owner` that no fault harms. */
  anotherOwner(owner: MemberProcess | undefined): MemberProcess {
    return this.prng.pick(this.#unharmed(this.staged.owners).filter((other) => other !== owner));
  }

  #unharmed<Victim extends { readonly name: string }>(candidates: readonly Victim[]): readonly Victim[] {
    return candidates.filter(({ name }) => !this.#harmed.has(name));
  }
}
