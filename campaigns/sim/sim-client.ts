import type { Box, Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { positionsEqual } from "@orthant/core/lattice";
import type { ClockChange, VoxelPlacement } from "@orthant/core/tree";
import { EDIT_RUN_IDS, type Pose } from "@orthant/protocol";
import {
  type CachedReplica,
  type InterestArea,
  type OwnEditResult,
  SyncClient,
} from "@orthant/protocol/client";
import { clientFrameCodec } from "@orthant/protocol/internal";
import type { FakeTime, Link, LossyNetwork, Prng } from "@orthant/testkit";
import type { EditHistory } from "./edit-history.ts";
import { PatchDropper } from "./patch-dropper.ts";
import type { RegionStates } from "./region-states.ts";
import { ReplicaCheck } from "./replica-check.ts";
import { type ClientPlan, OTHER_GENERATORS, SERVER_GENERATORS, type SimPlan, tokenOf } from "./sim-plan.ts";
import type { SimServer } from "./sim-server.ts";

/** Options of a simulated client. */
export interface SimClientOptions {
  readonly number: number;
  readonly plan: SimPlan;
  readonly client: ClientPlan;
  readonly time: FakeTime;
  readonly prng: Prng;
  readonly network: LossyNetwork;
  readonly server: SimServer;
  readonly history: EditHistory;
  readonly states: RegionStates;
}

/** Where clients begin to number their edits: at the first run, those around 32 bits, and the last ones. Rule N29. */
const FIRST_EDIT_IDS: readonly number[] = [0, 1, 7, 8, 15, 16, 2 ** 24, 2 ** 25 - 2].map(
  (run) => run * EDIT_RUN_IDS + 1,
);

/** Reasons for which a server may close the connection of a well-behaved client. */
const EXPECTED_GOODBYES: ReadonlySet<string> = new Set(["replaced", "shutdown", "idle", "slow"]);
const RECONNECT_MS_MIN = 20;
const RECONNECT_MS_MAX = 600;
/** Time after which the server has surely received a new interest. */
const INTEREST_RECEIVED_MS = 1_000;

/** A client that reconnects whenever it loses the server. Each received frame triggers a check. */
export class SimClient {
  readonly number: number;
  readonly clientId: bigint;
  readonly plan: ClientPlan;
  readonly #options: SimClientOptions;
  readonly #check: ReplicaCheck;
  /** Edits without a result, in order. */
  readonly openEdits = new Map<number, readonly VoxelPlacement[]>();
  /** Edits that the server acknowledged. */
  readonly acknowledged = new Set<number>();
  #syncClient: SyncClient;
  #link: Link | undefined;
  #dropper: PatchDropper | undefined;
  #isStopped = false;
  #oldKept: CachedReplica | undefined;
  #isWelcome = false;
  #connectMs: number | undefined;
  #nextEditId: number;
  /** First fault found in a listener, kept here because the client may swallow exceptions. */
  #failure: Error | undefined;
  #interest: InterestArea | undefined;
  #interestSetMs = 0;
  #pose: Pose | undefined;

  constructor(options: SimClientOptions) {
    this.#options = options;
    this.number = options.number;
    this.plan = options.client;
    this.clientId = BigInt(1_000 + options.number);
    this.#nextEditId = FIRST_EDIT_IDS[options.number % FIRST_EDIT_IDS.length] ?? 1;
    this.#check = new ReplicaCheck(options.plan, options.client.detail, options.states, this.openEdits);
    this.#syncClient = this.#newSyncClient();
    this.#connectMs = options.time.nowMs();
  }

  get syncClient(): SyncClient {
    return this.#syncClient;
  }

  /** The pose that it last sent. */
  get pose(): Pose | undefined {
    return this.#pose;
  }

  /** The regions of its interest. */
  get interest(): readonly Position[] {
    return this.#check.regionsIn(this.#interest?.boxes ?? []);
  }

  setInterest(interest: InterestArea): void {
    this.#interest = interest;
    this.#interestSetMs = this.#options.time.nowMs();
    this.#syncClient.setInterest(interest);
    this.checkChangedRegions();
  }

  setVoxels(placements: readonly VoxelPlacement[]): void {
    this.openEdits.set(this.#syncClient.setVoxels(placements), placements);
    this.#check.touch(placements);
    this.checkChangedRegions();
  }

  move(pose: Pose): void {
    this.#pose = pose;
    this.#syncClient.move(pose);
  }

  /** Sends its pose again. */
  stay(): void {
    if (this.#pose !== undefined) this.#syncClient.move(this.#pose);
  }

  /** Connects to the server when due, and ticks the client. */
  tick(): void {
    const { time } = this.#options;
    if (this.#link === undefined && this.#connectMs !== undefined && time.nowMs() >= this.#connectMs)
      this.#connect();
    this.#syncClient.tick();
    this.checkChangedRegions();
  }

  /** Stops removing patches from its stream. */
  stopDropping(): void {
    this.#isStopped = true;
    if (this.#dropper !== undefined) this.#dropper.isStopped = true;
  }

  /** Breaks its connection, if it has one. */
  cut(): void {
    this.#link?.cut();
  }

  /** Restarts the client as if its program ended, with a new or old copy of its replica, or without one. */
  restart(keeps: "everything" | "nothing"): void {
    const kept = keeps === "everything" ? this.#keep() : undefined;
    const link = this.#link;
    this.#link = undefined;
    this.#isWelcome = false;
    this.openEdits.clear();
    link?.ends[0].listen({ receive: () => undefined, disconnected: () => undefined });
    if (this.#options.prng.chance(0.5)) link?.ends[0].close();
    else link?.cut();
    this.#check.clear();
    this.#nextEditId = this.#syncClient.nextEditId;
    this.#syncClient = this.#newSyncClient();
    if (kept !== undefined) this.#syncClient.restore(kept);
    if (this.#interest !== undefined) this.#syncClient.setInterest(this.#interest);
    if (this.#pose !== undefined) this.#syncClient.move(this.#pose);
    this.#planConnect();
    this.checkChangedRegions();
  }

  /** Handles a rollback of the server's world, after which earlier acknowledgements do not count. */
  loseTime(): void {
    this.acknowledged.clear();
    this.restart("everything");
  }

  /** Throws unless every changed region shows what the server had at the region's clock. */
  checkChangedRegions(): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#check.run(this.#syncClient);
  }

  /** Checks all regions in the same way, changed or not. */
  checkAllRegions(): void {
    this.#check.runEverywhere(this.#syncClient);
  }

  /** Returns the replica to keep: the present one, sometimes an old one, sometimes a damaged one. */
  #keep(): CachedReplica | undefined {
    const { prng } = this.#options;
    const kept = this.#syncClient.keep();
    if (kept === undefined) return undefined;
    if (this.#oldKept === undefined || prng.chance(0.2)) this.#oldKept = kept;
    if (prng.chance(0.3)) return this.#oldKept;
    return prng.chance(0.1) ? damaged(kept, prng) : kept;
  }

  #newSyncClient(): SyncClient {
    const { number, time, client } = this.#options;
    return new SyncClient({
      time,
      generators: client.detail === "symbolic" ? SERVER_GENERATORS : OTHER_GENERATORS,
      clientId: this.clientId,
      name: `client ${number}`,
      token: () => tokenOf(number, client.role),
      firstEditId: this.#nextEditId,
      events: {
        onWelcome: () => {
          this.#isWelcome = true;
        },
        onGoodbye: ({ reason, detail }) => {
          if (!EXPECTED_GOODBYES.has(reason)) this.#fail(`was disconnected: ${reason}: ${detail}`);
        },
        onFault: (error) => {
          this.#failure ??= error;
        },
        onChange: (chunks: readonly Box[]) => this.#check.touchChunks(chunks),
        onEditResult: (result) => this.#receiveResult(result),
      },
    });
  }

  #connect(): void {
    const { network, server, plan, prng } = this.#options;
    const link = network.connect();
    const [near, far] = link.ends;
    if (!server.connect(far)) {
      this.#planConnect();
      return;
    }
    this.#link = link;
    this.#isWelcome = false;
    const syncClient = this.#syncClient;
    const dropper =
      plan.dropsPatches && !this.#isStopped ? new PatchDropper(prng, plan.shape.volume) : undefined;
    this.#dropper = dropper;
    near.listen({
      receive: (frame) => {
        syncClient.receive(dropper?.toClient(frame) ?? frame);
        this.checkChangedRegions();
      },
      disconnected: () => {
        if (this.#link !== link) return;
        this.#link = undefined;
        syncClient.disconnected();
        this.#planConnect();
        this.checkChangedRegions();
      },
    });
    syncClient.connected({
      send: (frame) => near.send(this.#withFeatures(dropper?.toServer(frame) ?? frame)),
      close: () => near.close(),
    });
  }

  #planConnect(): void {
    const { time, prng } = this.#options;
    this.#connectMs = time.nowMs() + prng.between(RECONNECT_MS_MIN, RECONNECT_MS_MAX);
  }

  /** Removes from a hello the features that this client lacks. */
  #withFeatures(frame: Uint8Array): Uint8Array {
    if (this.#isWelcome || this.plan.takesEditLists) return frame;
    const { messages, ...rest } = decode(clientFrameCodec, frame);
    return encode(clientFrameCodec, {
      ...rest,
      messages: messages.map((message) =>
        message.kind === "hello" ? { ...message, featureBits: 0n } : message,
      ),
    });
  }

  #receiveResult({ number, editId = 0, result: { status } }: OwnEditResult): void {
    const { history, plan } = this.#options;
    const origin = { clientId: this.clientId, editId };
    const placements = this.openEdits.get(number);
    if (placements === undefined) {
      this.#fail(`got a second edit result on edit ${number}`);
      return;
    }
    this.openEdits.delete(number);
    this.#check.touch(placements);
    if (status === "duplicate") return;
    if (status === "rejected") {
      if (history.has(origin)) this.#fail(`got a rejection of edit ${editId}, which was applied`);
      history.refuse(origin);
      return;
    }
    this.acknowledged.add(editId);
    const made = history.outcomeOf(origin);
    if (made !== status) this.#fail(`got the result that edit ${editId} is ${status}, which is ${made}`);
    if (plan.acknowledge === "durable" && !history.has(origin))
      this.#fail(`got the result that edit ${editId} is durable, which is lost`);
    if (plan.network === "stream" && !plan.dropsPatches) this.#requireSeen(history.clocksOf(origin));
  }

  /** On a stream, requires an edit's changes to arrive before its result, in regions of settled interest. */
  #requireSeen(clocks: readonly ClockChange[]): void {
    if (this.#options.time.nowMs() - this.#interestSetMs < INTEREST_RECEIVED_MS) return;
    for (const { region, after } of clocks) {
      const isInInterest = this.interest.some((position) => positionsEqual(position, region));
      const clock = this.#syncClient.replica?.clockOf(region);
      if (isInInterest && clock !== undefined && clock < after)
        this.#fail(`holds clock ${clock} of [${region}] at an edit result about clock ${after}`);
    }
  }

  #fail(detail: string): void {
    this.#failure ??= new Error(`client ${this.number} ${detail}`);
  }
}

/** Returns a copy with one byte of each region changed. */
function damaged(kept: CachedReplica, prng: Prng): CachedReplica {
  const regions = kept.regions.map(({ region, clock, bytes }) => {
    const changed = bytes.slice();
    const index = prng.below(changed.length);
    changed[index] = (changed[index] ?? 0) ^ prng.between(1, 255);
    return { region, clock, bytes: changed };
  });
  return { ...kept, regions };
}
