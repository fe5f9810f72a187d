import { clientKey } from "@orthant/cluster/internal";
import type { Box, Position } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { chunkOfVoxel, positionsLexicographic, regionBox, regionOf } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { type OwnEditResult, SyncClient } from "@orthant/protocol/client";
import type { FakeTime, Link, LossyNetwork, Prng } from "@orthant/testkit";
import { SHAPE } from "./cluster-workload.ts";
import type { JournalOracle } from "./journal-oracle.ts";
import type { SimGateway } from "./sim-gateway.ts";

/** Dependencies of a simulated client. */
export interface SimClientOptions {
  readonly number: number;
  readonly time: FakeTime;
  readonly prng: Prng;
  readonly network: LossyNetwork;
  readonly gateways: readonly SimGateway[];
  readonly oracle: JournalOracle;
  readonly arena: Box;
  readonly fail: (error: unknown) => void;
}

const EXPECTED_GOODBYES: ReadonlySet<string> = new Set(["replaced", "shutdown", "idle", "slow"]);
const OPEN_EDITS_MAX = 12;
const TICK_MS = 200;

/** An edit that was made. */
interface IssuedEdit {
  /** Number of connections at that moment: an edit sent to another gateway may be applied there. */
  readonly connections: number;
  /** The regions that it changes. */
  readonly regions: readonly Position[];
  /** Called when it is answered. */
  readonly onAnswer: (() => void) | undefined;
}

/** A client that connects to any gateway, and reconnects whenever it loses one. */
export class SimClient {
  readonly clientId: bigint;
  /** What journals have in place of the id. */
  readonly clientKey: bigint;
  readonly acknowledged: number[] = [];
  readonly sync: SyncClient;
  readonly #options: SimClientOptions;
  readonly #issued = new Map<number, IssuedEdit>();
  #link: Link | undefined;
  #connections = 0;

  constructor(options: SimClientOptions) {
    this.#options = options;
    this.clientId = BigInt(100 + options.number);
    this.clientKey = clientKey(this.clientId);
    this.sync = new SyncClient({
      time: options.time,
      generators: DEFAULT_GENERATORS,
      clientId: this.clientId,
      name: `client ${options.number}`,
      token: () => new Uint8Array(1),
      firstEditId: 1,
      events: {
        onGoodbye: ({ reason, detail }) => {
          if (!EXPECTED_GOODBYES.has(reason)) this.#fail(`was closed with ${reason}: ${detail}`);
        },
        onFault: (error) => options.fail(error),
        onEditResult: (result) => this.#take(result),
      },
    });
    this.sync.setInterest({ boxes: [options.arena], center: [0, 0, 0, 0] });
    this.#tick();
  }

  edit(placements: readonly VoxelPlacement[]): void {
    if (this.sync.world === undefined || this.sync.openEdits.length >= OPEN_EDITS_MAX) return;
    // The removal of data is the only placement that may change nothing.
    const changing = placements.filter(({ data }) => data !== null);
    const regions = changing.map(({ voxel }) => regionOf(chunkOfVoxel(SHAPE, voxel)));
    const onAnswer =
      changing.length < placements.length ? this.#options.oracle.noteUnstored(this.clientKey) : undefined;
    this.#issued.set(this.sync.setVoxels(placements), { connections: this.#connections, regions, onAnswer });
  }

  cut(): void {
    this.#link?.cut();
  }

  /** Describes what it shows that was never stored; `undefined` if there is nothing. */
  fault(regions: readonly Position[]): string | undefined {
    for (const region of regions) {
      const clock = this.sync.replica?.clockOf(region);
      if (clock === undefined) continue;
      for (const position of positionsLexicographic(regionBox(region))) {
        const shown = this.sync.replica?.chunkAt(position);
        const fault = shown && this.#options.oracle.faultOf(region, clock, position, shown);
        if (fault !== undefined) return `client ${this.#options.number}: ${fault}`;
      }
    }
    return undefined;
  }

  #tick(): void {
    const { time } = this.#options;
    time.after(TICK_MS, () => this.#tick());
    if (this.#link === undefined) this.#connect();
    this.sync.tick();
  }

  #connect(): void {
    const { network, gateways, prng, time } = this.#options;
    const link = network.connect();
    const [near, far] = link.ends;
    if (!prng.pick(gateways).connect(far)) return;
    this.#link = link;
    this.#connections++;
    near.listen({
      receive: (frame) => this.sync.receive(frame),
      disconnected: () => {
        if (this.#link !== link) return;
        this.sync.disconnected();
        // Waits a moment before it reconnects.
        time.after(prng.between(20, 400), () => {
          if (this.#link === link) this.#link = undefined;
        });
      },
    });
    this.sync.connected({ send: (frame) => near.send(frame), close: () => near.close() });
  }

  #take({ number, editId = 0, result }: OwnEditResult): void {
    const { status } = result;
    this.#issued.get(number)?.onAnswer?.();
    const isStored = this.#options.oracle.has(this.clientKey, editId);
    if (status === "rejected" && result.detail.includes("forgotten")) {
      const { regions = [] } = this.#issued.get(number) ?? {};
      if (!this.#options.oracle.mayBeForgotten(this.clientKey, editId, regions))
        this.#fail(`got rejected for edit ${editId} as if it were forgotten`);
      return;
    }
    if (status === "rejected") {
      // One of two shards may have applied its part; an edit rejected here may be applied through another
      // gateway, or have been lost with a journal.
      const isKnown =
        result.detail !== "ORT_EDIT_PARTS" &&
        this.#issued.get(number)?.connections === this.#connections &&
        !this.#options.oracle.wasLost(this.clientKey, editId);
      if (isStored && isKnown) this.#fail(`got rejected for edit ${editId}, which is stored`);
      return;
    }
    // Every edit changes something in each of its regions, so journals have all of it, unless an owner or another
    // gateway has rejected it.
    const mayBeRejected =
      this.#options.oracle.mayBeRejected(this.clientKey, editId) ||
      this.#options.gateways.some(({ hasRejected }) => hasRejected);
    const regions = this.#issued.get(number)?.regions ?? [];
    const [missing] = this.#options.oracle.missing(this.clientKey, editId, regions);
    if (isStored) this.acknowledged.push(editId);
    if (missing !== undefined && !mayBeRejected)
      this.#fail(`got ${status} for edit ${editId}, which is not stored in region [${missing}]`);
    else if (!isStored && status !== "duplicate")
      this.#fail(`got ${status} for edit ${editId}, which is not stored`);
  }

  #fail(detail: string): void {
    this.#options.fail(new Error(`client ${this.#options.number} ${detail}`));
  }
}
